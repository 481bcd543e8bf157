//! Steps 1 to 11 of a settle ([`steps`](crate::steps)): accept, or the first stop that applies, or
//! a delay. Pure: what was recorded before (step 0) and what is withdrawn after (step 13) is
//! the upstream's.

use crate::{
    backoff::{Ask, BackoffState},
    call::Call,
    classify::{self, Class, Classification},
    delay::{Delay, delay, exponent_after},
    hint::{self, Hint},
    outcome::Outcome,
    policy::Policy,
    rng::Rng,
    safety::is_repeatable,
    steps::{StepName, Watch, facts as told},
    time::{Instant, Millis, UnixMillis},
    verdict::Reason,
};

/// One outcome of one call, read and classified.
pub(crate) struct Facts<'a> {
    pub(crate) outcome: &'a Outcome<'a>,
    pub(crate) classification: Classification,
    pub(crate) hint: Option<Hint>,
    /// The server says that this is the stored answer of an earlier attempt.
    pub(crate) replayed: bool,
    pub(crate) now: Instant,
    pub(crate) wall: Option<UnixMillis>,
}

/// What steps 1 to 11 say.
pub(crate) enum Decision {
    /// Hand the answer on.
    Accept(Reason),
    /// Make no further attempt.
    Stop(Reason),
    /// Retry after `delay`, unless breaker or budget object; before `key_ends`, where only the key
    /// makes that safe.
    Wait {
        delay: Millis,
        reason: Reason,
        backoff: BackoffState,
        exponent: u32,
        key_ends: Option<Instant>,
    },
}

/// Decides, and tells `watch` of every step on the way. Spends one draw iff step 9 is reached.
pub(crate) fn decide(
    policy: &Policy,
    call: &Call,
    facts: &Facts<'_>,
    rng: &mut Rng,
    watch: &mut impl Watch,
) -> Decision {
    let Facts { outcome, classification, hint, replayed, now, wall } = *facts;
    if replayed || classification.class == Class::Success {
        let (decision, reason) = accept_or_stop(outcome, replayed);
        watch.step(StepName::Success, Some(reason), || told::success(facts, replayed));
        return decision;
    }
    watch.step(StepName::Success, None, || told::success(facts, replayed));
    if let Some(reason) = stop(policy, call, facts, watch) {
        return Decision::Stop(reason);
    }

    // Step 8.
    let draw = rng.draw();
    let mut state = call.backoff;
    let exponent = call.exponent.saturating_add(1);
    let ask = Ask::new(exponent, classification.class).after(outcome);
    let chosen = delay(policy, ask, hint, &mut state, draw);
    let too_long = (chosen == Delay::TooLong).then_some(Reason::HintTooLong);
    watch.step(StepName::Delay, too_long, || told::delay(policy, ask, hint, chosen));
    let Delay::Wait(delay, reason) = chosen else { return Decision::Stop(Reason::HintTooLong) };

    // Step 9: nobody sleeps first.
    let late = call.deadline.is_some_and(|deadline| now.after(delay) >= deadline);
    let stop = late.then_some(Reason::Deadline);
    watch.step(StepName::Deadline, stop, || told::deadline(call, now, delay));
    if let Some(reason) = stop {
        return Decision::Stop(reason);
    }
    let relies = relies_on_key(policy, call, &classification);
    let forgotten = relies && call.key_ends.is_over(now, wall, delay);
    let stop = forgotten.then_some(Reason::KeyExpired);
    watch.step(StepName::KeyWindow, stop, || told::key_window(policy, call, relies));
    if let Some(reason) = stop {
        return Decision::Stop(reason);
    }
    let exponent = exponent_after(exponent, hint, reason);
    let key_ends = relies.then(|| call.key_ends.moment(now, wall));
    Decision::Wait { delay, reason, backoff: state, exponent, key_ends }
}

