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

/// The times of the last rate limits of one upstream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throttling {
    /// A ring; `next` is the oldest.
    times: [Option<Instant>; SUSTAINED_COUNT],
    next: usize,
}

impl Throttling {
    /// None came yet.
    pub(crate) const fn new() -> Self {
        Self { times: [None; SUSTAINED_COUNT], next: 0 }
    }

    /// A rate limit came; whether they keep coming.
    pub(crate) fn note(&mut self, now: Instant) -> bool {
        let now = shifted(now);
        // A clock that steps back does not make an old one new.
        let now = self.newest_first().next().map_or(now, |last| last.max(now));
        self.push(now);
        let oldest = self.times.get(self.next).copied().flatten();
        oldest.is_some_and(|oldest| now.since(oldest) < SUSTAINED_WITHIN)
    }

    /// How long ago each was that still counts, newest first.
    pub(crate) fn save(&self, now: Instant) -> Vec<Age> {
        let ages = self.newest_first().map(|at| Age { ago: shifted(now).since(at) });
        ages.filter(|age| age.ago < SUSTAINED_WITHIN).collect()
    }

    /// Takes over rate limits that were saved `elapsed` ago.
    pub(crate) fn load(ages: &[Age], elapsed: Millis, now: Instant) -> Self {
        let mut throttling = Self::new();
        let ages = ages.iter().take(SUSTAINED_COUNT).map(|age| age.ago.plus(elapsed));
        for ago in ages.filter(|ago| *ago < SUSTAINED_WITHIN).rev() {
            let at = shifted(now).as_millis().saturating_sub(ago.get());
            throttling.push(Instant::from_millis(at));
        }
        throttling
    }

    fn push(&mut self, at: Instant) {
        if let Some(oldest) = self.times.get_mut(self.next) {
            *oldest = Some(at);
        }
        self.next = (self.next + 1) % SUSTAINED_COUNT;
    }

    /// The times, newest first.
    fn newest_first(&self) -> impl Iterator<Item = Instant> + '_ {
        let (newer, older) = self.times.split_at_checked(self.next).unwrap_or((&self.times, &[]));
        newer.iter().rev().chain(older.iter().rev()).copied().flatten()
    }
}

/// Kept times lie this far ahead of the clock, so that what was saved lies after its origin.
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
    fn a_clock_that_steps_back_counts_from_the_latest_time_seen() {
        assert_eq!(notes(&[70_000, 0, 0, 0, 0]), [false, false, false, false, true]);
        assert_eq!(notes(&[0, 0, 0, u64::MAX, 0]), [false; 5]);
    }
}
