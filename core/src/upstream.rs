//! One dependency: it owns a policy, a generator, and what its calls share.

mod gate;
mod saved;
mod steps;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use crate::{
    backoff::BackoffState,
    breaker::Breaker,
    budget::{Budget, Hold},
    call::{Call, KeyEnd, Stage},
    classify::Classification,
    client_throttle::ClientThrottle,
    decide::{Decision, Facts, decide, is_replayed, read},
    idempotency::{Key, KeyRule},
    limiter::{Limiter, Ticket},
    outcome::Outcome,
    policy::Policy,
    request::Request,
    rng::Rng,
    steps::{Step, StepName, Unwatched, Watch, facts as told},
    throttling::Throttling,
    time::{Instant, Millis, UnixMillis},
    verdict::{Reason, Refusal, Verdict, VerdictKind},
};

pub(crate) use gate::Leave;
use steps::{Recorded, stale};

/// One upstream: decides for all calls to one dependency.
#[derive(Debug)]
pub struct Upstream {
    policy: Arc<Policy>,
    /// One draw per decision that reaches step 9; nothing else draws from it.
    rng: Rng,
    /// What the shared state draws (the jitter of the open time, the odds of the client-side
    /// throttle), so that traces of delays stay aligned whether they are on or off.
    state_rng: Rng,
    budget: Option<Budget>,
    breaker: Option<Breaker>,
    limiter: Option<Box<Limiter>>,
    client_throttle: Option<Box<ClientThrottle>>,
    throttling: Throttling,
}

/// Keeps the two generators of one seed apart.
const STATE_SEED: u64 = 0x5851_F42D_4C95_7F2D;

impl Upstream {
    /// An upstream under `policy`; the same seed and the same events give the same verdicts.
    pub fn new(policy: Arc<Policy>, seed: u64) -> Self {
        let budget = policy.shared_budget().map(Budget::new);
        let breaker = policy.shared_breaker().map(Breaker::new);
        let limiter = policy.limiter().cloned().map(Limiter::new).map(Box::new);
        let throttle = policy.client_throttle().cloned().map(ClientThrottle::new).map(Box::new);
        let without = Self::without_memory(policy, seed);
        Self { budget, breaker, limiter, client_throttle: throttle, ..without }
    }

    /// An upstream that decides each call by itself: no budget, no breaker, no limiter, no
    /// throttle. For hosts that report failures only: without the successes those would count
    /// wrongly.
    pub const fn without_memory(policy: Arc<Policy>, seed: u64) -> Self {
        let (rng, state_rng) = (Rng::new(seed), Rng::new(seed ^ STATE_SEED));
        Self {
            policy,
            rng,
            state_rng,
            budget: None,
            breaker: None,
            limiter: None,
            client_throttle: None,
            throttling: Throttling::new(),
        }
    }

    /// Begins a call: the first attempt may be sent now.
    ///
    /// # Errors
    /// A [`Refusal`] when the call must not be sent now. A refused call counts nowhere, but for
    /// the client-side throttle. One that is `rate-limited` with `retry_in` begins again then; its
    /// place is kept (see [`Request::ticket`]).
    pub fn begin(
        &mut self,
        request: &Request<'_>,
        now: Instant,
        wall: Option<UnixMillis>,
    ) -> Result<Call, Refusal> {
        let policy = &*self.policy;
        let idempotent = request
            .idempotent
            .unwrap_or_else(|| policy.is_idempotent(request.method, request.token));
        let key = key(policy, request, idempotent, wall)?;
        let window = policy.idempotency().window;
        let first_sent = request.first_sent.or(wall);
        let (deadline, attempt_timeout) = (policy.deadline(), policy.attempt_timeout());
        let ticket = request.ticket.map_or(Ticket::Nobody, Ticket::Host);
        let asked = self.limiter.as_ref().and_then(|limiter| limiter.asked_since(ticket));
        let deadline = deadline.map(|deadline| asked.unwrap_or(now).min(now).after(deadline));
        let mut leave = Leave::default();
        if let Err(held) = self.admit(&mut leave, ticket, request.priority, now, now) {
            return Err(self.in_time(held, ticket, deadline, now));
        }
        let mut hold = Hold::default();
        if let Some(budget) = &mut self.budget {
            budget.deposit(&mut hold, now);
        }
        Ok(Call {
            idempotent,
            replayable: request.replayable_body,
            nested: request.is_nested(),
            priority: request.priority,
            key,
            first_sent,
            key_ends: KeyEnd::new(window, first_sent, now, wall),
            unsafe_from: None,
            deadline,
            attempt_timeout,
            attempt: 1,
            exponent: 0,
            backoff: BackoffState::default(),
            leave,
            ticket,
            hold,
            sent_at: now,
            stage: Stage::Sending,
            last: None,
        })
    }

