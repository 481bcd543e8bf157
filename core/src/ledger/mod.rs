//! The ledger: one record for each call, asked before every attempt, so that nothing is sent twice.
//!
//! [`Ledger::apply`] is the whole of it: (record, event, now) → (record, reply). It reads no clock
//! and keeps no store. The host keeps the records, writes each change back by compare-and-set on
//! [`Record::revision`], and on a lost race reads the record again and asks again. Times are wall
//! clock; "over" means now ≥ t, everywhere.
//!
//! | event | absent | in-progress | waiting | completed | review | abandoned |
//! |---|---|---|---|---|---|---|
//! | claim, other fingerprint | – | conflict | conflict | conflict | conflict | conflict |
//! | claim | start, attempt 1 | lease live: own → start, same attempt, renewed; else in-progress. Lease over: honoured and inside the window → start, attempt + 1; else unknown → review | not due: in-progress. Due: inside the window or no key → start, attempt + 1; else expired → review | replay | review | abandoned |
//! | complete | refused | ok → completed | fenced | same attempt: ok | cause ambiguous and same attempt: ok → completed | fenced |
//! | fail | refused | with a due time → waiting, else → review | fenced | fenced | fenced | fenced |
//! | ambiguous | refused | honoured and a due time → waiting, else → review | fenced | fenced | fenced | fenced |
//! | release | refused | ok → absent if the claim made the record, else waiting | refused | refused | refused | refused |
//! | resolve | refused | refused | refused | refused | confirm → completed; abandon → abandoned; retry with a new key → abandoned, and a new record | refused |
//!
//! An event that names another attempt than the one in progress is fenced: its worker lost the
//! lease, and somebody else decides now. Four events go beyond that table: `submit` keeps a call
//! before it is sent, `renew` keeps a lease alive while an attempt lasts, `lookup` takes what the
//! vendor's own status call says about a lost answer (one that was not processed waits for the next
//! attempt, or goes to review when the policy allows none), and `purge` lets a completed record go
//! when its retention is over.

mod answer;
mod apply;
mod cause;
mod create;
mod event;
#[cfg(feature = "json")]
mod json;
mod record;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Problem, Reply};
pub use cause::Cause;
pub use event::{Ending, Event, Found, NewCall, Settled};
#[cfg(feature = "json")]
pub use json::{answer as answer_json, record_from_json, record_to_json};
pub use record::{MAX_ID_BYTES, MAX_TEXT_BYTES, Record, State};

use crate::{policy::Policy, time::Millis};

/// The terms under which records change: what a policy says about keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ledger {
    /// The server deduplicates by the key (`idempotency.honoured`).
    pub honoured: bool,
    /// How long the server remembers a key, from its first sending (`idempotency.windowMs`).
    pub window: Millis,
    /// How long a worker owns a record without renewing it, where a claim does not say
    /// (`idempotency.leaseMs`). Zero is a value: such a lease is over at once.
    pub lease: Millis,
    /// How many attempts may follow the first (`maxRetries`).
    pub max_retries: u32,
    /// How long a completed record is kept (`idempotency.retentionMs`); `None`, for good.
    pub retention: Option<Millis>,
    /// What the vendor takes as a key.
    pub keys: crate::idempotency::KeyRule,
}

impl Ledger {
    /// No promise of the server, no retries, a lease and a window of zero, records kept for good: to
    /// be filled in where the terms of a policy come one by one.
    pub const fn bare() -> Self {
        let keys = crate::idempotency::KeyRule::ANY;
        let (window, lease) = (Millis::ZERO, Millis::ZERO);
        Self { honoured: false, window, lease, retention: None, keys, max_retries: 0 }
    }

    /// The terms of a policy.
    pub fn new(policy: &Policy) -> Self {
        let options = policy.idempotency();
        Self {
            honoured: options.honoured,
            window: options.window,
            lease: options.lease,
            max_retries: policy.max_retries(),
            retention: options.retention,
            keys: crate::idempotency::KeyRule::of(policy.profile()),
        }
    }
}
