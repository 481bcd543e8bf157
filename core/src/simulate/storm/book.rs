//! What is counted during a storm, and what comes of it.

use alloc::{vec, vec::Vec};

use super::Storm;
use crate::{
    policy::{BudgetKind, BudgetOptions, Policy},
    simulate::allowed::Allowed,
    time::Millis,
};

/// One second of a storm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Second {
    /// New calls.
    pub asked: u32,
    /// Attempts that reached the server.
    pub sent: u32,
    /// Retries that were granted here, for whenever.
    pub granted: u32,
    /// Calls that ended well.
    pub succeeded: u32,
    /// Calls that ended otherwise, the refused ones included.
    pub failed: u32,
    /// Calls that were not even sent.
    pub refused: u32,
}

/// What came of a storm. Ratios are in thousandths.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StormReport {
    /// Calls.
    pub calls: u64,
    /// Attempts that reached the server.
    pub attempts: u64,
    /// Calls that ended well.
    pub succeeded: u64,
    /// Calls that ended otherwise, the refused ones included.
    pub failed: u64,
    /// Calls that were not even sent.
    pub refused: u64,
    /// Calls that ended well, of all calls.
    pub success: u64,
    /// Attempts sent while the server was down, of the calls begun then.
    pub outage: u64,
    /// The second with the most attempts, measured by its own calls.
    pub peak: u64,
    /// The worst window: calls and the retries granted to them, of calls. 1000 where no retry was
    /// granted.
    pub window: u64,
    /// How long that window is: the budget's, and 10 s where no ratio budget says otherwise, so
    /// that the storms of policies with and without one are measured alike.
    pub window_span: Millis,
    /// What a ratio budget allows in that window: 1 + ratio + reserve ÷ calls; where no retry was
    /// granted, in the window with the most calls. `None` without a ratio budget.
    pub bound: Option<u64>,
    /// Whether every such window stayed inside what the budget allows.
    pub within_budget: Option<bool>,
    /// The budget that the policy has. Kinds other than the ratio bound retries without a bound in
    /// calls.
    pub budget: Option<BudgetKind>,
    /// Retries that the policy allows each call.
    pub max_retries: u32,
    /// How long after the outage the last call still failed, in ms; `None`: none did after it.
    pub recovery_ms: Option<u64>,
    /// The storm was cut off: it made too many events.
    pub cut_off: bool,
    /// Second by second.
    pub seconds: Vec<Second>,
}

pub(super) struct Book {
    seconds: Vec<Second>,
    /// The budget's slots: calls, retries granted.
    slots: Vec<(u64, u64)>,
    slot_ms: u64,
    allowed: Option<Allowed>,
    budget: Option<BudgetKind>,
    max_retries: u32,
    down_from: u64,
    down_until: u64,
    outage: (u64, u64),
    last_failure: Option<u64>,
    cut_off: bool,
}

/// A budget's window has ten slots.
const SLOTS: usize = 10;
/// The window that policies without a ratio budget are measured by, that of the standard budget.
const USUAL_WINDOW: Millis = Millis::new(10_000);

impl Book {
    pub(super) fn new(terms: &Storm, policy: &Policy) -> Self {
        let allowed = Allowed::of(policy, terms.clients);
        let window = allowed.map_or(USUAL_WINDOW, |allowed| allowed.window);
        let down_from = terms.down_from.get();
        let down_until = down_from.saturating_add(terms.down_for.get());
        Self {
            seconds: vec![Second::default(); terms.seconds as usize],
            slots: Vec::new(),
            slot_ms: (window.get() / SLOTS as u64).max(1),
            allowed,
            budget: policy.budget().map(BudgetOptions::kind),
            max_retries: policy.max_retries(),
            down_from,
            down_until,
            outage: (0, 0),
            last_failure: None,
            cut_off: false,
        }
    }

