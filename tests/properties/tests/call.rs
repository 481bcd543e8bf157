//! Whole calls on one upstream, in any order and at any time: what must hold whatever happens.

extern crate alloc;

use alloc::sync::Arc;

use retrywise::{
    Call, Family, Header, Instant, Millis, Outcome, Policy, Request, TransportError, UnixMillis,
    Upstream, Verdict, VerdictKind, method::Method, policy::BudgetKind, steps::StepName,
};
use retrywise_properties::{Source, histories};

const BUDGETS: [&str; 5] = [
    "null",
    r#"{"kind":"ratio","ratio":0.5,"minPerSecond":1,"windowMs":1000}"#,
    r#"{"kind":"tokens","capacity":60}"#,
    r#"{"kind":"throttle","maxTokens":6}"#,
    r#"{"kind":"concurrency","ratio":0.5,"minConcurrency":1}"#,
];
const BREAKERS: [&str; 3] = [
    "null",
    r#"{"kind":"consecutive","failures":4,"openMs":500}"#,
    r#"{"kind":"rate","minimumCalls":5,"openMs":300,"probeTimeoutMs":2000}"#,
];

fn policy(source: &mut Source) -> Policy {
    let (budget, breaker) = (source.one_of(&BUDGETS), source.one_of(&BREAKERS));
    let jitter =
        source.one_of(&["none", "full", "equal", "decorrelated", "polly-v2", "proportional"]);
    let curve = source.one_of(&["none", "constant", "linear", "exponential"]);
    let mode = source.one_of(&["override", "at-least", "exact", "ignore"]);
    let beyond = source.one_of(&["clamp", "give-up"]);
    let deadline = source.one_of(&["null", "1", "5000", "60000"]);
    let (base, cap) = (source.between(0, 400), source.between(400, 5_000));
    let ceiling = source.one_of(&["null", "100", "9000"]);
    let hint_max = source.between(0, 20_000);
    let retries = source.between(0, 6);
    let document = format!(
        r#"{{"maxRetries":{retries},"deadlineMs":{deadline},"budget":{budget},"breaker":{breaker},
        "backoff":{{"curve":"{curve}","jitter":"{jitter}","baseMs":{base},"capMs":{cap},"ceilingMs":{ceiling}}},
        "hint":{{"mode":"{mode}","beyond":"{beyond}","maxMs":{hint_max}}}}}"#
    );
    Policy::from_json(&document).unwrap_or_else(|issues| panic!("{document}: {issues:?}"))
}

/// A call, and what was told about it.
struct Told {
    call: Call,
    idempotent: bool,
    deadline: Option<Instant>,
    attempt: u32,
    waiting: bool,
    /// The verdict that ended it.
    end: Option<Verdict>,
}

