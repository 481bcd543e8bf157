//! Learns the server's rate limit from its answers and tells each call when it may start, so that
//! calls are held back here and not refused there.
//!
//! | what is known | a call passes | until |
//! |---|---|---|
//! | nothing | always | an answer tells something |
//! | counted | while something is left | the reset: then the learned limit is the new allowance, once |
//! | exhausted, limit unknown | one scout after the reset, when no older call is on its way | it is answered |
//! | refused (429, or 503 with a wait) | never | the wait is over |
//!
//! What is left is never guessed too high: it is what the server told, less every call that it
//! cannot be known to have counted. Calls that wait keep their place by the rule of [`Queue`]:
//! priority, time, ageing; what there is goes to them in that order.
//!
//! [`Queue`]: crate::Queue

mod known;
mod learn;
mod news;
mod saved;
mod waiting;

pub use news::News;
pub use waiting::Ticket;

use crate::{
    policy::LimiterOptions,
    time::{Instant, Millis},
    window::Window,
};
use known::{Blind, Known, Reset, Scout};
use waiting::Waiting;

/// How long a call is told to wait where nothing tells how long it will take: for a scout's
/// answer, for calls that may have been counted, for those ahead to come.
const SOON: Millis = Millis::new(100);
/// When an exhausted bucket is tried again that names no reset, and a refusal that names no wait.
const GUESS: Millis = Millis::new(1_000);
/// After this a scout without an answer is taken for lost; as long as a breaker's probe.
const SCOUT_LEASE: Millis = Millis::new(30_000);
/// A wait for more than a day is rather a wrong unit than a limit: then a scout tries.
const LONGEST_BLOCK: Millis = Millis::new(86_400_000);
/// A call on its way for longer was dropped by its host: it holds nothing back any more.
const FORGOTTEN: Millis = Millis::new(600_000);

/// The rate limiter of one upstream.
#[derive(Clone, Debug)]
pub struct Limiter {
    options: LimiterOptions,
    known: Known,
    /// Calls that a full bucket allows, once told.
    limit: Option<u64>,
    /// The longest time to a reset that was told: how long a bucket lasts.
    span: Option<Millis>,
    /// No call passes before.
    blocked_until: Option<Instant>,
    /// The current allowance began here; answers to calls sent before tell of the last one.
    began: Instant,
    /// Calls on their way, by the time they were sent.
    in_flight: Window<u32>,
    /// Calls that have ended.
    settled: u64,
    /// Those among them that told nothing, or perhaps of the next allowance.
    untold: u64,
    waiting: Waiting,
    /// Names calls that wait between their attempts.
    tickets: u64,
    last_seen: Instant,
}

/// Leave for one attempt. Spent by [`Limiter::observe`] or [`Limiter::release`], once.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub struct Pass {
    /// The slot of the window of calls on their way.
    slot: u64,
    sent_at: Instant,
    /// Calls that had ended before it was sent: those, the server has counted.
    settled_before: u64,
    /// Those among them that told nothing.
    untold_before: u64,
    /// Calls that were on their way when it was sent.
    in_flight_before: u64,
    scout: bool,
}

/// Not now.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// When to ask again, from now; more than zero.
    pub retry_in: Millis,
    /// The wait would last longer than `maxWaitMs`, counted from the first time the call asked:
    /// it has no place among the waiting any more.
    pub too_long: bool,
}

/// What a limiter knows at a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimiterView {
    /// Calls that a full bucket allows, once told.
    pub limit: Option<u64>,
    /// How many calls of priority 0 would pass now; `None` when nothing limits them.
    pub available: Option<u64>,
    /// When there will be more; `None` where it is not known.
    pub reset_in: Option<Millis>,
    /// Calls on their way.
    pub in_flight: u64,
    /// Calls that wait.
    pub waiting: usize,
}

impl Limiter {
    /// A limiter that knows nothing yet and lets every call pass.
    pub fn new(options: LimiterOptions) -> Self {
        Self {
            options,
            known: Known::Nothing,
            limit: None,
            span: None,
            blocked_until: None,
            began: Instant::ORIGIN,
            in_flight: Window::new(FORGOTTEN),
            settled: 0,
            untold: 0,
            waiting: Waiting::new(),
            tickets: 0,
            last_seen: Instant::ORIGIN,
        }
    }

    /// Asks to send one attempt now. A higher `priority` goes first; one step is worth `agingMs`.
    ///
    /// # Errors
    /// [`Wait`]: ask again then. Until it does, and a second longer, the call keeps its place,
    /// unless `queue` calls wait already.
    pub fn acquire(&mut self, ticket: Ticket, priority: i32, now: Instant) -> Result<Pass, Wait> {
        self.acquire_due(ticket, priority, now, now)
    }

