//! What a step looked at, as phrases for people; programs read the [`Fact`] itself.

use alloc::string::String;

use super::{Fact, Value};
use crate::{
    explain::{Lang, span_in},
    text::{cut, number},
};

impl Fact {
    /// What it means, in a few words with its value. `None` where it says nothing by itself, such
    /// as the proof of what needs none.
    pub fn phrase(&self, lang: Lang) -> Option<String> {
        let (english, arabic) = match self.value {
            Value::Flag(flag) => flag_words(self.name, flag)?,
            Value::Name(value) => name_words(self.name, value)?,
            Value::Count(_) | Value::Span(_) => number_words(self.name)?,
        };
        let words = match lang {
            Lang::English => english,
            Lang::Arabic => arabic,
        };
        let Some((before, after)) = cut(words, b'#') else { return Some(words.into()) };
        let mut phrase = String::from(before);
        match self.value {
            Value::Count(count) if self.name.ends_with(THOUSANDTHS) => {
                phrase.push_str(&decimal(count));
            }
            Value::Count(count) => phrase.push_str(&number(count)),
            // Writing to memory does not fail.
            Value::Span(span) => drop(span_in(&mut phrase, Some(span), lang)),
            Value::Name(name) => phrase.push_str(name),
            Value::Flag(_) => {}
        }
        phrase.push_str(after);
        Some(phrase)
    }
}

/// The end of the names of facts that count in thousandths.
const THOUSANDTHS: &str = "Thousandths";

/// English and Arabic; `#` is the value.
type Words = (&'static str, &'static str);

fn number_words(name: &str) -> Option<Words> {
    Some(match name {
        "status" => ("the server answered #", "أجاب الخادم بالرمز #"),
        "retriesMade" => ("retries made so far: #", "الإعادات حتى الآن: #"),
        "maxRetries" => ("the policy allows # (maxRetries)", "تسمح السياسة بـ # (maxRetries)"),
        "retry" => ("this would be retry #", "هذه الإعادة رقم #"),
        "baseMs" => ("first wait of the curve: #", "أول انتظار في المنحنى: #"),
        "curveMs" => ("the curve gives #", "المنحنى يعطي #"),
        "capMs" => ("never above # (cap)", "لا يتجاوز # (cap)"),
        "ceilingMs" => ("after jitter at most #", "بعد التشتيت # على الأكثر"),
        "hintMs" => ("the server asked for #", "طلب الخادم #"),
        "hintMaxMs" => ("hints are followed up to #", "يُتَّبع طلب الخادم حتى #"),
        "delayMs" => ("the wait is #", "الانتظار #"),
        "leftMs" => ("time left: #", "الوقت الباقي: #"),
        "windowMs" => ("the server knows a key for #", "يحفظ الخادم المفتاح لمدة #"),
        "openMs" => ("for another #", "لمدة # أخرى"),
        "balanceThousandths" => ("left in it: #", "الباقي فيها: #"),
        "attempt" => ("as attempt #", "المحاولة رقم #"),
        _ => return None,
    })
}

fn flag_words(name: &str, flag: bool) -> Option<Words> {
    Some(match (name, flag) {
        ("replayed", true) => {
            ("the server replayed an answer that it had stored", "أعاد الخادم إجابة محفوظة")
        }
        ("replayableBody", true) => ("the body can be sent again", "يمكن إرسال المحتوى مرة أخرى"),
        ("replayableBody", false) => {
            ("the body cannot be sent again", "لا يمكن إرسال المحتوى مرة أخرى")
        }
        ("committed", true) => {
            ("the answer is on its way to the caller already", "الإجابة في طريقها إلى صاحب الطلب")
        }
        ("committed", false) => {
            ("the caller has seen nothing of the answer", "لم يرَ صاحب الطلب شيئًا من الإجابة")
        }
        ("idempotent", true) => (
            "the method is idempotent: twice is the same as once",
            "الطريقة لا يضرها التكرار: مرتان كمرة واحدة",
        ),
        ("idempotent", false) => (
            "the method is not idempotent: twice may act twice",
            "الطريقة يضرها التكرار: مرتان قد تعنيان تنفيذين",
        ),
        ("keySent", true) => ("an idempotency key was sent", "أُرسل مفتاح عدم تكرار"),
        ("keySent", false) => ("no idempotency key was sent", "لم يُرسل مفتاح عدم تكرار"),
        ("keyHonoured", true) => (
            "the policy says that the server honours keys (idempotency.honoured)",
            "تقول السياسة إن الخادم يلتزم بالمفاتيح (idempotency.honoured)",
        ),
        ("keyHonoured", false) => (
            "there is no key that the policy says the server honours (idempotency.honoured)",
            "لا مفتاح تقول السياسة إن الخادم يلتزم به (idempotency.honoured)",
        ),
        ("immediate", true) => ("the policy does not wait here", "لا انتظار هنا وفق السياسة"),
        ("hintHeard", true) => ("as the server asked", "كما طلب الخادم"),
        ("hintHeard", false) => ("as the policy's backoff says", "كما تقول السياسة"),
        ("reliesOnKey", true) => ("repeating relies on the key", "التكرار يعتمد على المفتاح"),
        ("reliesOnKey", false) => {
            ("repeating does not rely on the key", "التكرار لا يعتمد على المفتاح")
        }
        _ => return None,
    })
}

