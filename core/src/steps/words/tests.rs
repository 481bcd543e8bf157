use super::{
    super::{Fact, Value},
    decimal,
};
use crate::{explain::Lang, time::Millis};

const fn count(value: u64) -> Value {
    Value::Count(value)
}

const SOME: Value = Value::Span(Millis::new(500));
const YES: Value = Value::Flag(true);
const NO: Value = Value::Flag(false);

/// Every fact that says something by itself, with every value that has words of its own.
#[rustfmt::skip]
const TOLD: &[(&str, Value, &str)] = &[
    ("status", count(503), "the server answered 503"),
    ("retriesMade", count(2), "retries made so far: 2"),
    ("maxRetries", count(5), "the policy allows 5 (maxRetries)"),
    ("retry", count(3), "this would be retry 3"),
    ("attempt", count(4), "as attempt 4"),
    ("balanceThousandths", count(10_050), "left in it: 10.05"),
    ("baseMs", SOME, "first wait of the curve: 500 ms"),
    ("curveMs", SOME, "the curve gives 500 ms"),
    ("capMs", SOME, "never above 500 ms (cap)"),
    ("ceilingMs", SOME, "after jitter at most 500 ms"),
    ("hintMs", SOME, "the server asked for 500 ms"),
    ("hintMaxMs", SOME, "hints are followed up to 500 ms"),
    ("delayMs", SOME, "the wait is 500 ms"),
    ("leftMs", SOME, "time left: 500 ms"),
    ("windowMs", SOME, "the server knows a key for 500 ms"),
    ("openMs", SOME, "for another 500 ms"),
    ("replayed", YES, "the server replayed an answer that it had stored"),
    ("replayableBody", YES, "the body can be sent again"),
    ("replayableBody", NO, "the body cannot be sent again"),
    ("committed", YES, "the answer is on its way to the caller already"),
    ("committed", NO, "the caller has seen nothing of the answer"),
    ("idempotent", YES, "the method is idempotent: twice is the same as once"),
    ("idempotent", NO, "the method is not idempotent: twice may act twice"),
    ("keySent", YES, "an idempotency key was sent"),
    ("keySent", NO, "no idempotency key was sent"),
    ("keyHonoured", YES, "the policy says that the server honours keys (idempotency.honoured)"),
    ("keyHonoured", NO, "there is no key that the policy says the server honours (idempotency.honoured)"),
    ("immediate", YES, "the policy does not wait here"),
    ("hintHeard", YES, "as the server asked"),
    ("hintHeard", NO, "as the policy's backoff says"),
    ("reliesOnKey", YES, "repeating relies on the key"),
    ("reliesOnKey", NO, "repeating does not rely on the key"),
    ("class", Value::Name("success"), "it went well"),
    ("class", Value::Name("transient"), "a failure that may pass (transient)"),
    ("class", Value::Name("throttled"), "the server is asked too often (throttled)"),
    ("class", Value::Name("permanent"), "a failure that will not pass (permanent)"),
    ("class", Value::Name("cancelled"), "the caller gave up"),
    ("signal", Value::Name("status"), "known by the status"),
    ("signal", Value::Name("retry-after"), "known by the status and Retry-After"),
    ("signal", Value::Name("key"), "known by the status and the key"),
    ("signal", Value::Name("transport"), "known by the error"),
    ("signal", Value::Name("unknown"), "no table knows it"),
    ("signal", Value::Name("vendor"), "known by the vendor's own code"),
    ("signal", Value::Name("should-retry"), "the server said itself whether to retry"),
    ("signal", Value::Name("policy-add"), "the policy says so (retryOn)"),
    ("signal", Value::Name("policy-remove"), "the policy says so (retryOn)"),
    ("signal", Value::Name("proxy-status"), "known by proxy-status"),
    ("delivery", Value::Name("not_processed"), "the server did not act on it (not_processed)"),
    ("delivery", Value::Name("maybe_processed"), "whether the server acted on it, nobody can tell (maybe_processed)"),
    ("delivery", Value::Name("processed"), "the server has dealt with it (processed)"),
    ("basis", Value::Name("transport"), "proof: it never left (transport)"),
    ("basis", Value::Name("protocol"), "proof: the protocol says so"),
    ("basis", Value::Name("gateway"), "proof: a gateway says so"),
    ("basis", Value::Name("status"), "by custom of this status, not by proof"),
    ("safety", Value::Name("never"), "no proof is enough for the policy (safety)"),
    ("safety", Value::Name("proven"), "the policy wants proof that it did not (safety)"),
    ("safety", Value::Name("presumed"), "custom is enough for the policy (safety)"),
    ("curve", Value::Name("exponential"), "curve: exponential"),
    ("jitter", Value::Name("full"), "jitter: full"),
    ("hintSource", Value::Name("retry-after"), "in retry-after"),
    ("hintMode", Value::Name("at-least"), "what a hint does: at-least"),
    ("hintBeyond", Value::Name("give-up"), "what a longer hint does: give-up"),
    ("breaker", Value::Name("closed"), "the breaker is closed: calls pass"),
    ("breaker", Value::Name("open"), "the breaker is open: calls wait"),
    ("breaker", Value::Name("half-open"), "the breaker lets a few probes through"),
    ("breaker", Value::Name("isolated"), "the breaker is held open by hand"),
    ("budget", Value::Name("ratio"), "budget of kind ratio"),
];

#[test]
fn every_fact_has_its_words_with_its_value_in_them() {
    for &(name, value, phrase) in TOLD {
        let fact = Fact { name, value };
        assert_eq!(fact.phrase(Lang::English).as_deref(), Some(phrase), "{name}");
        let arabic = fact.phrase(Lang::Arabic).expect(name);
        assert!(!arabic.is_ascii() && !arabic.contains('#'), "{arabic}");
    }
}

#[test]
fn what_says_nothing_by_itself_has_no_words() {
    for (name, value) in [
        ("replayed", NO),
        ("immediate", NO),
        ("basis", Value::Name("none")),
        ("class", Value::Name("unheard")),
        ("unheard", count(1)),
        ("unheard", YES),
    ] {
        assert_eq!(Fact { name, value }.phrase(Lang::English), None, "{name}");
    }
}

#[test]
fn thousandths_are_a_decimal_without_zeros_at_its_end() {
    for (thousandths, text) in [
        (0, "0"),
        (7, "0.007"),
        (999, "0.999"),
        (1_000, "1"),
        (1_010, "1.01"),
        (10_500, "10.5"),
        (u64::MAX, "18446744073709551.615"),
    ] {
        assert_eq!(decimal(thousandths), text);
    }
}
