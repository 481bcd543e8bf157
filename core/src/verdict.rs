//! The answer to one event: what to do next, and why.

use crate::{
    breaker::Transition, classify::Classification, codes::codes, hint::Hint, time::Millis,
};

codes! {
    /// What the caller does next.
    pub enum VerdictKind {
        /// Hand the answer on: it is good, or it is final and good.
        Accept = 0 => "accept",
        /// Wait [`Verdict::delay`], then ask `resume`, then send attempt [`Verdict::attempt`].
        Retry = 1 => "retry",
        /// Make no further attempt; hand on the last outcome.
        Stop = 2 => "stop",
    }
}

codes! {
    /// Why. Codes and names are stable; new ones may be added.
    pub enum Reason {
        /// Accept: the attempt succeeded.
        Ok = 0 => "ok",
        /// Accept: the server replayed the stored answer of an earlier attempt.
        Replayed = 1 => "replayed",
        /// Retry: after the computed backoff.
        Backoff = 2 => "backoff",
        /// Retry: after the wait that the server asked for.
        ServerHint = 3 => "server-hint",
        /// Retry: at once.
        Immediate = 4 => "immediate",
        /// Stop: the caller cancelled.
        Cancelled = 5 => "cancelled",
        /// Stop: the server said not to retry.
        ServerRefused = 6 => "server-refused",
        /// Stop: the same request would get the same answer.
        Permanent = 7 => "permanent",
        /// Stop: the body cannot be sent again, or the answer is already streaming to the caller.
        BodyConsumed = 8 => "body-consumed",
        /// Stop: the request may have been processed and nothing makes a repetition safe.
        UnsafeToRepeat = 9 => "unsafe-to-repeat",
        /// Stop: `maxRetries` were made.
        RetriesExhausted = 10 => "retries-exhausted",
        /// Stop: a layer above retries this call already.
        NestedLayer = 11 => "nested-layer",
        /// Stop: the server asked for a longer wait than `hint.maxMs`; the wanted wait is in the
        /// verdict's hint.
        HintTooLong = 12 => "hint-too-long",
        /// Stop: the deadline would have passed before the next attempt.
        Deadline = 13 => "deadline",
        /// Stop: the server would have forgotten the key before the next attempt.
        KeyExpired = 14 => "key-expired",
        /// Stop or refusal: the breaker is open.
        BreakerOpen = 15 => "breaker-open",
        /// Stop: retries are limited to a share of the load, and that share is spent.
        BudgetExhausted = 16 => "budget-exhausted",
        /// Refusal, or stop when the wait is too long: the server's rate limit has no room yet.
        RateLimited = 17 => "rate-limited",
        /// Refusal: another worker is sending this call.
        InProgress = 18 => "in-progress",
        /// Refusal: this call was completed; its stored outcome stands.
        AlreadyCompleted = 19 => "already-completed",
        /// Refusal: the key was used with another payload.
        KeyConflict = 20 => "key-conflict",
        /// Refusal: a key is to be generated, but neither entropy nor a business event was given;
        /// or key or policy need a wall clock, and the host gave none.
        KeyMissing = 21 => "key-missing",
        /// Refusal: the key is empty, too long for the server, or holds a character that a header
        /// must not.
        KeyInvalid = 22 => "key-invalid",
        /// Stop or refusal: the server turned away so many requests that this one is not even
        /// sent (`clientThrottling`).
        ClientThrottled = 23 => "client-throttled",
    }
}

/// The answer to one settle.
///
/// A `Verdict` is a value: nothing happens unless the caller acts on it.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// What to do next.
    pub kind: VerdictKind,
    /// Why.
    pub reason: Reason,
    /// [`VerdictKind::Retry`]: the number of the attempt to send (the first retry is 2). Otherwise
    /// the number of the attempt that ended.
    pub attempt: u32,
    /// [`VerdictKind::Retry`]: the wait before it. Zero otherwise.
    pub delay: Millis,
    /// What the server asked for, unbounded by policy, if it asked for anything.
    pub hint: Option<Hint>,
    /// What the outcome was taken for.
    pub classification: Classification,
    /// The change of the breaker's state that this outcome caused.
    pub transition: Option<Transition>,
    /// The server rate-limits this upstream again and again, five times within a minute: the rate
    /// has to change, not the retries. Told with the verdict on each such outcome.
    pub sustained_throttling: bool,
    /// This attempt, or the whole call, was settled before: the earlier verdict again, nothing
    /// counted.
    pub stale: bool,
}

/// Why a call may not begin, or not go on now.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// When asking again makes sense, from now; `None` when time alone changes nothing.
    pub retry_in: Option<Millis>,
}

impl Refusal {
    /// A refusal that time alone does not lift.
    pub(crate) const fn new(reason: Reason) -> Self {
        Self { reason, retry_in: None }
    }
}
