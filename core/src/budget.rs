//! How much load retries may add: taken when a retry is decided, given back when it never starts.
//!
//! Why a budget and not only a number of retries a call: when an upstream fails as a whole, three
//! retries a call are four times the load; a budget of a tenth is 1.1 times.
//!
//! | kind | deposit | a retry takes | it is given back |
//! |---|---|---|---|
//! | ratio | `ratio` at `begin`, for one window | one | to the slot it came from |
//! | tokens | `credit` at a success without a retry | the cost of the class | on success: the last cost |
//! | throttle | `tokenRatio` at each success | nothing | – |
//! | concurrency | a place while the call lasts | one place for retries | when the retry has ended |
//!
//! The throttle loses one at each retryable failure, whatever is decided after it.

mod saved;

use alloc::sync::Arc;

use crate::{
    classify::Class,
    jitter::share,
    policy::BudgetOptions,
    time::{Instant, Millis},
    window::Window,
};

/// Retries are counted in ten-thousandths, so that every ratio of four decimals stays an integer.
const UNIT: i64 = 10_000;

/// The retry allowance of one upstream, or of several that share it.
#[derive(Clone, Debug)]
pub struct Budget {
    options: Arc<BudgetOptions>,
    level: Level,
}

#[derive(Clone, Debug)]
enum Level {
    /// Deposits less withdrawals of each slot.
    Ratio(Window<i64>),
    /// What is in the bucket.
    Tokens(u32),
    /// What is left, in thousandths.
    Throttle(u32),
    /// Calls between `begin` and their final verdict, and the retries among them.
    Concurrency { calls: u32, retries: u32 },
}

/// What one call holds of a budget. Belongs to the call; starts empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hold {
    /// Ratio: the slot that the last withdrawal came from.
    pub slot: Option<u64>,
    /// Tokens: what the last withdrawal cost.
    pub cost: Option<u32>,
    /// Concurrency: the call has its place.
    pub counted: bool,
    /// Concurrency: the call has a place among the retries.
    pub retrying: bool,
}

impl Budget {
    /// A full budget.
    pub fn new(options: impl Into<Arc<BudgetOptions>>) -> Self {
        let options = options.into();
        let level = match *options {
            BudgetOptions::Ratio { window, .. } => Level::Ratio(Window::new(window)),
            BudgetOptions::Tokens { capacity, .. } => Level::Tokens(capacity),
            BudgetOptions::Throttle { max_tokens_thousandths, .. } => {
                Level::Throttle(max_tokens_thousandths)
            }
            BudgetOptions::Concurrency { .. } => Level::Concurrency { calls: 0, retries: 0 },
        };
        Self { options, level }
    }

    /// A call was admitted.
    pub fn deposit(&mut self, hold: &mut Hold, now: Instant) {
        match (&mut self.level, &*self.options) {
            (Level::Ratio(window), BudgetOptions::Ratio { ratio, .. }) => {
                let slot = window.advance(now);
                if let Some(sum) = window.at(slot) {
                    *sum = sum.saturating_add(i64::from(*ratio));
                }
            }
            (Level::Concurrency { calls, .. }, _) if !hold.counted => {
                hold.counted = true;
                *calls = calls.saturating_add(1);
            }
            _ => {}
        }
    }

    /// An attempt failed in a way that could be retried; whether it is comes after.
    pub fn failure(&mut self) {
        if let Level::Throttle(left) = &mut self.level {
            *left = left.saturating_sub(1_000);
        }
    }

    /// Asks for one retry after an outcome of `class`; what is granted is taken.
    #[must_use]
    pub fn withdraw(&mut self, hold: &mut Hold, class: Class, now: Instant) -> bool {
        self.end_retry(hold);
        match (&mut self.level, &*self.options) {
            (Level::Ratio(window), BudgetOptions::Ratio { min_per_second, window: span, .. }) => {
                let slot = window.advance(now);
                if balance(window, *min_per_second, *span) < UNIT {
                    return false;
                }
                if let Some(sum) = window.at(slot) {
                    *sum = sum.saturating_sub(UNIT);
                }
                hold.slot = Some(slot);
                true
            }
            (Level::Tokens(left), BudgetOptions::Tokens { transient_cost, throttled_cost, .. }) => {
                let cost =
                    if class == Class::Throttled { *throttled_cost } else { *transient_cost };
                let Some(rest) = left.checked_sub(cost) else { return false };
                *left = rest;
                hold.cost = Some(cost);
                true
            }
            (Level::Throttle(left), BudgetOptions::Throttle { max_tokens_thousandths, .. }) => {
                *left > max_tokens_thousandths / 2
            }
            (
                Level::Concurrency { calls, retries },
                BudgetOptions::Concurrency { ratio, min_concurrency },
            ) => {
                let allowed = share(u64::from(*calls), *ratio).max(u64::from(*min_concurrency));
                if u64::from(*retries) >= allowed {
                    return false;
                }
                *retries = retries.saturating_add(1);
                hold.retrying = true;
                true
            }
            // Level and options are made together; a mismatch cannot be built.
            _ => false,
        }
    }

