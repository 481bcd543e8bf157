//! A breaker as plain data.

use super::{Breaker, BreakerState, Counts, Health, State};
use crate::{
    rng::Draw,
    snapshot::{BreakerMemory, SlotsState},
    time::{Instant, Millis},
};

impl Breaker {
    /// What it remembers at `now`. Half-open is saved as an open time that is over: its probes
    /// are out in a process that may be gone, so whoever loads it sends new ones.
    pub(crate) fn save(&self, now: Instant) -> BreakerMemory {
        let mut then = self.clone();
        let now = then.advance(now, Draw::MIN);
        let (opened, generation) = (then.opened, then.generation);
        let mut memory = BreakerMemory { opened, generation, ..BreakerMemory::default() };
        (memory.state, memory.remaining) = match &then.state {
            State::Closed => (BreakerState::Closed, Millis::ZERO),
            State::Open { until } => (BreakerState::Open, until.since(now)),
            State::HalfOpen(_) => (BreakerState::Open, Millis::ZERO),
            State::Isolated => (BreakerState::Isolated, Millis::ZERO),
        };
        match &then.health {
            Health::Consecutive(failures) => memory.failures = *failures,
            Health::Time(window) => {
                let pack = |counts: Counts| (counts.calls, counts.failures, counts.slow);
                memory.window = SlotsState::of(&window.save(now), pack);
            }
            Health::Count(ring) => memory.calls = ring.save(),
        }
        memory
    }

    /// Takes over what was saved `elapsed` ago. Samples of another kind of window are forgotten.
    pub(crate) fn load(&mut self, memory: &BreakerMemory, elapsed: Millis, now: Instant) {
        self.last_seen = now;
        self.opened = memory.opened;
        self.health = Health::new(&self.options);
        let _ = self.enter(match memory.state {
            BreakerState::Open | BreakerState::HalfOpen => {
                let remaining = memory.remaining.minus(elapsed).min(self.options.max_open);
                State::Open { until: now.after(remaining) }
            }
            BreakerState::Isolated => State::Isolated,
            BreakerState::Closed => State::Closed,
        });
        // The calls of the same process go on in the same generation.
        self.generation = memory.generation;
        match &mut self.health {
            Health::Consecutive(failures) => *failures = memory.failures,
            Health::Time(window) => {
                let saved = memory.window.to_window(|calls, failures, slow| Counts {
                    calls,
                    failures,
                    slow,
                });
                window.load(&saved, elapsed, now);
            }
            Health::Count(ring) => ring.load(&memory.calls),
        }
    }
}