    /// The same for a call that is older than its asking: its place is the one of `due`.
    ///
    /// # Errors
    /// As [`Limiter::acquire`].
    pub fn acquire_due(
        &mut self,
        ticket: Ticket,
        priority: i32,
        due: Instant,
        now: Instant,
    ) -> Result<Pass, Wait> {
        let now = self.advance(now);
        let waiter = self.waiting.find(ticket, priority, due, self.options.aging, now);
        match self.room(priority, waiter.ahead, waiter.ahead_due, now) {
            Ok(scout) => {
                self.waiting.remove(&waiter);
                Ok(self.send(scout, now))
            }
            Err(retry_in) => {
                let waited = now.after(retry_in).since(waiter.since);
                let too_long = self.options.max_wait.is_some_and(|longest| waited > longest);
                if too_long {
                    self.waiting.remove(&waiter);
                } else {
                    let bound = self.options.queue as usize;
                    self.waiting.keep(ticket, &waiter, now.after(retry_in), bound);
                }
                Err(Wait { retry_in, too_long })
            }
        }
    }

    /// Learns from how an attempt ended. `None` for the pass: an answer to nobody's call, from
    /// which only the numbers are taken.
    #[allow(clippy::needless_pass_by_value)] // a pass is spent
    pub fn observe(&mut self, pass: Option<Pass>, news: News, now: Instant) {
        let now = self.advance(now);
        if let Some(pass) = &pass {
            if let Some(count) = self.in_flight.at(pass.slot) {
                *count = count.saturating_sub(1);
            }
            self.settled = self.settled.saturating_add(1);
        }
        let is_late = pass.as_ref().is_some_and(|pass| self.is_late(pass, news));
        match news.quota.filter(|_| !is_late) {
            Some(quota) => self.learn(pass.as_ref(), quota, now),
            None => self.count_unseen(pass.as_ref(), news, now),
        }
        if let Some(wait) = news.wait {
            let until = now.after(wait.unwrap_or(GUESS).min(LONGEST_BLOCK));
            self.blocked_until = self.blocked_until.max(Some(until));
            self.refused(news.quota.is_some() && !is_late, until);
        }
    }

    /// The attempt ended and nobody knows how: the server may have counted it.
    pub fn release(&mut self, pass: Pass, now: Instant) {
        self.observe(Some(pass), News::default(), now);
    }

    /// The attempt is not sent after all.
    #[allow(clippy::needless_pass_by_value)] // a pass is spent
    pub fn give_back(&mut self, pass: Pass, now: Instant) {
        self.advance(now);
        if let Some(count) = self.in_flight.at(pass.slot) {
            *count = count.saturating_sub(1);
        }
        if let Known::Scouting { scout } = &mut self.known
            && pass.scout
        {
            *scout = None;
        }
    }

    /// A ticket that no other call has.
    pub(crate) fn new_ticket(&mut self) -> Ticket {
        self.tickets = self.tickets.wrapping_add(1);
        Ticket::Call(self.tickets)
    }

    /// When a waiting call of this ticket asked for the first time; never known of nobody.
    pub fn asked_since(&self, ticket: Ticket) -> Option<Instant> {
        self.waiting.since(ticket)
    }

    /// The call gave up waiting: its place is free.
    pub fn forget(&mut self, ticket: Ticket) {
        self.waiting.forget(ticket);
    }

    /// What it knows at `now`. Pure: looking changes nothing.
    pub fn view(&self, now: Instant) -> LimiterView {
        let mut then = Self { waiting: Waiting::new(), ..self.clone() };
        let now = then.advance(now);
        let (mut available, reset_at) = match then.known {
            Known::Nothing => (None, None),
            Known::Counted { reset, .. } => {
                let free = then.left(0).saturating_sub(then.in_flight());
                (Some(free), if let Reset::Told(at) = reset { Some(at) } else { None })
            }
            Known::Scouting { scout } => {
                (Some(u64::from(scout.is_none() && then.may_scout(now))), None)
            }
        };
        if then.blocked_until.is_some() {
            available = Some(0);
        }
        LimiterView {
            limit: then.limit,
            available,
            reset_in: reset_at.max(then.blocked_until).map(|at| at.since(now)),
            in_flight: then.in_flight(),
            waiting: self.waiting.len(now),
        }
    }

