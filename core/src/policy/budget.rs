//! How much load retries may add.

use alloc::boxed::Box;

use crate::{
    codes::codes,
    policy::fields::{Fields, Optional, Slot, Spec, TextRule, Visitor},
    time::Millis,
};

codes! {
    /// Which rule limits the retries of an upstream.
    #[derive(Default)]
    pub enum BudgetKind {
        /// A share of the calls in a sliding window.
        #[default]
        Ratio = 0 => "ratio",
        /// A bucket that retries empty and successes fill (AWS SDKs).
        Tokens = 1 => "tokens",
        /// A level that failures lower and successes raise (gRPC A6).
        Throttle = 2 => "throttle",
        /// A share of the calls in progress (Envoy).
        Concurrency = 3 => "concurrency",
    }
}

/// The policy's `budget` object, but for `shared`, which stands beside it in the options.
///
/// Default: [`BudgetOptions::Ratio`] of a tenth, with a reserve of 1 a second, over 10 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BudgetOptions {
    /// Retries are at most a share of the calls.
    Ratio {
        /// Deposit of each call, in ten-thousandths of a retry: 0 to 10 000 000, default 1 000.
        ratio: u32,
        /// Retries allowed on top, per second of the window: 0 to 1 000 000, default 1.
        min_per_second: u32,
        /// The sliding window, 1 s to 60 s, default 10 s.
        window: Millis,
    },
    /// Retries take from a bucket. Each number is 0 to 1 000 000.
    Tokens {
        /// What the bucket holds, and starts with. Default 500.
        capacity: u32,
        /// What a retry after a transient outcome costs. Default 14.
        transient_cost: u32,
        /// What a retry after a throttled outcome costs. Default 5.
        throttled_cost: u32,
        /// What a success without a retry puts back. Default 1.
        credit: u32,
    },
    /// Retries are allowed while more than half of the tokens is left.
    Throttle {
        /// The largest level, in thousandths: 1 to 1 000 000, default 10 000.
        max_tokens_thousandths: u32,
        /// What a success puts back, in thousandths: 1 to 1 000 000, default 100.
        token_ratio_thousandths: u32,
    },
    /// Retries in progress are at most a share of the calls in progress.
    Concurrency {
        /// The share, in ten-thousandths: 0 to 10 000, default 2 000.
        ratio: u32,
        /// Retries in progress that are always allowed: 0 to 1 000 000, default 3.
        min_concurrency: u32,
    },
}

impl BudgetOptions {
    /// The defaults of a kind.
    pub const fn of(kind: BudgetKind) -> Self {
        match kind {
            BudgetKind::Ratio => {
                Self::Ratio { ratio: 1_000, min_per_second: 1, window: Millis::new(10_000) }
            }
            BudgetKind::Tokens => {
                Self::Tokens { capacity: 500, transient_cost: 14, throttled_cost: 5, credit: 1 }
            }
            BudgetKind::Throttle => {
                Self::Throttle { max_tokens_thousandths: 10_000, token_ratio_thousandths: 100 }
            }
            BudgetKind::Concurrency => Self::Concurrency { ratio: 2_000, min_concurrency: 3 },
        }
    }

    /// The kind, as the document names it.
    pub const fn kind(&self) -> BudgetKind {
        match self {
            Self::Ratio { .. } => BudgetKind::Ratio,
            Self::Tokens { .. } => BudgetKind::Tokens,
            Self::Throttle { .. } => BudgetKind::Throttle,
            Self::Concurrency { .. } => BudgetKind::Concurrency,
        }
    }
}

impl Default for BudgetOptions {
    fn default() -> Self {
        Self::of(BudgetKind::Ratio)
    }
}

/// The fields of one kind, without `kind` and `shared`.
impl Fields for BudgetOptions {
    fn fields(&mut self, v: &mut dyn Visitor) {
        let count = Spec::count(0, 1_000_000);
        match self {
            Self::Ratio { ratio, min_per_second, window } => {
                v.number("ratio", Spec::fraction(0, 10_000_000, 4), Slot::Count(ratio));
                v.number("minPerSecond", count, Slot::Count(min_per_second));
                v.number("windowMs", Spec::span(1_000, 60_000), Slot::Span(window));
            }
            Self::Tokens { capacity, transient_cost, throttled_cost, credit } => {
                v.number("capacity", count, Slot::Count(capacity));
                v.number("transientCost", count, Slot::Count(transient_cost));
                v.number("throttledCost", count, Slot::Count(throttled_cost));
                v.number("credit", count, Slot::Count(credit));
            }
            Self::Throttle { max_tokens_thousandths, token_ratio_thousandths } => {
                let tokens = Spec::fraction(1, 1_000_000, 3);
                v.number("maxTokens", tokens, Slot::Count(max_tokens_thousandths));
                v.number("tokenRatio", tokens, Slot::Count(token_ratio_thousandths));
            }
            Self::Concurrency { ratio, min_concurrency } => {
                v.number("ratio", Spec::fraction(0, 10_000, 4), Slot::Count(ratio));
                v.number("minConcurrency", count, Slot::Count(min_concurrency));
            }
        }
    }
}

/// The whole `budget` object of a document: an object or null.
pub(crate) struct BudgetSlot<'a> {
    pub(crate) budget: &'a mut Option<BudgetOptions>,
    pub(crate) shared: &'a mut Option<Box<str>>,
}

impl Optional for BudgetSlot<'_> {
    fn clear(&mut self) {
        *self.budget = None;
        *self.shared = None;
    }

    fn open(&mut self) -> &mut dyn Fields {
        self.budget.get_or_insert_default();
        self
    }

    fn get(&mut self) -> Option<&mut dyn Fields> {
        if self.budget.is_some() { Some(self) } else { None }
    }
}

impl Fields for BudgetSlot<'_> {
    fn fields(&mut self, v: &mut dyn Visitor) {
        let budget = self.budget.get_or_insert_default();
        let mut kind = budget.kind();
        let known = v.name("kind", &mut kind);
        if kind != budget.kind() {
            // Another kind is another budget: nothing of the old one is carried over.
            *budget = BudgetOptions::of(kind);
            *self.shared = None;
        }
        v.text("shared", TextRule::Text, self.shared);
        if known {
            budget.fields(v);
        }
        for &other in BudgetKind::ALL {
            if !known || other != kind {
                v.others(other.name(), known, &mut BudgetOptions::of(other));
            }
        }
    }
}
