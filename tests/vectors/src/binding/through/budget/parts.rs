//! What a budget counts, and what stands for a call of a trace.

use retrywise::policy::BudgetOptions;

use crate::binding::NoAnswer;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Ratio,
    Tokens,
    Throttle,
    Concurrency,
}

/// What a call of the trace is on the other side.
#[derive(Default)]
pub(super) struct Held {
    /// Under way: this one.
    pub(super) call: Option<String>,
    /// It waits for a retry.
    pub(super) waiting: bool,
    /// Its last retry was granted and waits or is on its way: it has a place among the retries, and
    /// the withdrawal could still be given back.
    pub(super) granted: bool,
    /// The trace's call could still give back what the one under way cannot.
    pub(super) lost: bool,
}

/// What counts, and when a trace has to begin on the clock of the binding.
pub(super) fn kind(options: &BudgetOptions) -> Result<(Kind, u64), NoAnswer> {
    Ok(match options {
        // Two windows on their grid of ten slots: what was deposited at 0 is forgotten.
        BudgetOptions::Ratio { window, .. } => {
            (Kind::Ratio, window.get().div_ceil(10).saturating_mul(20))
        }
        BudgetOptions::Tokens { .. } => (Kind::Tokens, 0),
        BudgetOptions::Throttle { .. } => (Kind::Throttle, 0),
        BudgetOptions::Concurrency { .. } => (Kind::Concurrency, 0),
        _ => return Err(NoAnswer::Unsupported),
    })
}
