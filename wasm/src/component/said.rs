//! What the core says, as records of the contract.

use alloc::borrow::ToOwned;

use retrywise::{
    Basis, BreakerState, Class, Classification, Delivery, Hint, Instant, Issue, Millis, Reason,
    Refusal, Transition, Upstream, Verdict, VerdictKind,
};

use crate::component::wit::exports::retrywise::policy::{policy, types, upstream};

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

/// What an upstream looks like; without one, nothing.
pub(super) fn view(upstream: Option<&Upstream>, now: Instant) -> upstream::View {
    let breaker = upstream.and_then(Upstream::breaker).map(|breaker| {
        let view = breaker.view(now);
        let retry_in = view.retry_in.map(Millis::get);
        upstream::BreakerView { state: breaker_state(view.state), retry_in }
    });
    let budget = upstream.and_then(Upstream::budget);
    let limiter = upstream.and_then(Upstream::limiter).map(|limiter| {
        let view = limiter.view(now);
        upstream::LimiterView {
            limit: view.limit,
            available: view.available,
            reset_in: view.reset_in.map(Millis::get),
            in_flight: view.in_flight,
            waiting: view.waiting as u64,
        }
    });
    let throttle = upstream.and_then(Upstream::client_throttle).map(|throttle| {
        let (part, whole) = throttle.refusal_odds(now);
        upstream::Odds { part, whole }
    });
    upstream::View {
        breaker,
        budget_thousandths: budget.map(|budget| budget.balance_thousandths(now)),
        limiter,
        client_throttle: throttle,
    }
}

pub(super) fn issue(issue: Issue) -> policy::Issue {
    let kind = code(issue.kind.code(), issue.kind.name());
    policy::Issue { field: issue.field, kind, message: issue.message }
}

fn transition(transition: Transition) -> upstream::Transition {
    upstream::Transition { from: breaker_state(transition.from), to: breaker_state(transition.to) }
}
