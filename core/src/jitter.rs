//! How a delay is spread, so that clients that failed together do not come back together.

use crate::{policy::Jitter, rng::Draw, time::Millis};

/// Spreads the curve's `delay`. `ratio` is in ten-thousandths and serves `proportional` alone;
/// the two jitters with a memory are [`decorrelated`] and [`polly_v2`].
pub(crate) fn apply(jitter: Jitter, ratio: u32, delay: Millis, draw: Draw) -> Millis {
    let d = delay.get();
    match jitter {
        Jitter::Full => Millis::new(draw.between(0, d)),
        Jitter::Equal => Millis::new(draw.between(d / 2, d)),
        Jitter::Proportional => {
            let spread = share(d, ratio);
            Millis::new(draw.between(d.saturating_sub(spread), d.saturating_add(spread)))
        }
        Jitter::None | Jitter::Decorrelated | Jitter::PollyV2 => delay,
    }
}

/// `min(cap, U(base, 3 · previous))`, where `previous` starts at `base` (AWS Architecture Blog,
/// "Exponential Backoff And Jitter", 2015).
pub(crate) fn decorrelated(
    base: Millis,
    previous: Option<Millis>,
    cap: Millis,
    draw: Draw,
) -> Millis {
    let previous = previous.unwrap_or(base).get();
    Millis::new(draw.between(base.get(), previous.saturating_mul(3))).min(cap)
}

