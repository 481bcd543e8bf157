//! Leaves a failing upstream alone, tries it again with a few probes, and comes back.
//!
//! | state | admit | sample of this generation | time |
//! |---|---|---|---|
//! | closed | yes | counted; opens at the threshold | old samples leave the window |
//! | open | no, until `until` | none can come: opening began a generation | at `until` → half-open |
//! | half-open | while a probe is free | closes at `successes`; opens when they cannot be reached | a lease that ends unanswered is a failed probe |
//! | isolated | no | none can come | – |
//!
//! Every change of state begins a generation. A sample of an earlier generation is late: it says
//! nothing about now, so it moves nothing. Time is monotonic; a step back is clamped.

mod health;
mod probes;
mod saved;

use alloc::sync::Arc;

use crate::{
    backoff::doubled,
    codes::codes,
    jitter::share,
    policy::{BreakerOptions, LeaseExpiry},
    rng::Draw,
    time::{Instant, Millis},
};
use health::{Booked, Counts, Health};
use probes::Probes;

codes! {
    /// Where a breaker stands.
    #[derive(Default)]
    pub enum BreakerState {
        /// Calls pass.
        #[default]
        Closed = 0 => "closed",
        /// Calls are refused until a time.
        Open = 1 => "open",
        /// A few probes pass.
        HalfOpen = 2 => "half-open",
        /// Held open by hand.
        Isolated = 3 => "isolated",
    }
}

codes! {
    /// How one attempt counts.
    pub enum Sample {
        /// The upstream answered as it should.
        Success = 0 => "success",
        /// The upstream failed.
        Failure = 1 => "failure",
        /// Says nothing about the upstream; a probe's place is free again.
        Ignored = 2 => "ignored",
        /// The caller gave up; a probe's place is free again.
        Cancelled = 3 => "cancelled",
    }
}

/// Leave for one attempt. Spent by [`Breaker::record`], once.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub struct Permit {
    generation: u32,
    /// The slot of the window that the attempt was admitted in; a probe is in none.
    slot: u64,
    probe: Option<u32>,
}

impl Permit {
    /// Whether it is one of the probes of a half-open breaker.
    pub const fn is_probe(&self) -> bool {
        self.probe.is_some()
    }
}

/// A change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // from, to
pub struct Transition {
    /// The state that was left.
    pub from: BreakerState,
    /// The state that was entered.
    pub to: BreakerState,
}

/// What a sample did.
#[must_use]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// The change of state that it caused.
    pub transition: Option<Transition>,
    /// It came too late to count: its generation is over, or its lease was booked already.
    pub stale: bool,
}

/// What a breaker looks like at a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BreakerView {
    /// The state at that time.
    pub state: BreakerState,
    /// How long until a call may be admitted; zero when one may be now, `None` when only a person
    /// can change it.
    pub retry_in: Option<Millis>,
    /// Counts changes of state.
    pub generation: u32,
}

/// The circuit breaker of one upstream.
#[derive(Clone, Debug)]
pub struct Breaker {
    options: Arc<BreakerOptions>,
    state: State,
    generation: u32,
    /// How often in a row it has opened without closing between; the exponent of the open time.
    opened: u32,
    health: Health,
    last_seen: Instant,
}

#[derive(Clone, Debug)]
enum State {
    Closed,
    Open { until: Instant },
    HalfOpen(Probes),
    Isolated,
}

impl Breaker {
    /// A closed breaker.
    pub fn new(options: impl Into<Arc<BreakerOptions>>) -> Self {
        let options = options.into();
        let health = Health::new(&options);
        Self {
            options,
            state: State::Closed,
            generation: 0,
            opened: 0,
            health,
            last_seen: Instant::ORIGIN,
        }
    }

    /// Asks to send one attempt now.
    ///
    /// # Errors
    /// Refused: how long until asking again makes sense, `None` when only a person can change it.
    #[inline]
    pub fn admit(&mut self, now: Instant, draw: Draw) -> Result<Permit, Option<Millis>> {
        let now = self.advance(now, draw);
        let generation = self.generation;
        match &mut self.state {
            State::Closed => Ok(Permit { generation, slot: self.health.slot(now), probe: None }),
            State::HalfOpen(probes) => {
                let lease = now.after(self.options.probe_timeout);
                match probes.take(self.options.probes, lease) {
                    Some(probe) => Ok(Permit { generation, slot: 0, probe: Some(probe) }),
                    None => {
                        Err(Some(probes.first_end().map_or(Millis::ZERO, |end| end.since(now))))
                    }
                }
            }
            State::Open { until } => Err(Some(until.since(now))),
            State::Isolated => Err(None),
        }
    }