fn name_words(name: &str, value: &str) -> Option<Words> {
    Some(match (name, value) {
        ("class", "success") => ("it went well", "نجحت"),
        ("class", "transient") => {
            ("a failure that may pass (transient)", "فشل قد يزول (transient)")
        }
        ("class", "throttled") => {
            ("the server is asked too often (throttled)", "الخادم يُسأل أكثر من اللازم (throttled)")
        }
        ("class", "permanent") => {
            ("a failure that will not pass (permanent)", "فشل لن يزول (permanent)")
        }
        ("class", "cancelled") => ("the caller gave up", "ألغى صاحب الطلب"),
        ("signal", "status") => ("known by the status", "عُرف من الرمز"),
        ("signal", "retry-after") => {
            ("known by the status and Retry-After", "عُرف من الرمز مع Retry-After")
        }
        ("signal", "key") => ("known by the status and the key", "عُرف من الرمز والمفتاح"),
        ("signal", "transport") => ("known by the error", "عُرف من الخطأ"),
        ("signal", "unknown") => ("no table knows it", "لا يعرفه أي جدول"),
        ("signal", "vendor") => ("known by the vendor's own code", "عُرف من رمز المزوّد"),
        ("signal", "should-retry") => {
            ("the server said itself whether to retry", "قال الخادم بنفسه هل تُعاد المحاولة")
        }
        ("signal", "policy-add" | "policy-remove") => {
            ("the policy says so (retryOn)", "تقول السياسة ذلك (retryOn)")
        }
        ("signal", _) => ("known by #", "عُرف من #"),
        ("delivery", "not_processed") => {
            ("the server did not act on it (not_processed)", "لم ينفذها الخادم (not_processed)")
        }
        ("delivery", "maybe_processed") => (
            "whether the server acted on it, nobody can tell (maybe_processed)",
            "لا يُعرف هل نفذها الخادم (maybe_processed)",
        ),
        ("delivery", "processed") => {
            ("the server has dealt with it (processed)", "أنهى الخادم معالجتها (processed)")
        }
        ("basis", "transport") => ("proof: it never left (transport)", "الدليل: لم تُرسل أصلًا"),
        ("basis", "protocol") => ("proof: the protocol says so", "الدليل: البروتوكول"),
        ("basis", "gateway") => ("proof: a gateway says so", "الدليل: بوابة في الطريق"),
        ("basis", "status") => {
            ("by custom of this status, not by proof", "بحسب العُرف لهذا الرمز وليس بدليل")
        }
        ("safety", "never") => {
            ("no proof is enough for the policy (safety)", "لا يكفي السياسة أي دليل (safety)")
        }
        ("safety", "proven") => (
            "the policy wants proof that it did not (safety)",
            "تطلب السياسة دليلًا على ذلك (safety)",
        ),
        ("safety", "presumed") => {
            ("custom is enough for the policy (safety)", "يكفي السياسة العُرف (safety)")
        }
        ("curve", _) => ("curve: #", "المنحنى: #"),
        ("jitter", _) => ("jitter: #", "التشتيت: #"),
        ("hintSource", _) => ("in #", "في #"),
        ("hintMode", _) => ("what a hint does: #", "أثر طلب الخادم: #"),
        ("hintBeyond", _) => ("what a longer hint does: #", "أثر الطلب الأطول: #"),
        ("breaker", "closed") => ("the breaker is closed: calls pass", "القاطع مغلق: الطلبات تمر"),
        ("breaker", "open") => ("the breaker is open: calls wait", "القاطع مفتوح: الطلبات لا تمر"),
        ("breaker", "half-open") => {
            ("the breaker lets a few probes through", "القاطع يسمح ببعض المحاولات")
        }
        ("breaker", _) => ("the breaker is held open by hand", "القاطع مفتوح يدويًا"),
        ("budget", _) => ("budget of kind #", "حصة من نوع #"),
        _ => return None,
    })
}

/// Thousandths as a decimal, without zeros at its end.
fn decimal(thousandths: u64) -> String {
    let mut text = number(thousandths / 1_000);
    let rest = thousandths % 1_000;
    if rest > 0 {
        // A one in front keeps the zeros after the point.
        let digits = number(1_000 + rest);
        text.push('.');
        text.push_str(digits.get(1..).unwrap_or_default().trim_end_matches('0'));
    }
    text
}

#[cfg(test)]
mod tests;
