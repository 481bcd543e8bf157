//! Records, events and answers as JSON: what a store keeps, and what crosses to hosts.

mod event;
mod record;

use alloc::{format, string::String, vec::Vec};

use serde_json::Value;

use super::{Answer, Ledger, Problem};
use crate::{
    document::{Builder, Document},
    explain::Lang,
    review::{Action, Item},
    time::Millis,
    trail::{self, ShortKey},
};

pub use record::{record_from_json, record_to_json};

/// The version of the form in which records are kept.
pub(super) const VERSION: u64 = 1;

impl Ledger {
    /// Applies an event to a record, all in JSON: `{ "record", "event", "now" }` gives
    /// `{ "result", "changed", "record", "attempt"?, "retryInMs"?, "problem"?, "entries", "created"? }`.
    ///
    /// # Errors
    /// A sentence that says what of the question cannot be read; a record that a newer version
    /// wrote is such a thing.
    pub fn apply_json(&self, question: &str) -> Result<String, String> {
        let tree = serde_json::from_str(question).map_err(|error| format!("no JSON: {error}"))?;
        let mut fields = Document::of(&tree, "question")?;
        let record = fields.any("record").map(record_from_json).transpose()?;
        let event = fields.any("event");
        let event = event::read(fields.given("event", event)?)?;
        let now = fields.time("now")?;
        let now = fields.given("now", now)?;
        fields.end()?;
        Ok(format!("{}", answer(&self.apply(record.as_ref(), &event, now))))
    }
}

/// An answer as a JSON object.
pub fn answer(answer: &Answer) -> Value {
    let entries = |entries: &[trail::Entry]| -> Value {
        entries.iter().map(trail::entry_to_json).collect::<Vec<_>>().into()
    };
    let mut object = Builder::default();
    object.put("result", answer.reply.name());
    object.put("changed", answer.changed);
    object.nullable("record", answer.record.as_ref().map(record_to_json));
    object.maybe("attempt", answer.attempt);
    object.maybe("retryInMs", answer.retry_in.map(Millis::get));
    object.maybe("problem", answer.problem.map(Problem::sentence));
    object.put("entries", entries(&answer.entries));
    if let Some((record, entry)) = answer.created.as_deref() {
        let mut created = Builder::default();
        created.put("record", record_to_json(record));
        created.put("entries", entries(core::slice::from_ref(entry)));
        object.put("created", created.build());
    }
    object.build()
}

impl Item<'_> {
    /// What a person has to know about a record, all in JSON: `{ "record", "lang" }` gives
    /// `{ "item" }`, null where the record is not in review.
    ///
    /// # Errors
    /// A sentence that says what of the question cannot be read.
    pub fn describe_json(question: &str) -> Result<String, String> {
        let tree = serde_json::from_str(question).map_err(|error| format!("no JSON: {error}"))?;
        let mut fields = Document::of(&tree, "question")?;
        let record = fields.any("record");
        let record = record_from_json(fields.given("record", record)?)?;
        let lang = fields.name("lang", Lang::from_name)?.unwrap_or(Lang::English);
        fields.end()?;
        let mut object = Builder::default();
        object.nullable("item", Item::of(&record).map(|item| item.json(lang)));
        Ok(format!("{}", object.build()))
    }

    fn json(&self, lang: Lang) -> Value {
        let record = self.record;
        let mut object = Builder::default();
        object.put("id", &*record.id);
        object.put("cause", self.cause.name());
        object.put("explanation", self.cause.sentence(lang));
        object.put("advice", self.advice(lang));
        object.put("attempt", record.attempt);
        object.nullable("status", record.status);
        object.put("since", record.updated.get());
        let key = record.key.as_ref().map(|key| format!("{}", ShortKey(key.as_str())));
        object.nullable("key", key);
        object.put("maybeProcessed", record.maybe_processed);
        let actions: Vec<Value> = self.actions.iter().map(|&a| Action::name(a).into()).collect();
        object.put("actions", actions);
        object.build()
    }
}
