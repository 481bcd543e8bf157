//! What a ratio budget allows retries to add, before any storm.

use crate::{
    policy::{BudgetOptions, Policy},
    time::Millis,
};

/// The ratio budgets of all clients of an upstream together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowed {
    /// In ten-thousandths of a retry for each call.
    ratio: u64,
    /// Retries on top, in each window, of all clients.
    reserve: u64,
    /// The sliding window.
    pub(super) window: Millis,
}

impl Allowed {
    /// `None` where the policy has no ratio budget.
    pub(super) fn of(policy: &Policy, clients: u32) -> Option<Self> {
        let Some(&BudgetOptions::Ratio { ratio, min_per_second, window }) = policy.budget() else {
            return None;
        };
        let reserve = u64::from(min_per_second) * window.get() / 1_000;
        let reserve = reserve * u64::from(clients);
        Some(Self { ratio: ratio.into(), reserve, window })
    }

    /// The load that it allows in a window with so many calls, in thousandths of the calls:
    /// 1 + ratio + reserve ÷ calls.
    pub(super) fn load(self, calls: u64) -> u64 {
        1_000 + self.ratio / 10 + self.reserve * 1_000 / calls.max(1)
    }

    /// Whether so many retries of so many calls are what it allows.
    pub(super) const fn keeps(self, calls: u64, granted: u64) -> bool {
        granted * 10_000 <= self.ratio * calls + self.reserve * 10_000
    }
}

/// From this load on, in thousandths, a budget doubles the calls: no protection any more.
pub(super) const DOUBLED: u64 = 2_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_allows_its_ratio_of_the_calls_and_its_reserve_to_the_last_retry() {
        let allowed = Allowed { ratio: 1_000, reserve: 10, window: Millis::new(10_000) };
        for (calls, most) in [(0, 10), (9, 10), (10, 11), (100, 20), (1_000, 110)] {
            assert!(allowed.keeps(calls, most), "{most} of {calls}");
            assert!(!allowed.keeps(calls, most + 1), "{most} of {calls} and one more");
        }
        assert_eq!((allowed.load(100), allowed.load(0)), (1_200, 11_100));
    }
}
