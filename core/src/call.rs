//! One logical request and its attempts: what the decision remembers between them.

use alloc::string::String;

use crate::{
    backoff::BackoffState,
    budget::Hold,
    idempotency::Key,
    limiter::Ticket,
    policy::Policy,
    time::{Instant, Millis, UnixMillis},
    upstream::Leave,
    verdict::Verdict,
};

/// The attempts of one operation, begun by [`Upstream::begin`](crate::Upstream::begin).
///
/// Plain data: it reads no clock and holds no lock. A call is over once a verdict other than
/// `retry` was given, or after `cancel` or `end`.
#[derive(Debug)]
pub struct Call {
    pub(crate) idempotent: bool,
    pub(crate) replayable: bool,
    pub(crate) nested: bool,
    pub(crate) priority: i32,
    pub(crate) key: Option<Key>,
    /// When the server may forget the key.
    pub(crate) key_ends: KeyEnd,
    pub(crate) deadline: Option<Instant>,
    pub(crate) attempt_timeout: Option<Millis>,
    /// The attempt that is on its way, or will be sent after the wait; from 1.
    pub(crate) attempt: u32,
    /// Steps of the curve so far: all failures, except that a gRPC pushback starts it again.
    pub(crate) exponent: u32,
    pub(crate) backoff: BackoffState,
    /// Leave for the attempt on its way.
    pub(crate) leave: Leave,
    /// By what it is known to the limiter between attempts.
    pub(crate) ticket: Ticket,
    /// What the call holds of the budget.
    pub(crate) hold: Hold,
    pub(crate) sent_at: Instant,
    pub(crate) stage: Stage,
    /// The last verdict, given again to a settle that comes twice.
    pub(crate) last: Option<Verdict>,
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// An attempt is on its way.
    Sending,
    /// The wait before the next attempt runs.
    Waiting,
    /// A terminal verdict was given, or the call was cancelled or ended.
    Over,
}

/// The end of the key's window: on the wall clock where the host gave it, else measured from the
/// start of the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyEnd {
    pub(crate) wall: Option<UnixMillis>,
    pub(crate) monotonic: Instant,
}

impl KeyEnd {
    /// Whether the server has forgotten the key `later` from now. "Over" means now ≥ end.
    pub(crate) fn is_over(self, now: Instant, wall: Option<UnixMillis>, later: Millis) -> bool {
        match (self.wall, wall) {
            (Some(end), Some(wall)) => wall.after(later) >= end,
            _ => now.after(later) >= self.monotonic,
        }
    }
}

impl Call {
    /// The number of the attempt that is on its way, or to be sent after the wait; from 1.
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The idempotency key, the same on every attempt.
    pub fn key(&self) -> Option<&str> {
        self.key.as_ref().map(Key::as_str)
    }

    /// The key header to send with every attempt: its name and value in the policy's format.
    pub fn key_header<'p>(&self, policy: &'p Policy) -> Option<(&'p str, String)> {
        let key = self.key.as_ref()?;
        let options = policy.idempotency();
        Some((&options.header, key.header_value(options.format)))
    }

    /// How long the next attempt may take: the attempt timeout or what is left of the deadline,
    /// whichever is shorter. `None`: the client's own timeout stands.
    pub fn timeout(&self, now: Instant) -> Option<Millis> {
        let left = self.deadline.map(|deadline| deadline.since(now));
        match (self.attempt_timeout, left) {
            (Some(timeout), Some(left)) => Some(timeout.min(left)),
            (timeout, left) => timeout.or(left),
        }
    }

    /// Whether a terminal verdict was given, or the call was cancelled or ended.
    pub fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    /// Whether the wait before the next attempt runs.
    pub fn is_waiting(&self) -> bool {
        self.stage == Stage::Waiting
    }

    /// Where it stands among the calls that wait for the rate limit; higher goes first.
    pub const fn priority(&self) -> i32 {
        self.priority
    }

    /// When the attempt that is on its way was sent.
    pub const fn sent_at(&self) -> Instant {
        self.sent_at
    }
}