    pub(super) fn asked(&mut self, now: u64) {
        self.second(now).asked += 1;
        self.slot(now / self.slot_ms).0 += 1;
        self.outage.0 += u64::from(self.is_down(now));
    }

    pub(super) fn sent(&mut self, now: u64) {
        self.second(now).sent += 1;
        self.outage.1 += u64::from(self.is_down(now));
    }

    /// A retry was granted; gives the slot it was granted in.
    pub(super) fn granted(&mut self, now: u64) -> u64 {
        self.second(now).granted += 1;
        let slot = now / self.slot_ms;
        self.slot(slot).1 += 1;
        slot
    }

    /// A retry that was granted in this slot never started.
    pub(super) fn refunded(&mut self, slot: u64) {
        let granted = &mut self.slot(slot).1;
        *granted = granted.saturating_sub(1);
    }

    pub(super) fn refused(&mut self, now: u64) {
        self.second(now).refused += 1;
    }

    pub(super) fn over(&mut self, succeeded: bool, now: u64) {
        if succeeded {
            self.second(now).succeeded += 1;
            return;
        }
        self.second(now).failed += 1;
        if now >= self.down_until {
            self.last_failure = self.last_failure.max(Some(now));
        }
    }

    /// These calls were still under way when the storm was left.
    pub(super) fn leave(&mut self, calls: u64, now: u64) {
        self.cut_off = true;
        for _ in 0..calls {
            self.over(false, now);
        }
    }

    pub(super) fn report(self) -> StormReport {
        let sum = |of: fn(&Second) -> u32| self.seconds.iter().map(|s| u64::from(of(s))).sum();
        let (calls, succeeded) = (sum(|s| s.asked), sum(|s| s.succeeded));
        let rate = self.seconds.first().map_or(0, |s| u64::from(s.asked));
        let peak = self.seconds.iter().map(|s| {
            // Seconds after the last new call are measured by the usual rate.
            let calls = if s.asked == 0 { rate } else { u64::from(s.asked) };
            thousandths(u64::from(s.sent), calls)
        });
        let (window, bound, within) = self.worst_window();
        StormReport {
            calls,
            attempts: sum(|s| s.sent),
            succeeded,
            failed: sum(|s| s.failed),
            refused: sum(|s| s.refused),
            success: thousandths(succeeded, calls),
            outage: thousandths(self.outage.1, self.outage.0),
            peak: peak.max().unwrap_or(0),
            window,
            window_span: Millis::new(self.slot_ms * SLOTS as u64),
            bound,
            within_budget: self.allowed.map(|_| within),
            budget: self.budget,
            max_retries: self.max_retries,
            recovery_ms: self.last_failure.map(|at| at.saturating_sub(self.down_until)),
            cut_off: self.cut_off,
            seconds: self.seconds,
        }
    }

    /// The worst window, its bound, and whether all windows kept theirs.
    fn worst_window(&self) -> (u64, Option<u64>, bool) {
        let bound = |calls: u64| self.allowed.map(|allowed| allowed.load(calls));
        let (mut worst, mut fullest) = (None, 0);
        let mut within = true;
        for (end, &(_, granted_last)) in self.slots.iter().enumerate() {
            let window = self.slots.iter().take(end + 1).skip((end + 1).saturating_sub(SLOTS));
            let (calls, granted) =
                window.fold((0, 0), |sum, slot| (sum.0 + slot.0, sum.1 + slot.1));
            fullest = fullest.max(calls);
            // A window ends with a retry: what comes after it only dilutes.
            if granted_last == 0 {
                continue;
            }
            within &= self.allowed.is_none_or(|allowed| allowed.keeps(calls, granted));
            let load = thousandths(calls + granted, calls);
            if worst.is_none_or(|(most, _)| load > most) {
                worst = Some((load, calls));
            }
        }
        let (load, calls) = worst.unwrap_or((1_000, fullest));
        (load, bound(calls), within)
    }

