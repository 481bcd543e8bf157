//! Verdicts and refusals as sentences: for operators in English and Arabic, and a short one that
//! an interactive application may show its user.
//!
//! Sentences are for people; programs match on [`Reason`]. Numbers are filled in, secrets never
//! are.

use core::fmt;

use crate::{
    codes::codes,
    text::{Digits, cut},
    time::Millis,
    verdict::{Reason, Refusal, Verdict, VerdictKind},
};

codes! {
    /// The language of a sentence.
    pub enum Lang {
        /// English.
        English = 0 => "en",
        /// Arabic.
        Arabic = 1 => "ar",
    }
}

/// What a sentence can fill in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// Why.
    pub reason: Reason,
    /// Whether it is a refusal to begin or to go on, not a verdict on an attempt.
    pub refusal: bool,
    /// The attempt: the next one for a retry, else the one that ended.
    pub attempt: u32,
    /// The wait before it.
    pub delay: Millis,
    /// What the server asked for.
    pub hint: Option<Millis>,
    /// When asking again makes sense.
    pub retry_in: Option<Millis>,
}

impl Facts {
    /// A reason and no numbers, for bindings that carry them one by one.
    pub const fn new(reason: Reason) -> Self {
        Self { reason, refusal: false, attempt: 0, delay: Millis::ZERO, hint: None, retry_in: None }
    }
}

impl From<&Verdict> for Facts {
    fn from(verdict: &Verdict) -> Self {
        Self {
            reason: verdict.reason,
            refusal: false,
            attempt: verdict.attempt,
            delay: verdict.delay,
            hint: verdict.hint.map(|hint| hint.delay),
            retry_in: None,
        }
    }
}

impl From<&Refusal> for Facts {
    fn from(refusal: &Refusal) -> Self {
        Self {
            reason: refusal.reason,
            refusal: true,
            attempt: 0,
            delay: Millis::ZERO,
            hint: None,
            retry_in: refusal.retry_in,
        }
    }
}

/// Writes the operator's sentence.
///
/// # Errors
/// Those of `out`.
pub fn sentence(out: &mut impl fmt::Write, facts: &Facts, lang: Lang) -> fmt::Result {
    let text = match lang {
        Lang::English => english(facts),
        Lang::Arabic => arabic(facts),
    };
    fill(out, text, facts, lang)
}

/// The sentence for the user of an interactive application: what happens, no internals.
pub const fn for_users(kind: VerdictKind, lang: Lang) -> &'static str {
    match (kind, lang) {
        (VerdictKind::Accept, Lang::English) => "Done.",
        (VerdictKind::Accept, Lang::Arabic) => "تم.",
        (VerdictKind::Retry, Lang::English) => "The service is busy. Trying again…",
        (VerdictKind::Retry, Lang::Arabic) => "الخدمة مشغولة. تجري إعادة المحاولة…",
        (VerdictKind::Stop, Lang::English) => "That did not work. Please try again later.",
        (VerdictKind::Stop, Lang::Arabic) => "لم تنجح العملية. يُرجى المحاولة لاحقًا.",
    }
}

/// Replaces `{attempt}`, `{delay}`, `{hint}` and `{retry_in}`.
fn fill(out: &mut impl fmt::Write, text: &str, facts: &Facts, lang: Lang) -> fmt::Result {
    let mut rest = text;
    while let Some((before, after)) = cut(rest, b'{') {
        out.write_str(before)?;
        let Some((name, after)) = cut(after, b'}') else { break };
        match name {
            "attempt" => out.write_str(Digits::new(facts.attempt.into()).as_str())?,
            "delay" => span_in(out, Some(facts.delay), lang)?,
            "hint" => span_in(out, facts.hint, lang)?,
            _ => span_in(out, facts.retry_in, lang)?,
        }
        rest = after;
    }
    out.write_str(rest)
}

/// As [`Millis`] is shown, the unit in the language.
pub(crate) fn span_in(out: &mut impl fmt::Write, span: Option<Millis>, lang: Lang) -> fmt::Result {
    out.write_str(Digits::new(span.unwrap_or(Millis::ZERO).get()).as_str())?;
    out.write_str(match lang {
        Lang::English => " ms",
        Lang::Arabic => " ملّي ثانية",
    })
}

