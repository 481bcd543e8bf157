//! The ledger of a trace: its records by key, as the store of a host keeps them.

use std::collections::BTreeMap;

use retrywise_host_wasmtime::{
    Brain,
    wit::ledger::{
        Action, Answer, Cause, Claim, Completion, Decision, DocumentError, Ending, Event, NewCall,
        Renewal, Reply, State, Successor,
    },
};
use serde_json::{Value, json};
use wasmtime::component::ResourceAny;

use crate::Refused;

/// The ops of the ledger.
pub(crate) const OPS: [&str; 8] =
    ["claim", "renew", "complete", "fail", "ambiguous", "release", "resolve", "get"];

/// Documents by key.
#[derive(Default)]
pub(crate) struct Records(BTreeMap<String, String>);

impl Records {
    /// Plays one op. A trace writes the wall clock into `at`.
    pub(crate) fn play(
        &mut self,
        brain: &mut Brain,
        policy: ResourceAny,
        op: &str,
        args: &Value,
        at: u64,
    ) -> Result<Value, Refused> {
        let key = args["key"].as_str().unwrap_or_default();
        let record = self.0.get(key).map(String::as_str);
        let api = brain.exports.retrywise_policy_ledger();
        if op == "get" {
            let Some(record) = record else { return Ok(json!({ "state": "absent" })) };
            let kept = api.call_read(&mut brain.store, record)?.map_err(unreadable)?;
            return Ok(stands(&kept.state));
        }
        let successor = format!("{key}#2");
        let event = event(op, args, key, &successor)?;
        let now = i64::try_from(at).unwrap_or(i64::MAX);
        let answer = api
            .call_apply(&mut brain.store, Some(policy), record, &event, now)?
            .map_err(unreadable)?;
        let said = said(&answer);
        if let Some(created) = answer.created {
            self.0.insert(successor, created.kept.document);
        }
        match answer.kept {
            Some(kept) => self.0.insert(key.to_owned(), kept.document),
            None => self.0.remove(key),
        };
        Ok(said)
    }
}

fn unreadable(DocumentError::Unreadable(what): DocumentError) -> Refused {
    Refused(what)
}

fn event(op: &str, args: &Value, key: &str, successor: &str) -> Result<Event, Refused> {
    let text = |name: &str| args[name].as_str().unwrap_or_default().to_owned();
    let attempt = u32::try_from(args["attempt"].as_u64().unwrap_or_default()).unwrap_or(u32::MAX);
    let status = args["status"].as_u64().map(|code| u16::try_from(code).unwrap_or(u16::MAX));
    let lease = args["leaseMs"].as_u64();
    let ending = Ending {
        attempt,
        status,
        due: args["dueAt"].as_i64(),
        cause: None,
        reason: None,
        rate_limited: false,
        maybe_processed: false,
        sustained_throttling: false,
    };
    Ok(match op {
        "claim" => {
            let key = key.to_owned();
            let call =
                NewCall { id: key.clone(), key: Some(key), fingerprint: text("fingerprint") };
            Event::Claim(Claim { call, owner: text("owner"), lease })
        }
        "renew" => Event::Renew(Renewal { attempt, lease }),
        "complete" => Event::Complete(Completion { attempt, status }),
        "fail" => Event::Fail(ending),
        "ambiguous" => Event::Ambiguous(ending),
        "release" => Event::Release(attempt),
        _ => {
            let id = successor.to_owned();
            let action = match args["action"].as_str() {
                Some("confirm") => Action::Confirm,
                Some("abandon") => Action::Abandon,
                Some("retry-new-key") => {
                    Action::RetryNewKey(Successor { key: Some(id.clone()), id })
                }
                _ => return Err(Refused("`action` is none".into())),
            };
            Event::Resolve(Decision { action, by: text("by"), why: text("why") })
        }
    })
}

fn said(answer: &Answer) -> Value {
    let word = match &answer.reply {
        Reply::Start(started) => {
            let (attempt, renew_in) = (started.attempt, started.renew_in);
            return json!({ "result": "start", "attempt": attempt, "renewInMs": renew_in });
        }
        Reply::InProgress(wait) => {
            return json!({ "result": "in-progress", "retryInMs": wait });
        }
        Reply::Done(renew_in) => return json!({ "result": "ok", "renewInMs": renew_in }),
        Reply::Replay => "replay",
        Reply::Conflict => "conflict",
        Reply::Expired => "expired",
        Reply::Unknown => "unknown",
        Reply::Review => "review",
        Reply::Abandoned => "abandoned",
        Reply::Fenced => "fenced",
        Reply::Refused(_) => "refused",
    };
    json!({ "result": word })
}

fn stands(state: &State) -> Value {
    let word = match state {
        State::InProgress(_) => "in-progress",
        State::Waiting(_) => "waiting",
        State::Completed => "completed",
        State::Abandoned => "abandoned",
        State::Review(cause) => {
            let cause = match cause {
                Cause::Exhausted => "exhausted",
                Cause::Ambiguous => "ambiguous",
                Cause::Permanent => "permanent",
                Cause::Cancelled => "cancelled",
                Cause::HintTooLong => "hint-too-long",
                Cause::Deadline => "deadline",
                Cause::KeyExpired => "key-expired",
            };
            return json!({ "state": "review", "cause": cause });
        }
    };
    json!({ "state": word, "cause": null })
}