    /// Records how the attempt ended, and decides: one event, one verdict.
    ///
    /// A second settle of one attempt, or one after the end, gives the last verdict again with
    /// `stale: true` and counts nothing.
    pub fn settle(
        &mut self,
        call: &mut Call,
        outcome: &Outcome<'_>,
        now: Instant,
        wall: Option<UnixMillis>,
    ) -> Verdict {
        self.settle_watched(call, outcome, now, wall, &mut Unwatched)
    }

    /// [`settle`](Self::settle), and every step of the decision with what it looked at: for people
    /// who ask why. The last step carries the verdict's reason, no other carries one. A stale
    /// verdict took no step.
    pub fn settle_stepwise(
        &mut self,
        call: &mut Call,
        outcome: &Outcome<'_>,
        now: Instant,
        wall: Option<UnixMillis>,
    ) -> (Verdict, Vec<Step>) {
        let mut steps = Vec::new();
        let verdict = self.settle_watched(call, outcome, now, wall, &mut steps);
        (verdict, steps)
    }

    #[inline]
    fn settle_watched(
        &mut self,
        call: &mut Call,
        outcome: &Outcome<'_>,
        now: Instant,
        wall: Option<UnixMillis>,
        watch: &mut impl Watch,
    ) -> Verdict {
        let (classification, hint) = read(&self.policy, call.key.is_some(), outcome, wall);
        if call.stage != Stage::Sending {
            return stale(call, classification, hint);
        }
        let replayed = is_replayed(outcome);
        let facts = Facts { outcome, classification, hint, replayed, now, wall };
        let recorded = self.record(call, &facts);
        let (kind, reason, delay) = match decide(&self.policy, call, &facts, &mut self.rng, watch) {
            Decision::Accept(reason) => (VerdictKind::Accept, reason, Millis::ZERO),
            Decision::Stop(reason) => (VerdictKind::Stop, reason, Millis::ZERO),
            Decision::Wait { delay, reason, backoff, exponent, key_ends } => {
                if let Err(reason) = self.reserve(call, &facts, delay, watch) {
                    (VerdictKind::Stop, reason, Millis::ZERO)
                } else {
                    call.backoff = backoff;
                    call.exponent = exponent;
                    call.unsafe_from = key_ends;
                    call.attempt = call.attempt.saturating_add(1);
                    call.stage = Stage::Waiting;
                    let told = || told::retry(call.attempt, delay);
                    watch.step(StepName::Retry, Some(reason), told);
                    (VerdictKind::Retry, reason, delay)
                }
            }
        };
        if kind != VerdictKind::Retry {
            self.finish(call);
        }
        call.answer(kind, reason, delay, &facts, recorded)
    }

    /// Asks, after the wait, whether the next attempt may be sent now.
    ///
    /// # Errors
    /// A [`Refusal`]. [`Call::is_over`] says whether it ended the call: it did not when the rate
    /// limit alone holds the call back, which asks again after `retry_in`. A call that the breaker
    /// refuses is over; its `retry_in` only tells when the upstream may be tried again. So is one
    /// whose host woke up after its deadline or, where only the key makes it safe, after its window.
    pub fn resume(&mut self, call: &mut Call, now: Instant) -> Result<(), Refusal> {
        match call.stage {
            // Asked twice: the attempt is on its way already.
            Stage::Sending => Ok(()),
            Stage::Over => {
                let reason = call.last.map_or(Reason::Cancelled, |verdict| verdict.reason);
                Err(Refusal::new(reason))
            }
            Stage::Waiting => {
                if let Some(late) = call.late(now) {
                    self.close(call, late, now);
                    return Err(Refusal::new(late));
                }
                if let (Some(limiter), Ticket::Nobody) = (&mut self.limiter, call.ticket) {
                    call.ticket = limiter.new_ticket();
                }
                let Call { leave, ticket, priority, sent_at, .. } = call;
                if let Err(held) = self.admit(leave, *ticket, *priority, *sent_at, now) {
                    let may_wait = held.may_wait;
                    let refusal = self.in_time(held, call.ticket, call.latest(), now);
                    if !may_wait || refusal.retry_in.is_none() {
                        self.close(call, refusal.reason, now);
                    }
                    return Err(refusal);
                }
                call.stage = Stage::Sending;
                call.sent_at = now;
                Ok(())
            }
        }
    }

