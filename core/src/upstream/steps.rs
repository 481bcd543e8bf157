//! What one event does to an upstream and its call, beside the decision itself: what is recorded
//! before it, what is taken and given back after it.

use super::Upstream;
use crate::{
    breaker::Transition,
    call::{Call, Stage},
    classify::Classification,
    decide::Facts,
    hint::Hint,
    limiter::News,
    record::{self, Effect},
    steps::{StepName, Watch, facts as told},
    time::{Instant, Millis},
    verdict::{Reason, Verdict, VerdictKind},
};

impl Upstream {
    /// Step 0: the breaker's sample, what the budget earns or loses by the outcome itself, what the
    /// limiter learns; and whether rate limits keep coming.
    pub(super) fn record(&mut self, call: &mut Call, facts: &Facts<'_>) -> Recorded {
        let Facts { outcome, classification, hint, replayed, now, wall } = *facts;
        let effect @ Effect { sample, credit } = record::effect(outcome, &classification, replayed);
        if let Some(budget) = &mut self.budget {
            match credit {
                record::Credit::Failure => budget.failure(),
                record::Credit::Success => budget.success(&mut call.hold),
                record::Credit::Nothing => {}
            }
        }
        if self.limiter.is_some() || self.client_throttle.is_some() {
            let profile = self.policy.profile();
            let news = News::of(outcome, &classification, hint, wall, profile);
            self.report(&mut call.leave, effect, news, now);
        }
        let sustained_throttling = classification.rate_limit && self.throttling.note(now);
        let Some((breaker, permit)) = self.breaker.as_mut().zip(call.leave.take_permit()) else {
            return Recorded { transition: None, sustained_throttling };
        };
        let measured = outcome.duration_ms.map(Millis::new);
        let duration = measured.unwrap_or_else(|| now.since(call.sent_at));
        let draw = self.state_rng.draw();
        let hint = hint.map(|hint| hint.delay);
        let transition = breaker.record(permit, sample, duration, hint, now, draw).transition;
        Recorded { transition, sustained_throttling }
    }

    /// Step 10: the breaker will let the retry through, and the budget pays for it.
    pub(super) fn reserve(
        &mut self,
        call: &mut Call,
        facts: &Facts<'_>,
        delay: Millis,
        watch: &mut impl Watch,
    ) -> Result<(), Reason> {
        let now = facts.now;
        let then = now.after(delay);
        let open = self.breaker.as_ref().is_some_and(|breaker| breaker.is_open_at(then));
        let stop = open.then_some(Reason::BreakerOpen);
        watch.step(StepName::Breaker, stop, || told::breaker(self.breaker.as_ref(), now));
        if let Some(reason) = stop {
            return Err(reason);
        }
        let mut before = None;
        watch.look(|| before = Some(told::budget(self.budget.as_ref(), now)));
        let paid = self
            .budget
            .as_mut()
            .is_none_or(|budget| budget.withdraw(&mut call.hold, facts.classification.class, now));
        let stop = (!paid).then_some(Reason::BudgetExhausted);
        watch.step(StepName::Budget, stop, || before.unwrap_or_else(told::nothing));
        stop.map_or(Ok(()), Err)
    }

    /// The call is over.
    pub(super) fn finish(&mut self, call: &mut Call) {
        call.stage = Stage::Over;
        self.waits_no_more(call.ticket);
        if let Some(budget) = &mut self.budget {
            budget.release(&mut call.hold);
        }
    }

    /// The call ends while it waits: the attempt that was promised is never sent.
    pub(super) fn close(&mut self, call: &mut Call, reason: Reason, now: Instant) {
        if let Some(budget) = &mut self.budget {
            budget.refund(&mut call.hold, now);
            budget.release(&mut call.hold);
        }
        self.waits_no_more(call.ticket);
        call.stage = Stage::Over;
        call.attempt = call.attempt.saturating_sub(1).max(1);
        if let Some(last) = &mut call.last {
            let (kind, attempt, delay) = (VerdictKind::Stop, call.attempt, Millis::ZERO);
            *last = Verdict { kind, reason, attempt, delay, ..*last };
        }
    }
}

/// What step 0 noticed.
#[derive(Clone, Copy, Default)]
pub(super) struct Recorded {
    transition: Option<Transition>,
    sustained_throttling: bool,
}

impl Call {
    /// The verdict on one event. Kept, to be given again.
    #[inline]
    pub(super) fn answer(
        &mut self,
        kind: VerdictKind,
        reason: Reason,
        delay: Millis,
        facts: &Facts<'_>,
        recorded: Recorded,
    ) -> Verdict {
        let verdict = Verdict {
            kind,
            reason,
            attempt: self.attempt,
            delay,
            hint: facts.hint,
            classification: facts.classification,
            transition: recorded.transition,
            sustained_throttling: recorded.sustained_throttling,
            stale: false,
        };
        self.last = Some(verdict);
        verdict
    }
}

/// The last verdict again.
pub(super) fn stale(call: &Call, classification: Classification, hint: Option<Hint>) -> Verdict {
    call.last.map_or(
        // Ended without any settle: nothing was decided, so nothing may follow.
        Verdict {
            kind: VerdictKind::Stop,
            reason: Reason::Cancelled,
            attempt: call.attempt,
            delay: Millis::ZERO,
            hint,
            classification,
            transition: None,
            sustained_throttling: false,
            stale: true,
        },
        // What was told once is not told again.
        |last| Verdict { stale: true, transition: None, sustained_throttling: false, ..last },
    )
}
