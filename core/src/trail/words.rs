//! The sentences of the trail, in both languages. `{…}` names what is filled in.

use super::{Entry, TrailState};
use crate::{explain::Lang, ledger::Cause};

/// What an entry says after its attempt and status.
pub(super) const fn sentence(entry: &Entry, lang: Lang) -> &'static str {
    let by_hand = entry.by.is_some();
    let other = entry.other.is_some();
    match (entry.state, lang) {
        (TrailState::Pending, Lang::English) if other => {
            "takes the place of {other}, by {by}: {why}"
        }
        (TrailState::Pending, Lang::Arabic) if other => "يحل محل {other}، بقرار {by}: {why}",
        (TrailState::Pending, Lang::English) if entry.attempt > 0 => "was not sent; waits again",
        (TrailState::Pending, Lang::Arabic) if entry.attempt > 0 => "لم تُرسل؛ تنتظر من جديد",
        (TrailState::Pending, Lang::English) if entry.delay.is_some() => {
            "recorded; to be sent in {delay}"
        }
        (TrailState::Pending, Lang::Arabic) if entry.delay.is_some() => {
            "سُجّل الطلب؛ يُرسل بعد {delay}"
        }
        (TrailState::Pending, Lang::English) => "recorded, not sent yet",
        (TrailState::Pending, Lang::Arabic) => "سُجّل الطلب ولم يُرسل بعد",
        (TrailState::Attempted, Lang::English) if entry.taken_over => {
            "sent; the worker of the attempt before is gone"
        }
        (TrailState::Attempted, Lang::Arabic) if entry.taken_over => {
            "أُرسلت؛ العامل الذي أرسل المحاولة السابقة اختفى"
        }
        (TrailState::Attempted, Lang::English) => "sent, waiting for the answer",
        (TrailState::Attempted, Lang::Arabic) => "أُرسلت، بانتظار الإجابة",
        (TrailState::RateLimited, Lang::English) => {
            "the vendor asked to wait; the next attempt in {delay}"
        }
        (TrailState::RateLimited, Lang::Arabic) => {
            "طلب المورّد الانتظار؛ المحاولة التالية بعد {delay}"
        }
        (TrailState::Retrying, Lang::English) => "failed for now; the next attempt in {delay}",
        (TrailState::Retrying, Lang::Arabic) => "لم تنجح بعد؛ المحاولة التالية بعد {delay}",
        (TrailState::Confirmed, Lang::English) if by_hand => "confirmed by {by}: {why}",
        (TrailState::Confirmed, Lang::Arabic) if by_hand => "أكّده {by}: {why}",
        (TrailState::Confirmed, Lang::English) => "the vendor answered success",
        (TrailState::Confirmed, Lang::Arabic) => "أجاب المورّد بالنجاح",
        (TrailState::Failed, Lang::English) => "{cause}; handed to a person",
        (TrailState::Failed, Lang::Arabic) => "{cause}؛ أُحيل إلى مراجعة بشرية",
        (TrailState::Abandoned, Lang::English) => "given up by {by}: {why}",
        (TrailState::Abandoned, Lang::Arabic) => "تركه {by}: {why}",
        (TrailState::Replaced, Lang::English) => {
            "sent again as {other} under a new key, by {by}: {why}"
        }
        (TrailState::Replaced, Lang::Arabic) => {
            "يُرسل من جديد باسم {other} بمفتاح جديد، بقرار {by}: {why}"
        }
    }
}

impl Cause {
    /// The cause as a sentence.
    pub const fn sentence(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Exhausted, Lang::English) => "the attempts that the policy allows are used up",
            (Self::Exhausted, Lang::Arabic) => "استُنفدت المحاولات التي تسمح بها السياسة",
            (Self::Ambiguous, Lang::English) => {
                "it may have been processed, and sending it again could do it twice"
            }
            (Self::Ambiguous, Lang::Arabic) => {
                "ربما نُفّذ الطلب، وقد تؤدي إعادة إرساله إلى تنفيذه مرتين"
            }
            (Self::Permanent, Lang::English) => "the vendor refused it, and would refuse it again",
            (Self::Permanent, Lang::Arabic) => "رفضه المورّد وسيرفضه مرة أخرى",
            (Self::Cancelled, Lang::English) => "the caller gave up",
            (Self::Cancelled, Lang::Arabic) => "ألغى صاحب الطلب العملية",
            (Self::HintTooLong, Lang::English) => {
                "the vendor asked for a longer wait than the policy accepts"
            }
            (Self::HintTooLong, Lang::Arabic) => "طلب المورّد انتظارًا أطول مما تقبله السياسة",
            (Self::Deadline, Lang::English) => "the deadline came before success did",
            (Self::Deadline, Lang::Arabic) => "انتهت المهلة قبل النجاح",
            (Self::KeyExpired, Lang::English) => {
                "the vendor has forgotten the key, so sending it again could do it twice"
            }
            (Self::KeyExpired, Lang::Arabic) => {
                "نسي المورّد المفتاح، وقد تؤدي إعادة إرساله إلى تنفيذه مرتين"
            }
        }
    }
}

