//! An event of the contract as one of the core.

use retrywise::{
    Class, Delivery, Millis, Reason, VerdictKind,
    ledger::{Cause, Ending, Event, Found, NewCall, Settled},
    review::{Action, Decision},
};

use crate::component::{
    given,
    wit::exports::retrywise::policy::{ledger as wit, upstream::Verdict},
};

pub(super) fn given(event: &wit::Event) -> Event<'_> {
    match event {
        wit::Event::Submit(given) => {
            Event::Submit { call: call(&given.call), due: given.due.map(given::time) }
        }
        wit::Event::Claim(given) => Event::Claim {
            call: call(&given.call),
            owner: &given.owner,
            lease: given.lease.map(Millis::new),
        },
        wit::Event::Complete(given) => {
            Event::Complete { attempt: given.attempt, status: given.status }
        }
        wit::Event::Fail(given) => Event::Fail(ending(given)),
        wit::Event::Ambiguous(given) => Event::Ambiguous(ending(given)),
        wit::Event::Release(attempt) => Event::Release { attempt: *attempt },
        wit::Event::Renew(given) => {
            Event::Renew { attempt: given.attempt, lease: given.lease.map(Millis::new) }
        }
        wit::Event::Settle(given) => Event::Settle(settled(given)),
        wit::Event::Lookup(given) => {
            let found = Found::from_code(given.found as u8).unwrap_or(Found::Unknown);
            Event::Lookup { found, ending: ending(&given.ending) }
        }
        wit::Event::Resolve(given) => Event::Resolve(decision(given)),
        wit::Event::Purge => Event::Purge,
    }
}

fn call(given: &wit::NewCall) -> NewCall<'_> {
    NewCall { id: &given.id, key: given.key.as_deref(), fingerprint: &given.fingerprint }
}

fn ending(given: &wit::Ending) -> Ending {
    let mut ending = Ending::of(given.attempt);
    ending.status = given.status;
    ending.due = given.due.map(given::time);
    ending.cause = given.cause.and_then(|cause| Cause::from_code(cause as u8));
    ending.reason = given.reason.and_then(Reason::from_code);
    ending.rate_limited = given.rate_limited;
    ending.maybe_processed = given.maybe_processed;
    ending.sustained_throttling = given.sustained_throttling;
    ending
}

fn settled(given: &wit::Settled) -> Settled {
    let (kind, facts, delay) = match &given.verdict {
        Verdict::Accept(facts) => (VerdictKind::Accept, facts, 0),
        Verdict::Retry(retry) => (VerdictKind::Retry, &retry.facts, retry.delay),
        Verdict::Stop(facts) => (VerdictKind::Stop, facts, 0),
    };
    let found = &facts.classification;
    Settled {
        attempt: given.attempt,
        status: given.status,
        kind,
        // A reason of a later version: what is certain is that it ended here.
        reason: Reason::from_code(facts.reason.code).unwrap_or(Reason::RetriesExhausted),
        delay: Millis::new(delay),
        class: Class::from_code(found.class as u8).unwrap_or(Class::Transient),
        delivery: Delivery::from_code(found.delivery as u8).unwrap_or(Delivery::MaybeProcessed),
        idempotent: given.idempotent,
        sustained_throttling: facts.sustained_throttling,
    }
}

fn decision(given: &wit::Decision) -> Decision<'_> {
    let (by, why) = (&*given.by, &*given.why);
    match &given.action {
        wit::Action::Confirm => Decision::new(Action::Confirm, by, why),
        wit::Action::Abandon => Decision::new(Action::Abandon, by, why),
        wit::Action::RetryNewKey(next) => Decision::retry(by, why, &next.id, next.key.as_deref()),
    }
}
