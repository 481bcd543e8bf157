use super::*;

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn ratio(ratio: u32, min_per_second: u32, window: u64) -> Budget {
    Budget::new(BudgetOptions::Ratio { ratio, min_per_second, window: Millis::new(window) })
}

/// How many of `asked` retries are granted.
fn granted(budget: &mut Budget, asked: u32, now: Instant) -> u32 {
    (0..asked).filter(|_| budget.withdraw(&mut Hold::default(), Class::Transient, now)).count()
        as u32
}

fn deposit(budget: &mut Budget, calls: u32, now: Instant) {
    for _ in 0..calls {
        budget.deposit(&mut Hold::default(), now);
    }
}

#[test]
fn a_ratio_gives_exactly_its_share_of_the_calls() {
    // tower-rs/tower#857: trunc(1/0.6) gave 100 %.
    for (ten_thousandths, calls, retries) in [
        (6_000, 10, 6),
        (1_000, 1_000, 100),
        (3_000, 1_000, 300),
        (7_500, 1_000, 750),
        (1, 10_000, 1),
        (20_000, 5, 10),
        (0, 1_000, 0),
    ] {
        let mut budget = ratio(ten_thousandths, 0, 10_000);
        deposit(&mut budget, calls, at(0));
        assert_eq!(granted(&mut budget, 3_000, at(1)), retries, "{ten_thousandths}");
    }
}

#[test]
fn the_reserve_is_on_top_and_comes_back_only_with_its_slot() {
    let mut budget = ratio(1_000, 10, 10_000);
    assert_eq!(granted(&mut budget, 500, at(0)), 100);
    assert_eq!(granted(&mut budget, 500, at(9_999)), 0);
    assert_eq!(granted(&mut budget, 500, at(10_000)), 100);
}

#[test]
fn finagles_leaky_bucket_is_followed_step_by_step() {
    // Reserve 100 over 3 s: 50 ok, 50 ok, 1 refused, put 1, take 1.
    let mut budget = ratio(10_000, 0, 3_000);
    deposit(&mut budget, 100, at(0));
    assert_eq!(granted(&mut budget, 100, at(0)), 100);
    assert_eq!(granted(&mut budget, 1, at(0)), 0);
    deposit(&mut budget, 1, at(0));
    assert_eq!(granted(&mut budget, 2, at(0)), 1);
}

#[test]
fn a_deposit_is_alive_at_909_and_dead_at_1010() {
    let mut budget = ratio(10_000, 0, 1_000);
    deposit(&mut budget, 1, at(0));
    for now in (0..=909).step_by(101) {
        assert_eq!(budget.balance_thousandths(at(now)), 1_000, "{now}");
    }
    assert_eq!(budget.balance_thousandths(at(1_010)), 0);
}

#[test]
fn a_refund_goes_to_the_slot_it_came_from_and_not_to_a_new_life() {
    let mut budget = ratio(10_000, 0, 1_000);
    deposit(&mut budget, 1, at(0));
    let mut hold = Hold::default();
    assert!(budget.withdraw(&mut hold, Class::Transient, at(0)));
    budget.refund(&mut hold, at(500));
    assert_eq!(budget.balance_thousandths(at(999)), 1_000);
    assert_eq!(budget.balance_thousandths(at(1_000)), 0);
    // Given back once, not twice.
    budget.refund(&mut hold, at(500));
    assert_eq!(budget.balance_thousandths(at(999)), 1_000);
}

fn aws() -> Budget {
    Budget::new(BudgetOptions::of(crate::policy::BudgetKind::Tokens))
}

#[test]
fn aws_tokens_follow_the_vectors_of_the_retry_specification() {
    // Vector a: 500, 500, 200.
    let (mut budget, mut hold) = (aws(), Hold::default());
    assert!(budget.withdraw(&mut hold, Class::Transient, at(0)));
    assert_eq!(budget.balance_thousandths(at(0)), 486_000);
    assert!(budget.withdraw(&mut hold, Class::Transient, at(0)));
    assert_eq!(budget.balance_thousandths(at(0)), 472_000);
    budget.success(&mut hold);
    assert_eq!(budget.balance_thousandths(at(0)), 486_000);
    // Vector h: Throttling, then 200.
    let (mut budget, mut hold) = (aws(), Hold::default());
    assert!(budget.withdraw(&mut hold, Class::Throttled, at(0)));
    assert_eq!(budget.balance_thousandths(at(0)), 495_000);
    budget.success(&mut hold);
    assert_eq!(budget.balance_thousandths(at(0)), 500_000);
    // What an ended call has spent is not earned back by the call after it.
    let (mut budget, mut hold) = (aws(), Hold::default());
    assert!(budget.withdraw(&mut hold, Class::Transient, at(0)));
    budget.release(&mut hold);
    budget.success(&mut hold);
    assert_eq!(budget.balance_thousandths(at(0)), 487_000);
    // 35 transient retries drain it; one clean success is one token.
    let mut budget = aws();
    assert_eq!(granted(&mut budget, 100, at(0)), 35);
    budget.success(&mut Hold::default());
    assert_eq!(budget.balance_thousandths(at(0)), 11_000);
}

