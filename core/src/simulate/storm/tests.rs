use super::*;
use crate::policy::BudgetKind;

fn run(tactic: Tactic) -> StormReport {
    let terms = Storm { tells: tactic == Tactic::Hint, ..Storm::default() };
    storm(&terms, &tactic.policy(3), 1)
}

#[test]
fn naive_retries_are_four_times_the_load() {
    let report = run(Tactic::Naive);
    assert_eq!(report.peak, 4_000);
    assert!((3_950..=4_000).contains(&report.outage), "{}", report.outage);
    assert_eq!((report.calls, report.bound), (60_000, None));
    // All four attempts fall into the outage.
    assert!((4_960..=5_000).contains(&report.failed), "{}", report.failed);
}

#[test]
fn with_a_budget_the_worst_window_keeps_its_bound() {
    for tactic in [Tactic::Budget, Tactic::Breaker, Tactic::Hint] {
        let report = run(tactic);
        assert_eq!(report.within_budget, Some(true), "{tactic}");
        // Also where the breaker took every retry back: the budget stands, used or not.
        assert_eq!((report.bound, report.window_span.get()), (Some(1_110), 10_000), "{tactic}");
        assert!(report.window <= 1_110, "{tactic}: {}", report.window);
        assert!(report.peak < 2_200, "{tactic}: {}", report.peak);
    }
    // And the bound is not met because nothing was retried.
    assert!(run(Tactic::Budget).window > 1_090);
    assert!(run(Tactic::FullJitter).window > 1_500);
}

#[test]
fn a_budget_that_nobody_draws_on_is_a_budget_all_the_same() {
    let calm = Storm { seconds: 5, ..Storm::default() };
    let report = storm(&calm, &Tactic::Budget.policy(3), 1);
    // 1 + a tenth + 10 clients · 1 a second · 10 s by the 5 000 calls that there were.
    assert_eq!((report.attempts, report.window, report.bound), (5_000, 1_000, Some(1_120)));
    assert_eq!(report.within_budget, Some(true));
    let tokens = crate::policy::BudgetOptions::of(BudgetKind::Tokens);
    let mut options = Policy::standard().into_options();
    options.budget = Some(tokens);
    let report = storm(&calm, &Arc::new(options.validate().unwrap()), 1);
    assert_eq!((report.budget, report.bound), (Some(BudgetKind::Tokens), None));
}

#[test]
fn with_and_without_a_budget_the_same_ten_seconds_are_measured() {
    let (naive, budget) = (run(Tactic::Naive), run(Tactic::Budget));
    assert_eq!(naive.window_span, budget.window_span);
    // Three retries for the calls of five seconds in ten.
    assert!((2_450..=2_500).contains(&naive.window), "{}", naive.window);
    assert_eq!((naive.max_retries, naive.budget), (3, None));
}

#[test]
fn the_breaker_spares_the_server_and_costs_recovery() {
    let (budget, breaker) = (run(Tactic::Budget), run(Tactic::Breaker));
    assert!(breaker.outage < budget.outage);
    assert!(breaker.refused > 0 && budget.refused == 0);
    assert!(breaker.recovery_ms > budget.recovery_ms, "{breaker:?}");
}

#[test]
fn a_shorter_open_time_recovers_sooner() {
    let mut options = Policy::clone(&Tactic::Breaker.policy(3)).into_options();
    if let Some(breaker) = &mut options.breaker {
        (breaker.open, breaker.max_open) = (Millis::new(500), Millis::new(1_000));
    }
    let quick = Arc::new(options.validate().unwrap());
    let quick = storm(&Storm::default(), &quick, 1);
    assert!(quick.recovery_ms < run(Tactic::Breaker).recovery_ms);
}

#[test]
fn every_call_ends_once() {
    for &tactic in Tactic::ALL {
        let report = run(tactic);
        assert_eq!(report.succeeded + report.failed, report.calls, "{tactic}");
        let sum: u64 = report.seconds.iter().map(|second| u64::from(second.sent)).sum();
        assert_eq!(sum, report.attempts);
        assert!(!report.cut_off);
        assert_eq!(report, run(tactic), "the same seed, the same storm");
    }
}

#[test]
fn odd_terms_end_too() {
    let odd = Storm {
        clients: 0,
        rate: 0,
        seconds: 0,
        capacity: 0,
        queue: 0,
        latency: Millis::ZERO,
        down_from: Millis::MAX,
        down_for: Millis::MAX,
        tells: true,
    };
    assert_eq!(storm(&odd, &Tactic::Hint.policy(u32::MAX), 1).calls, 1);
}

