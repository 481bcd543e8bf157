use alloc::{
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use super::*;
use crate::{Header, Instant, Method, Outcome, Policy, Request, Upstream, VerdictKind};

fn decided(document: &str, request: &Request<'_>, outcome: &Outcome<'_>) -> (Reason, Vec<Step>) {
    let policy = Arc::new(Policy::from_json(document).unwrap());
    let mut upstream = Upstream::new(policy, 7);
    let now = Instant::from_millis(1_000);
    let mut call = upstream.begin(request, now, None).unwrap();
    let (verdict, steps) = upstream.settle_stepwise(&mut call, outcome, now, None);
    (verdict.reason, steps)
}

fn names(steps: &[Step]) -> Vec<&'static str> {
    steps.iter().map(|step| step.name.name()).collect()
}

fn fact(steps: &[Step], step: StepName, name: &str) -> Option<Value> {
    let step = steps.iter().find(|one| one.name == step)?;
    step.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value)
}

#[test]
fn a_retry_takes_every_step_in_order() {
    let headers = [Header::new("retry-after", b"5")];
    let outcome = Outcome::from_response(429, &headers);
    let (reason, steps) = decided("{}", &Request::default(), &outcome);
    assert_eq!(reason, Reason::ServerHint);
    let all: Vec<&str> = StepName::ALL.iter().map(|name| name.name()).collect();
    assert_eq!(names(&steps), all);
    assert!(steps.is_sorted_by_key(|step| step.name.number()));
    let ms = |ms| Some(Value::Span(Millis::new(ms)));
    assert_eq!(fact(&steps, StepName::Delay, "hintMs"), ms(5_000));
    assert_eq!(fact(&steps, StepName::Delay, "delayMs"), ms(5_000));
    assert_eq!(fact(&steps, StepName::Delay, "curveMs"), ms(500));
    // The reserve of ten and a tenth of the call, before this retry was paid for.
    let balance = fact(&steps, StepName::Budget, "balanceThousandths");
    assert_eq!(balance, Some(Value::Count(10_000)));
}

/// A step with everything it looked at, on one line.
fn line(step: &Step) -> String {
    let mut line = String::from(step.name.name());
    for fact in &step.facts {
        let value = match fact.value {
            Value::Count(count) => count.to_string(),
            Value::Flag(flag) => flag.to_string(),
            Value::Name(name) => name.into(),
            Value::Span(span) => format!("{} ms", span.get()),
        };
        for part in [" ", fact.name, "=", &value] {
            line.push_str(part);
        }
    }
    line
}

#[test]
fn each_step_tells_everything_it_rests_on() {
    let headers = [Header::new("retry-after", b"5")];
    let outcome = Outcome::from_response(503, &headers);
    let request = Request { key: Some("abc"), ..Request::default() };
    let document = r#"{
        "deadlineMs": 60000, "backoff": {"jitter": "none"}, "breaker": {"kind": "consecutive"},
        "idempotency": {"honoured": true}
    }"#;
    let (_, steps) = decided(document, &request, &outcome);
    let lines: Vec<String> = steps.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "success status=503 class=throttled signal=retry-after",
            "cancelled",
            "veto",
            "permanent class=throttled signal=retry-after",
            "body replayableBody=true committed=false",
            "safety idempotent=true keySent=true keyHonoured=true delivery=not_processed basis=status safety=proven",
            "retries retriesMade=0 maxRetries=5",
            "layers",
            "delay retry=1 baseMs=500 ms curve=exponential curveMs=500 ms capMs=30000 ms jitter=none ceilingMs=30000 ms hintMs=5000 ms hintSource=retry-after hintMode=override hintMaxMs=30000 ms delayMs=5000 ms hintHeard=true",
            "deadline delayMs=5000 ms leftMs=60000 ms",
            "key-window reliesOnKey=false windowMs=86400000 ms",
            "breaker breaker=closed",
            "budget budget=ratio balanceThousandths=10000",
            "retry attempt=2 delayMs=5000 ms",
        ]
    );
    let (_, steps) = decided("{}", &request, &Outcome::from_response(200, &[]));
    assert_eq!(line(&steps[0]), "success status=200 class=success signal=status");
    let (_, steps) = decided(document, &request, &Outcome::from_response(503, &[]));
    assert!(line(&steps[8]).ends_with("delayMs=500 ms hintHeard=false"), "{}", line(&steps[8]));
}

#[test]
fn an_open_breaker_is_told_with_the_time_it_stays_so() {
    let policy = Policy::from_json(
        r#"{"breaker":{"kind":"consecutive","failures":1,"openMs":4000},"backoff":{"jitter":"none"}}"#,
    );
    let mut upstream = Upstream::new(Arc::new(policy.unwrap()), 7);
    let now = Instant::from_millis(1_000);
    let outcome = Outcome::from_response(503, &[]);
    let mut call = upstream.begin(&Request::default(), now, None).unwrap();
    let (_, steps) = upstream.settle_stepwise(&mut call, &outcome, now, None);
    assert_eq!(line(steps.last().unwrap()), "breaker breaker=open openMs=4000 ms");
}