    const fn is_down(&self, now: u64) -> bool {
        self.down_from <= now && now < self.down_until
    }

    fn second(&mut self, now: u64) -> &mut Second {
        place(&mut self.seconds, now / 1_000)
    }

    fn slot(&mut self, slot: u64) -> &mut (u64, u64) {
        place(&mut self.slots, slot)
    }
}

/// The entry of this number; the list grows as far as it must, but never past an hour.
fn place<T: Clone + Default>(list: &mut Vec<T>, at: u64) -> &mut T {
    const MOST: u64 = 36_000;
    let at = at.min(MOST) as usize;
    if list.len() <= at {
        list.resize(at + 1, T::default());
    }
    &mut list[at]
}

/// `part ÷ whole` in thousandths, rounded to the nearest; 0 of nothing.
fn thousandths(part: u64, whole: u64) -> u64 {
    (part.saturating_mul(1_000) + whole / 2).checked_div(whole).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A book of a policy with this ratio budget, in ten-thousandths and a second; down from 1 s to 2 s.
    fn book(ratio: u32, min_per_second: u32) -> Book {
        let mut options = Policy::standard().into_options();
        let window = Millis::new(10_000);
        options.budget = Some(BudgetOptions::Ratio { ratio, min_per_second, window });
        let terms = Storm {
            clients: 1,
            seconds: 2,
            down_from: Millis::new(1_000),
            down_for: Millis::new(1_000),
            ..Storm::default()
        };
        Book::new(&terms, &options.validate().unwrap())
    }

    fn times(n: usize, mut event: impl FnMut()) {
        (0..n).for_each(|_| event());
    }

    #[test]
    fn a_retry_that_never_starts_is_no_load() {
        let mut book = book(1_000, 0);
        times(10, || book.asked(0));
        let mut slots = [0; 3];
        slots.fill_with(|| book.granted(500));
        book.refunded(slots[0]);
        let report = book.report();
        assert_eq!((report.window, report.seconds[0].granted), (1_200, 3));
        assert_eq!((report.bound, report.within_budget), (Some(1_100), Some(false)));
    }

    #[test]
    fn one_window_that_breaks_its_bound_is_enough() {
        let mut book = book(5_000, 0);
        book.asked(0);
        book.granted(0);
        times(4, || book.asked(20_000));
        book.granted(20_000);
        let report = book.report();
        assert_eq!((report.window, report.within_budget), (2_000, Some(false)));
    }

    #[test]
    fn of_two_windows_that_are_as_bad_the_first_is_told_with_its_bound() {
        let mut book = book(0, 1);
        for (at, calls) in [(0, 10), (20_000, 5)] {
            times(calls, || book.asked(at));
            times(calls, || _ = book.granted(at));
        }
        let report = book.report();
        // 1 + a reserve of ten by ten calls.
        assert_eq!((report.window, report.bound), (2_000, Some(2_000)));
    }

    #[test]
    fn the_outage_is_from_its_first_millisecond_to_the_last_before_its_end() {
        let mut book = book(0, 0);
        for now in [999, 1_000, 1_999, 2_000] {
            book.asked(now);
            book.sent(now);
        }
        book.sent(2_000);
        book.sent(1_000);
        assert_eq!(book.report().outage, 1_500);
    }

    #[test]
    fn a_second_without_new_calls_is_measured_by_the_first() {
        let mut book = book(0, 0);
        times(4, || book.asked(0));
        times(4, || book.sent(0));
        times(8, || book.sent(1_000));
        assert_eq!(book.report().peak, 2_000);
    }

    #[test]
    fn thousandths_are_rounded_to_the_nearest() {
        for (part, whole, expected) in
            [(1, 3, 333), (2, 3, 667), (1, 600, 2), (1, 2_001, 0), (1, 0, 0)]
        {
            assert_eq!(thousandths(part, whole), expected, "{part} of {whole}");
        }
    }
}