/// Polly's `DecorrelatedJitterBackoffV2`: with t = (retry − 1) + u, the step of
/// `2^t · tanh(√(4t))` since the last attempt, times base / 1.4. `previous_bits` carries that
/// value from attempt to attempt (zero at first). The mathematics come from `libm`, so that every
/// machine computes the same bits.
#[allow(clippy::float_arithmetic)] // the one formula here that is not made of integers
pub(crate) fn polly_v2(
    base: Millis,
    retry: u32,
    previous_bits: &mut u64,
    cap: Millis,
    draw: Draw,
) -> Millis {
    // The upper 53 bits: exact in an f64, below 1.
    let u = (draw.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    let t = f64::from(retry.max(1) - 1) + u;
    let next = exp2(retry.max(1) - 1, u) * libm::tanh(libm::sqrt(4.0 * t));
    let previous = f64::from_bits(*previous_bits);
    *previous_bits = next.to_bits();
    if !next.is_finite() {
        // Past 2^1024 the formula has nothing left to say; ∞ − ∞ must not become NaN.
        return cap;
    }
    // `as` saturates: never negative, never NaN.
    let delay = ((next - previous) * (1.0 / 1.4) * base.get() as f64) as u64;
    Millis::new(delay).min(cap)
}

/// 2^(`whole` + `part`), `part` below 1. The whole exponent is exact; what `tanh` needs anyway does
/// the rest, where a general `exp2` brings 4 kB of tables.
#[allow(clippy::float_arithmetic)] // a part of the formula above
fn exp2(whole: u32, part: f64) -> f64 {
    const BIAS: u64 = 1023;
    let power = if u64::from(whole) > BIAS {
        f64::INFINITY
    } else {
        f64::from_bits((u64::from(whole) + BIAS) << 52)
    };
    power * (1.0 + libm::expm1(part * core::f64::consts::LN_2))
}

/// `value · ratio / 10 000`, rounded down.
pub(crate) fn share(value: u64, ratio: u32) -> u64 {
    // In two parts, so that no product needs 128 bits.
    let (whole, rest, ratio) = (value / 10_000, value % 10_000, u64::from(ratio));
    whole.saturating_mul(ratio).saturating_add(rest * ratio / 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::float_arithmetic)]
    fn at(u: f64) -> Draw {
        Draw::from_bits((u * 18_446_744_073_709_551_616.0) as u64)
    }

    #[test]
    fn the_formula_of_polly_ends_at_the_largest_exponent_and_not_before() {
        let cap = Millis::new(30_000);
        for (retry, delay) in [(1_024, Millis::ZERO), (1_025, cap), (u32::MAX, cap)] {
            assert_eq!(polly_v2(Millis::ZERO, retry, &mut 0, cap, Draw::MIN), delay, "{retry}");
        }
    }

    #[test]
    fn a_share_is_that_of_the_product_in_wider_numbers() {
        let mut rng = crate::rng::Rng::new(5);
        for _ in 0..20_000 {
            let value = rng.draw().bits() >> rng.draw().between(0, 63);
            let ratio = (rng.draw().bits() >> rng.draw().between(32, 63)) as u32;
            let product = u128::from(value) * u128::from(ratio) / 10_000;
            let expected = u64::try_from(product).unwrap_or(u64::MAX);
            assert_eq!(share(value, ratio), expected, "{value} {ratio}");
        }
    }

    #[test]
    #[allow(clippy::float_arithmetic)]
    fn powers_of_two_are_within_a_rounding_of_the_general_function() {
        for whole in [0, 1, 2, 9, 52, 300, 1022] {
            for part in 0..1_000 {
                let part = f64::from(part) / 1_000.0;
                let expected = libm::exp2(f64::from(whole) + part);
                // A large whole part costs the general function the last bits of its exponent.
                let error = (exp2(whole, part) / expected - 1.0).abs();
                assert!(error < 1e-15 * f64::from(whole.max(1)), "{whole} {part}: {error}");
            }
        }
        assert!(exp2(1024, 0.0).is_infinite() && exp2(u32::MAX, 0.5).is_infinite());
    }

    #[test]
    fn polly_v2_gives_its_published_delays_at_four_fixed_draws() {
        // Delays in microseconds for base 1 s, rows of the table in App-vNext/Polly's tests.
        for (u, expected) in [
            (0.0, [0_u64, 1_377_182, 1_460_067, 2_865_850, 5_717_807, 11_430_272]),
            (0.25, [646_924, 1_013_570, 1_720_438, 3_404_510, 6_798_370, 13_592_378]),
            (0.5, [897_405, 1_093_004, 2_035_748, 4_045_979, 8_083_632, 16_163_663]),
            (0.75, [1_128_360, 1_250_132, 2_414_001, 4_809_443, 9_612_264, 19_221_529]),
        ] {
            let mut previous = 0;
            for (retry, micros) in (1..).zip(expected) {
                // A base of 10^6 "ms" reads the delay in millionths of the base.
                let delay =
                    polly_v2(Millis::new(1_000_000), retry, &mut previous, Millis::MAX, at(u));
                assert!(delay.get().abs_diff(micros) <= 1, "u {u} retry {retry}: {delay}");
            }
        }
    }

    #[test]
    fn polly_v2_saturates_at_the_cap_for_ever() {
        let (base, cap) = (Millis::new(2_000), Millis::new(30_000));
        let mut previous = 0;
        for retry in 1..=1_100 {
            let delay = polly_v2(base, retry, &mut previous, cap, at(0.5));
            assert!(delay <= cap);
            assert!(retry < 10 || delay == cap, "retry {retry}: {delay}");
        }
        assert_eq!(polly_v2(base, u32::MAX, &mut previous, cap, Draw::MAX), cap);
    }

    #[test]
    fn decorrelated_stays_between_base_and_three_times_the_last() {
        let (base, cap) = (Millis::new(100), Millis::new(10_000));
        assert_eq!(decorrelated(base, None, cap, Draw::MIN), base);
        assert_eq!(decorrelated(base, None, cap, Draw::MAX).get(), 300);
        assert_eq!(decorrelated(base, Some(Millis::new(5_000)), cap, Draw::MAX), cap);
        assert_eq!(decorrelated(base, Some(Millis::MAX), cap, Draw::MAX), cap);
    }

    #[test]
    fn proportional_spreads_around_the_delay_it_is_given() {
        let d = Millis::new(60_000);
        assert_eq!(apply(Jitter::Proportional, 2_000, d, Draw::MIN).get(), 48_000);
        assert_eq!(apply(Jitter::Proportional, 2_000, d, Draw::MAX).get(), 72_000);
        assert_eq!(apply(Jitter::Proportional, 10_000, d, Draw::MIN).get(), 0);
    }
}
