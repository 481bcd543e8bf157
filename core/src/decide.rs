//! Steps 1 to 9 of a settle: accept, or the first stop that applies, or a delay (`reference`
//! section 3). Pure: what was recorded before (step 0) and what is withdrawn after (step 10) is
//! the upstream's.

use crate::{
    backoff::{Ask, BackoffState},
    call::Call,
    classify::{Class, Classification},
    delay::{Delay, delay},
    hint::{Hint, HintSource},
    outcome::Outcome,
    policy::Policy,
    rng::Rng,
    safety::is_repeatable,
    time::{Instant, Millis, UnixMillis},
    verdict::Reason,
};

/// One outcome of one call, read and classified.
pub(crate) struct Facts<'a> {
    pub(crate) outcome: &'a Outcome<'a>,
    pub(crate) classification: Classification,
    pub(crate) hint: Option<Hint>,
    pub(crate) now: Instant,
    pub(crate) wall: Option<UnixMillis>,
}

/// What steps 1 to 9 say.
pub(crate) enum Decision {
    /// Hand the answer on.
    Accept(Reason),
    /// Make no further attempt.
    Stop(Reason),
    /// Retry after `delay`, unless breaker or budget object.
    Wait { delay: Millis, reason: Reason, backoff: BackoffState, exponent: u32 },
}

/// Decides. Spends one draw iff step 8 is reached.
pub(crate) fn decide(policy: &Policy, call: &Call, facts: &Facts<'_>, rng: &mut Rng) -> Decision {
    let Facts { outcome, classification, hint, now, wall } = *facts;
    let replayed = is_replayed(outcome);
    if replayed || classification.class == Class::Success {
        return accept_or_stop(outcome, replayed);
    }
    if let Some(reason) = stop(policy, call, facts) {
        return Decision::Stop(reason);
    }

    // Step 8.
    let draw = rng.draw();
    let mut state = call.backoff;
    let exponent = call.exponent.saturating_add(1);
    let ask = Ask::new(exponent, classification.class).after(outcome);
    let (delay, reason) = match delay(policy, ask, hint, &mut state, draw) {
        Delay::TooLong => return Decision::Stop(Reason::HintTooLong),
        Delay::Wait(delay, reason) => (delay, reason),
    };

    // Step 9: nobody sleeps first.
    if call.deadline.is_some_and(|deadline| now.after(delay) >= deadline) {
        return Decision::Stop(Reason::Deadline);
    }
    if relies_on_key(policy, call, &classification) && call.key_ends.is_over(now, wall, delay) {
        return Decision::Stop(Reason::KeyExpired);
    }

    // gRPC A6: after a pushback the curve starts again.
    let pushed_back = hint.is_some_and(|hint| hint.source == HintSource::GrpcPushback)
        && reason == Reason::ServerHint;
    Decision::Wait {
        delay,
        reason,
        backoff: state,
        exponent: if pushed_back { 0 } else { exponent },
    }
}

/// Step 1: a success, or an answer that the server replayed and that is final whatever it says.
fn accept_or_stop(outcome: &Outcome<'_>, replayed: bool) -> Decision {
    if !replayed {
        return Decision::Accept(Reason::Ok);
    }
    match outcome.response {
        Some(response) if matches!(response.status, 100..400) => Decision::Accept(Reason::Replayed),
        // What is no HTTP status is no success either.
        _ => Decision::Stop(Reason::Permanent),
    }
}

/// Steps 2 to 7: the first stop that applies.
fn stop(policy: &Policy, call: &Call, facts: &Facts<'_>) -> Option<Reason> {
    let Facts { outcome, classification, now, wall, .. } = *facts;
    if classification.class == Class::Cancelled {
        return Some(Reason::Cancelled);
    }
    if classification.veto {
        return Some(Reason::ServerRefused);
    }
    if classification.class == Class::Permanent {
        return Some(Reason::Permanent);
    }
    if !call.replayable || outcome.committed {
        return Some(Reason::BodyConsumed);
    }
    let key_honoured =
        has_honoured_key(policy, call) && !call.key_ends.is_over(now, wall, Millis::ZERO);
    if !is_repeatable(call.idempotent, key_honoured, &classification, policy.safety()) {
        return Some(Reason::UnsafeToRepeat);
    }
    if call.attempt > policy.max_retries() {
        return Some(Reason::RetriesExhausted);
    }
    call.nested.then_some(Reason::NestedLayer)
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
        .and_then(|response| response.header("idempotent-replayed"))
        .is_some_and(|value| value.eq_ignore_ascii_case(b"true"))
}
