use alloc::vec;

use super::*;
use crate::{
    classify::{Class, Delivery, Signal},
    policy::{HintMode, Jitter, LimiterOptions, Options},
    verdict::Reason,
};

fn answer(status: u16) -> Step<'static> {
    Step { status: Some(status), ..Step::default() }
}

fn fault(fault: Fault) -> Step<'static> {
    Step { fault: Some(fault), ..Step::default() }
}

fn run(script: Vec<Step<'_>>, change: impl FnOnce(&mut Options, &mut Single<'_>)) -> SingleReport {
    let mut options = Options::default();
    let mut terms = Single { script, ..Single::default() };
    change(&mut options, &mut terms);
    single(&Arc::new(options.validate().unwrap()), &terms, 3)
}

fn reasons(report: &SingleReport) -> Vec<Reason> {
    report.attempts.iter().map(|attempt| attempt.verdict.reason).collect()
}

#[test]
fn two_failures_and_a_success_are_three_attempts_one_after_the_other() {
    let report = run(vec![answer(503), answer(503), answer(200)], |_, _| {});
    assert_eq!(reasons(&report), [Reason::Backoff, Reason::Backoff, Reason::Ok]);
    for attempt in &report.attempts {
        let last = attempt.steps.last().and_then(|step| step.end);
        assert_eq!(last, Some(attempt.verdict.reason));
    }
    for pair in report.attempts.windows(2) {
        assert_eq!(pair[0].ended.plus(pair[0].verdict.delay), pair[1].sent);
        assert_eq!(pair[0].ended.minus(pair[0].sent), Millis::new(80));
    }
    assert_eq!(report.attempts.last().map(|last| last.ended), Some(report.ended));
}

#[test]
fn the_server_is_given_the_time_that_it_asks_for() {
    let headers = vec![Header { name: "retry-after", value: b"7" }];
    let throttled = Step { status: Some(429), headers, ..Step::default() };
    let report = run(vec![throttled, answer(200)], |_, _| {});
    assert_eq!(reasons(&report), [Reason::ServerHint, Reason::Ok]);
    assert_eq!(report.attempts[0].verdict.delay, Millis::new(7_000));
}

#[test]
fn a_server_that_hangs_costs_the_timeout_and_a_post_is_not_repeated() {
    let report = run(vec![fault(Fault::Hang)], |options, terms| {
        options.attempt_timeout = Some(Millis::new(2_000));
        terms.method = Method::Post;
    });
    let [attempt] = &report.attempts[..] else { panic!("{report:?}") };
    assert!(attempt.timed_out);
    assert_eq!(attempt.ended, Millis::new(2_000));
    assert_eq!(attempt.verdict.classification.delivery, Delivery::MaybeProcessed);
    assert_eq!(attempt.verdict.reason, Reason::UnsafeToRepeat);
}

#[test]
fn every_fault_is_a_failure_that_a_get_survives() {
    for &kind in Fault::ALL {
        let report = run(vec![fault(kind), answer(200)], |_, _| {});
        assert_eq!(report.attempts.len(), 2, "{kind}");
        assert_eq!(report.attempts[0].status, None, "{kind}");
        assert_eq!(report.attempts[1].verdict.reason, Reason::Ok, "{kind}");
    }
}

#[test]
fn a_post_is_repeated_only_where_the_fault_proves_that_it_was_not_processed() {
    for &kind in Fault::ALL {
        let report = run(vec![fault(kind), answer(201)], |_, terms| terms.method = Method::Post);
        let proven = matches!(kind, Fault::RefusedStream | Fault::Goaway);
        assert_eq!(report.attempts.len(), if proven { 2 } else { 1 }, "{kind}");
    }
}

#[test]
fn a_timeout_is_known_by_its_error() {
    let report = run(vec![fault(Fault::Hang)], |_, _| {});
    let found = report.attempts[0].verdict.classification;
    assert_eq!((found.class, found.signal), (Class::Transient, Signal::Transport));
}

#[test]
fn an_answer_that_comes_with_the_timeout_has_come() {
    let close = Step { delay: Millis::new(920), ..answer(200) };
    let report = run(vec![close], |options, _| {
        options.attempt_timeout = Some(Millis::new(1_000));
    });
    assert_eq!((report.attempts[0].timed_out, report.attempts[0].status), (false, Some(200)));
}

#[test]
fn a_key_is_made_where_the_policy_wants_one() {
    let report = run(vec![answer(500), answer(201)], |options, terms| {
        terms.method = Method::Post;
        options.idempotency.generate = true;
        options.idempotency.honoured = true;
    });
    assert_eq!(reasons(&report), [Reason::Backoff, Reason::Ok]);
}

#[test]
fn a_rate_limit_holds_a_retry_back_for_as_long_as_it_lasts_or_the_policy_waits() {
    let used_up = |longest: Option<u64>| {
        let headers = [
            ("x-ratelimit-limit", "5"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "60"),
        ];
        let headers = headers.map(|(name, value)| Header::new(name, value.as_bytes())).into();
        let failed = Step { status: Some(500), headers, ..Step::default() };
        run(vec![failed, answer(200)], |options, _| {
            options.hint.mode = HintMode::Ignore;
            options.backoff.jitter = Jitter::None;
            let max_wait = longest.map(Millis::new);
            options.limiter = Some(LimiterOptions { max_wait, ..LimiterOptions::default() });
        })
    };
    let held = used_up(None);
    assert_eq!(reasons(&held), [Reason::Backoff, Reason::Ok]);
    assert_eq!(held.attempts[1].sent, Millis::new(80 + 60_000));
    let given_up = used_up(Some(10_000));
    assert_eq!(given_up.refusal.map(|refusal| refusal.reason), Some(Reason::RateLimited));
    assert_eq!((given_up.attempts.len(), given_up.ended), (1, Millis::new(80 + 500)));
}

#[test]
fn an_answer_slower_than_the_timeout_does_not_come() {
    let slow = Step { delay: Millis::new(40_000), ..answer(200) };
    let report = run(vec![slow, answer(200)], |_, _| {});
    assert!(report.attempts[0].timed_out && !report.attempts[1].timed_out);
    assert_eq!(report.attempts[0].ended, Millis::new(30_000));
}

#[test]
fn a_call_that_cannot_begin_says_why_and_one_without_an_end_is_left() {
    let refused = run(vec![answer(200)], |_, terms| terms.key = Some(""));
    assert_eq!(refused.refusal.map(|refusal| refusal.reason), Some(Reason::KeyInvalid));
    assert_eq!(refused.attempts, []);
    let endless = run(vec![answer(503)], |options, _| {
        options.max_retries = 1_000_000;
        (options.budget, options.breaker) = (None, None);
    });
    assert_eq!(endless.attempts.len(), MOST_ATTEMPTS);
}