#[test]
fn a_grpc_throttle_refuses_at_the_fifth_failure_and_recovers_after_eleven_successes() {
    let mut budget = Budget::new(BudgetOptions::of(crate::policy::BudgetKind::Throttle));
    let retry = |budget: &mut Budget| {
        budget.failure();
        budget.withdraw(&mut Hold::default(), Class::Transient, at(0))
    };
    assert_eq!(
        (0..5).map(|_| retry(&mut budget)).collect::<alloc::vec::Vec<_>>(),
        [true, true, true, true, false]
    );
    for _ in 0..10 {
        budget.success(&mut Hold::default());
    }
    assert!(!retry(&mut budget.clone()));
    budget.success(&mut Hold::default());
    assert!(retry(&mut budget));
}

fn concurrency(ratio: u32, min_concurrency: u32) -> Budget {
    Budget::new(BudgetOptions::Concurrency { ratio, min_concurrency })
}

#[test]
fn a_call_that_waits_still_counts_as_a_call_in_progress() {
    // envoyproxy/envoy#30205: six calls that all fail at 100 % may all retry.
    let mut budget = concurrency(10_000, 0);
    let mut holds = [Hold::default(); 6];
    for hold in &mut holds {
        budget.deposit(hold, at(0));
    }
    for hold in &mut holds {
        assert!(budget.withdraw(hold, Class::Transient, at(0)));
    }
    // 1 000 in progress at 20 %: exactly 200.
    let mut budget = concurrency(2_000, 3);
    let mut holds = alloc::vec![Hold::default(); 1_000];
    for hold in &mut holds {
        budget.deposit(hold, at(0));
    }
    let granted = holds
        .iter_mut()
        .filter_map(|hold| budget.withdraw(hold, Class::Transient, at(0)).then_some(()))
        .count();
    assert_eq!(granted, 200);
}

#[test]
fn a_place_among_the_retries_is_free_when_the_retry_ends_or_never_starts() {
    let mut budget = concurrency(0, 1);
    let (mut a, mut b) = (Hold::default(), Hold::default());
    budget.deposit(&mut a, at(0));
    budget.deposit(&mut b, at(0));
    assert!(budget.withdraw(&mut a, Class::Transient, at(0)));
    assert!(!budget.withdraw(&mut b, Class::Transient, at(0)));
    // The same call asks again: its own place is not in its way.
    assert!(budget.withdraw(&mut a, Class::Transient, at(0)));
    budget.refund(&mut a, at(0));
    assert!(budget.withdraw(&mut b, Class::Transient, at(0)));
    budget.release(&mut b);
    budget.release(&mut b);
    assert!(budget.withdraw(&mut a, Class::Transient, at(0)));
}

#[test]
fn reconfiguring_keeps_the_level_in_proportion() {
    // grpc/grpc PR 38947: 4 of 10 is 8 of 20.
    let mut budget = Budget::new(BudgetOptions::of(crate::policy::BudgetKind::Throttle));
    for _ in 0..6 {
        budget.failure();
    }
    let options =
        BudgetOptions::Throttle { max_tokens_thousandths: 20_000, token_ratio_thousandths: 500 };
    budget.reconfigure(options, at(0));
    assert_eq!(budget.balance_thousandths(at(0)), 8_000);
    // Twice the ratio: twice what is left of the deposits.
    let mut budget = ratio(1_000, 0, 10_000);
    deposit(&mut budget, 100, at(0));
    budget.reconfigure(
        BudgetOptions::Ratio { ratio: 2_000, min_per_second: 0, window: Millis::new(10_000) },
        at(0),
    );
    assert_eq!(budget.balance_thousandths(at(0)), 20_000);
}

