//! How much load retries may add.

use alloc::boxed::Box;

use crate::{
    codes::codes,
    policy::{
        fields::{Fields, Named, Optional, Place, What, fields},
        spec::{MILLION, SHARE, Spec},
        text_rule::TextRule,
    },
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

/// The kind of a budget.
impl Named for BudgetSlot<'_> {
    fn get(&self) -> Option<&'static str> {
        self.budget.as_ref().map(|budget| budget.kind().name())
    }

    fn set(&mut self, at: usize) {
        let kind = BudgetKind::ALL.get(at).copied();
        if kind != self.budget.as_ref().map(BudgetOptions::kind) {
            // Another kind is another budget: nothing of the old one is carried over.
            *self.budget = kind.map(BudgetOptions::of);
            *self.shared = None;
        }
    }
}

fields! { BudgetSlot<'_> {
    "kind": What::Kind(BudgetKind::NAMES) => |b| Place::Name(b),
    "shared": What::Text(TextRule::Text) => |b| Place::MaybeText(b.shared),
    "ratio" of BudgetKind::Ratio: What::Number(&DEPOSIT) => |b| b.own(0),
    "minPerSecond" of BudgetKind::Ratio: What::Number(&MILLION) => |b| b.own(1),
    "windowMs" of BudgetKind::Ratio: What::Number(&WINDOW) => |b| b.own(2),
    "capacity" of BudgetKind::Tokens: What::Number(&MILLION) => |b| b.own(0),
    "transientCost" of BudgetKind::Tokens: What::Number(&MILLION) => |b| b.own(1),
    "throttledCost" of BudgetKind::Tokens: What::Number(&MILLION) => |b| b.own(2),
    "credit" of BudgetKind::Tokens: What::Number(&MILLION) => |b| b.own(3),
    "maxTokens" of BudgetKind::Throttle: What::Number(&TOKENS) => |b| b.own(0),
    "tokenRatio" of BudgetKind::Throttle: What::Number(&TOKENS) => |b| b.own(1),
    "ratio" of BudgetKind::Concurrency: What::Number(&SHARE) => |b| b.own(0),
    "minConcurrency" of BudgetKind::Concurrency: What::Number(&MILLION) => |b| b.own(1),
} }

/// The deposit of a call, in ten-thousandths of a retry.
const DEPOSIT: Spec = Spec::fraction(0, 10_000_000, 4);
const WINDOW: Spec = Spec::span(1_000, 60_000);
/// More than nothing, up to a thousand, in thousandths.
const TOKENS: Spec = Spec::fraction(1, 1_000_000, 3);

impl BudgetSlot<'_> {
    /// The place of a number that only this kind has, in the order of the variant.
    fn own(&mut self, at: u8) -> Place<'_> {
        let Some(budget) = self.budget else { return Place::Nowhere };
        match budget {
            BudgetOptions::Ratio { ratio, min_per_second, window } => match at {
                0 => Place::Count(ratio),
                1 => Place::Count(min_per_second),
                _ => Place::Span(window),
            },
            BudgetOptions::Tokens { capacity, transient_cost, throttled_cost, credit } => {
                Place::Count(match at {
                    0 => capacity,
                    1 => transient_cost,
                    2 => throttled_cost,
                    _ => credit,
                })
            }
            BudgetOptions::Throttle { max_tokens_thousandths, token_ratio_thousandths } => {
                Place::Count(if at == 0 { max_tokens_thousandths } else { token_ratio_thousandths })
            }
            BudgetOptions::Concurrency { ratio, min_concurrency } => {
                Place::Count(if at == 0 { ratio } else { min_concurrency })
            }
        }
    }
}
