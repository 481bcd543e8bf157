//! The table, cell by cell, and what goes beyond it.

#[cfg(feature = "json")]
mod json;
mod random;
mod resolve;
mod settle;
mod table;

use super::*;
use crate::time::UnixMillis;

const LEASE: u64 = 1_000;
const WINDOW: u64 = 10_000;

/// Terms under which the server deduplicates by the key.
fn honoured() -> Ledger {
    Ledger { honoured: true, ..plain() }
}

/// Terms under which it does not.
fn plain() -> Ledger {
    Ledger {
        honoured: false,
        window: Millis::new(WINDOW),
        lease: Millis::new(LEASE),
        max_retries: 5,
        retention: None,
        keys: crate::KeyRule::default(),
    }
}

fn at(ms: i64) -> UnixMillis {
    UnixMillis::new(ms)
}

fn call(fingerprint: &str) -> NewCall<'_> {
    NewCall { id: "k", key: Some("k"), fingerprint }
}

fn claim(owner: &str) -> Event<'_> {
    Event::Claim { call: call("f"), owner, lease: None }
}

fn fail(attempt: u32, due: Option<i64>) -> Event<'static> {
    Event::Fail(Ending { due: due.map(at), status: Some(503), ..Ending::of(attempt) })
}

fn ambiguous(attempt: u32, due: Option<i64>) -> Event<'static> {
    Event::Ambiguous(Ending { due: due.map(at), ..Ending::of(attempt) })
}

fn complete(attempt: u32) -> Event<'static> {
    Event::Complete { attempt, status: Some(201) }
}

/// The record after these events, each at its time.
fn after(terms: &Ledger, events: &[(i64, Event<'_>)]) -> Option<Record> {
    let mut record = None;
    for (now, event) in events {
        let answer = terms.apply(record.as_ref(), event, at(*now));
        assert_ne!(answer.reply, Reply::Refused, "{event:?}: {:?}", answer.problem);
        record = answer.record;
    }
    record
}

fn in_progress(terms: &Ledger) -> Record {
    after(terms, &[(0, claim("w1"))]).unwrap()
}

fn waiting(terms: &Ledger) -> Record {
    after(terms, &[(0, claim("w1")), (10, fail(1, Some(500)))]).unwrap()
}

fn completed(terms: &Ledger) -> Record {
    after(terms, &[(0, claim("w1")), (10, complete(1))]).unwrap()
}

fn review(terms: &Ledger, cause: Cause) -> Record {
    let ending = Ending { cause: Some(cause), ..Ending::of(1) };
    let event = match cause {
        Cause::Ambiguous => Event::Ambiguous(ending),
        _ => Event::Fail(ending),
    };
    after(terms, &[(0, claim("w1")), (10, event)]).unwrap()
}

fn abandoned(terms: &Ledger) -> Record {
    let decision = crate::review::Decision::new(crate::review::Action::Abandon, "ann", "too late");
    let review = review(terms, Cause::Exhausted);
    terms.apply(Some(&review), &Event::Resolve(decision), at(20)).record.unwrap()
}

/// One record in each state but absent.
fn every_state(terms: &Ledger) -> [Record; 5] {
    [
        in_progress(terms),
        waiting(terms),
        completed(terms),
        review(terms, Cause::Exhausted),
        abandoned(terms),
    ]
}
