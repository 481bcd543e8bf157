//! What the core says, as records of the contract.

use alloc::borrow::ToOwned;

use retrywise::{
    Basis, BreakerState, Class, Classification, Delivery, Hint, Millis, Reason, Refusal,
    Transition, Verdict, VerdictKind,
};

use crate::component::wit::exports::retrywise::policy::{types, upstream};

/// A number and its name.
pub(super) fn code(code: u8, name: &str) -> types::Code {
    types::Code { code, name: name.to_owned() }
}

pub(super) fn reason(reason: Reason) -> types::Code {
    code(reason.code(), reason.name())
}

pub(super) fn hint(hint: Hint) -> types::Hint {
    types::Hint { delay: hint.delay.get(), source: code(hint.source.code(), hint.source.name()) }
}

pub(super) fn classification(found: &Classification) -> types::Classification {
    types::Classification {
        class: match found.class {
            Class::Success => types::Class::Success,
            Class::Throttled => types::Class::Throttled,
            Class::Permanent => types::Class::Permanent,
            Class::Cancelled => types::Class::Cancelled,
            _ => types::Class::Transient,
        },
        delivery: match found.delivery {
            Delivery::NotProcessed => types::Delivery::NotProcessed,
            Delivery::Processed => types::Delivery::Processed,
            _ => types::Delivery::MaybeProcessed,
        },
        basis: match found.basis {
            Basis::Transport => types::Basis::Transport,
            Basis::Protocol => types::Basis::Protocol,
            Basis::Gateway => types::Basis::Gateway,
            Basis::Status => types::Basis::Status,
            _ => types::Basis::None,
        },
        signal: code(found.signal.code(), found.signal.name()),
        veto: found.veto,
        local: found.local,
        rate_limit: found.rate_limit,
    }
}

pub(super) fn verdict(verdict: &Verdict) -> upstream::Verdict {
    let facts = upstream::Facts {
        reason: reason(verdict.reason),
        attempt: verdict.attempt,
        hint: verdict.hint.map(hint),
        classification: classification(&verdict.classification),
        transition: verdict.transition.map(transition),
        sustained_throttling: verdict.sustained_throttling,
        stale: verdict.stale,
    };
    match verdict.kind {
        VerdictKind::Accept => upstream::Verdict::Accept(facts),
        VerdictKind::Retry => {
            upstream::Verdict::Retry(upstream::Retry { delay: verdict.delay.get(), facts })
        }
        _ => upstream::Verdict::Stop(facts),
    }
}

/// The answer for a call whose upstream is gone: over, cancelled, nothing counted.
pub(super) fn gone() -> upstream::Verdict {
    upstream::Verdict::Stop(upstream::Facts {
        reason: reason(Reason::Cancelled),
        attempt: 0,
        hint: None,
        classification: classification(&Classification::cancelled()),
        transition: None,
        sustained_throttling: false,
        stale: true,
    })
}

pub(super) fn refusal(refusal: &Refusal) -> upstream::Refusal {
    upstream::Refusal {
        reason: reason(refusal.reason),
        retry_in: refusal.retry_in.map(Millis::get),
    }
}

pub(super) fn breaker_state(state: BreakerState) -> upstream::BreakerState {
    match state {
        BreakerState::Open => upstream::BreakerState::Open,
        BreakerState::HalfOpen => upstream::BreakerState::HalfOpen,
        BreakerState::Isolated => upstream::BreakerState::Isolated,
        _ => upstream::BreakerState::Closed,
    }
}

fn transition(transition: Transition) -> upstream::Transition {
    upstream::Transition { from: breaker_state(transition.from), to: breaker_state(transition.to) }
}
