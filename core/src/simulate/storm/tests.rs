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
