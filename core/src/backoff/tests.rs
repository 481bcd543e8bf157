use super::*;
use crate::rng::Rng;

fn options(curve: Curve, base: u64, cap: u64, jitter: Jitter) -> BackoffOptions {
    BackoffOptions {
        curve,
        base: Millis::new(base),
        cap: Millis::new(cap),
        jitter,
        ..BackoffOptions::default()
    }
}

fn delay(options: &BackoffOptions, retry: u32, class: Class, draw: Draw) -> u64 {
    backoff(options, &Ask::new(retry, class), &mut BackoffState::default(), draw).delay.get()
}

const RETRIES: [u32; 14] =
    [1, 2, 3, 4, 10, 63, 64, 65, 66, 100, 1024, 1025, 2_147_483_647, u32::MAX];

#[test]
fn the_exponential_curve_doubles_up_to_its_cap_and_never_wraps() {
    let options = options(Curve::Exponential, 1_000, 30_000, Jitter::None);
    let expected = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
    for (retry, expected) in (1..).zip(expected) {
        assert_eq!(delay(&options, retry, Class::Transient, Draw::MAX), expected);
    }
    for retry in RETRIES.into_iter().filter(|n| *n >= 6) {
        assert_eq!(delay(&options, retry, Class::Transient, Draw::MAX), 30_000, "retry {retry}");
    }
}

#[test]
fn a_huge_base_saturates_instead_of_wrapping() {
    // aws-sdk-java-v2 PR 1673: 1 << 64 was the base again.
    let day5 = 432_000_000;
    let huge = options(Curve::Exponential, day5, Millis::MAX.get(), Jitter::None);
    assert_eq!(delay(&huge, 1, Class::Transient, Draw::MAX), day5);
    for retry in [62, 63, 64, 200, u32::MAX] {
        assert_eq!(delay(&huge, retry, Class::Transient, Draw::MAX), Millis::MAX.get());
    }
}

#[test]
fn a_fractional_factor_is_exact_to_the_millisecond() {
    let mut options = options(Curve::Exponential, 1_000, 1_000_000, Jitter::None);
    options.factor_thousandths = 1_100;
    for (retry, expected) in (1..).zip([1_000, 1_100, 1_210, 1_331, 1_464, 1_610]) {
        assert_eq!(delay(&options, retry, Class::Transient, Draw::MAX), expected);
    }
    options.factor_thousandths = 1_001;
    assert_eq!(delay(&options, u32::MAX, Class::Transient, Draw::MAX), 1_000_000);
    options.factor_thousandths = 1_000;
    assert_eq!(delay(&options, u32::MAX, Class::Transient, Draw::MAX), 1_000);
    options.factor_thousandths = 100_000;
    assert_eq!(delay(&options, u32::MAX, Class::Transient, Draw::MAX), 1_000_000);
}

/// The definition: billionths of a millisecond in 128 bits, rounded down at each step.
fn by_definition(base: u64, factor: u32, cap: u64, steps: u64) -> u64 {
    const UNIT: u128 = 1_000_000_000;
    let cap = u128::from(cap) * UNIT;
    let mut value = u128::from(base) * UNIT;
    for _ in 0..steps {
        if value >= cap {
            break;
        }
        value = value * u128::from(factor) / 1_000;
    }
    u64::try_from(value.min(cap) / UNIT).unwrap()
}

#[test]
fn every_step_is_that_of_the_definition_in_wider_numbers() {
    let mut rng = Rng::new(26);
    for round in 0..20_000 {
        let mut below = |bits: u32| rng.draw().bits() >> (64 - bits);
        let (base, cap) = (1 + below(40), 1 + below(53));
        let factor = 1_001 + below([10, 17, 31][round % 3]) as u32;
        let retry = 1 + below(6) as u32;
        let cap = Millis::new(cap);
        let found = at(Curve::Exponential, Millis::new(base), factor, cap, retry);
        let expected = by_definition(base, factor, cap.get(), u64::from(retry - 1));
        assert_eq!(found.get(), expected, "{base} {factor} {cap} {retry}");
    }
}

#[test]
fn a_value_doubles_until_it_saturates() {
    for (value, times, expected) in [
        (0, 63, 0),
        (1, 63, 1 << 63),
        (1, 0, 1),
        (2, 63, u64::MAX),
        (3, 62, 3 << 62),
        (u64::MAX, 0, u64::MAX),
        (u64::MAX, 1, u64::MAX),
    ] {
        assert_eq!(doubled(value, times), expected, "{value} << {times}");
    }
}

#[test]
fn a_base_of_zero_is_zero_at_every_retry_under_every_jitter() {
    for &jitter in Jitter::ALL {
        for &curve in Curve::ALL {
            for retry in RETRIES {
                let options = options(curve, 0, 60_000, jitter);
                assert_eq!(
                    delay(&options, retry, Class::Transient, Draw::MAX),
                    0,
                    "{curve} {jitter}"
                );
            }
        }
    }
}

#[test]
fn no_curve_is_no_wait_and_linear_is_base_times_n() {
    assert_eq!(
        delay(&options(Curve::None, 500, 30_000, Jitter::Full), 9, Class::Transient, Draw::MAX),
        0
    );
    let linear = options(Curve::Linear, 500, 30_000, Jitter::None);
    for (retry, expected) in [(1, 500), (2, 1_000), (3, 1_500), (100, 30_000), (u32::MAX, 30_000)] {
        assert_eq!(delay(&linear, retry, Class::Transient, Draw::MAX), expected);
    }
}