    /// Gives the last withdrawal back: the retry never started.
    pub fn refund(&mut self, hold: &mut Hold, now: Instant) {
        match (&mut self.level, &*self.options) {
            (Level::Ratio(window), _) => {
                window.advance(now);
                // A slot that has been forgotten took its withdrawal with it.
                if let Some(sum) = hold.slot.take().and_then(|slot| window.at(slot)) {
                    *sum = sum.saturating_add(UNIT);
                }
            }
            (Level::Tokens(left), BudgetOptions::Tokens { capacity, .. }) => {
                if let Some(cost) = hold.cost.take() {
                    *left = left.saturating_add(cost).min(*capacity);
                }
            }
            _ => {}
        }
        self.end_retry(hold);
    }

    /// The call succeeded: what success puts back.
    pub fn success(&mut self, hold: &mut Hold) {
        match (&mut self.level, &*self.options) {
            (Level::Tokens(left), BudgetOptions::Tokens { capacity, credit, .. }) => {
                *left = left.saturating_add(hold.cost.take().unwrap_or(*credit)).min(*capacity);
            }
            (
                Level::Throttle(left),
                BudgetOptions::Throttle { max_tokens_thousandths, token_ratio_thousandths },
            ) => {
                *left = left.saturating_add(*token_ratio_thousandths).min(*max_tokens_thousandths);
            }
            _ => {}
        }
    }

    /// The call is over, however it ended: its places are free again. Harmless when repeated.
    pub fn release(&mut self, hold: &mut Hold) {
        self.end_retry(hold);
        if let Level::Concurrency { calls, .. } = &mut self.level
            && core::mem::take(&mut hold.counted)
        {
            *calls = calls.saturating_sub(1);
        }
        // What an ended call withdrew is spent: the next success is not the one that earns it.
        (hold.slot, hold.cost) = (None, None);
    }

    /// What is left, in thousandths: of whole retries for ratio and concurrency, of tokens for the
    /// other two. Pure: the state stays as it is.
    pub fn balance_thousandths(&self, now: Instant) -> u64 {
        let retries = match (&self.level, &*self.options) {
            (Level::Ratio(window), BudgetOptions::Ratio { min_per_second, window: span, .. }) => {
                let mut window = *window;
                window.advance(now);
                u64::try_from(balance(&window, *min_per_second, *span) / UNIT).unwrap_or(0)
            }
            (Level::Tokens(left), _) => u64::from(*left),
            (Level::Throttle(left), _) => return u64::from(*left),
            (
                Level::Concurrency { calls, retries },
                BudgetOptions::Concurrency { ratio, min_concurrency },
            ) => share(u64::from(*calls), *ratio)
                .max(u64::from(*min_concurrency))
                .saturating_sub(u64::from(*retries)),
            _ => 0,
        };
        retries.saturating_mul(1_000)
    }

    /// Continues under other options: the level keeps its proportion (a throttle of 4 in 10 is 8
    /// in 20), a change of kind starts full.
    pub fn reconfigure(&mut self, options: impl Into<Arc<BudgetOptions>>, now: Instant) {
        let options = options.into();
        let scale = |level: u64, old: u64, new: u64| {
            if old == 0 {
                new
            } else {
                u64::try_from(u128::from(level) * u128::from(new) / u128::from(old)).unwrap_or(new)
            }
        };
        match (&mut self.level, &*self.options, &*options) {
            (
                Level::Ratio(window),
                BudgetOptions::Ratio { ratio: old, window: span, .. },
                BudgetOptions::Ratio { ratio: new, window: new_span, .. },
            ) => {
                window.advance(now);
                let mut slots = [0_i64; crate::window::SLOTS];
                for (to, value) in slots.iter_mut().zip(window.newest_first()) {
                    // What was spent stays spent; what was deposited follows the ratio.
                    *to = if value.is_positive() && *old != 0 {
                        value * i64::from(*new) / i64::from(*old)
                    } else {
                        value
                    };
                }
                if span != new_span {
                    *window = Window::new(*new_span);
                }
                window.restore(now, &slots);
            }
            (
                Level::Tokens(left),
                BudgetOptions::Tokens { capacity: old, .. },
                BudgetOptions::Tokens { capacity: new, .. },
            ) => *left = scale(u64::from(*left), u64::from(*old), u64::from(*new)) as u32,
            (
                Level::Throttle(left),
                BudgetOptions::Throttle { max_tokens_thousandths: old, .. },
                BudgetOptions::Throttle { max_tokens_thousandths: new, .. },
            ) => *left = scale(u64::from(*left), u64::from(*old), u64::from(*new)) as u32,
            (Level::Concurrency { .. }, _, BudgetOptions::Concurrency { .. }) => {}
            _ => {
                *self = Self::new(options);
                return;
            }
        }
        self.options = options;
    }

    /// The options it runs under.
    pub fn options(&self) -> &BudgetOptions {
        &self.options
    }

    /// The retry of this call has ended, or never starts: its place among the retries is free.
    fn end_retry(&mut self, hold: &mut Hold) {
        if let Level::Concurrency { retries, .. } = &mut self.level
            && core::mem::take(&mut hold.retrying)
        {
            *retries = retries.saturating_sub(1);
        }
    }
}

/// What a ratio budget has: the window's sum, and the reserve on top of it.
fn balance(window: &Window<i64>, min_per_second: u32, span: Millis) -> i64 {
    // At most 10^6 a second · 60 000 ms · 10: far inside an i64.
    let reserve = i64::from(min_per_second) * span.get().min(60_000) as i64 * (UNIT / 1_000);
    window.values().fold(reserve, i64::saturating_add)
}

#[cfg(test)]
mod tests;
