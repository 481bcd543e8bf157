//! Notices rate limits that keep coming: then the rate has to change, not the retries.

use alloc::vec::Vec;

use crate::{
    snapshot::Age,
    time::{Instant, Millis},
};

/// So many rate limits …
pub const SUSTAINED_COUNT: usize = 5;
/// … within less than this are sustained throttling.
pub const SUSTAINED_WITHIN: Millis = Millis::new(60_000);

/// When the last rate limits of one upstream came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throttling {
    /// Ahead of the clock, see [`shifted`].
    last: Instant,
    /// The time between the last ones, newest first, in milliseconds; what is more than a minute
    /// is as good as for ever.
    gaps: [u16; GAPS],
}

/// Between five there are four.
const GAPS: usize = SUSTAINED_COUNT - 1;

impl Throttling {
    /// None came yet.
    pub(crate) const fn new() -> Self {
        Self { last: Instant::ORIGIN, gaps: [u16::MAX; GAPS] }
    }

    /// A rate limit came; whether they keep coming.
    pub(crate) fn note(&mut self, now: Instant) -> bool {
        let now = shifted(now);
        let gap = u16::try_from(now.since(self.last).get()).unwrap_or(u16::MAX);
        self.push(gap);
        // A clock that steps back does not make an old one new.
        self.last = self.last.max(now);
        let span = self.gaps.iter().map(|gap| u64::from(*gap)).sum();
        Millis::new(span) < SUSTAINED_WITHIN
    }

    /// How long ago each was that still counts, newest first.
    pub(crate) fn save(&self, now: Instant) -> Vec<Age> {
        let newest = shifted(now).since(self.last);
        let mut ago = newest;
        let older = self.gaps.iter().map(|gap| {
            ago = ago.plus(Millis::new((*gap).into()));
            ago
        });
        let ages = [newest].into_iter().chain(older);
        let ages: Vec<_> = ages.take_while(|ago| *ago < SUSTAINED_WITHIN).collect();
        ages.into_iter().map(|ago| Age { ago }).collect()
    }

    /// Takes over rate limits that were saved `elapsed` ago, newest first.
    pub(crate) fn load(ages: &[Age], elapsed: Millis, now: Instant) -> Self {
        let mut throttling = Self::new();
        let Some(newest) = ages.first() else { return throttling };
        let ago = newest.ago.plus(elapsed).get();
        throttling.last = Instant::from_millis(shifted(now).as_millis().saturating_sub(ago));
        for (gap, pair) in throttling.gaps.iter_mut().zip(ages.windows(2)) {
            if let [newer, older] = pair {
                *gap = u16::try_from(older.ago.minus(newer.ago).get()).unwrap_or(u16::MAX);
            }
        }
        throttling
    }

    fn push(&mut self, gap: u16) {
        self.gaps.rotate_right(1);
        if let Some(newest) = self.gaps.first_mut() {
            *newest = gap;
        }
    }
}

/// Times are kept so far ahead of the clock: a load can lie before its origin.
const fn shifted(now: Instant) -> Instant {
    now.after(SUSTAINED_WITHIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(times: &[u64]) -> alloc::vec::Vec<bool> {
        let mut throttling = Throttling::new();
        times.iter().map(|ms| throttling.note(Instant::from_millis(*ms))).collect()
    }

    #[test]
    fn the_fifth_within_a_minute_is_sustained() {
        assert_eq!(notes(&[0, 1, 2, 3, 59_999]), [false, false, false, false, true]);
        assert_eq!(notes(&[0, 1, 2, 3, 60_000]), [false; 5]);
        assert_eq!(notes(&[0, 1, 2, 3, 60_000, 60_000]), [false, false, false, false, false, true]);
    }

    #[test]
    fn it_ends_when_they_come_slowly() {
        let slowly: alloc::vec::Vec<_> = (0..50).map(|n| n * 15_000).collect();
        assert!(notes(&slowly).iter().all(|sustained| !sustained));
    }

    #[test]
    fn what_is_a_minute_old_is_not_kept() {
        let mut throttling = Throttling::new();
        for ms in [0, 1, 30_000] {
            throttling.note(Instant::from_millis(ms));
        }
        for (now, kept) in [(59_999, 3), (60_000, 2), (60_001, 1), (89_999, 1), (90_000, 0)] {
            assert_eq!(throttling.save(Instant::from_millis(now)).len(), kept, "{now}");
        }
    }

    #[test]
    fn a_clock_that_steps_back_counts_from_the_latest_time_seen() {
        assert_eq!(notes(&[70_000, 0, 0, 0, 0]), [false, false, false, false, true]);
        assert_eq!(notes(&[0, 0, 0, u64::MAX, 0]), [false; 5]);
    }
}
