//! Numbers of the host to types of the core, each conversion once.
//!
//! Hosts pass numbers as `f64`, the one number type that JavaScript has and that every ABI carries
//! exactly up to 2^53. Nothing a host passes is an error here: what is no time at all becomes the
//! documented default, so that deciding never fails.
//!
//! | input | [`instant`] | [`wall`] | [`status`] | [`seed`] |
//! |---|---|---|---|---|
//! | NaN | the origin | none | 0 | 0 |
//! | negative | the origin | before 1970 | 0 | 0 |
//! | fraction | rounded down | rounded down | 0 | rounded down |
//! | too large, +∞ | 2^53 − 1 | none | 0 | 2^53 − 1 |
//! | −∞ | the origin | none | 0 | 0 |

use retrywise::{Instant, Millis, UnixMillis};

/// The largest whole number that every host holds exactly: 2^53 − 1.
const MAX_SAFE: u64 = Millis::MAX.get();

/// What crosses the boundary where there is no span of time.
pub const NONE: f64 = -1.0;

/// A reading of the host's monotonic clock.
pub fn instant(ms: f64) -> Instant {
    Instant::from_millis(whole(ms))
}

/// A reading of the host's wall clock; none where the host has none (NaN) or it is beyond ±2^53.
pub fn wall(ms: f64) -> Option<UnixMillis> {
    let limit = MAX_SAFE as f64;
    if !(-limit..=limit).contains(&ms) {
        return None;
    }
    // The cast drops the fraction towards zero; a clock reading before 1970 goes the other way.
    let towards_zero = ms as i64;
    let down = towards_zero - i64::from((towards_zero as f64) > ms);
    Some(UnixMillis::new(down))
}

/// A status code; what is no whole number from 0 to 65 535 is 0, which no server sends and the core
/// takes as it takes any status outside 100 to 599.
pub fn status(code: f64) -> u16 {
    let whole = code as u16;
    if f64::from(whole).to_bits() == code.to_bits() { whole } else { 0 }
}

/// A seed, 0 to 2^53 − 1.
pub fn seed(seed: f64) -> u64 {
    whole(seed)
}

/// A measured span; none when it is NaN or negative.
pub fn span(ms: f64) -> Option<u64> {
    (ms >= 0.0).then(|| whole(ms))
}

/// A span of time for the host; [`NONE`] where there is none.
pub fn from_span(span: Option<Millis>) -> f64 {
    span.map_or(NONE, from_millis)
}

/// A span of time for the host. At most 2^53 − 1, so exact.
pub fn from_millis(span: Millis) -> f64 {
    span.get() as f64
}

/// The generator's state from the two halves that numbers can carry.
pub fn join(high: u32, low: u32) -> u64 {
    (u64::from(high) << 32) | u64::from(low)
}

/// Rounded down, from 0 to 2^53 − 1. The cast comes first: it saturates and makes NaN 0, where
/// `f64::min` would make NaN the end of time.
fn whole(number: f64) -> u64 {
    (number as u64).min(MAX_SAFE)
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // whole numbers, exact on purpose
mod tests {
    use super::*;

    #[test]
    fn what_is_no_time_is_the_origin_and_endless_time_is_the_largest_exact_number() {
        for (ms, expected) in [
            (f64::NAN, 0),
            (-1.0, 0),
            (f64::NEG_INFINITY, 0),
            (-0.0, 0),
            (0.999, 0),
            (12.75, 12),
            (9_007_199_254_740_991.0, (1 << 53) - 1),
            (1e300, (1 << 53) - 1),
            (f64::INFINITY, (1 << 53) - 1),
        ] {
            assert_eq!(instant(ms).as_millis(), expected, "{ms}");
            assert_eq!(seed(ms), expected, "{ms}");
        }
    }

    #[test]
    fn a_wall_clock_rounds_down_on_both_sides_of_1970() {
        assert_eq!(wall(1.5).unwrap().get(), 1);
        assert_eq!(wall(-1.5).unwrap().get(), -2);
        assert_eq!(wall(-2.0).unwrap().get(), -2);
        for ms in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e16] {
            assert_eq!(wall(ms), None, "{ms}");
        }
    }

    #[test]
    fn a_status_that_is_no_code_is_0() {
        for code in [f64::NAN, -1.0, 1e9, 503.5, f64::INFINITY, 65_536.0, -0.0] {
            assert_eq!(status(code), 0, "{code}");
        }
        assert_eq!(status(503.0), 503);
        assert_eq!(status(99.0), 99);
        assert_eq!(status(65_535.0), 65_535);
    }

    #[test]
    fn a_span_that_was_not_measured_is_none() {
        assert_eq!(span(f64::NAN), None);
        assert_eq!(span(-1.0), None);
        assert_eq!(span(0.4), Some(0));
        assert_eq!(from_span(None), -1.0);
        assert_eq!(from_span(Some(Millis::MAX)), 9_007_199_254_740_991.0);
    }

    #[test]
    fn two_halves_make_one_state() {
        assert_eq!(join(0xDEAD_BEEF, 0x0123_4567), 0xDEAD_BEEF_0123_4567);
    }
}
