//! Bands: how long a policy waits before each retry, over many draws.
//!
//! Each draw is a call that fails and fails; every wait is that of [`delay`](crate::delay::delay),
//! which chooses it in production. Budget, breaker and server hints are other questions.

use alloc::vec::Vec;

use crate::{
    backoff::{Ask, BackoffState, backoff},
    classify::Class,
    delay::{Delay, delay},
    policy::{BackoffOptions, Jitter, Policy},
    rng::{Draw, Rng},
    time::Millis,
};

/// The terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bands {
    /// Retries looked at, 1 to 50, never more than the policy allows. Default 50.
    pub retries: u32,
    /// Calls that are drawn, 1 to 10 000, default 1 000.
    pub draws: u32,
    /// What every attempt ends with, default [`Class::Transient`].
    pub class: Class,
}

impl Default for Bands {
    fn default() -> Self {
        Self { retries: 50, draws: 1_000, class: Class::Transient }
    }
}

/// The waits before one retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Band {
    /// The number of the retry, from 1.
    pub retry: u32,
    /// The curve and its cap, without jitter.
    pub curve: Millis,
    /// The waits.
    pub wait: Range,
    /// All waits up to this retry together.
    pub total: Range,
    /// Calls that may still be sent then, of all calls, in thousandths: a wait that ends at or
    /// after the policy's deadline is never begun. 1000 without a deadline.
    pub in_time: u64,
}

/// What was drawn, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Range {
    /// The shortest.
    pub min: Millis,
    /// A tenth is shorter.
    pub low: Millis,
    /// Half is shorter.
    pub median: Millis,
    /// A tenth is longer.
    pub high: Millis,
    /// The longest.
    pub max: Millis,
}

/// The waits of a policy, retry by retry; none for a policy that does not retry.
///
/// ```
/// use retrywise::{Millis, Policy, simulate::{Bands, bands}};
///
/// let bands = bands(&Policy::standard(), &Bands::default(), 1);
/// assert_eq!(bands.len(), 5);
/// assert_eq!(bands[2].curve, Millis::new(2_000)); // 500 ms, doubled twice
/// assert!(bands[2].wait.max <= bands[2].curve); // full jitter
/// ```
pub fn bands(policy: &Policy, terms: &Bands, seed: u64) -> Vec<Band> {
    let retries = terms.retries.clamp(1, 50).min(policy.max_retries());
    let draws = terms.draws.clamp(1, 10_000);
    let bare = BackoffOptions { jitter: Jitter::None, ..policy.backoff().clone() };
    let mut chance = Rng::new(seed);
    let mut calls: Vec<Drawn> = (0..draws).map(|_| Drawn::default()).collect();
    (1..=retries)
        .map(|retry| {
            let ask = Ask::new(retry, terms.class);
            let curve = backoff(&bare, &ask, &mut BackoffState::default(), Draw::MIN).delay;
            let waits = calls.iter_mut().map(|call| call.wait(policy, ask, chance.draw()));
            let wait = Range::of(waits.collect());
            let total = Range::of(calls.iter().map(|call| call.total).collect());
            let in_time = calls
                .iter()
                .filter(|call| policy.deadline().is_none_or(|deadline| call.total < deadline));
            let in_time = in_time.count() as u64 * 1_000 / u64::from(draws);
            Band { retry, curve, wait, total, in_time }
        })
        .collect()
}

/// One call.
#[derive(Default)]
struct Drawn {
    backoff: BackoffState,
    total: Millis,
}

impl Drawn {
    fn wait(&mut self, policy: &Policy, ask: Ask<'_>, draw: Draw) -> Millis {
        // Without a hint no wait is too long.
        let wait = match delay(policy, ask, None, &mut self.backoff, draw) {
            Delay::Wait(wait, _) => wait,
            Delay::TooLong => Millis::ZERO,
        };
        self.total = self.total.plus(wait);
        wait
    }
}

impl Range {
    fn of(mut drawn: Vec<Millis>) -> Self {
        drawn.sort_unstable();
        let last = drawn.len().saturating_sub(1);
        let at = |tenths: usize| drawn.get(last * tenths / 10).copied().unwrap_or_default();
        Self { min: at(0), low: at(1), median: at(5), high: at(9), max: at(10) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Options;

    fn of(change: impl FnOnce(&mut Options)) -> Vec<Band> {
        let mut options = Options::default();
        change(&mut options);
        bands(&options.validate().unwrap(), &Bands::default(), 7)
    }

    #[test]
    fn full_jitter_fills_the_room_under_the_curve() {
        for band in of(|_| {}) {
            let Band { curve, wait, .. } = band;
            assert!(wait.min <= wait.low && wait.low <= wait.median);
            assert!(wait.median <= wait.high && wait.high <= wait.max);
            assert!(wait.max <= curve && wait.max.get() * 100 >= curve.get() * 99, "{band:?}");
            let median = wait.median.get() as i64 * 2 - curve.get() as i64;
            assert!(median.unsigned_abs() * 8 < curve.get(), "{band:?}");
        }
    }

    #[test]
    fn without_jitter_the_band_is_the_curve_and_the_totals_add_up() {
        let found = of(|options| options.backoff.jitter = Jitter::None);
        let mut total = 0;
        for Band { curve, wait, total: so_far, .. } in found {
            assert_eq!((wait.min, wait.max), (curve, curve));
            total += curve.get();
            assert_eq!((so_far.min.get(), so_far.max.get()), (total, total));
        }
    }

    #[test]
    fn a_deadline_leaves_fewer_calls_at_each_retry() {
        let found = of(|options| options.deadline = Some(Millis::new(2_000)));
        assert_eq!(found.first().map(|band| band.in_time), Some(1_000));
        assert!(found.last().is_some_and(|band| band.in_time < 200), "{found:?}");
        assert!(found.windows(2).all(|pair| pair[0].in_time >= pair[1].in_time));
    }

    #[test]
    fn a_policy_without_retries_has_no_band() {
        assert_eq!(of(|options| options.max_retries = 0), []);
    }
}
