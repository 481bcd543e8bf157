//! Who may send an attempt now: the breaker, the rate limit, the client-side throttle, in this
//! order. What an earlier one gave is given back when a later one refuses.

use super::Upstream;
use crate::{
    breaker::{Permit, Sample},
    client_throttle::{Counted, Taken},
    limiter::{News, Pass, Ticket},
    record::Effect,
    time::{Instant, Millis},
    verdict::{Reason, Refusal},
};

/// Leave for one attempt, to be settled with it.
#[must_use]
#[derive(Debug, Default)]
pub(crate) struct Leave {
    permit: Option<Permit>,
    pass: Option<Pass>,
    counted: Option<Counted>,
}

impl Leave {
    /// What the breaker gave, spent once.
    pub(super) const fn take_permit(&mut self) -> Option<Permit> {
        self.permit.take()
    }
}

/// A call may not be sent now.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) refusal: Refusal,
    /// Only the rate limit holds it, and not for longer than the policy lets it wait.
    pub(super) may_wait: bool,
}

impl Upstream {
    /// Asks for one attempt of a call that wants to be sent since `due`. The leave is written where
    /// it is kept; nothing is left in it when the call is held.
    pub(super) fn admit(
        &mut self,
        leave: &mut Leave,
        ticket: Ticket,
        priority: i32,
        due: Instant,
        now: Instant,
    ) -> Result<(), Held> {
        *leave = Leave::default();
        if let Some(breaker) = &mut self.breaker {
            let permit = breaker.admit(now, self.state_rng.draw());
            leave.permit = Some(permit.map_err(|retry_in| Held {
                refusal: Refusal { reason: Reason::BreakerOpen, retry_in },
                may_wait: false,
            })?);
        }
        if let Some(limiter) = &mut self.limiter {
            match limiter.acquire_due(ticket, priority, due, now) {
                Ok(pass) => leave.pass = Some(pass),
                Err(wait) => {
                    self.give_back(core::mem::take(leave), now);
                    let retry_in = Some(wait.retry_in).filter(|_| !wait.too_long);
                    let refusal = Refusal { reason: Reason::RateLimited, retry_in };
                    return Err(Held { refusal, may_wait: !wait.too_long });
                }
            }
        }
        if let Some(throttle) = &mut self.client_throttle {
            leave.counted = throttle.admit(now, self.state_rng.draw());
            if leave.counted.is_none() {
                self.give_back(core::mem::take(leave), now);
                let refusal = Refusal::new(Reason::ClientThrottled);
                return Err(Held { refusal, may_wait: false });
            }
        }
        Ok(())
    }

    /// What a call is told that is held: when to ask again, or, when nothing would be sent any more
    /// by then, that it is over.
    pub(super) fn in_time(
        &mut self,
        held: Held,
        ticket: Ticket,
        latest: Option<Instant>,
        now: Instant,
    ) -> Refusal {
        let Held { refusal, may_wait } = held;
        let then = now.after(refusal.retry_in.unwrap_or(Millis::ZERO));
        if may_wait && latest.is_some_and(|latest| then >= latest) {
            self.waits_no_more(ticket);
            return Refusal::new(refusal.reason);
        }
        refusal
    }

    /// The call of this ticket does not wait for the rate limit any more.
    pub(super) fn waits_no_more(&mut self, ticket: Ticket) {
        if let Some(limiter) = &mut self.limiter
            && ticket != Ticket::Nobody
        {
            limiter.forget(ticket);
        }
    }

    /// The attempt is not sent after all.
    fn give_back(&mut self, leave: Leave, now: Instant) {
        if let (Some(breaker), Some(permit)) = (&mut self.breaker, leave.permit) {
            // A probe's place is free again; a cancelled sample changes no state, so no draw.
            let draw = crate::rng::Draw::MIN;
            let _ = breaker.record(permit, Sample::Cancelled, Millis::ZERO, None, now, draw);
        }
        if let (Some(limiter), Some(pass)) = (&mut self.limiter, leave.pass) {
            limiter.give_back(pass, now);
        }
    }

    /// Tells limiter and throttle how the attempt ended.
    pub(super) fn report(&mut self, leave: &mut Leave, effect: Effect, news: News, now: Instant) {
        if let (Some(limiter), Some(pass)) = (&mut self.limiter, leave.pass.take()) {
            limiter.observe(Some(pass), news, now);
        }
        if let (Some(throttle), Some(counted)) = (&mut self.client_throttle, leave.counted.take()) {
            throttle.record(counted, taken(effect, news), now);
        }
    }
}

/// Whether the server took the request: every answer but those that turn it away or show that it
/// could not be served.
fn taken(effect: Effect, news: News) -> Taken {
    match effect.sample {
        Sample::Success => Taken::Yes,
        Sample::Failure => Taken::No,
        // A rate limit turns away; a replayed answer is one.
        Sample::Ignored if news.wait.is_some() => Taken::No,
        Sample::Ignored if news.answered => Taken::Yes,
        Sample::Ignored | Sample::Cancelled => Taken::Unknown,
    }
}

#[cfg(test)]
mod tests;
