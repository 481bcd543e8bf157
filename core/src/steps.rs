//! The steps of one decision, one by one, for people who ask why (`reference` section 3).
//!
//! Nothing here decides. The deciding functions tell of every step they take; in production nobody
//! listens, and the telling costs nothing. So the step that ends a decision and the reason of its
//! verdict cannot differ.

pub(crate) mod facts;
#[cfg(any(feature = "simulate", test))]
mod words;

use alloc::vec::Vec;

use crate::{codes::codes, explain::Lang, time::Millis, verdict::Reason};

codes! {
    /// What is asked, in the order in which it is asked.
    pub enum StepName {
        /// 1: is it a success, or an answer that is final?
        Success = 0 => "success",
        /// 2: did the caller give up?
        Cancelled = 1 => "cancelled",
        /// 3: does the server forbid it?
        Veto = 2 => "veto",
        /// 4: would the same request get the same answer?
        Permanent = 3 => "permanent",
        /// 5: can the body be sent again, and the answer still be taken back?
        Body = 4 => "body",
        /// 6: is a repetition harmless?
        Safety = 5 => "safety",
        /// 7: are retries left?
        Retries = 6 => "retries",
        /// 8: does no layer above retry already?
        Layers = 7 => "layers",
        /// 9: how long is the wait, and does the policy accept what the server asks for?
        Delay = 8 => "delay",
        /// 10: is there time before the deadline?
        Deadline = 9 => "deadline",
        /// 11: will the server still know the key?
        KeyWindow = 10 => "key-window",
        /// 12: will the breaker let it through?
        Breaker = 11 => "breaker",
        /// 13: does the budget pay for it?
        Budget = 12 => "budget",
        /// 14: it is sent again.
        Retry = 13 => "retry",
    }
}

/// One step of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// What was asked.
    pub name: StepName,
    /// The reason of the verdict, when the decision ended here. `None`: the next step was asked.
    pub end: Option<Reason>,
    /// What the answer rests on.
    pub facts: Vec<Fact>,
}

/// Something that a step looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fact {
    /// What it is, in the words of the policy document.
    pub name: &'static str,
    /// Its value.
    pub value: Value,
}

/// The value of a [`Fact`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// A number of things.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// One of the stable names.
    Name(&'static str),
    /// A span.
    Span(Millis),
}

impl StepName {
    /// Its number in the order of a decision, 1 to 14.
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The question, for people.
    pub const fn question(self, lang: Lang) -> &'static str {
        match lang {
            Lang::English => self.english(),
            Lang::Arabic => self.arabic(),
        }
    }

    const fn english(self) -> &'static str {
        match self {
            Self::Success => "is it a failure?",
            Self::Cancelled => "does the caller still want it?",
            Self::Veto => "does the server allow a retry?",
            Self::Permanent => "could the answer change?",
            Self::Body => "can it be sent again?",
            Self::Safety => "is a repetition harmless?",
            Self::Retries => "are retries left?",
            Self::Layers => "does no layer above retry?",
            Self::Delay => "how long is the wait?",
            Self::Deadline => "is there time before the deadline?",
            Self::KeyWindow => "will the server still know the key?",
            Self::Breaker => "will the breaker let it through?",
            Self::Budget => "does the budget pay for it?",
            Self::Retry => "send it again",
        }
    }

    const fn arabic(self) -> &'static str {
        match self {
            Self::Success => "هل فشلت المحاولة؟",
            Self::Cancelled => "هل ما زال صاحب الطلب ينتظر؟",
            Self::Veto => "هل يسمح الخادم بإعادة المحاولة؟",
            Self::Permanent => "هل يمكن أن تتغير الإجابة؟",
            Self::Body => "هل يمكن إرسالها مرة أخرى؟",
            Self::Safety => "هل التكرار غير ضار؟",
            Self::Retries => "هل بقيت محاولات؟",
            Self::Layers => "ألا تعيد طبقة أعلى المحاولة؟",
            Self::Delay => "كم مدة الانتظار؟",
            Self::Deadline => "هل يتسع الوقت قبل انتهاء المهلة؟",
            Self::KeyWindow => "هل سيظل الخادم يعرف المفتاح؟",
            Self::Breaker => "هل يسمح قاطع الدائرة بالمرور؟",
            Self::Budget => "هل تكفي حصة إعادة المحاولات؟",
            Self::Retry => "تُرسَل مرة أخرى",
        }
    }
}

/// Hears of the steps of a decision.
pub(crate) trait Watch {
    /// A step was taken; with a reason, the decision ends with it. The facts are made for those who
    /// want them.
    fn step(&mut self, name: StepName, end: Option<Reason>, facts: impl FnOnce() -> Vec<Fact>);

    /// A step that changes what it looks at is about to be taken: the moment to look.
    fn look(&mut self, look: impl FnOnce());
}

/// Nobody listens.
pub(crate) struct Unwatched;

impl Watch for Unwatched {
    #[inline]
    fn step(&mut self, _: StepName, _: Option<Reason>, _: impl FnOnce() -> Vec<Fact>) {}

    #[inline]
    fn look(&mut self, _: impl FnOnce()) {}
}

impl Watch for Vec<Step> {
    fn step(&mut self, name: StepName, end: Option<Reason>, facts: impl FnOnce() -> Vec<Fact>) {
        self.push(Step { name, end, facts: facts() });
    }

    fn look(&mut self, look: impl FnOnce()) {
        look();
    }
}

#[cfg(all(test, feature = "json"))]
mod tests;