    /// Records how a permitted attempt ended. `duration` is how long it took; `hint`, the wait the
    /// server asked for, may lengthen the time it stays open, up to `maxOpenMs`.
    #[allow(clippy::needless_pass_by_value)] // a permit is spent
    #[inline]
    pub fn record(
        &mut self,
        permit: Permit,
        sample: Sample,
        duration: Millis,
        hint: Option<Millis>,
        now: Instant,
        draw: Draw,
    ) -> Recorded {
        // Open becomes half-open when somebody asks for a permit, not here: a settle makes no room
        // for probes.
        let now = self.pass(now, draw);
        if permit.generation != self.generation {
            // Late: admitted before a change of state. In open it brings no second opening and no
            // longer wait; in half-open it is no probe; in closed it is another age's news.
            return Recorded { transition: None, stale: true };
        }
        let slow = self.options.slow_call.is_some_and(|limit| duration > limit);
        match (&self.state, permit.probe) {
            (State::Closed, _) => {
                let failed = match sample {
                    Sample::Success => false,
                    Sample::Failure => true,
                    Sample::Ignored | Sample::Cancelled => return Recorded::default(),
                };
                let call = Counts::one(failed, slow);
                match self.health.book(permit.slot, call, now, &self.options) {
                    // Admitted in a slot that has been forgotten: too old to count.
                    Booked::TooOld => Recorded { transition: None, stale: true },
                    Booked::Fine => Recorded::default(),
                    Booked::Bad => {
                        Recorded { transition: Some(self.open(now, hint, draw)), stale: false }
                    }
                }
            }
            (State::HalfOpen(_), Some(probe)) => {
                self.record_probe(probe, sample, slow, hint, now, draw)
            }
            // A permit of this generation cannot meet another state: every change begins one.
            _ => Recorded { transition: None, stale: true },
        }
    }

    /// Holds it open until [`Breaker::reset`].
    pub fn isolate(&mut self) -> Transition {
        self.enter(State::Isolated)
    }

    /// Closes it by hand: the past is forgotten.
    pub fn reset(&mut self) -> Transition {
        self.opened = 0;
        self.health.clear();
        self.enter(State::Closed)
    }

    /// What it looks like at `now`. Pure: looking changes nothing.
    pub fn view(&self, now: Instant) -> BreakerView {
        let mut then = self.clone();
        let now = then.advance(now, Draw::MIN);
        let (state, retry_in) = match &then.state {
            State::Closed => (BreakerState::Closed, Some(Millis::ZERO)),
            State::Open { until } => (BreakerState::Open, Some(until.since(now))),
            State::HalfOpen(probes) => {
                let free = probes.has_free(then.options.probes);
                let end = probes.first_end().filter(|_| !free);
                let wait = end.map_or(Millis::ZERO, |end| end.since(now));
                (BreakerState::HalfOpen, Some(wait))
            }
            State::Isolated => (BreakerState::Isolated, None),
        };
        BreakerView { state, retry_in, generation: then.generation }
    }

    /// Whether a call would find it open, or isolated, `later` from `now`; asked before a wait.
    pub fn is_open_at(&self, at: Instant) -> bool {
        match &self.state {
            State::Open { until } => at < *until,
            State::Isolated => true,
            State::Closed | State::HalfOpen(_) => false,
        }
    }

    /// The options it runs under.
    pub fn options(&self) -> &BreakerOptions {
        &self.options
    }

    /// Continues under other options: state and generation stay, the samples of another kind of
    /// window are forgotten.
    pub fn reconfigure(&mut self, options: impl Into<Arc<BreakerOptions>>) {
        let options = options.into();
        if !self.health.fits(&options) {
            self.health = Health::new(&options);
        }
        self.options = options;
    }