/// Said of rate limits that keep coming.
pub(super) const fn sustained(lang: Lang) -> &'static str {
    match lang {
        Lang::English => "; rate limits keep coming: fix the rate, not the retry",
        Lang::Arabic => "؛ حدود المعدل تتكرر: صحّح المعدل لا إعادة المحاولة",
    }
}

/// What stands before the number of an attempt.
pub(super) const fn attempt(lang: Lang) -> &'static str {
    match lang {
        Lang::English => "attempt",
        Lang::Arabic => "المحاولة",
    }
}

/// Said of an attempt that got no answer.
pub(super) const fn no_answer(lang: Lang) -> &'static str {
    match lang {
        Lang::English => ", no answer",
        Lang::Arabic => "، بلا إجابة",
    }
}

/// The heading of a story and how it ends.
pub(super) struct Story {
    pub(super) call: &'static str,
    pub(super) key: &'static str,
    pub(super) separator: &'static str,
    pub(super) nothing: &'static str,
    /// `{state}`, `{attempt}` attempts, `{span}` since the start.
    pub(super) end: &'static str,
    /// The same for a call that is still under way.
    pub(super) open: &'static str,
}

pub(super) const fn story(lang: Lang) -> &'static Story {
    match lang {
        Lang::English => &Story {
            call: "call",
            key: "key",
            separator: ", ",
            nothing: "nothing has happened yet",
            end: "{state}; attempts: {attempt}; took {span}",
            open: "still {state}; attempts: {attempt}; {span} so far",
        },
        Lang::Arabic => &Story {
            call: "الطلب",
            key: "المفتاح",
            separator: "، ",
            nothing: "لم يحدث شيء بعد",
            end: "{state}؛ عدد المحاولات: {attempt}؛ المدة: {span}",
            open: "الحالة الآن: {state}؛ عدد المحاولات: {attempt}؛ المدة حتى الآن: {span}",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{Millis, UnixMillis};

    #[test]
    fn an_entry_says_what_is_special_about_it() {
        let text = || Some("x".into());
        let plain = |state, attempt| Entry::new(UnixMillis::new(0), state, attempt);
        let pending = plain(TrailState::Pending, 0);
        let delayed = Entry { delay: Some(Millis::new(1)), ..pending.clone() };
        let again = Entry { delay: Some(Millis::new(1)), ..plain(TrailState::Pending, 1) };
        let successor = Entry { other: text(), ..again.clone() };
        let attempted = plain(TrailState::Attempted, 1);
        let taken_over = Entry { taken_over: true, ..attempted.clone() };
        let confirmed = plain(TrailState::Confirmed, 1);
        let by_hand = Entry { by: text(), ..confirmed.clone() };
        for (entry, english, arabic) in [
            (pending, "recorded, not sent yet", "سُجّل الطلب ولم يُرسل بعد"),
            (delayed, "recorded; to be sent in {delay}", "سُجّل الطلب؛ يُرسل بعد {delay}"),
            (again, "was not sent; waits again", "لم تُرسل؛ تنتظر من جديد"),
            (
                successor,
                "takes the place of {other}, by {by}: {why}",
                "يحل محل {other}، بقرار {by}: {why}",
            ),
            (attempted, "sent, waiting for the answer", "أُرسلت، بانتظار الإجابة"),
            (
                taken_over,
                "sent; the worker of the attempt before is gone",
                "أُرسلت؛ العامل الذي أرسل المحاولة السابقة اختفى",
            ),
            (confirmed, "the vendor answered success", "أجاب المورّد بالنجاح"),
            (by_hand, "confirmed by {by}: {why}", "أكّده {by}: {why}"),
        ] {
            assert_eq!(sentence(&entry, Lang::English), english);
            assert_eq!(sentence(&entry, Lang::Arabic), arabic);
        }
    }
}