#[test]
fn a_rate_limit_holds_calls_back_and_loses_none() {
    let policy = Policy::standard().into_options();
    let mut options = policy;
    options.limiter = Some(crate::policy::LimiterOptions::default());
    let policy = Arc::new(options.validate().unwrap());
    let terms = Storm { rate: 50, seconds: 20, ..Storm::default() };
    let report = storm(&terms, &policy, 1);
    assert_eq!(report.succeeded + report.failed, report.calls);
}

/// One client of a server that is down from the beginning, its retries after a fixed wait.
fn down(rate: u32, seconds: u32, change: impl FnOnce(&mut crate::policy::Options)) -> StormReport {
    let mut options = Policy::standard().into_options();
    (options.max_retries, options.budget, options.breaker) = (1, None, None);
    options.backoff.jitter = crate::policy::Jitter::None;
    change(&mut options);
    let terms = Storm {
        clients: 1,
        rate,
        seconds,
        down_from: Millis::ZERO,
        down_for: Millis::MAX,
        ..Storm::default()
    };
    storm(&terms, &Arc::new(options.validate().unwrap()), 1)
}

#[test]
fn what_is_not_over_two_minutes_after_the_last_call_has_failed() {
    // Calls at 0 and 1 s, each answered after 10 ms; all ends at 122 s.
    for (wait, attempts, cut_off) in [(120_500, 4, false), (121_500, 3, true), (300_000, 2, true)] {
        let report = down(1, 2, |options| {
            options.backoff.base = Millis::new(wait);
            options.backoff.cap = Millis::new(wait);
        });
        assert_eq!((report.attempts, report.failed), (attempts, 2), "{wait}");
        assert_eq!(report.cut_off, cut_off, "{wait}");
    }
}

#[test]
fn only_what_is_under_way_at_the_end_is_counted_then() {
    let mut options = Policy::standard().into_options();
    (options.budget, options.breaker) = (None, None);
    options.backoff.jitter = crate::policy::Jitter::None;
    (options.backoff.base, options.backoff.cap) = (Millis::new(300_000), Millis::new(300_000));
    // Calls at 0, 333 and 666 ms: the third one fails, in the place of the first.
    let terms = Storm {
        clients: 1,
        rate: 3,
        seconds: 1,
        latency: Millis::new(400),
        down_from: Millis::new(600),
        down_for: Millis::MAX,
        ..Storm::default()
    };
    let report = storm(&terms, &Arc::new(options.validate().unwrap()), 1);
    assert_eq!((report.calls, report.succeeded, report.failed), (3, 2, 1));
    assert!(report.cut_off);
}

#[test]
fn calls_come_evenly_and_meet_what_came_of_those_before() {
    let report = down(7, 3, |options| {
        let breaker = crate::policy::BreakerOptions {
            failures: 1,
            open: Millis::new(60_000),
            ..crate::policy::BreakerOptions::of(crate::policy::BreakerKind::Consecutive)
        };
        options.breaker = Some(breaker);
    });
    let asked: Vec<_> = report.seconds.iter().take(3).map(|second| second.asked).collect();
    assert_eq!(asked, [7, 7, 7]);
    // The first one's answer opened the breaker for all others.
    assert_eq!((report.attempts, report.refused, report.failed), (1, 20, 21));
}

#[test]
fn a_wait_that_the_server_tells_holds_new_calls_and_retries_back_and_fails_none() {
    let mut options = Policy::standard().into_options();
    (options.budget, options.breaker) = (None, None);
    options.limiter = Some(crate::policy::LimiterOptions::default());
    let policy = Arc::new(options.validate().unwrap());
    let terms = Storm {
        clients: 1,
        rate: 200,
        seconds: 2,
        down_from: Millis::ZERO,
        down_for: Millis::new(1_000),
        tells: true,
        ..Storm::default()
    };
    let report = storm(&terms, &policy, 1);
    assert_eq!((report.succeeded, report.failed, report.refused), (400, 0, 0));
    assert!(!report.cut_off);
    assert_eq!(report.seconds.len(), 3, "all is over soon after the outage");
    // Who was sent before the first answer, and nobody else, met the outage.
    assert!((2..=4).contains(&(report.attempts - 400)), "{}", report.attempts);
    let untold = storm(&Storm { tells: false, ..terms }, &policy, 1);
    assert!(untold.attempts > 500, "{}", untold.attempts);
}

#[test]
fn a_retry_that_meets_a_breaker_which_others_opened_has_failed_then_and_there() {
    // Calls at 0, 250, 500 and 750 ms; the second one's answer opens the breaker.
    let report = down(4, 1, |options| {
        let breaker = crate::policy::BreakerOptions {
            failures: 2,
            open: Millis::new(60_000),
            ..crate::policy::BreakerOptions::of(crate::policy::BreakerKind::Consecutive)
        };
        options.breaker = Some(breaker);
    });
    assert_eq!((report.attempts, report.refused), (2, 2));
    assert_eq!((report.seconds[0].failed, report.seconds.len()), (4, 1));
}
