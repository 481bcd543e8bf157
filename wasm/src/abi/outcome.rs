//! An outcome, from the numbers and the input that describe it.

use retrywise::{Outcome, Response, TransportError};

use crate::{
    convert,
    wire::{Fields, linked},
};

/// Bits of `flags` in [`call_settle`], [`classify`](classify()) and [`hint`](hint()).
pub mod outcome_flag {
    /// An answer came back: `status` and the headers count.
    pub const ANSWERED: u32 = 1;
    /// The answer is already streaming to the caller.
    pub const COMMITTED: u32 = 2;
    /// The request carried an idempotency key ([`classify`](super::classify()) only: a call knows).
    pub const KEY_SENT: u32 = 4;
}

/// What a host gave of an outcome.
pub(super) struct Given<'a> {
    pub(super) flags: u32,
    pub(super) status: f64,
    /// The measured span of the attempt, ms; NaN where nobody measured.
    pub(super) duration: f64,
    /// The error, where it came by its number.
    pub(super) kept: Option<&'static TransportError<'static>>,
    pub(super) input: &'a [u8],
    /// The headers that have ids.
    pub(super) headers: &'a [&'static str],
}

impl Given<'_> {
    /// Runs `read` on the outcome. Lent and filled where it stands: an outcome is some hundred
    /// bytes, and each time it is moved costs as much as a tenth of a decision.
    pub(super) fn read<R>(&self, read: impl FnOnce(&Outcome<'_>) -> R) -> R {
        let has = |flag| self.flags & flag != 0;
        let mut outcome = Outcome::default();
        outcome.committed = has(outcome_flag::COMMITTED);
        outcome.duration_ms = convert::span(self.duration);
        if let Some(kept) = self.kept {
            outcome.error = Some(*kept);
        }
        if has(outcome_flag::ANSWERED) {
            outcome.response = Some(Response::new(convert::status(self.status), &[]));
        }
        if self.input.is_empty() {
            // The usual case: no header that counts, an error that is known by its number.
            return read(&outcome);
        }
        let mut fields = Fields::default();
        fields.read(self.input, self.headers);
        if let Some(response) = &mut outcome.response {
            response.headers = fields.headers();
            response.body = fields.body;
        }
        if self.kept.is_some() || fields.errors().is_empty() {
            return read(&outcome);
        }
        linked(fields.errors(), |error| {
            // A copy of its own: the error lives no longer than this closure.
            let mut outcome: Outcome<'_> = outcome;
            outcome.error = error.copied();
            read(&outcome)
        })
    }
}
