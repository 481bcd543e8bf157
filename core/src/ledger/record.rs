//! One call as the store keeps it.

use alloc::boxed::Box;

use super::Cause;
use crate::{idempotency::Key, review::Resolution, time::UnixMillis};

/// The longest id of a record, in bytes.
pub const MAX_ID_BYTES: usize = 255;
/// The longest owner or fingerprint, in bytes.
pub const MAX_TEXT_BYTES: usize = 1024;

/// One call: plain data that a host keeps and hands back. Only [`Ledger::apply`](super::Ledger)
/// changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// Grows by one with every change, from 1: what a compare-and-set compares.
    pub revision: u32,
    /// What the call is known by, 1 to [`MAX_ID_BYTES`] bytes.
    pub id: Box<str>,
    /// The idempotency key that goes to the server, if the call has one.
    pub key: Option<Key>,
    /// What tells this payload from another.
    pub fingerprint: Box<str>,
    /// Where it stands.
    pub state: State,
    /// The attempt that was started last, from 1; 0 when none was. It never falls, so that it
    /// fences the workers of earlier ones.
    pub attempt: u32,
    /// The status of the last answer.
    pub status: Option<u16>,
    /// An attempt may have been processed without our seeing the answer, and sending twice is not
    /// harmless.
    pub maybe_processed: bool,
    /// It was kept before its first attempt: submitted, or made to take another's place. Such a
    /// record is never dropped by a release.
    pub queued: bool,
    /// When it was made.
    pub created: UnixMillis,
    /// When it changed last.
    pub updated: UnixMillis,
    /// When its key was first sent: the start of the key's window, and what a First-Sent header
    /// says on every attempt.
    pub first_sent: Option<UnixMillis>,
    /// The id of the abandoned record whose place it takes.
    pub replaces: Option<Box<str>>,
    /// The id of the record that takes its place.
    pub replaced_by: Option<Box<str>>,
    /// What a person decided about it, last.
    pub resolution: Option<Resolution>,
}

/// Where a record stands. No record at all is "absent".
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// An attempt is on its way.
    InProgress {
        /// Who sends it.
        owner: Box<str>,
        /// When the owner counts as gone.
        lease_until: UnixMillis,
    },
    /// No attempt is on its way; the next may start when it is due.
    Waiting {
        /// When that is.
        due: UnixMillis,
    },
    /// It was done, once.
    Completed,
    /// A person has to decide.
    Review {
        /// Why.
        cause: Cause,
    },
    /// Nothing more will be sent for it.
    Abandoned,
}

impl State {
    /// The names, in the order of the table.
    pub const NAMES: &'static [&'static str] =
        &["in-progress", "waiting", "completed", "review", "abandoned"];

    /// The name that stands in documents.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::InProgress { .. } => "in-progress",
            Self::Waiting { .. } => "waiting",
            Self::Completed => "completed",
            Self::Review { .. } => "review",
            Self::Abandoned => "abandoned",
        }
    }
}

impl Record {
    /// Why it is in review, if it is.
    pub const fn cause(&self) -> Option<Cause> {
        match self.state {
            State::Review { cause } => Some(cause),
            _ => None,
        }
    }

    /// When it can be taken up again without anybody's help: the end of a lease or of a wait.
    pub const fn due(&self) -> Option<UnixMillis> {
        match self.state {
            State::InProgress { lease_until, .. } => Some(lease_until),
            State::Waiting { due } => Some(due),
            _ => None,
        }
    }
}
