//! One logical request and its attempts: what the decision remembers between them.

use alloc::string::String;

use crate::{
    backoff::BackoffState,
    budget::Hold,
    date::ImfFixdate,
    idempotency::Key,
    limiter::Ticket,
    policy::Policy,
    time::{Instant, Millis, UnixMillis},
    upstream::Leave,
    verdict::{Reason, Verdict},
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
    /// When the key was first sent, by the wall clock.
    pub(crate) first_sent: Option<UnixMillis>,
    /// When the server may forget the key.
    pub(crate) key_ends: KeyEnd,
    /// From when on the retry that is waited for would be unsafe: the end of the key's window, where
    /// only the key makes it safe.
    pub(crate) unsafe_from: Option<Instant>,
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
    /// The end of a window of this length, for a key that was first sent at `first_sent`.
    pub(crate) fn new(
        window: Millis,
        first_sent: Option<UnixMillis>,
        now: Instant,
        wall: Option<UnixMillis>,
    ) -> Self {
        let end = first_sent.map(|first| first.after(window));
        let left = match (end, wall) {
            // A first sending in the future is another machine's clock: no window grows by it.
            (Some(end), Some(wall)) => end.since(wall).min(window),
            _ => window,
        };
        let wall = match (end, wall) {
            (Some(end), Some(wall)) => Some(end.min(wall.after(window))),
            (end, _) => end,
        };
        Self { wall, monotonic: now.after(left) }
    }

    /// The end as a time of the monotonic clock, which alone is read when a wait ends.
    pub(crate) fn moment(self, now: Instant, wall: Option<UnixMillis>) -> Instant {
        match (self.wall, wall) {
            (Some(end), Some(wall)) => now.after(end.since(wall)),
            _ => self.monotonic,
        }
    }

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

    /// The header that says when the key was first sent, where the policy has one (OASIS Repeatable
    /// Requests 1.0): its name and a date that is the same on every attempt. It goes with the key
    /// header, never alone.
    pub fn first_sent_header<'p>(&self, policy: &'p Policy) -> Option<(&'p str, String)> {
        let name = policy.idempotency().first_sent_header.as_deref()?;
        let (Some(at), true) = (self.first_sent, self.key.is_some()) else { return None };
        Some((name, ImfFixdate(at).text()))
    }

    /// The field of the request body that carries the key, where the vendor takes it there instead
    /// of in a header: its name and the bare key. The host writes it into every attempt's body.
    pub fn key_field(&self, policy: &Policy) -> Option<(&'static str, &str)> {
        let name = policy.profile().map(|profile| profile.key_field)?;
        if name.is_empty() { None } else { self.key().map(|key| (name, key)) }
    }

    /// When the key was first sent, by the wall clock, to be kept for a later process
    /// ([`Request::first_sent`](crate::Request)).
    pub const fn first_sent(&self) -> Option<UnixMillis> {
        self.first_sent
    }

    /// Why a retry comes too late, if the host woke up late: nobody waits for the answer any more,
    /// or the server may have forgotten the key that makes it safe.
    pub(crate) fn late(&self, now: Instant) -> Option<Reason> {
        let over = |end: Option<Instant>| end.is_some_and(|end| now >= end);
        if over(self.deadline) {
            return Some(Reason::Deadline);
        }
        over(self.unsafe_from).then_some(Reason::KeyExpired)
    }

    /// From when on no further attempt is sent, if ever.
    pub(crate) fn latest(&self) -> Option<Instant> {
        self.deadline.into_iter().chain(self.unsafe_from).min()
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

    /// Whether a failure of the attempt on its way could be followed by another attempt at all. A
    /// host that keeps the body for that asks first; whether one follows is decided by
    /// [`settle`](crate::Upstream::settle).
    pub const fn may_retry(&self, policy: &Policy) -> bool {
        self.replayable && !self.nested && self.attempt <= policy.max_retries()
    }

    /// The body cannot be sent again from here on: the host could not keep it. A failure then stops
    /// with `body-consumed`, where it is not stopped before.
    pub const fn give_up_body(&mut self) {
        self.replayable = false;
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

#[cfg(test)]
mod tests;