const STATUSES: [u16; 12] = [200, 204, 301, 400, 404, 408, 409, 425, 429, 500, 503, 529];
const CODES: [&str; 4] = ["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "CERT_HAS_EXPIRED"];

/// The longest wait that the policy allows: of its own, or asked for.
fn longest(policy: &Policy) -> u64 {
    let own = policy.backoff().ceiling.unwrap_or(policy.backoff().cap);
    let asked = policy.hint().max.unwrap_or(policy.backoff().cap);
    own.max(asked).get()
}

fn settle(source: &mut Source, upstream: &mut Upstream, told: &mut Told, now: Instant) {
    let wait = source.between(0, 40).to_string();
    let header = [Header::new("retry-after", wait.as_bytes())];
    let headers: &[Header<'_>] = if source.once_in(3) { &header } else { &[] };
    let (status, code) = match source.between(0, 2) {
        0 => (None, Some(source.one_of(&CODES))),
        _ => (Some(source.one_of(&STATUSES)), None),
    };
    let outcome = match (status, code) {
        (Some(status), _) => Outcome::from_response(status, headers),
        (None, code) => {
            Outcome::from_error(TransportError::new(Family::Node, code.unwrap_or_default()))
        }
    };
    let wall = source.once_in(2).then(|| UnixMillis::new(1_768_478_400_000));
    let before = balance(upstream, now);
    let (verdict, steps) = upstream.settle_stepwise(&mut told.call, &outcome, now, wall);
    if told.waiting || told.end.is_some() {
        assert!(verdict.stale, "a second settle is told to be one");
        assert_eq!(balance(upstream, now), before, "a second settle costs nothing");
        if let Some(end) = told.end {
            assert_eq!((verdict.kind, verdict.reason), (end.kind, end.reason));
        }
        return;
    }
    assert!(!verdict.stale);
    let (last, before) = steps.split_last().expect("a decision takes a step");
    assert_eq!(last.end, Some(verdict.reason), "the step that ends it says why");
    assert!(before.iter().all(|step| step.end.is_none()), "only the last step ends it");
    assert!(steps.is_sorted_by_key(|step| (step.name.number(), step.name)), "{steps:?}");
    assert_eq!(last.name == StepName::Retry, verdict.kind == VerdictKind::Retry);
    if verdict.kind != VerdictKind::Retry {
        assert!(told.call.is_over());
        told.end = Some(verdict);
        return;
    }

    let policy = upstream.policy();
    assert!(verdict.delay.get() <= longest(policy), "{verdict:?}");
    assert_eq!(verdict.attempt, told.attempt + 1);
    assert!(verdict.attempt <= policy.max_retries() + 1, "{verdict:?}");
    let then = now.after(verdict.delay);
    assert!(told.deadline.is_none_or(|deadline| then < deadline), "{verdict:?}");
    // ECONNREFUSED never left; 425 says that it was not looked at.
    let unsent = matches!(code, Some("ECONNREFUSED")) || matches!(status, Some(425));
    assert!(told.idempotent || unsent, "unsafe to repeat: {verdict:?}");
    told.waiting = true;
}

fn balance(upstream: &Upstream, now: Instant) -> Option<u64> {
    upstream.budget().map(|budget| budget.balance_thousandths(now))
}

fn play(source: &mut Source) {
    let policy = Arc::new(policy(source));
    let full = Upstream::new(Arc::clone(&policy), 0);
    let mut upstream = Upstream::new(Arc::clone(&policy), source.draw().bits());
    let mut calls: Vec<Told> = Vec::new();
    let mut latest = Instant::ORIGIN;
    for _ in 0..200 {
        let now = source.clock(200);
        latest = latest.max(now);
        if calls.is_empty() || (calls.len() < 8 && source.once_in(4)) {
            let idempotent = source.once_in(2);
            let method = if idempotent { Method::Get } else { Method::Post };
            if let Ok(call) = upstream.begin(&Request::new(method), now, None) {
                let deadline = policy.deadline().map(|deadline| now.after(deadline));
                let (attempt, waiting, end) = (1, false, None);
                calls.push(Told { call, idempotent, deadline, attempt, waiting, end });
            }
            continue;
        }
        let index = source.between(0, calls.len() as u64 - 1) as usize;
        let Some(told) = calls.get_mut(index) else { continue };
        match source.between(0, 9) {
            0..=4 => settle(source, &mut upstream, told, now),
            5..=7 => {
                let resumed = upstream.resume(&mut told.call, now);
                if told.waiting && resumed.is_ok() {
                    (told.waiting, told.attempt) = (false, told.attempt + 1);
                    assert_eq!(told.call.attempt(), told.attempt);
                } else if told.end.is_some() {
                    assert!(resumed.is_err(), "a call that is over is not sent again");
                }
                if told.call.is_over() {
                    calls.swap_remove(index);
                }
            }
            8 => {
                let verdict = upstream.cancel(&mut told.call, now);
                assert!(told.call.is_over() && verdict.kind != VerdictKind::Retry);
                calls.swap_remove(index);
            }
            _ => {
                upstream.end(&mut told.call, now);
                upstream.end(&mut told.call, now);
                assert!(told.call.is_over());
                calls.swap_remove(index);
            }
        }
    }
    for mut told in calls {
        upstream.end(&mut told.call, Instant::MAX);
    }
    // All places are free again and every window is long over, unless time has an end.
    let now = Instant::MAX;
    let is_over = now.since(latest) > Millis::new(10_000);
    match upstream.budget().map(|budget| budget.options().kind()) {
        Some(BudgetKind::Ratio) if !is_over => {}
        Some(BudgetKind::Ratio | BudgetKind::Concurrency) => {
            assert_eq!(balance(&upstream, now), balance(&full, now), "something was lost");
        }
        // Tokens and the throttle remember.
        _ => assert!(balance(&upstream, now) <= balance(&full, now), "more than a full budget"),
    }
}

#[test]
fn no_history_of_calls_breaks_a_promise() {
    histories(500, play);
}
