use alloc::{format, sync::Arc};

use super::*;
use crate::{Header, Instant, Request, Upstream, VerdictKind};

fn policy(document: &str) -> Policy {
    Policy::from_json(document).unwrap_or_else(|issues| panic!("{document}: {issues}"))
}

fn of_statuses(document: &str, statuses: &[(u16, Option<&str>)]) -> Envelope {
    let policy = policy(document);
    let headers: Vec<_> = statuses
        .iter()
        .map(|(_, hint)| {
            hint.map(|value| Header::new("retry-after", value.as_bytes()))
                .into_iter()
                .collect::<Vec<_>>()
        })
        .collect();
    let outcomes: Vec<_> = statuses
        .iter()
        .zip(&headers)
        .map(|((status, _), headers)| Outcome::from_response(*status, headers))
        .collect();
    let failures: Vec<_> =
        outcomes.iter().map(|outcome| Failure::of(outcome, &policy, false, None)).collect();
    envelope(&policy, &failures)
}

fn total(found: &Envelope) -> (u64, u64) {
    (found.total.min.get(), found.total.max.get())
}

#[test]
fn jitter_opens_the_envelope_and_its_absence_closes_it() {
    for (jitter, expected) in [
        ("none", (700, 700)),
        ("full", (0, 700)),
        ("equal", (350, 700)),
        // U(100, 300), then U(100, 900), then U(100, 2700), each at most the cap of 1000.
        ("decorrelated", (300, 300 + 900 + 1_000)),
        ("proportional", (560, 840)),
    ] {
        let document =
            format!(r#"{{"backoff":{{"baseMs":100,"capMs":1000,"jitter":"{jitter}"}}}}"#);
        let found = of_statuses(&document, &[(503, None); 3]);
        assert_eq!(total(&found), expected, "{jitter}");
        assert_eq!((found.waits.len(), found.ends), (3, None));
    }
}

#[test]
fn a_hint_takes_the_place_of_a_wait_as_the_policy_says() {
    let two = [(429, Some("5")), (503, None)];
    assert_eq!(total(&of_statuses("{}", &two)), (5_000, 6_000));
    let spread = r#"{"hint":{"spread":0.5}}"#;
    assert_eq!(total(&of_statuses(spread, &two)), (5_000, 8_500));
    let ignored = r#"{"hint":{"mode":"ignore"}}"#;
    assert_eq!(total(&of_statuses(ignored, &two)), (0, 1_500));
    let long = of_statuses(r#"{"extends":"interactive"}"#, &two);
    assert_eq!((long.waits.len(), long.ends), (0, Some(Reason::HintTooLong)));
}

#[test]
fn retries_and_the_deadline_end_it() {
    let found = of_statuses(r#"{"maxRetries":2}"#, &[(503, None); 4]);
    assert_eq!((found.waits.len(), found.ends), (2, Some(Reason::RetriesExhausted)));
    let found = of_statuses(r#"{"deadlineMs":1200}"#, &[(503, None); 3]);
    assert_eq!((total(&found), found.ends), ((0, 1_199), None));
    let plain = r#"{"deadlineMs":1200,"backoff":{"jitter":"none"}}"#;
    let found = of_statuses(plain, &[(503, None); 3]);
    assert_eq!((total(&found), found.ends), ((500, 500), Some(Reason::Deadline)));
    // A wait may end a millisecond before the deadline, and no later.
    for (deadline, ends) in [(501, None), (500, Some(Reason::Deadline))] {
        let document = format!(r#"{{"deadlineMs":{deadline},"backoff":{{"jitter":"none"}}}}"#);
        assert_eq!(of_statuses(&document, &[(503, None)]).ends, ends, "{deadline}");
    }
}

#[test]
fn attempts_use_up_the_deadline() {
    let policy = policy(r#"{"deadlineMs":1200}"#);
    let mut slow = Failure::new(Class::Transient);
    slow.took = Millis::new(500);
    let found = envelope(&policy, &[slow, slow]);
    assert_eq!(total(&found), (0, 199));
    assert_eq!(envelope(&policy, &[slow; 3]).ends, Some(Reason::Deadline));
}

#[test]
fn polly_s_waits_lean_on_one_another_and_so_does_their_sum() {
    let document = r#"{"backoff":{"baseMs":1000,"jitter":"polly-v2"}}"#;
    let found = of_statuses(document, &[(503, None); 4]);
    // The formula grows to 2^t · tanh(√4t) / 1.4, from t = 3 (all draws 0) to t = 4.
    let (min, max) = total(&found);
    assert!((5_698..=5_702).contains(&min), "{min}");
    assert!((11_415..=11_421).contains(&max), "{max}");
}

/// Plays the real upstream through the same failures.
#[test]
fn an_upstream_waits_within_the_envelope() {
    let policy = Arc::new(policy(r#"{"backoff":{"jitter":"decorrelated"},"hint":{"spread":1}}"#));
    let headers = [Header::new("retry-after", b"2")];
    let failures = [
        Outcome::from_response(503, &[]),
        Outcome::from_response(429, &headers),
        Outcome::from_response(503, &[]),
    ];
    let known: Vec<_> = failures.iter().map(|o| Failure::of(o, &policy, false, None)).collect();
    let found = envelope(&policy, &known);
    for seed in 0..500 {
        let mut upstream = Upstream::without_memory(Arc::clone(&policy), seed);
        let mut now = Instant::ORIGIN;
        let mut call = upstream.begin(&Request::default(), now, None).unwrap();
        for (failure, wait) in failures.iter().zip(&found.waits) {
            let verdict = upstream.settle(&mut call, failure, now, None);
            assert_eq!(verdict.kind, VerdictKind::Retry);
            assert!((wait.min..=wait.max).contains(&verdict.delay), "seed {seed}: {verdict:?}");
            now = now.after(verdict.delay);
            upstream.resume(&mut call, now).unwrap();
        }
        let sum = now.since(Instant::ORIGIN);
        assert!((found.total.min..=found.total.max).contains(&sum), "seed {seed}: {sum}");
    }
}

/// The sums of the shortest and of the longest waits, each taken by itself.
fn each(found: &Envelope) -> (u64, u64) {
    let sum = |of: fn(&Bounds) -> Millis| found.waits.iter().map(|wait| of(wait).get()).sum();
    (sum(|wait| wait.min), sum(|wait| wait.max))
}

#[test]
fn polly_s_waits_no_longer_add_up_to_the_formula_when_a_hint_or_another_base_comes_between() {
    let document =
        r#"{"maxRetries":9,"backoff":{"baseMs":1000,"jitter":"polly-v2","throttledBaseMs":10000}}"#;
    let plain = of_statuses(document, &[(503, None); 4]);
    // All draws least, and all greatest: no single wait is at its end in both.
    let ends = each(&plain);
    assert!(total(&plain).0 > ends.0 && total(&plain).1 < ends.1, "{plain:?} {ends:?}");
    // 2^3 · tanh(√12) ÷ 1.4 less a millisecond for each of four roundings; 2^4 · tanh(√16) ÷ 1.4.
    assert_eq!(total(&plain), (5_702 - 4, 11_420));
    for broken in [
        [(503, None), (503, Some("5")), (503, None), (503, None)],
        [(503, None), (429, None), (503, None), (503, None)],
    ] {
        let found = of_statuses(document, &broken);
        assert_eq!(total(&found).1, each(&found).1, "{found:?}");
    }
    let hinted = of_statuses(document, &[(503, None), (503, Some("5")), (503, None)]);
    assert_eq!(total(&hinted), each(&hinted));
}