const fn english(facts: &Facts) -> &'static str {
    match facts.reason {
        Reason::Ok => "attempt {attempt} succeeded",
        Reason::Replayed => {
            "the server replayed the answer that it had stored for this key at an earlier attempt"
        }
        Reason::Backoff => "attempt {attempt} follows in {delay}, by the policy's backoff",
        Reason::ServerHint => "attempt {attempt} follows in {delay}; the server asked for {hint}",
        Reason::Immediate => "attempt {attempt} follows at once: the policy does not wait here",
        Reason::Cancelled => "the caller gave up at attempt {attempt}",
        Reason::ServerRefused => "the server said not to retry, after attempt {attempt}",
        Reason::Permanent => {
            "attempt {attempt} got a definite answer that repeating would not change"
        }
        Reason::BodyConsumed => {
            "attempt {attempt} failed and cannot be repeated: its body cannot be sent again, or its answer is already on the way to the caller"
        }
        Reason::UnsafeToRepeat => {
            "attempt {attempt} may have been processed, and without an idempotency key that the server honours a repetition could act twice"
        }
        Reason::RetriesExhausted => {
            "attempt {attempt} failed and was the last that the policy allows"
        }
        Reason::NestedLayer => {
            "attempt {attempt} failed, but a layer above retries this call already; retrying here too would multiply the load"
        }
        Reason::HintTooLong => {
            "the server asked for a wait of {hint}, longer than the policy accepts, after attempt {attempt}"
        }
        Reason::Deadline => {
            "the deadline passes before another attempt could be sent, after attempt {attempt}"
        }
        Reason::KeyExpired => {
            "the server would have forgotten the idempotency key before another attempt, so repeating could act twice"
        }
        Reason::BreakerOpen if facts.refusal && facts.retry_in.is_none() => {
            "the circuit breaker is held open by hand"
        }
        Reason::BreakerOpen if facts.refusal => {
            "the circuit breaker is open; the upstream may be asked again in {retry_in}"
        }
        Reason::BreakerOpen => {
            "attempt {attempt} failed and the circuit breaker is open longer than the wait would last"
        }
        Reason::BudgetExhausted => {
            "attempt {attempt} failed and the retry budget is spent: more retries would add more load than the policy allows"
        }
        Reason::RateLimited if facts.retry_in.is_none() => {
            "the server's rate limit has no room within the longest wait that the policy allows"
        }
        Reason::RateLimited => {
            "the server's rate limit has no room; the call may be sent in {retry_in}"
        }
        Reason::InProgress => "another worker is carrying out this call; ask again in {retry_in}",
        Reason::AlreadyCompleted => "this call was completed before; its stored outcome stands",
        Reason::KeyConflict => "the idempotency key was used before with another payload",
        Reason::KeyMissing => {
            "the policy generates an idempotency key, but the call brought neither random bits nor a business event to make it from"
        }
        Reason::KeyInvalid => {
            "the idempotency key is empty, too long for the server, or holds a character that a header must not"
        }
        Reason::ClientThrottled => {
            "the server turned away so many requests of late that this one was not sent"
        }
    }
}

