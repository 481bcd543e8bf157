//! What an event came to.

use alloc::{boxed::Box, vec, vec::Vec};

use super::Record;
use crate::{codes::codes, time::Millis, trail::Entry};

codes! {
    /// What an event came to.
    pub enum Reply {
        /// Claim: send attempt [`Answer::attempt`].
        Start = 0 => "start",
        /// Claim: it was done; the stored outcome stands, whatever its age.
        Replay = 1 => "replay",
        /// Claim: somebody else sends it, or it is not due; ask again after [`Answer::retry_in`].
        InProgress = 2 => "in-progress",
        /// The id was used with another payload.
        Conflict = 3 => "conflict",
        /// Claim: the vendor has forgotten the key; the record went to review.
        Expired = 4 => "expired",
        /// Claim: an attempt of a vanished worker may have been processed; the record went to
        /// review.
        Unknown = 5 => "unknown",
        /// Claim: a person has to decide first.
        Review = 6 => "review",
        /// Claim: a person decided that nothing more is sent. [`Record::replaced_by`] may name a
        /// successor.
        Abandoned = 7 => "abandoned",
        /// It was done.
        Ok = 8 => "ok",
        /// The attempt is not the one that counts any more: nothing changed.
        Fenced = 9 => "fenced",
        /// That cannot be done to this record: nothing changed.
        Refused = 10 => "refused",
    }
}

codes! {
    /// Why an event was refused.
    pub enum Problem {
        /// There is no such record.
        Absent = 0 => "absent",
        /// The record is there already.
        Exists = 1 => "exists",
        /// No attempt of it is in progress.
        NotInProgress = 2 => "not-in-progress",
        /// It is not in review.
        NotInReview = 3 => "not-in-review",
        /// It is not completed, or its retention is not over.
        NotOver = 4 => "not-over",
        /// The id is empty or too long, or the new one is the old one.
        Id = 5 => "id",
        /// The key is none that the vendor takes, or the new one is missing or the old one.
        Key = 6 => "key",
        /// Fingerprint or owner are too long.
        Text = 7 => "text",
        /// Who decides is missing or too long.
        By = 8 => "by",
        /// Why it is decided is missing or too long.
        Why = 9 => "why",
        /// The status call has nothing new to say.
        Lookup = 10 => "lookup",
    }
}

impl Problem {
    /// The problem as a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Absent => "there is no such record",
            Self::Exists => "the record is there already",
            Self::NotInProgress => "no attempt of this call is in progress",
            Self::NotInReview => "the call is not in review",
            Self::NotOver => "the record is not completed, or its retention is not over",
            Self::Id => "the id must be 1 to 255 bytes, and a new one unlike the old",
            Self::Key => "the key must be one that the vendor takes, and a new one unlike the old",
            Self::Text => "fingerprint and owner must be at most 1024 bytes",
            Self::By => "say who decides, in 1 to 128 bytes",
            Self::Why => "say why, in 1 to 1024 bytes",
            Self::Lookup => "the status call says nothing that would change the record",
        }
    }
}

/// The record after an event, and what to do about it.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// What it came to.
    pub reply: Reply,
    /// Whether the record changed: then write it back, or delete it where it is `None`.
    pub changed: bool,
    /// The record after the event; `None`: there is none.
    pub record: Option<Record>,
    /// [`Reply::Start`]: the attempt to send.
    pub attempt: Option<u32>,
    /// [`Reply::InProgress`]: when asking again makes sense, from now.
    pub retry_in: Option<Millis>,
    /// [`Reply::Start`], and after a renewal: when to renew the lease, from now, while the attempt
    /// lasts; `None`: never.
    pub renew_in: Option<Millis>,
    /// [`Reply::Refused`]: why.
    pub problem: Option<Problem>,
    /// What the trail gains, in order; written together with the record.
    pub entries: Vec<Entry>,
    /// The record that takes this one's place, to be inserted in the same transaction, and the
    /// start of its trail.
    pub created: Option<Box<(Record, Entry)>>,
}

impl Answer {
    /// Nothing changes.
    pub(super) fn unchanged(reply: Reply, record: Option<&Record>) -> Self {
        Self {
            reply,
            changed: false,
            record: record.cloned(),
            attempt: None,
            retry_in: None,
            renew_in: None,
            problem: None,
            entries: Vec::new(),
            created: None,
        }
    }

    /// Nothing changes, and why.
    pub(super) fn refused(problem: Problem, record: Option<&Record>) -> Self {
        Self { problem: Some(problem), ..Self::unchanged(Reply::Refused, record) }
    }

    /// Somebody else is at it, or nobody yet.
    pub(super) fn later(retry_in: Millis, record: &Record) -> Self {
        Self { retry_in: Some(retry_in), ..Self::unchanged(Reply::InProgress, Some(record)) }
    }

    /// The record changes, and the trail says how.
    pub(super) fn changed(reply: Reply, record: Record, entry: Entry) -> Self {
        Self {
            changed: true,
            entries: vec![entry],
            record: Some(record),
            ..Self::unchanged(reply, None)
        }
    }

    /// An attempt may be sent.
    pub(super) fn start(record: Record, renew_in: Option<Millis>, entries: Vec<Entry>) -> Self {
        Self {
            changed: true,
            attempt: Some(record.attempt),
            renew_in,
            entries,
            record: Some(record),
            ..Self::unchanged(Reply::Start, None)
        }
    }
}