    /// The options it runs under.
    pub const fn options(&self) -> &LimiterOptions {
        &self.options
    }

    /// Continues under other options: what was learned stays.
    pub fn reconfigure(&mut self, options: LimiterOptions) {
        self.options = options;
    }

    /// Whether a call passes with so many others ahead of it (`due`: those that were told to come
    /// by now); if so, whether it is a scout; if not, the wait.
    fn room(&self, priority: i32, ahead: u64, due: u64, now: Instant) -> Result<bool, Millis> {
        if let Some(until) = self.blocked_until {
            return Err(until.since(now));
        }
        match self.known {
            Known::Nothing => Ok(false),
            Known::Scouting { scout: None } if due == 0 && self.may_scout(now) => Ok(true),
            Known::Scouting { .. } => Err(SOON),
            Known::Counted { reset, perhaps_counted, .. } => {
                let (left, in_flight) = (self.left(priority), self.in_flight());
                if left > in_flight.saturating_add(ahead) {
                    return Ok(false);
                }
                let certain = in_flight.saturating_sub(perhaps_counted);
                let may_come_sooner =
                    left > certain.saturating_add(ahead) || (due > 0 && left > in_flight);
                match reset {
                    // Nobody said when there is more, and nothing is on its way that could.
                    Reset::Guessed(at) if now >= at && left == 0 && in_flight == 0 && due == 0 => {
                        Ok(false)
                    }
                    Reset::Guessed(_) if may_come_sooner => Err(SOON),
                    Reset::Guessed(at) => Err(at.since(now).max(SOON)),
                    Reset::Told(at) if may_come_sooner => Err(at.since(now).min(SOON)),
                    Reset::Told(at) => Err(at.since(now)),
                }
            }
        }
    }

    /// Whether no call of the last allowance is on its way any more: it may take the first of the
    /// new one, or tell what is left of it. One that stays away longer than a scout may is not
    /// waited for.
    fn may_scout(&self, now: Instant) -> bool {
        self.in_flight() == 0 || now >= self.began.after(SCOUT_LEASE)
    }

    fn send(&mut self, scout: bool, now: Instant) -> Pass {
        let in_flight_before = self.in_flight();
        let slot = self.in_flight.advance(now);
        if let Some(count) = self.in_flight.at(slot) {
            *count = count.saturating_add(1);
        }
        let number = self.settled;
        if scout {
            let lease_ends = now.after(SCOUT_LEASE);
            self.known = Known::Scouting { scout: Some(Scout { number, lease_ends }) };
        }
        Pass {
            slot,
            sent_at: now,
            settled_before: number,
            untold_before: self.untold,
            in_flight_before,
            scout,
        }
    }

    /// Lets time pass: the end of a block, a reset, a scout that does not come back.
    fn advance(&mut self, now: Instant) -> Instant {
        self.last_seen = self.last_seen.max(now);
        let now = self.last_seen;
        self.in_flight.advance(now);
        self.blocked_until = self.blocked_until.filter(|until| now < *until);
        match &mut self.known {
            Known::Counted { reset: Reset::Told(at), blind, .. } if now >= *at => {
                let missed = blind.calls;
                self.began = now;
                self.known = match self.limit {
                    Some(limit) => {
                        // How long it lasts, nobody has told yet; the last one may have been seen
                        // shortly before its end.
                        let span = self.span.filter(|span| *span > Millis::ZERO).unwrap_or(GUESS);
                        Known::bucket(limit, missed, Reset::Guessed(now.after(span)))
                    }
                    None => Known::Scouting { scout: None },
                };
            }
            Known::Scouting { scout } => {
                *scout = scout.filter(|scout| now < scout.lease_ends);
            }
            Known::Nothing | Known::Counted { .. } => {}
        }
        now
    }

    fn in_flight(&self) -> u64 {
        self.in_flight.values().map(u64::from).sum()
    }

    /// What is left for calls of this priority, those on their way among them.
    fn left(&self, priority: i32) -> u64 {
        match self.known {
            Known::Counted { least, unseen, sure, .. } => {
                least.saturating_sub(unseen).max(sure).saturating_sub(self.reserve(priority))
            }
            Known::Nothing | Known::Scouting { .. } => u64::MAX,
        }
    }

    /// What calls of this priority leave for others; never the whole of a bucket.
    fn reserve(&self, priority: i32) -> u64 {
        if priority > 0 {
            return 0;
        }
        let reserve = u64::from(self.options.reserve);
        self.limit.map_or(reserve, |limit| reserve.min(limit.saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests;
