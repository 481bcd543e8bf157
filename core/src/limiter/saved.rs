//! A limiter as plain data.

use super::{Blind, Known, Limiter, Reset};
use crate::{
    snapshot::LimiterState,
    time::{Instant, Millis},
};

impl Limiter {
    /// What it has learned at `now`. Calls on their way are taken off what is left, since nobody
    /// will say how they ended; who waits has to ask again; a scout is sent anew.
    pub(crate) fn save(&self, now: Instant) -> LimiterState {
        let mut then = self.clone();
        let now = then.advance(now);
        let mut state = LimiterState {
            limit: then.limit.map(Millis::new),
            span: then.span,
            blocked: then.blocked_until.map(|until| until.since(now)),
            ..LimiterState::default()
        };
        match then.known {
            Known::Nothing => {}
            Known::Scouting { .. } => state.scouting = true,
            Known::Counted { least, unseen, sure, reset, .. } => {
                let in_flight = then.in_flight();
                state.least = Some(Millis::new(least.saturating_sub(in_flight)));
                state.sure = Millis::new(sure.saturating_sub(in_flight));
                state.unseen = Millis::new(unseen);
                let (Reset::Told(at) | Reset::Guessed(at)) = reset;
                state.reset = Some(at.since(now));
                state.reset_told = matches!(reset, Reset::Told(_));
            }
        }
        state
    }

    /// Takes over what was saved `elapsed` ago.
    pub(crate) fn load(&mut self, state: &LimiterState, elapsed: Millis, now: Instant) {
        let at = |span: Millis| now.after(span.minus(elapsed));
        // A number that is given twice would mix two calls of this process up.
        *self = Self { tickets: self.tickets, ..Self::new(self.options.clone()) };
        self.last_seen = now;
        self.began = now;
        self.limit = state.limit.map(Millis::get);
        self.span = state.span;
        self.blocked_until = state.blocked.map(at);
        self.known = match (state.scouting, state.least) {
            (true, _) => Known::Scouting { scout: None },
            (false, None) => Known::Nothing,
            (false, Some(least)) => {
                let end = at(state.reset.unwrap_or(super::GUESS));
                let blind = Blind { from: end, calls: 0 };
                let told = state.reset_told;
                let reset = if told { Reset::Told(end) } else { Reset::Guessed(end) };
                let (least, unseen, sure) = (least.get(), state.unseen.get(), state.sure.get());
                Known::Counted { least, unseen, sure, reset, perhaps_counted: 0, blind }
            }
        };
        self.advance(now);
    }
}
