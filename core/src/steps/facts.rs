//! What each step looked at, in the words of the policy document. Made only when somebody asks.

use alloc::{vec, vec::Vec};

use super::{Fact, Value};
use crate::{
    backoff::{self, Ask, Terms},
    breaker::Breaker,
    budget::Budget,
    call::Call,
    decide::Facts,
    delay::Delay,
    hint::{Hint, rule},
    outcome::Outcome,
    policy::{Curve, Jitter, Policy},
    time::{Instant, Millis},
    verdict::Reason,
};

pub(crate) const fn nothing() -> Vec<Fact> {
    Vec::new()
}

pub(crate) fn success(facts: &Facts<'_>, replayed: bool) -> Vec<Fact> {
    let mut list = Vec::new();
    if let Some(response) = facts.outcome.response {
        list.push(count("status", response.status.into()));
    }
    list.extend(class(facts));
    if replayed {
        list.push(flag("replayed", true));
    }
    list
}

pub(crate) fn class(facts: &Facts<'_>) -> Vec<Fact> {
    vec![
        name("class", facts.classification.class.name()),
        name("signal", facts.classification.signal.name()),
    ]
}

pub(crate) fn body(call: &Call, outcome: &Outcome<'_>) -> Vec<Fact> {
    vec![flag("replayableBody", call.replayable), flag("committed", outcome.committed)]
}

pub(crate) fn safety(
    policy: &Policy,
    call: &Call,
    facts: &Facts<'_>,
    key_honoured: bool,
) -> Vec<Fact> {
    vec![
        flag("idempotent", call.idempotent),
        flag("keySent", call.key.is_some()),
        flag("keyHonoured", key_honoured),
        name("delivery", facts.classification.delivery.name()),
        name("basis", facts.classification.basis.name()),
        name("safety", policy.safety().name()),
    ]
}

pub(crate) fn retries(policy: &Policy, call: &Call) -> Vec<Fact> {
    vec![
        count("retriesMade", u64::from(call.attempt).saturating_sub(1)),
        count("maxRetries", policy.max_retries().into()),
    ]
}

/// Curve, cap, jitter, ceiling, hint: what each of them was given and what it bounded.
pub(crate) fn delay(policy: &Policy, ask: Ask<'_>, hint: Option<Hint>, chosen: Delay) -> Vec<Fact> {
    let options = policy.backoff();
    let hinted = hint.is_some_and(|hint| rule::is_heard(policy.hint(), hint));
    let Terms { curve, base, cap, ceiling, immediate } = Terms::of(options, &ask.hinted(hinted));
    let mut list = vec![count("retry", ask.retry.into()), span("baseMs", base)];
    // Two jitters take no notice of the curve.
    if !matches!(options.jitter, Jitter::Decorrelated | Jitter::PollyV2) {
        let at = backoff::at(curve, base, options.factor_thousandths, cap, ask.retry);
        list.extend([name("curve", curve.name()), span("curveMs", at)]);
    }
    if curve != Curve::None {
        list.push(span("capMs", cap));
    }
    list.extend([name("jitter", options.jitter.name()), span("ceilingMs", ceiling)]);
    if immediate {
        list.push(flag("immediate", true));
    }
    if let Some(hint) = hint {
        list.extend([
            span("hintMs", hint.delay),
            name("hintSource", hint.source.name()),
            name("hintMode", policy.hint().mode.name()),
            span("hintMaxMs", policy.hint().max.unwrap_or(options.cap)),
        ]);
    }
    match chosen {
        Delay::Wait(wait, reason) => {
            list.extend([span("delayMs", wait), flag("hintHeard", reason == Reason::ServerHint)]);
        }
        Delay::TooLong => list.push(name("hintBeyond", policy.hint().beyond.name())),
    }
    list
}

pub(crate) fn deadline(call: &Call, now: Instant, delay: Millis) -> Vec<Fact> {
    call.deadline.map_or_else(nothing, |deadline| {
        vec![span("delayMs", delay), span("leftMs", deadline.since(now))]
    })
}

pub(crate) fn key_window(policy: &Policy, call: &Call, relies: bool) -> Vec<Fact> {
    if call.key.is_none() {
        return nothing();
    }
    vec![flag("reliesOnKey", relies), span("windowMs", policy.idempotency().window)]
}

pub(crate) fn breaker(breaker: Option<&Breaker>, now: Instant) -> Vec<Fact> {
    breaker.map_or_else(nothing, |breaker| {
        let view = breaker.view(now);
        let mut list = vec![name("breaker", view.state.name())];
        list.extend(view.retry_in.filter(|&left| left > Millis::ZERO).map(|t| span("openMs", t)));
        list
    })
}

pub(crate) fn budget(budget: Option<&Budget>, now: Instant) -> Vec<Fact> {
    budget.map_or_else(nothing, |budget| {
        vec![
            name("budget", budget.options().kind().name()),
            count("balanceThousandths", budget.balance_thousandths(now)),
        ]
    })
}

pub(crate) fn retry(attempt: u32, delay: Millis) -> Vec<Fact> {
    vec![count("attempt", attempt.into()), span("delayMs", delay)]
}

const fn count(name: &'static str, value: u64) -> Fact {
    Fact { name, value: Value::Count(value) }
}

const fn flag(name: &'static str, value: bool) -> Fact {
    Fact { name, value: Value::Flag(value) }
}

const fn name(name: &'static str, value: &'static str) -> Fact {
    Fact { name, value: Value::Name(value) }
}

const fn span(name: &'static str, value: Millis) -> Fact {
    Fact { name, value: Value::Span(value) }
}
