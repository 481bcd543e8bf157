//! A budget as plain data.

use super::{Budget, Level};
use crate::{
    snapshot::{BudgetState, SlotsState},
    time::{Instant, Millis},
};

impl Budget {
    /// Its level at `now`. The calls of a concurrency budget end with their process.
    pub(crate) fn save(&self, now: Instant) -> BudgetState {
        let mut state = BudgetState { kind: self.options.kind(), ..BudgetState::default() };
        match &self.level {
            Level::Ratio(window) => {
                // At most 2^32 ten-thousandths of either are kept.
                let part = |value: i64| u32::try_from(value.max(0)).unwrap_or(u32::MAX);
                let pack = |sum: i64| (part(sum), part(sum.saturating_neg()), 0);
                state.window = SlotsState::of(&window.save(now), pack);
            }
            Level::Tokens(left) | Level::Throttle(left) => state.level = *left,
            Level::Concurrency { .. } => {}
        }
        state
    }

    /// Takes over a level that was saved `elapsed` ago, unless it is one of another kind.
    pub(crate) fn load(&mut self, state: &BudgetState, elapsed: Millis, now: Instant) {
        if state.kind != self.options.kind() {
            return;
        }
        let full = Self::new(self.options.clone());
        match (&mut self.level, full.level) {
            (Level::Ratio(window), _) => {
                let saved = state.window.to_window(|a, b, _| i64::from(a) - i64::from(b));
                window.load(&saved, elapsed, now);
            }
            (Level::Tokens(left), Level::Tokens(most))
            | (Level::Throttle(left), Level::Throttle(most)) => *left = state.level.min(most),
            _ => {}
        }
    }
}