/// What an outcome means under a policy, and the wait that it asks for. The headers of a plain
/// success are not searched for a wait that nobody will make.
pub(crate) fn read(
    policy: &Policy,
    key_sent: bool,
    outcome: &Outcome<'_>,
    wall: Option<UnixMillis>,
) -> (Classification, Option<Hint>) {
    let profile = policy.profile();
    let read = || outcome.response.as_ref().and_then(|r| hint::read(r, wall, profile));
    let failed = outcome.status().is_some_and(|status| status >= 400);
    let mut hint = if failed { read() } else { None };
    let retry_on = Some(policy.retry_on());
    let context = classify::Context { key_sent, profile, retry_on, hint };
    let classification = classify::classify(outcome, &context);
    if !failed && classification.class != Class::Success {
        hint = read();
    }
    (classification, hint)
}

/// Step 1: a success, or an answer that the server replayed and that is final whatever it says.
fn accept_or_stop(outcome: &Outcome<'_>, replayed: bool) -> (Decision, Reason) {
    if !replayed {
        return (Decision::Accept(Reason::Ok), Reason::Ok);
    }
    match outcome.status() {
        Some(100..400) => (Decision::Accept(Reason::Replayed), Reason::Replayed),
        // What is no HTTP status is no success either.
        _ => (Decision::Stop(Reason::Permanent), Reason::Permanent),
    }
}

/// Steps 2 to 7: the first stop that applies.
fn stop(policy: &Policy, call: &Call, facts: &Facts<'_>, watch: &mut impl Watch) -> Option<Reason> {
    let Facts { outcome, classification, now, wall, .. } = *facts;
    let cancelled = (classification.class == Class::Cancelled).then_some(Reason::Cancelled);
    watch.step(StepName::Cancelled, cancelled, told::nothing);
    if cancelled.is_some() {
        return cancelled;
    }
    let refused = classification.veto.then_some(Reason::ServerRefused);
    watch.step(StepName::Veto, refused, told::nothing);
    if refused.is_some() {
        return refused;
    }
    let permanent = (classification.class == Class::Permanent).then_some(Reason::Permanent);
    watch.step(StepName::Permanent, permanent, || told::class(facts));
    if permanent.is_some() {
        return permanent;
    }
    let consumed = (!call.replayable || outcome.committed).then_some(Reason::BodyConsumed);
    watch.step(StepName::Body, consumed, || told::body(call, outcome));
    if consumed.is_some() {
        return consumed;
    }
    let key_honoured =
        has_honoured_key(policy, call) && !call.key_ends.is_over(now, wall, Millis::ZERO);
    let safe = is_repeatable(call.idempotent, key_honoured, &classification, policy.safety());
    let unsafe_to_repeat = (!safe).then_some(Reason::UnsafeToRepeat);
    watch.step(StepName::Safety, unsafe_to_repeat, || {
        told::safety(policy, call, facts, key_honoured)
    });
    if unsafe_to_repeat.is_some() {
        return unsafe_to_repeat;
    }
    let exhausted = (call.attempt > policy.max_retries()).then_some(Reason::RetriesExhausted);
    watch.step(StepName::Retries, exhausted, || told::retries(policy, call));
    if exhausted.is_some() {
        return exhausted;
    }
    let nested = call.nested.then_some(Reason::NestedLayer);
    watch.step(StepName::Layers, nested, told::nothing);
    nested
}

/// Whether the call carries a key by which the server deduplicates.
fn has_honoured_key(policy: &Policy, call: &Call) -> bool {
    call.key.is_some() && policy.idempotency().honoured
}

/// Whether only the key makes a repetition safe: then its window ends the call.
fn relies_on_key(policy: &Policy, call: &Call, classification: &Classification) -> bool {
    has_honoured_key(policy, call)
        && !is_repeatable(call.idempotent, false, classification, policy.safety())
}

/// Whether the server says that this is the stored answer of an earlier attempt.
pub(crate) fn is_replayed(outcome: &Outcome<'_>) -> bool {
    outcome
        .response
        .as_ref()
        .and_then(|response| response.header("idempotent-replayed"))
        .is_some_and(|value| crate::text::same(value, b"true"))
}