#[test]
fn a_decision_ends_at_the_first_step_that_applies() {
    let get = Request::default();
    let post = Request::new(Method::Post);
    let unavailable = Outcome::from_response(503, &[]);
    let veto = [Header::new("x-should-retry", b"false")];
    let long = [Header::new("retry-after", b"9999")];
    for (document, request, outcome, expected) in [
        ("{}", &get, Outcome::from_response(200, &[]), StepName::Success),
        ("{}", &get, Outcome::from_response(503, &veto), StepName::Veto),
        ("{}", &get, Outcome::from_response(404, &[]), StepName::Permanent),
        ("{}", &get, unavailable.committed(), StepName::Body),
        ("{}", &post, unavailable, StepName::Safety),
        (r#"{"maxRetries":0}"#, &get, unavailable, StepName::Retries),
        (
            r#"{"hint":{"beyond":"give-up"}}"#,
            &get,
            Outcome::from_response(503, &long),
            StepName::Delay,
        ),
        (r#"{"deadlineMs":1}"#, &get, unavailable, StepName::Deadline),
        (
            r#"{"budget":{"kind":"ratio","ratio":0,"minPerSecond":0}}"#,
            &get,
            unavailable,
            StepName::Budget,
        ),
    ] {
        let (reason, steps) = decided(document, request, &outcome);
        let last = steps.last().unwrap();
        assert_eq!((last.name, last.end), (expected, Some(reason)), "{document}");
        assert!(steps.iter().rev().skip(1).all(|step| step.end.is_none()), "{document}");
    }
    let nested = Request { nested: true, ..get };
    let (reason, steps) = decided("{}", &nested, &unavailable);
    assert_eq!((reason, steps.last().unwrap().name), (Reason::NestedLayer, StepName::Layers));
}

#[test]
fn to_be_watched_changes_nothing() {
    let policy = Arc::new(Policy::standard());
    let (mut plain, mut watched) = (Upstream::new(policy.clone(), 3), Upstream::new(policy, 3));
    let now = Instant::from_millis(5);
    for status in [503, 200, 404, 429, 503, 503] {
        let outcome = Outcome::from_response(status, &[]);
        let mut call = plain.begin(&Request::default(), now, None).unwrap();
        let mut same = watched.begin(&Request::default(), now, None).unwrap();
        let verdict = plain.settle(&mut call, &outcome, now, None);
        let (twin, steps) = watched.settle_stepwise(&mut same, &outcome, now, None);
        assert_eq!(verdict, twin);
        assert!(verdict.kind == VerdictKind::Accept || steps.len() > 1);
        let (again, none) = watched.settle_stepwise(&mut same, &outcome, now, None);
        assert!(again.stale && none.is_empty());
    }
    assert_eq!(plain.rng(), watched.rng());
}

#[test]
fn each_step_has_a_number_of_its_own_and_none_is_left_out() {
    let numbers: Vec<u8> = StepName::ALL.iter().map(|name| name.number()).collect();
    assert_eq!(numbers, (1..=14).collect::<Vec<u8>>());
}

#[test]
fn what_a_step_rests_on_is_told_in_words() {
    let post = Request { key: Some("abc"), ..Request::new(Method::Post) };
    let (_, steps) = decided("{}", &post, &Outcome::from_response(500, &[]));
    let told = |lang| -> Vec<String> {
        steps.last().unwrap().facts.iter().filter_map(|fact| fact.phrase(lang)).collect()
    };
    assert_eq!(
        told(Lang::English),
        [
            "the method is not idempotent: twice may act twice",
            "an idempotency key was sent",
            "there is no key that the policy says the server honours (idempotency.honoured)",
            "whether the server acted on it, nobody can tell (maybe_processed)",
            "the policy wants proof that it did not (safety)",
        ]
    );
    assert_eq!(told(Lang::Arabic).len(), 5);
    let (_, steps) = decided("{}", &Request::default(), &Outcome::from_response(503, &[]));
    let all: Vec<String> =
        steps.iter().flat_map(|step| &step.facts).filter_map(|f| f.phrase(Lang::English)).collect();
    for phrase in ["left in it: 10", "the curve gives 500 ms", "never above 30000 ms (cap)"] {
        assert!(all.iter().any(|one| one == phrase), "{phrase} in {all:?}");
    }
    assert!(all.iter().all(|phrase| !phrase.contains('#')), "{all:?}");
}

#[test]
fn every_step_has_a_question_in_both_languages() {
    for &name in StepName::ALL {
        let (english, arabic) = (name.question(Lang::English), name.question(Lang::Arabic));
        assert!(english.is_ascii() && !arabic.is_ascii(), "{name}");
    }
    let said: Vec<String> =
        StepName::ALL.iter().map(|name| name.question(Lang::English).into()).collect();
    assert!(said.iter().all(|one| said.iter().filter(|other| *other == one).count() == 1));
}