#[test]
fn nothing_passes_the_ceiling_and_without_one_nothing_passes_the_cap() {
    let mut rng = Rng::new(7);
    for &jitter in Jitter::ALL {
        for &curve in Curve::ALL {
            let mut options = options(curve, 1_000, 30_000, jitter);
            for ceiling in [None, Some(Millis::new(10_000)), Some(Millis::new(33_000))] {
                options.ceiling = ceiling;
                let mut state = BackoffState::default();
                for retry in 1..200 {
                    let ask = Ask::new(retry, Class::Transient);
                    let delay = backoff(&options, &ask, &mut state, rng.draw()).delay;
                    assert!(delay <= ceiling.unwrap_or(options.cap), "{curve} {jitter} {delay}");
                }
            }
        }
    }
}

#[test]
fn a_proportional_spread_may_pass_the_cap_when_the_ceiling_allows_it() {
    // gRPC A6: ±20 % after the cap.
    let mut options = options(Curve::Exponential, 1_000, 10_000, Jitter::Proportional);
    options.ceiling = Some(Millis::new(12_000));
    assert_eq!(delay(&options, 9, Class::Transient, Draw::MAX), 12_000);
    assert_eq!(delay(&options, 9, Class::Transient, Draw::MIN), 8_000);
}

#[test]
fn a_saturated_curve_keeps_its_spread() {
    // tenacity PR 703: cap before jitter, so that not all clients wait exactly the cap.
    let options = options(Curve::Exponential, 1_000, 60_000, Jitter::Full);
    let at = |u: u64| delay(&options, 20, Class::Transient, Draw::from_bits(u64::MAX / 10 * u));
    assert_ne!(at(1), at(9));
}

#[test]
fn a_throttled_outcome_starts_from_its_own_base_at_the_common_exponent() {
    // AWS retry spec 2.1, vector n, at the upper end of full jitter.
    let mut options = options(Curve::Exponential, 50, 20_000, Jitter::Full);
    options.throttled_base = Some(Millis::new(1_000));
    use Class::{Throttled, Transient};
    let classes = [Transient, Throttled, Throttled, Throttled, Throttled, Transient, Throttled];
    let expected = [50, 2_000, 4_000, 8_000, 16_000, 1_600, 20_000];
    for ((retry, class), expected) in (1..).zip(classes).zip(expected) {
        assert_eq!(delay(&options, retry, class, Draw::MAX), expected);
    }
}

#[test]
fn the_first_retry_is_immediate_only_after_a_transient_outcome_without_a_hint() {
    let mut options = options(Curve::Exponential, 500, 30_000, Jitter::None);
    options.first_retry_immediate = true;
    let ask = |ask: Ask<'_>| backoff(&options, &ask, &mut BackoffState::default(), Draw::MAX);
    assert!(ask(Ask::new(1, Class::Transient)).immediate);
    assert_eq!(ask(Ask::new(2, Class::Transient)).delay.get(), 1_000);
    assert_eq!(ask(Ask::new(1, Class::Throttled)).delay.get(), 500);
    assert_eq!(ask(Ask::new(1, Class::Transient).hinted(true)).delay.get(), 500);
}

#[test]
fn the_first_override_that_matches_decides() {
    let rule = Override::default();
    let mut options = options(Curve::Exponential, 500, 30_000, Jitter::None);
    options.overrides = [
        Override { statuses: [503].into(), base: Some(Millis::new(2_000)), ..rule.clone() },
        Override { errors: ["ECONNREFUSED".into()].into(), immediate: true, ..rule.clone() },
        Override {
            class: Some(Class::Throttled),
            immediate: true,
            cap: Some(Millis::new(700)),
            ..rule
        },
    ]
    .into();
    let ask = |outcome: &Outcome<'_>, class| {
        let ask = Ask::new(3, class).after(outcome);
        backoff(&options, &ask, &mut BackoffState::default(), Draw::MAX)
    };
    let refused = crate::TransportError::new(crate::Family::Node, "ECONNREFUSED");
    assert_eq!(ask(&Outcome::from_response(503, &[]), Class::Transient).delay.get(), 8_000);
    assert_eq!(ask(&Outcome::from_response(500, &[]), Class::Transient).delay.get(), 2_000);
    let wrapped = crate::TransportError { cause: Some(&refused), ..Default::default() };
    assert!(ask(&Outcome::from_error(wrapped), Class::Transient).immediate);
    // `immediate` never holds for a throttled outcome; the cap of the rule does.
    let throttled = ask(&Outcome::from_response(429, &[]), Class::Throttled);
    assert_eq!((throttled.delay.get(), throttled.immediate), (700, false));
}

#[test]
fn every_decision_changes_only_the_state_of_its_own_call() {
    let options = options(Curve::Exponential, 100, 10_000, Jitter::Decorrelated);
    let (mut a, mut b) = (BackoffState::default(), BackoffState::default());
    let ask = Ask::new(1, Class::Transient);
    assert_eq!(backoff(&options, &ask, &mut a, Draw::MAX).delay.get(), 300);
    assert_eq!(backoff(&options, &ask, &mut a, Draw::MAX).delay.get(), 900);
    assert_eq!(backoff(&options, &ask, &mut b, Draw::MAX).delay.get(), 300);
}