const fn arabic(facts: &Facts) -> &'static str {
    match facts.reason {
        Reason::Ok => "نجحت المحاولة {attempt}",
        Reason::Replayed => "أعاد الخادم الإجابة المحفوظة لهذا المفتاح من محاولة سابقة",
        Reason::Backoff => "المحاولة {attempt} بعد {delay} وفق فترات الانتظار في السياسة",
        Reason::ServerHint => "المحاولة {attempt} بعد {delay}؛ طلب الخادم الانتظار {hint}",
        Reason::Immediate => "المحاولة {attempt} فورًا: لا انتظار هنا وفق السياسة",
        Reason::Cancelled => "ألغى صاحب الطلب العملية عند المحاولة {attempt}",
        Reason::ServerRefused => "طلب الخادم عدم إعادة المحاولة بعد المحاولة {attempt}",
        Reason::Permanent => "حصلت المحاولة {attempt} على إجابة قاطعة لن يغيّرها التكرار",
        Reason::BodyConsumed => {
            "فشلت المحاولة {attempt} ولا يمكن تكرارها: لا يمكن إرسال محتواها مرة أخرى أو أن إجابتها في طريقها إلى صاحب الطلب"
        }
        Reason::UnsafeToRepeat => {
            "ربما نُفِّذت المحاولة {attempt}، وبدون مفتاح عدم تكرار يلتزم به الخادم قد يؤدي التكرار إلى تنفيذها مرتين"
        }
        Reason::RetriesExhausted => "فشلت المحاولة {attempt} وهي آخر محاولة تسمح بها السياسة",
        Reason::NestedLayer => {
            "فشلت المحاولة {attempt}، لكن طبقة أعلى تعيد المحاولة بالفعل؛ التكرار هنا يضاعف الحمل"
        }
        Reason::HintTooLong => {
            "طلب الخادم الانتظار {hint} وهو أطول مما تقبله السياسة، بعد المحاولة {attempt}"
        }
        Reason::Deadline => "تنتهي المهلة قبل إرسال محاولة أخرى، بعد المحاولة {attempt}",
        Reason::KeyExpired => {
            "سينسى الخادم مفتاح عدم التكرار قبل المحاولة التالية، فقد يُنفَّذ الطلب مرتين"
        }
        Reason::BreakerOpen if facts.refusal && facts.retry_in.is_none() => {
            "قاطع الدائرة مفتوح يدويًا"
        }
        Reason::BreakerOpen if facts.refusal => {
            "قاطع الدائرة مفتوح؛ يمكن سؤال الخدمة مرة أخرى بعد {retry_in}"
        }
        Reason::BreakerOpen => "فشلت المحاولة {attempt} وقاطع الدائرة مفتوح لمدة أطول من الانتظار",
        Reason::BudgetExhausted => {
            "فشلت المحاولة {attempt} ونفدت حصة إعادة المحاولات: المزيد منها يزيد الحمل فوق ما تسمح به السياسة"
        }
        Reason::RateLimited if facts.retry_in.is_none() => {
            "لا متسع في حد المعدل لدى الخادم ضمن أطول انتظار تسمح به السياسة"
        }
        Reason::RateLimited => "لا متسع في حد المعدل لدى الخادم؛ يمكن الإرسال بعد {retry_in}",
        Reason::InProgress => "عامل آخر ينفذ هذا الطلب؛ اسأل مرة أخرى بعد {retry_in}",
        Reason::AlreadyCompleted => "اكتمل هذا الطلب من قبل؛ نتيجته المحفوظة سارية",
        Reason::KeyConflict => "استُخدم مفتاح عدم التكرار من قبل مع محتوى آخر",
        Reason::KeyMissing => {
            "السياسة تولّد مفتاح عدم التكرار، لكن الطلب لم يقدّم أرقامًا عشوائية ولا حدث عمل"
        }
        Reason::KeyInvalid => {
            "مفتاح عدم التكرار فارغ أو أطول مما يقبله الخادم أو فيه حرف لا يجوز في الترويسة"
        }
        Reason::ClientThrottled => "رفض الخادم عددًا كبيرًا من الطلبات مؤخرًا، فلم يُرسَل هذا الطلب",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn facts(reason: Reason) -> Facts {
        Facts {
            reason,
            refusal: false,
            attempt: 3,
            delay: Millis::new(1_500),
            hint: Some(Millis::new(86_400_000)),
            retry_in: Some(Millis::new(250)),
        }
    }

    fn say(facts: &Facts, lang: Lang) -> String {
        let mut text = String::new();
        sentence(&mut text, facts, lang).unwrap();
        text
    }

    #[test]
    fn every_reason_has_a_sentence_in_both_languages_with_its_numbers_filled_in() {
        for &reason in Reason::ALL {
            for refusal in [false, true] {
                let facts = Facts { refusal, ..facts(reason) };
                let (english, arabic) = (say(&facts, Lang::English), say(&facts, Lang::Arabic));
                assert!(!english.contains(['{', '}']) && !arabic.contains(['{', '}']), "{reason}");
                assert!(english.is_ascii() && !arabic.is_ascii(), "{reason}");
            }
        }
    }

    #[test]
    fn numbers_stand_where_they_matter() {
        assert_eq!(
            say(&facts(Reason::ServerHint), Lang::English),
            "attempt 3 follows in 1500 ms; the server asked for 86400000 ms"
        );
        let refusal = Facts { refusal: true, ..facts(Reason::BreakerOpen) };
        assert!(say(&refusal, Lang::English).contains("250 ms"));
        let isolated = Facts { retry_in: None, ..refusal };
        assert!(say(&isolated, Lang::English).contains("by hand"));
    }

    #[test]
    fn a_breaker_is_told_by_what_it_stands_in_the_way_of() {
        let verdict = facts(Reason::BreakerOpen);
        let refusal = Facts { refusal: true, ..verdict };
        let isolated = Facts { retry_in: None, ..refusal };
        for (facts, english, arabic) in [
            (verdict, "longer than the wait would last", "لمدة أطول من الانتظار"),
            (refusal, "may be asked again in 250 ms", "يمكن سؤال الخدمة مرة أخرى بعد 250"),
            (isolated, "held open by hand", "يدويًا"),
        ] {
            assert!(say(&facts, Lang::English).contains(english));
            assert!(say(&facts, Lang::Arabic).contains(arabic), "{}", say(&facts, Lang::Arabic));
        }
        let never = Facts { refusal: true, retry_in: None, ..facts(Reason::RateLimited) };
        assert!(say(&never, Lang::Arabic).ends_with("ضمن أطول انتظار تسمح به السياسة"));
    }

    #[test]
    fn a_reason_with_a_wait_and_the_same_without_are_told_apart() {
        for reason in [Reason::BreakerOpen, Reason::RateLimited] {
            for lang in [Lang::English, Lang::Arabic] {
                let known = Facts { refusal: true, ..facts(reason) };
                let unknown = Facts { retry_in: None, ..known };
                assert_ne!(say(&known, lang), say(&unknown, lang), "{reason}");
                assert!(!say(&unknown, lang).contains(" ms"), "{reason}: no wait is known");
            }
        }
    }

    #[test]
    fn a_user_is_told_what_happens_in_both_languages_and_nothing_else() {
        for kind in [VerdictKind::Accept, VerdictKind::Retry, VerdictKind::Stop] {
            let (english, arabic) = (for_users(kind, Lang::English), for_users(kind, Lang::Arabic));
            assert!(!english.contains(char::is_numeric) && !arabic.contains('{'));
            assert!(arabic.starts_with(|first: char| !first.is_ascii()), "{arabic}");
        }
    }

    #[test]
    fn a_verdict_and_a_refusal_bring_their_own_numbers() {
        let refusal = Refusal { reason: Reason::RateLimited, retry_in: Some(Millis::new(70)) };
        assert!(say(&Facts::from(&refusal), Lang::English).contains("70 ms"));
        assert!(Facts::from(&refusal).refusal && !Facts::new(Reason::Ok).refusal);
    }
}
