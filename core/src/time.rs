//! Two clocks, two types: [`Instant`] drives every state, [`UnixMillis`] only reads dates.

use core::fmt;

/// A span of time in whole milliseconds, 0 to [`Millis::MAX`] (2^53 − 1, the largest integer that
/// every host can hold exactly). Arithmetic saturates; nothing overflows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Millis(u64);

impl Millis {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// 2^53 − 1 ms, some 285 000 years: "longer than anybody can wait".
    pub const MAX: Self = Self((1 << 53) - 1);

    /// A span of `ms` milliseconds; more than [`Millis::MAX`] saturates.
    #[inline]
    pub const fn new(ms: u64) -> Self {
        if ms > Self::MAX.0 { Self::MAX } else { Self(ms) }
    }

    /// A span of `s` seconds, saturating.
    pub const fn from_secs(s: u64) -> Self {
        Self::new(s.saturating_mul(1000))
    }

    /// The number of milliseconds.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The sum, saturating at [`Millis::MAX`].
    #[inline]
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self::new(self.0.saturating_add(other.0))
    }

    /// The difference, or zero when `other` is longer.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// A point on the caller's monotonic clock, in milliseconds since an origin the caller picks.
///
/// Only differences matter. A caller whose clock steps back is tolerated: state machines clamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instant(u64);

impl Instant {
    /// The origin of the caller's clock.
    pub const ORIGIN: Self = Self(0);
    /// The end of time: what saturated sums reach.
    pub const MAX: Self = Self(u64::MAX);

    /// The point `ms` milliseconds after the origin.
    #[inline]
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the origin.
    #[inline]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The time that passed since `earlier`; zero when `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Self) -> Millis {
        Millis::new(self.0.saturating_sub(earlier.0))
    }

    /// The point `span` later, saturating at [`Instant::MAX`].
    #[inline]
    #[must_use]
    pub const fn after(self, span: Millis) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

/// A point on the wall clock, in milliseconds since 1970-01-01T00:00:00Z.
///
/// Reads HTTP dates and ends key windows; it never drives a timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnixMillis(i64);

impl UnixMillis {
    /// The point `ms` milliseconds after the epoch; negative is before it.
    #[inline]
    pub const fn new(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the epoch.
    #[inline]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The point `span` later, saturating.
    #[inline]
    #[must_use]
    pub const fn after(self, span: Millis) -> Self {
        // A span is at most 2^53 − 1, so the cast is exact.
        Self(self.0.saturating_add(span.0 as i64))
    }

    /// The time that passed since `earlier`; zero when `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Self) -> Millis {
        if self.0 <= earlier.0 {
            return Millis::ZERO;
        }
        Millis::new(self.0.abs_diff(earlier.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_saturate_at_the_largest_exact_integer() {
        assert_eq!(Millis::MAX.get(), 9_007_199_254_740_991, "what an f64 holds exactly");
        assert_eq!(Millis::new(u64::MAX), Millis::MAX);
        assert_eq!(Millis::from_secs(u64::MAX), Millis::MAX);
        assert_eq!(Millis::MAX.plus(Millis::new(1)), Millis::MAX);
        assert_eq!(Millis::new(3).minus(Millis::new(5)), Millis::ZERO);
    }

    #[test]
    fn a_span_is_shown_with_its_unit() {
        assert_eq!(std::format!("{} {}", Millis::ZERO, Millis::new(1_500)), "0 ms 1500 ms");
    }

    #[test]
    fn a_clock_that_steps_back_has_passed_no_time() {
        assert_eq!(Instant::from_millis(5).since(Instant::from_millis(9)), Millis::ZERO);
        assert_eq!(UnixMillis::new(5).since(UnixMillis::new(9)), Millis::ZERO);
        assert_eq!(UnixMillis::new(i64::MAX).since(UnixMillis::new(i64::MIN)), Millis::MAX);
    }

    #[test]
    fn the_end_of_time_is_reached_not_passed() {
        assert_eq!(Instant::MAX.after(Millis::MAX), Instant::MAX);
        assert_eq!(UnixMillis::new(i64::MAX).after(Millis::MAX), UnixMillis::new(i64::MAX));
    }
}
