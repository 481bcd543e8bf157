//! What the ledger says, as records of the contract.

use alloc::{borrow::ToOwned, string::String};

use retrywise::{
    Millis,
    explain::Lang,
    ledger::{Answer, Cause, Problem, Record, Reply, State, record_to_json},
    review::{Action, Item},
    trail::{ShortKey, entry_to_json},
};

use crate::component::{said, wit::exports::retrywise::policy::ledger as wit};

pub(super) fn said(answer: &Answer) -> wit::Answer {
    wit::Answer {
        reply: reply(answer),
        changed: answer.changed,
        kept: answer.record.as_ref().map(kept),
        entries: answer.entries.iter().map(entry_to_json).collect(),
        created: answer.created.as_deref().map(|(record, entry)| wit::Created {
            kept: kept(record),
            entry: entry_to_json(entry),
        }),
    }
}

pub(super) fn kept(record: &Record) -> wit::Kept {
    wit::Kept {
        document: record_to_json(record),
        id: String::from(&*record.id),
        revision: record.revision,
        attempt: record.attempt,
        state: match &record.state {
            State::InProgress { owner, lease_until } => wit::State::InProgress(wit::Lease {
                owner: String::from(&**owner),
                until: lease_until.get(),
            }),
            State::Waiting { due } => wit::State::Waiting(due.get()),
            State::Completed => wit::State::Completed,
            State::Review { cause } => wit::State::Review(to_cause(*cause)),
            _ => wit::State::Abandoned,
        },
    }
}

pub(super) fn item(item: &Item<'_>, lang: Lang) -> wit::Item {
    let record = item.record;
    let action = |&action: &Action| said::code(action.code(), action.name());
    wit::Item {
        id: String::from(&*record.id),
        cause: to_cause(item.cause),
        explanation: item.cause.sentence(lang).to_owned(),
        advice: item.advice(lang).to_owned(),
        attempt: record.attempt,
        status: record.status,
        since: record.updated.get(),
        key: record.key.as_ref().map(|key| {
            let mut text = String::new();
            ShortKey(key.as_str()).push_to(&mut text);
            text
        }),
        maybe_processed: record.maybe_processed,
        actions: item.actions.iter().map(action).collect(),
    }
}

fn reply(answer: &Answer) -> wit::Reply {
    let renew_in = answer.renew_in.map(Millis::get);
    match answer.reply {
        Reply::Start => {
            wit::Reply::Start(wit::Started { attempt: answer.attempt.unwrap_or(1), renew_in })
        }
        Reply::Replay => wit::Reply::Replay,
        Reply::InProgress => wit::Reply::InProgress(answer.retry_in.map_or(0, Millis::get)),
        Reply::Conflict => wit::Reply::Conflict,
        Reply::Expired => wit::Reply::Expired,
        Reply::Unknown => wit::Reply::Unknown,
        Reply::Review => wit::Reply::Review,
        Reply::Abandoned => wit::Reply::Abandoned,
        Reply::Ok => wit::Reply::Done(renew_in),
        Reply::Fenced => wit::Reply::Fenced,
        _ => {
            let problem = answer.problem.unwrap_or(Problem::Absent);
            let code = said::code(problem.code(), problem.name());
            wit::Reply::Refused(wit::Problem { code, message: problem.sentence().to_owned() })
        }
    }
}

fn to_cause(cause: Cause) -> wit::Cause {
    match cause {
        Cause::Ambiguous => wit::Cause::Ambiguous,
        Cause::Permanent => wit::Cause::Permanent,
        Cause::Cancelled => wit::Cause::Cancelled,
        Cause::HintTooLong => wit::Cause::HintTooLong,
        Cause::Deadline => wit::Cause::Deadline,
        Cause::KeyExpired => wit::Cause::KeyExpired,
        _ => wit::Cause::Exhausted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enums cross by their place: one that moved would be read as its neighbour.
    #[test]
    fn every_cause_has_the_place_of_its_code() {
        assert_eq!(wit::Cause::KeyExpired as usize + 1, Cause::ALL.len());
        for &cause in Cause::ALL {
            assert_eq!(to_cause(cause) as u8, cause.code(), "{}", cause.name());
        }
    }
}