#[test]
fn no_time_and_no_order_of_events_breaks_it() {
    use crate::policy::BudgetKind;
    for &kind in BudgetKind::ALL {
        let mut rng = crate::rng::Rng::new(kind.code().into());
        let mut budget = Budget::new(BudgetOptions::of(kind));
        let mut holds = [Hold::default(); 4];
        for _ in 0..5_000 {
            let now = match rng.draw().between(0, 9) {
                0 => Instant::MAX,
                1 => at(0),
                _ => at(rng.draw().between(0, 100_000)),
            };
            let hold = &mut holds[rng.draw().between(0, 3) as usize];
            match rng.draw().between(0, 6) {
                0 => budget.deposit(hold, now),
                1 => drop(budget.withdraw(hold, Class::Throttled, now)),
                2 => budget.refund(hold, now),
                3 => budget.success(hold),
                4 => budget.failure(),
                5 => budget.release(hold),
                _ => drop(budget.balance_thousandths(now)),
            }
        }
        if let Level::Concurrency { calls, retries } = budget.level {
            assert!(calls <= 4 && retries <= 4);
        }
    }
}

#[test]
fn a_window_of_another_length_keeps_what_was_earned_and_spent() {
    let mut budget = ratio(10_000, 0, 10_000);
    deposit(&mut budget, 5, at(0));
    assert_eq!(granted(&mut budget, 2, at(1_000)), 2);
    let window = Millis::new(1_000);
    budget
        .reconfigure(BudgetOptions::Ratio { ratio: 10_000, min_per_second: 0, window }, at(1_000));
    assert_eq!(budget.balance_thousandths(at(1_000)), 3_000);
    assert_eq!(budget.balance_thousandths(at(2_000)), 0, "and it ages by the new one");
}

#[test]
fn a_budget_of_nothing_that_gets_something_begins_full() {
    let tokens = |capacity| BudgetOptions::Tokens {
        capacity,
        transient_cost: 1,
        throttled_cost: 1,
        credit: 0,
    };
    let mut budget = Budget::new(tokens(0));
    assert_eq!(granted(&mut budget, 1, at(0)), 0);
    budget.reconfigure(tokens(3), at(0));
    assert_eq!(granted(&mut budget, 5, at(0)), 3);
}

#[test]
fn tokens_that_were_not_used_are_given_back_once_and_up_to_the_capacity() {
    let (mut budget, mut hold) = (aws(), Hold::default());
    assert!(budget.withdraw(&mut hold, Class::Transient, at(0)));
    budget.refund(&mut hold, at(0));
    budget.refund(&mut hold, at(0));
    assert_eq!(budget.balance_thousandths(at(0)), 500_000);
}

#[test]
fn what_concurrency_has_left_is_its_share_less_the_retries_on_their_way() {
    let mut budget = concurrency(5_000, 1);
    let mut holds = [Hold::default(); 6];
    assert_eq!(budget.balance_thousandths(at(0)), 1_000, "the least");
    for hold in &mut holds {
        budget.deposit(hold, at(0));
    }
    assert_eq!(budget.balance_thousandths(at(0)), 3_000);
    assert!(budget.withdraw(&mut holds[0], Class::Transient, at(0)));
    assert_eq!(budget.balance_thousandths(at(0)), 2_000);
    // Other terms, the same calls and the same retry.
    let options = BudgetOptions::Concurrency { ratio: 10_000, min_concurrency: 0 };
    budget.reconfigure(options, at(0));
    assert_eq!(budget.options(), &options);
    assert_eq!(budget.balance_thousandths(at(0)), 5_000);
}

#[test]
fn tokens_keep_their_proportion_under_another_capacity() {
    let tokens = |capacity| BudgetOptions::Tokens {
        capacity,
        transient_cost: 10,
        throttled_cost: 1,
        credit: 0,
    };
    let mut budget = Budget::new(tokens(40));
    assert_eq!(granted(&mut budget, 1, at(0)), 1);
    budget.reconfigure(tokens(80), at(0));
    assert_eq!(budget.balance_thousandths(at(0)), 60_000);
}

#[test]
fn another_ratio_changes_what_was_earned_and_not_what_was_spent() {
    let options =
        |ratio| BudgetOptions::Ratio { ratio, min_per_second: 1, window: Millis::new(10_000) };
    let mut budget = Budget::new(options(1_000));
    assert_eq!(granted(&mut budget, 4, at(0)), 4);
    budget.reconfigure(options(2_000), at(0));
    assert_eq!(budget.balance_thousandths(at(0)), 6_000, "ten in reserve, less four");
    // A call may give back to a budget of nothing what it took from another one.
    let mut hold = Hold::default();
    assert!(budget.withdraw(&mut hold, Class::Transient, at(0)));
    let mut other = ratio(0, 0, 10_000);
    other.refund(&mut hold, at(0));
    other.reconfigure(options(1_000), at(0));
    assert_eq!(other.balance_thousandths(at(0)), 11_000);
}
