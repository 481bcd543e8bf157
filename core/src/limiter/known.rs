//! What a limiter knows of the server's allowance.

use crate::time::Instant;

#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    Nothing,
    Counted {
        /// The least that an answer of this bucket told.
        least: u64,
        /// Calls that have ended and told nothing: the least may be without them.
        unseen: u64,
        /// What an answer told, less every call that ended since its own was sent.
        sure: u64,
        reset: Reset,
        /// Calls on their way that it may have counted nevertheless.
        perhaps_counted: u64,
        blind: Blind,
    },
    /// A single call finds out.
    Scouting {
        scout: Option<Scout>,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Reset {
    Told(Instant),
    /// Not told: from then on trying makes sense.
    Guessed(Instant),
}

/// An answer takes time, so the server's reset is a little earlier than it looks from here: calls
/// that end in between may be the first of the next bucket, and what they tell be taken for news of
/// this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blind {
    /// The earliest time that the reset may have been.
    pub(super) from: Instant,
    /// Calls that ended since then.
    pub(super) calls: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Scout {
    /// The calls that had ended when it was sent, which tells it from others.
    pub(super) number: u64,
    pub(super) lease_ends: Instant,
}

impl Blind {
    /// The same when so many calls end at `now`.
    pub(super) fn after(self, ended: u64, now: Instant) -> Self {
        let counted = if now >= self.from { ended } else { 0 };
        Self { calls: self.calls.saturating_add(counted), ..self }
    }
}

impl Known {
    /// A bucket of which `least` are left, less `missed` calls of which nobody knows.
    pub(super) const fn bucket(least: u64, missed: u64, reset: Reset) -> Self {
        let (Reset::Told(end) | Reset::Guessed(end)) = reset;
        let blind = Blind { from: end, calls: 0 };
        Self::Counted { least, unseen: missed, sure: 0, reset, perhaps_counted: 0, blind }
    }
}
