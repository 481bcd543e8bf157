//! Waits against the definitions, computed anew for each: every curve and jitter, both ends of every
//! range of numbers, any draw.

use retrywise::{
    Ask, BackoffState, Class, Draw, Millis, backoff,
    policy::{BackoffOptions, Curve, Jitter},
};
use retrywise_properties::{Source, histories};

/// 366 days.
const LONGEST: u64 = 31_622_400_000;
const UNIT: u128 = 1_000_000_000;

/// The curve, step by step in billionths of a millisecond, bounded after each.
fn curve(options: &BackoffOptions, base: u64, retry: u32) -> u64 {
    let cap = options.cap.get();
    match options.curve {
        Curve::None => 0,
        Curve::Constant => base.min(cap),
        Curve::Linear => (u128::from(base) * u128::from(retry)).min(cap.into()) as u64,
        Curve::Exponential => {
            let (bound, mut value) = (u128::from(cap) * UNIT, u128::from(base) * UNIT);
            for _ in 1..retry {
                let next = value * u128::from(options.factor_thousandths) / 1_000;
                // It stands still at its bound, at zero, and where the factor is one.
                if value >= bound || next == value {
                    break;
                }
                value = next;
            }
            (value / UNIT).min(cap.into()) as u64
        }
        _ => unreachable!("no other curve"),
    }
}

/// The closed range that a wait may be in.
fn range(options: &BackoffOptions, wait: u64) -> (u64, u64) {
    let spread = (u128::from(wait) * u128::from(options.jitter_ratio) / 10_000) as u64;
    match options.jitter {
        Jitter::Full => (0, wait),
        Jitter::Equal => (wait / 2, wait),
        Jitter::Proportional => (wait - spread.min(wait), wait + spread),
        _ => (wait, wait),
    }
}

fn options(source: &mut Source) -> BackoffOptions {
    let curve = source.one_of(&[Curve::None, Curve::Constant, Curve::Linear, Curve::Exponential]);
    let mut options = BackoffOptions { curve, ..BackoffOptions::default() };
    options.cap = Millis::new(source.one_of(&[0, 1, 30_000, 60_001, LONGEST]));
    let base = source.one_of(&[0, 1, 7, 500, 10_000, LONGEST]);
    options.base = Millis::new(base.min(options.cap.get()));
    options.factor_thousandths =
        source.one_of(&[1_000, 1_001, 1_500, 1_999, 2_000, 2_001, 3_141, 100_000]);
    options.ceiling = source.once_in(2).then(|| Millis::new(source.between(0, 90_000)));
    options.jitter_ratio = source.one_of(&[0, 1, 2_000, 10_000]);
    options.throttled_base = source.once_in(2).then(|| Millis::new(source.between(0, 20_000)));
    options.first_retry_immediate = source.once_in(4);
    options
}

fn retry(source: &mut Source) -> u32 {
    let far = [63, 64, 65, 1_024, 1_025, u32::MAX - 1, u32::MAX];
    if source.once_in(3) { source.one_of(&far) } else { source.small(1, 40) }
}

#[test]
fn a_wait_without_memory_is_its_curve_drawn_from_its_range() {
    histories(1_000, |source| {
        let mut options = options(source);
        options.jitter =
            source.one_of(&[Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Proportional]);
        let mut state = BackoffState::default();
        for _ in 0..20 {
            let (retry, draw) = (retry(source), source.draw());
            let class = source.one_of(&[Class::Transient, Class::Throttled]);
            let hinted = source.once_in(4);
            let throttled = class == Class::Throttled;
            let immediate = options.first_retry_immediate && retry == 1 && !throttled && !hinted;
            let base = options.throttled_base.filter(|_| throttled).unwrap_or(options.base);
            let (low, high) = range(&options, curve(&options, base.get(), retry));
            let drawn = (u128::from(draw.bits()) * (u128::from(high - low) + 1)) >> 64;
            let bound = options.ceiling.unwrap_or(options.cap).get();
            let wanted = if immediate { 0 } else { (low + drawn as u64).min(bound) };
            let found = backoff(&options, &Ask::new(retry, class).hinted(hinted), &mut state, draw);
            assert_eq!(
                (found.delay.get(), found.immediate),
                (wanted, immediate),
                "{retry} {options:?}"
            );
            if base == Millis::ZERO {
                assert_eq!(found.delay, Millis::ZERO, "nothing times anything is nothing");
            }
        }
        assert_eq!(state, BackoffState::default(), "these remember nothing");
    });
}

#[test]
fn a_decorrelated_wait_lies_between_the_base_and_three_times_the_last() {
    histories(1_000, |source| {
        let mut options = options(source);
        options.jitter = Jitter::Decorrelated;
        options.throttled_base = None;
        let (base, cap) = (options.base.get(), options.cap.get());
        let mut state = BackoffState::default();
        let mut last = base;
        for _ in 0..60 {
            let draw = source.draw();
            let high = (last * 3).max(base);
            let drawn = (u128::from(draw.bits()) * (u128::from(high - base) + 1)) >> 64;
            let wanted = if base == 0 { 0 } else { (base + drawn as u64).min(cap) };
            let found = backoff(
                &options,
                &Ask::new(retry(source), Class::Transient).hinted(true),
                &mut state,
                draw,
            );
            let bound = options.ceiling.unwrap_or(options.cap).get();
            assert_eq!(found.delay.get(), wanted.min(bound));
            last = wanted;
        }
    });
}

#[test]
fn pollys_second_formula_never_leaves_its_range_and_ends_at_the_cap() {
    histories(1_000, |source| {
        let mut options = options(source);
        options.jitter = Jitter::PollyV2;
        options.throttled_base = None;
        let bound = options.ceiling.unwrap_or(options.cap).min(options.cap);
        let mut state = BackoffState::default();
        for retry in 1..=1_100 {
            let ask = Ask::new(retry, Class::Transient).hinted(true);
            let found = backoff(&options, &ask, &mut state, source.draw());
            assert!(found.delay <= bound, "{retry}: {}", found.delay);
            if options.base == Millis::ZERO {
                assert_eq!(found.delay, Millis::ZERO);
            } else if retry > 1_026 {
                assert_eq!(found.delay, bound, "past 2^1024 it waits the cap");
            }
        }
        let first = Ask::new(1, Class::Transient).hinted(true);
        let least = backoff(&options, &first, &mut BackoffState::default(), Draw::MIN);
        assert_eq!(least.delay, Millis::ZERO, "the first of the smallest draw is nothing");
    });
}