    /// Lets time pass: open → half-open at its end, leases that end unanswered.
    #[inline]
    fn advance(&mut self, now: Instant, draw: Draw) -> Instant {
        // Each round either changes the state or books leases, and both run out: an opening at a
        // lease's end lasts openMs, and only an admit makes new leases.
        loop {
            let now = self.pass(now, draw);
            match self.state {
                State::Open { until } if now >= until => {
                    let probes = Probes::new(self.options.probes);
                    let _ = self.enter(State::HalfOpen(probes));
                }
                _ => return now,
            }
        }
    }

    /// Lets time pass, but for the end of an open time.
    #[inline]
    fn pass(&mut self, now: Instant, draw: Draw) -> Instant {
        // A clock that steps back would keep a breaker open for longer than it should.
        self.last_seen = self.last_seen.max(now);
        let now = self.last_seen;
        if matches!(self.state, State::HalfOpen(_)) {
            self.expire(now, draw);
        }
        now
    }

    /// Half-open: books the leases that have ended unanswered. Apart, since nearly every call finds
    /// it closed.
    #[cold]
    fn expire(&mut self, now: Instant, draw: Draw) {
        while let State::HalfOpen(probes) = &mut self.state {
            let Some(end) = probes.expire(now) else { break };
            if self.options.on_lease_expiry == LeaseExpiry::Fail {
                probes.failures += 1;
                // Booked at the lease's end, not when somebody came to look.
                let _ = self.judge(end, None, draw);
            }
        }
    }

    /// Half-open: counts what came back of a probe, and judges.
    #[cold]
    fn record_probe(
        &mut self,
        probe: u32,
        sample: Sample,
        slow: bool,
        hint: Option<Millis>,
        now: Instant,
        draw: Draw,
    ) -> Recorded {
        let State::HalfOpen(probes) = &mut self.state else { return Recorded::default() };
        if !probes.give_back(probe) {
            // Its lease ended before: booked then, as a failure or as a free place.
            return Recorded { transition: None, stale: true };
        }
        match sample {
            // A slow answer is not yet a healthy one.
            Sample::Success if !slow => probes.successes += 1,
            Sample::Success | Sample::Failure => probes.failures += 1,
            Sample::Ignored | Sample::Cancelled => {}
        }
        Recorded { transition: self.judge(now, hint, draw), stale: false }
    }

    /// Half-open: closes at enough successes, opens as soon as they cannot be reached.
    fn judge(&mut self, now: Instant, hint: Option<Millis>, draw: Draw) -> Option<Transition> {
        let State::HalfOpen(probes) = &self.state else { return None };
        let needed = self.options.successes.min(self.options.probes);
        if probes.successes >= needed {
            self.opened = 0;
            self.health.clear();
            return Some(self.enter(State::Closed));
        }
        let reachable = self.options.probes.saturating_sub(probes.failures);
        (reachable < needed).then(|| self.open(now, hint, draw))
    }

    /// Opens for `openMs` doubled once for each half-open that failed in a row, lengthened by the
    /// jitter and by the server's hint, up to `maxOpenMs`.
    #[cold]
    fn open(&mut self, now: Instant, hint: Option<Millis>, draw: Draw) -> Transition {
        let doubled = doubled(self.options.open.get(), self.opened.min(63));
        let spread = draw.between(0, share(doubled, self.options.open_jitter));
        let span = Millis::new(doubled.saturating_add(spread));
        let span = span.max(hint.unwrap_or(Millis::ZERO)).min(self.options.max_open);
        self.opened = self.opened.saturating_add(1);
        self.enter(State::Open { until: now.after(span) })
    }

    /// The only place that assigns `state`.
    fn enter(&mut self, next: State) -> Transition {
        let from = self.state.name();
        self.state = next;
        self.generation = self.generation.wrapping_add(1);
        Transition { from, to: self.state.name() }
    }
}

impl State {
    const fn name(&self) -> BreakerState {
        match self {
            Self::Closed => BreakerState::Closed,
            Self::Open { .. } => BreakerState::Open,
            Self::HalfOpen(_) => BreakerState::HalfOpen,
            Self::Isolated => BreakerState::Isolated,
        }
    }
}

#[cfg(test)]
mod tests;
