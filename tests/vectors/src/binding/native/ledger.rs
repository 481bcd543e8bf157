//! The dedup ledger.

use alloc::collections::BTreeMap;

use retrywise::{
    Ledger, Millis, Policy, UnixMillis,
    ledger::{Cause, Ending, Event, NewCall, Record},
    review::{Action, Decision},
};
use serde_json::Value;

use super::{Answers, NoAnswer};
use crate::trace::Step;

/// The records of a trace by key. A trace writes the wall clock into `at`.
pub(super) struct Records {
    terms: Ledger,
    kept: BTreeMap<String, Record>,
}

impl Records {
    pub(super) fn new(policy: &Policy) -> Self {
        Self { terms: Ledger::new(policy), kept: BTreeMap::new() }
    }

    pub(super) fn step(&mut self, step: &Step) -> Result<Answers, NoAnswer> {
        let key = step.text("key");
        let record = self.kept.get(key);
        if step.op.name == "get" {
            return Ok(stands(record));
        }
        let successor = format!("{key}#2");
        let event = event(step, key, &successor)?;
        let now = UnixMillis::new(i64::try_from(step.at.as_millis()).unwrap_or(i64::MAX));
        let answer = self.terms.apply(record, &event, now);
        let mut answers = Answers::new();
        answers.insert("result".into(), answer.reply.name().into());
        if let Some(attempt) = answer.attempt {
            answers.insert("attempt".into(), attempt.into());
        }
        if let Some(wait) = answer.retry_in {
            answers.insert("retryInMs".into(), wait.get().into());
        }
        if let Some(wait) = answer.renew_in {
            answers.insert("renewInMs".into(), wait.get().into());
        }
        if let Some(created) = answer.created {
            self.kept.insert(successor, created.0);
        }
        match answer.record {
            Some(record) => self.kept.insert(key.to_owned(), record),
            None => self.kept.remove(key),
        };
        Ok(answers)
    }
}

fn event<'a>(step: &'a Step, key: &'a str, successor: &'a str) -> Result<Event<'a>, NoAnswer> {
    let whole = |name| step.whole(name);
    let attempt = u32::try_from(whole("attempt").unwrap_or_default()).unwrap_or(u32::MAX);
    let status = whole("status").map(|status| u16::try_from(status).unwrap_or(u16::MAX));
    let due = whole("dueAt").map(|at| UnixMillis::new(i64::try_from(at).unwrap_or(i64::MAX)));
    let mut ending = Ending::of(attempt);
    ending.status = status;
    ending.due = due;
    Ok(match step.op.name {
        "claim" => Event::Claim {
            call: NewCall { id: key, key: Some(key), fingerprint: step.text("fingerprint") },
            owner: step.text("owner"),
            lease: whole("leaseMs").map(Millis::new),
        },
        "renew" => Event::Renew { attempt, lease: whole("leaseMs").map(Millis::new) },
        "complete" => Event::Complete { attempt, status },
        "fail" => Event::Fail(ending),
        "ambiguous" => Event::Ambiguous(ending),
        "release" => Event::Release { attempt },
        "resolve" => {
            let (by, why) = (step.text("by"), step.text("why"));
            Event::Resolve(match Action::from_name(step.text("action")) {
                Some(Action::RetryNewKey) => Decision::retry(by, why, successor, Some(successor)),
                Some(action) => Decision::new(action, by, why),
                None => return Err(NoAnswer::Refused("`action` is none".into())),
            })
        }
        _ => return Err(NoAnswer::Unsupported),
    })
}

/// What a record says of itself.
fn stands(record: Option<&Record>) -> Answers {
    let mut answers = Answers::new();
    answers.insert("state".into(), record.map_or("absent", |record| record.state.name()).into());
    let cause = record.and_then(Record::cause).map(Cause::name);
    answers.insert("cause".into(), cause.map_or(Value::Null, Into::into));
    answers
}
