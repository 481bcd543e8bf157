//! The policies that a storm compares: each adds one thing to the one before it.

use alloc::{boxed::Box, sync::Arc};

use crate::{
    codes::codes,
    policy::{
        BackoffOptions, BreakerOptions, BudgetOptions, Curve, HintMode, HintOptions, Jitter,
        Options, Policy,
    },
    time::Millis,
};

codes! {
    /// A way to retry.
    pub enum Tactic {
        /// Again at once.
        Naive = 0 => "naive",
        /// Again after a second.
        Fixed = 1 => "fixed",
        /// After half a second, and twice as long each time.
        Exponential = 2 => "exponential",
        /// The same with full jitter.
        FullJitter = 3 => "full-jitter",
        /// And retries add at most a tenth.
        Budget = 4 => "budget",
        /// And a breaker that leaves the server alone.
        Breaker = 5 => "breaker",
        /// And the wait that the server asks for: the standard policy.
        Hint = 6 => "hint",
    }
}

impl Tactic {
    /// The policy, with this many retries at most.
    pub fn policy(self, retries: u32) -> Arc<Policy> {
        let (curve, base, jitter) = match self {
            Self::Naive => (Curve::None, 0, Jitter::None),
            Self::Fixed => (Curve::Constant, 1_000, Jitter::None),
            Self::Exponential => (Curve::Exponential, 500, Jitter::None),
            _ => (Curve::Exponential, 500, Jitter::Full),
        };
        let heard = if self >= Self::Hint { HintMode::Override } else { HintMode::Ignore };
        let options = Options {
            max_retries: retries.min(1_000_000),
            backoff: BackoffOptions {
                curve,
                base: Millis::new(base),
                jitter,
                overrides: Box::default(),
                ..BackoffOptions::default()
            },
            hint: HintOptions { mode: heard, ..HintOptions::default() },
            budget: (self >= Self::Budget).then(BudgetOptions::default),
            breaker: (self >= Self::Breaker).then(BreakerOptions::default),
            ..Options::default()
        };
        Arc::new(options.validate().unwrap_or_else(|_| Policy::standard()))
    }
}
