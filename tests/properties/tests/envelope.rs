//! The envelope of a call's waits, against the waits that are drawn.

use retrywise::{
    Ask, BackoffState, Draw, Header, Millis, Outcome, Policy, Reason,
    delay::{Delay, delay},
    envelope::{Envelope, Failure, envelope},
};
use retrywise_properties::{Source, histories};

const JITTERS: [&str; 6] = ["none", "full", "equal", "decorrelated", "polly-v2", "proportional"];

fn policy(source: &mut Source) -> Policy {
    let jitter = source.one_of(&JITTERS);
    let curve = source.one_of(&["none", "constant", "linear", "exponential"]);
    let mode = source.one_of(&["override", "at-least", "exact", "ignore"]);
    let spread = source.one_of(&["0", "0.25", "1"]);
    let (base, cap) = (source.between(0, 400), source.between(400, 5_000));
    let ceiling = source.one_of(&["null", "100", "9000"]);
    let throttled = source.one_of(&["null", "0", "50", "400"]);
    let immediate = source.one_of(&["true", "false"]);
    let factor = source.one_of(&["1", "1.5", "2", "3"]);
    let document = format!(
        r#"{{"maxRetries":9,
        "backoff":{{"curve":"{curve}","factor":{factor},"jitter":"{jitter}","baseMs":{base},
            "capMs":{cap},"ceilingMs":{ceiling},"throttledBaseMs":{throttled},
            "firstRetryImmediate":{immediate}}},
        "hint":{{"mode":"{mode}","spread":{spread}}}}}"#
    );
    Policy::from_json(&document).unwrap_or_else(|issues| panic!("{document}: {issues:?}"))
}

/// The waits that these draws give, as a settle would choose them one after the other.
fn waits(policy: &Policy, failures: &[Failure<'_>], mut draw: impl FnMut() -> Draw) -> Vec<Millis> {
    let mut state = BackoffState::default();
    let one = |(retry, failure): (u32, &Failure<'_>)| {
        let mut ask = Ask::new(retry, failure.class);
        ask.outcome = failure.outcome;
        match delay(policy, ask, failure.hint, &mut state, draw()) {
            Delay::Wait(wait, _) => wait,
            Delay::TooLong => panic!("these policies clamp"),
        }
    };
    (1..).zip(failures).map(one).collect()
}

fn sum(waits: &[Millis]) -> Millis {
    waits.iter().fold(Millis::ZERO, |sum, wait| sum.plus(*wait))
}

fn with_failures(
    source: &mut Source,
    policy: &Policy,
    check: impl FnOnce(&mut Source, &[Failure<'_>]),
) {
    let count = source.between(1, 6) as usize;
    let hints: Vec<String> = (0..count).map(|_| source.between(0, 8).to_string()).collect();
    let headers: Vec<[Header<'_>; 1]> =
        hints.iter().map(|hint| [Header::new("retry-after", hint.as_bytes())]).collect();
    let outcomes: Vec<Outcome<'_>> = headers
        .iter()
        .map(|header| {
            let status = source.one_of(&[503, 429, 500]);
            Outcome::from_response(status, if source.once_in(3) { header } else { &[] })
        })
        .collect();
    let failures: Vec<Failure<'_>> =
        outcomes.iter().map(|outcome| Failure::of(outcome, policy, false, None)).collect();
    check(source, &failures);
}

#[test]
fn whatever_is_drawn_the_waits_lie_within() {
    histories(1_000, |source| {
        let policy = policy(source);
        with_failures(source, &policy, |source, failures| {
            let found = envelope(&policy, failures);
            assert_eq!((found.waits.len(), found.ends), (failures.len(), None));
            for _ in 0..40 {
                let drawn = waits(&policy, failures, || source.draw());
                for (wait, bounds) in drawn.iter().zip(&found.waits) {
                    assert!((bounds.min..=bounds.max).contains(wait), "{wait} {found:?}");
                }
                let sum = sum(&drawn);
                assert!((found.total.min..=found.total.max).contains(&sum), "{sum} {found:?}");
            }
        });
    });
}

#[test]
fn both_ends_are_reached() {
    histories(1_000, |source| {
        let policy = policy(source);
        if policy.backoff().jitter.name() == "polly-v2" {
            return;
        }
        with_failures(source, &policy, |_, failures| {
            let found = envelope(&policy, failures);
            let shortest = waits(&policy, failures, || Draw::MIN);
            let longest = waits(&policy, failures, || Draw::MAX);
            assert_eq!(sum(&shortest), found.total.min, "{found:?}");
            assert_eq!(sum(&longest), found.total.max, "{found:?}");
        });
    });
}

/// Each wait of polly-v2 is longest after a short one and shortest after a long one; their sum is
/// what the last draw alone says, but for rounding.
#[test]
fn polly_reaches_the_ends_of_each_wait_and_of_the_sum_but_for_rounding() {
    histories(300, |source| {
        let base = source.between(1, 400);
        let document =
            format!(r#"{{"backoff":{{"jitter":"polly-v2","baseMs":{base},"capMs":9000000}}}}"#);
        let policy = Policy::from_json(&document).expect("it is valid");
        let failures =
            vec![Failure::new(retrywise::Class::Transient); source.between(1, 5) as usize];
        let Envelope { waits: bounds, total, .. } = envelope(&policy, &failures);
        let slack = Millis::new(failures.len() as u64);
        for (draw, end) in [(Draw::MIN, total.min), (Draw::MAX, total.max)] {
            let reached = sum(&waits(&policy, &failures, || draw));
            assert!(reached <= end.plus(slack) && end <= reached.plus(slack), "{reached} {end}");
        }
        for (last, bounds) in bounds.iter().enumerate() {
            // The wait after a draw of the other end, however the call came there.
            let at_end = |early: Draw, late: Draw| {
                let mut at = 0;
                let drawn = waits(&policy, &failures, || {
                    at += 1;
                    if at == last + 1 { late } else { early }
                });
                drawn[last]
            };
            assert_eq!(at_end(Draw::MAX, Draw::MIN), bounds.min);
            assert_eq!(at_end(Draw::MIN, Draw::MAX), bounds.max);
        }
    });
}

#[test]
fn a_deadline_is_never_passed_and_is_come_close_to() {
    histories(500, |source| {
        let deadline = source.between(1, 4_000);
        let document = format!(r#"{{"deadlineMs":{deadline},"maxRetries":9}}"#);
        let policy = Policy::from_json(&document).expect("it is valid");
        let mut failure = Failure::new(retrywise::Class::Transient);
        failure.took = Millis::new(source.between(0, 900));
        let failures = vec![failure; source.between(1, 6) as usize];
        let found = envelope(&policy, &failures);
        let took = failure.took.get() * found.waits.len() as u64;
        if found.waits.is_empty() {
            assert_eq!(found.ends, Some(Reason::Deadline));
            return;
        }
        assert!(found.total.max.get() + took < deadline, "{found:?}");
        if let Some(reason) = found.ends {
            assert_eq!(reason, Reason::Deadline);
            assert!(took + failure.took.get() >= deadline, "{found:?}");
        }
    });
}
