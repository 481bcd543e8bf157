//! One dependency: it owns a policy, a generator, and what its calls share.

use alloc::sync::Arc;

use crate::{
    backoff::BackoffState,
    call::{Call, KeyEnd, Stage},
    classify::{self, Class, Classification},
    decide::{Decision, Facts, decide},
    hint::{self, Hint},
    idempotency::Key,
    outcome::Outcome,
    policy::Policy,
    request::Request,
    rng::Rng,
    time::{Instant, Millis, UnixMillis},
    verdict::{Reason, Refusal, Verdict, VerdictKind},
};

/// One upstream: decides for all calls to one dependency.
#[derive(Debug)]
pub struct Upstream {
    policy: Arc<Policy>,
    rng: Rng,
}

impl Upstream {
    /// An upstream under `policy`; the same seed and the same events give the same verdicts.
    pub const fn new(policy: Arc<Policy>, seed: u64) -> Self {
        Self { policy, rng: Rng::new(seed) }
    }

    /// Begins a call: the first attempt may be sent now.
    ///
    /// # Errors
    /// A [`Refusal`] when the call must not be sent now. A refused call counts nowhere.
    pub fn begin(
        &mut self,
        request: &Request<'_>,
        now: Instant,
        wall: Option<UnixMillis>,
    ) -> Result<Call, Refusal> {
        let policy = &*self.policy;
        let idempotent = request.idempotent.unwrap_or_else(|| policy.is_idempotent(request.method));
        let key = key(policy, request, idempotent)?;
        let window = policy.idempotency.window;
        Ok(Call {
            idempotent,
            replayable: request.replayable_body,
            nested: request.is_nested(),
            priority: request.priority,
            key,
            key_ends: KeyEnd {
                wall: wall.map(|wall| wall.after(window)),
                monotonic: now.after(window),
            },
            deadline: policy.deadline.map(|deadline| now.after(deadline)),
            attempt_timeout: policy.attempt_timeout,
            attempt: 1,
            exponent: 0,
            backoff: BackoffState::default(),
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
        let (classification, hint) = self.read(call, outcome, wall);
        if call.stage != Stage::Sending {
            return stale(call, classification, hint);
        }
        let facts = Facts { outcome, classification, hint, now, wall };
        let verdict = match decide(&self.policy, call, &facts, &mut self.rng) {
            Decision::Accept(reason) => finish(call, VerdictKind::Accept, reason, &facts),
            Decision::Stop(reason) => finish(call, VerdictKind::Stop, reason, &facts),
            Decision::Wait { delay, reason, backoff, exponent } => {
                call.backoff = backoff;
                call.exponent = exponent;
                call.attempt = call.attempt.saturating_add(1);
                call.stage = Stage::Waiting;
                verdict(call, VerdictKind::Retry, reason, delay, &facts)
            }
        };
        call.last = Some(verdict);
        verdict
    }

    /// Asks, after the wait, whether the next attempt may be sent now.
    ///
    /// # Errors
    /// A [`Refusal`]: with `retry_in`, ask again then; without, the call is over.
    pub fn resume(&mut self, call: &mut Call, now: Instant) -> Result<(), Refusal> {
        match call.stage {
            // Asked twice: the attempt is on its way already.
            Stage::Sending => Ok(()),
            Stage::Over => {
                let reason = call.last.map_or(Reason::Cancelled, |verdict| verdict.reason);
                Err(Refusal::new(reason))
            }
            Stage::Waiting => {
                if call.deadline.is_some_and(|deadline| now >= deadline) {
                    // The host woke up late: nobody is waiting for the answer any more.
                    close(call, Reason::Deadline);
                    return Err(Refusal::new(Reason::Deadline));
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
        let facts = Facts { outcome: &cancelled, classification, hint: None, now, wall: None };
        let verdict = finish(call, VerdictKind::Stop, Reason::Cancelled, &facts);
        call.last = Some(verdict);
        verdict
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

    /// The generator, to be saved.
    pub const fn rng(&self) -> Rng {
        self.rng
    }

    /// Continues from a saved generator.
    pub const fn set_rng(&mut self, rng: Rng) {
        self.rng = rng;
    }

    /// Classification and hint of an outcome. The headers of a plain success are not searched for
    /// a wait that nobody will make.
    fn read(
        &self,
        call: &Call,
        outcome: &Outcome<'_>,
        wall: Option<UnixMillis>,
    ) -> (Classification, Option<Hint>) {
        let profile = self.policy.profile;
        let read = || outcome.response.and_then(|r| hint::read(&r, wall, profile));
        let failed = outcome.response.is_some_and(|response| response.status >= 400);
        let mut hint = if failed { read() } else { None };
        let context = classify::Context {
            key_sent: call.key.is_some(),
            profile,
            retry_on: Some(&self.policy.retry_on),
            hint,
        };
        let classification = classify::classify(outcome, &context);
        if !failed && classification.class != Class::Success {
            hint = read();
        }
        (classification, hint)
    }
}

/// The key of a call, if it gets one.
fn key(policy: &Policy, request: &Request<'_>, idempotent: bool) -> Result<Option<Key>, Refusal> {
    let options = &policy.idempotency;
    let max = policy.profile.map_or(0, |profile| usize::from(profile.key_max_len));
    if let Some(key) = request.key {
        return Key::own(key, max).map(Some).map_err(|_| Refusal::new(Reason::KeyInvalid));
    }
    if let Some(value) = request.header_key(&options.header) {
        return Key::from_header(value, max).map(Some).map_err(|_| Refusal::new(Reason::KeyInvalid));
    }
    if idempotent {
        return Ok(None);
    }
    match (request.event, request.entropy) {
        (Some(event), _) => Ok(Some(Key::from_event(event))),
        (None, Some(entropy)) if options.generate => Ok(Some(Key::from_entropy(entropy))),
        (None, None) if options.generate => Err(Refusal::new(Reason::KeyMissing)),
        _ => Ok(None),
    }
}

/// The call is over, with this verdict.
fn finish(call: &mut Call, kind: VerdictKind, reason: Reason, facts: &Facts<'_>) -> Verdict {
    call.stage = Stage::Over;
    verdict(call, kind, reason, Millis::ZERO, facts)
}

fn verdict(
    call: &Call,
    kind: VerdictKind,
    reason: Reason,
    delay: Millis,
    facts: &Facts<'_>,
) -> Verdict {
    Verdict {
        kind,
        reason,
        attempt: call.attempt,
        delay,
        hint: facts.hint,
        classification: facts.classification,
        stale: false,
    }
}

/// The call ends while it waits: what the last verdict promised will not happen.
fn close(call: &mut Call, reason: Reason) {
    call.stage = Stage::Over;
    // The attempt that was promised was never sent.
    call.attempt = call.attempt.saturating_sub(1).max(1);
    if let Some(last) = &mut call.last {
        *last = Verdict {
            kind: VerdictKind::Stop,
            reason,
            attempt: call.attempt,
            delay: Millis::ZERO,
            ..*last
        };
    }
}

/// The last verdict again.
fn stale(call: &Call, classification: Classification, hint: Option<Hint>) -> Verdict {
    call.last.map_or(
        // Ended without any settle: nothing was decided, so nothing may follow.
        Verdict {
            kind: VerdictKind::Stop,
            reason: Reason::Cancelled,
            attempt: call.attempt,
            delay: Millis::ZERO,
            hint,
            classification,
            stale: true,
        },
        |last| Verdict { stale: true, ..last },
    )
}
