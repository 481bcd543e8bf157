//! What happens to a record.

use crate::{
    classify::{Class, Delivery},
    codes::codes,
    ledger::Cause,
    review::Decision,
    time::{Millis, UnixMillis},
    verdict::{Reason, VerdictKind},
};

/// One event. Texts are borrowed; times are wall clock.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Keeps a call that is not sent yet.
    Submit {
        /// The call.
        call: NewCall<'a>,
        /// Not before then; `None`: now.
        due: Option<UnixMillis>,
    },
    /// Asks to send an attempt.
    Claim {
        /// The call.
        call: NewCall<'a>,
        /// Who asks: a name of this run, not of the machine. The same owner gets its own live
        /// lease again.
        owner: &'a str,
        /// How long it owns the record; `None`: as long as the policy says.
        lease: Option<Millis>,
    },
    /// The attempt succeeded.
    Complete {
        /// Which one.
        attempt: u32,
        /// The status of the answer.
        status: Option<u16>,
    },
    /// The attempt failed, and did nothing. With a due time another follows, without one a person
    /// decides.
    Fail(Ending),
    /// Nobody knows whether the attempt was processed.
    Ambiguous(Ending),
    /// The attempt was claimed, but nothing was sent.
    Release {
        /// Which one.
        attempt: u32,
    },
    /// The attempt is still on its way: its owner goes on to have the record.
    Renew {
        /// Which one.
        attempt: u32,
        /// For how long, from now; `None`: as long as the policy says.
        lease: Option<Millis>,
    },
    /// The attempt ended as the call's verdict says: one of the three above.
    Settle(Settled),
    /// What the vendor's own status call says about an attempt whose answer was lost.
    Lookup {
        /// What it says.
        found: Found,
        /// Which attempt, with what status, and when to go on if it was not processed (`None`:
        /// now) and the policy allows another.
        ending: Ending,
    },
    /// A person decides about a record in review.
    Resolve(Decision<'a>),
    /// Lets a completed record go once its retention is over.
    Purge,
}

/// The call that an event is about.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // what identifies a call, for ever
pub struct NewCall<'a> {
    /// What the ledger knows it by, 1 to [`MAX_ID_BYTES`](super::MAX_ID_BYTES) bytes.
    pub id: &'a str,
    /// The idempotency key to send, if there is one.
    pub key: Option<&'a str>,
    /// What tells this payload from another, up to [`MAX_TEXT_BYTES`](super::MAX_TEXT_BYTES).
    pub fingerprint: &'a str,
}

/// How an attempt ended without success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// Which one.
    pub attempt: u32,
    /// The status of the answer, if one came.
    pub status: Option<u16>,
    /// When the next attempt may start; `None`: none follows.
    pub due: Option<UnixMillis>,
    /// Why none follows; `None`: as the status says.
    pub cause: Option<Cause>,
    /// The verdict's reason, for the trail.
    pub reason: Option<Reason>,
    /// The vendor asked to wait.
    pub rate_limited: bool,
    /// It may have been processed all the same: a person has to know.
    pub maybe_processed: bool,
    /// Rate limits keep coming.
    pub sustained_throttling: bool,
}

impl Ending {
    /// The end of this attempt, of which nothing else is known.
    pub fn of(attempt: u32) -> Self {
        Self { attempt, ..Self::default() }
    }
}

/// A verdict, as far as the ledger needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // every field must be given
pub struct Settled {
    /// The attempt that ended.
    pub attempt: u32,
    /// The status of its answer, if one came.
    pub status: Option<u16>,
    /// What follows.
    pub kind: VerdictKind,
    /// Why.
    pub reason: Reason,
    /// The wait before the next attempt.
    pub delay: Millis,
    /// What the outcome was taken for.
    pub class: Class,
    /// Whether it may have been processed.
    pub delivery: Delivery,
    /// Sending the request twice is harmless by itself.
    pub idempotent: bool,
    /// Rate limits keep coming.
    pub sustained_throttling: bool,
}

codes! {
    /// What the vendor's own status call says about a call.
    pub enum Found {
        /// It was done.
        Processed = 0 => "processed",
        /// It was not done, and no attempt will do it any more.
        NotProcessed = 1 => "not_processed",
        /// It cannot say.
        Unknown = 2 => "unknown",
    }
}

impl Settled {
    /// The event that this verdict means at `now`.
    pub(super) fn event(self, now: UnixMillis) -> Event<'static> {
        let Self { attempt, status, kind, reason, .. } = self;
        if kind == VerdictKind::Accept {
            return Event::Complete { attempt, status };
        }
        // An answer came and could not be read: the vendor acted, and nobody knows what it did.
        let unread = self.delivery == Delivery::Processed && status.is_none_or(|s| s < 400);
        let open = unread || self.delivery == Delivery::MaybeProcessed;
        let undecided = open && !self.idempotent;
        let retry = kind == VerdictKind::Retry;
        let ending = Ending {
            attempt,
            status,
            due: retry.then(|| now.after(self.delay)),
            cause: (!retry).then(|| Cause::of(reason)),
            reason: Some(reason),
            rate_limited: self.class == Class::Throttled && status.is_none_or(|s| s < 500),
            maybe_processed: undecided,
            sustained_throttling: self.sustained_throttling,
        };
        // A cause that says more than "ambiguous" stays; the record says the rest.
        let vague =
            unread || matches!(ending.cause, None | Some(Cause::Exhausted | Cause::Ambiguous));
        if undecided && vague { Event::Ambiguous(ending) } else { Event::Fail(ending) }
    }
}