    /// The caller gave up, while sending or while waiting: the call is over.
    pub fn cancel(&mut self, call: &mut Call, now: Instant) -> Verdict {
        let cancelled = Outcome::default();
        let classification = Classification::cancelled();
        if call.stage == Stage::Over {
            return stale(call, classification, None);
        }
        let facts = Facts {
            outcome: &cancelled,
            classification,
            hint: None,
            replayed: false,
            now,
            wall: None,
        };
        let recorded = if call.stage == Stage::Waiting {
            // The retry never starts.
            if let Some(budget) = &mut self.budget {
                budget.refund(&mut call.hold, now);
            }
            call.attempt = call.attempt.saturating_sub(1).max(1);
            Recorded::default()
        } else {
            self.record(call, &facts)
        };
        self.finish(call);
        call.answer(VerdictKind::Stop, Reason::Cancelled, Millis::ZERO, &facts, recorded)
    }

    /// Ends a call whose outcome nobody will report, and gives back what it held. A second call
    /// is harmless, and so is one after a terminal verdict.
    pub fn end(&mut self, call: &mut Call, now: Instant) {
        let _ = self.cancel(call, now);
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The policy, to be held by somebody else as well.
    pub fn shared_policy(&self) -> Arc<Policy> {
        self.policy.clone()
    }

    /// The budget, if the policy has one.
    pub const fn budget(&self) -> Option<&Budget> {
        self.budget.as_ref()
    }

    /// The budget, to be lent to another upstream or replaced by a shared one.
    pub const fn budget_mut(&mut self) -> &mut Option<Budget> {
        &mut self.budget
    }

    /// The breaker, if the policy has one.
    pub const fn breaker(&self) -> Option<&Breaker> {
        self.breaker.as_ref()
    }

    /// The breaker, to be isolated or reset by hand.
    pub const fn breaker_mut(&mut self) -> Option<&mut Breaker> {
        self.breaker.as_mut()
    }

    /// The limiter, if the policy has one.
    pub fn limiter(&self) -> Option<&Limiter> {
        self.limiter.as_deref()
    }

    /// The limiter, to be asked and told by hand.
    pub fn limiter_mut(&mut self) -> Option<&mut Limiter> {
        self.limiter.as_deref_mut()
    }

    /// The client-side throttle, if the policy has one.
    pub fn client_throttle(&self) -> Option<&ClientThrottle> {
        self.client_throttle.as_deref()
    }

    /// Continues under another policy: what the old one and the new one both have keeps its level
    /// and state.
    pub fn set_policy(&mut self, policy: Arc<Policy>, now: Instant) {
        match (&mut self.budget, policy.shared_budget()) {
            (Some(budget), Some(options)) => budget.reconfigure(options, now),
            (budget, options) => *budget = options.map(Budget::new),
        }
        match (&mut self.breaker, policy.shared_breaker()) {
            (Some(breaker), Some(options)) => breaker.reconfigure(options),
            (breaker, options) => *breaker = options.map(Breaker::new),
        }
        match (&mut self.limiter, policy.limiter().cloned()) {
            (Some(limiter), Some(options)) => limiter.reconfigure(options),
            (limiter, options) => *limiter = options.map(Limiter::new).map(Box::new),
        }
        match (&mut self.client_throttle, policy.client_throttle().cloned()) {
            (Some(throttle), Some(options)) => throttle.reconfigure(options),
            (throttle, options) => *throttle = options.map(ClientThrottle::new).map(Box::new),
        }
        self.policy = policy;
    }

    /// The generator, to be saved.
    pub const fn rng(&self) -> Rng {
        self.rng
    }

    /// Continues from a saved generator.
    pub const fn set_rng(&mut self, rng: Rng) {
        self.rng = rng;
    }
}

/// The key of a call, if it gets one.
fn key(
    policy: &Policy,
    request: &Request<'_>,
    idempotent: bool,
    wall: Option<UnixMillis>,
) -> Result<Option<Key>, Refusal> {
    let options = policy.idempotency();
    let rule = KeyRule::of(policy.profile());
    let invalid = |_| Refusal::new(Reason::KeyInvalid);
    let missing = || Refusal::new(Reason::KeyMissing);
    let key = if let Some(key) = request.key {
        rule.own(key).map_err(invalid)?
    } else if let Some(value) = request.header_key(&options.header) {
        rule.from_header(value).map_err(invalid)?
    } else if idempotent {
        return Ok(None);
    } else {
        match (request.event, request.entropy) {
            (Some(event), _) => rule.check(Key::from_event(event)).map_err(invalid)?,
            (None, _) if !options.generate => return Ok(None),
            (None, Some(entropy)) => {
                let key = Key::generate(options.version, entropy, wall).ok_or_else(missing)?;
                rule.check(key).map_err(invalid)?
            }
            (None, None) => return Err(missing()),
        }
    };
    // Both headers or neither: a key without the date of its first sending is refused by servers.
    if options.first_sent_header.is_some() && request.first_sent.or(wall).is_none() {
        return Err(missing());
    }
    Ok(Some(key))
}

#[cfg(test)]
mod tests;
