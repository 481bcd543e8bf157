//! Records, events and answers as JSON: what a store keeps, and what crosses to hosts.

mod event;
mod record;

use alloc::string::String;

use super::{Answer, Ledger, Problem};
use crate::{
    document::{Fields, parse},
    explain::Lang,
    json::write::{self, Out, Writer},
    review::{Action, Item},
    trail::{self, ShortKey},
};

pub use record::{record_from_json, record_to_json};

/// The version of the form in which records are kept.
pub(super) const VERSION: u32 = 1;

impl Ledger {
    /// Applies an event to a record, all in JSON: `{ "record", "event", "now" }` gives
    /// `{ "result", "changed", "record", "attempt"?, "retryInMs"?, "renewInMs"?, "problem"?, "entries", "created"? }`.
    ///
    /// # Errors
    /// A sentence that says what of the question cannot be read; a record that a newer version
    /// wrote is such a thing.
    pub fn apply_json(&self, question: &str) -> Result<String, String> {
        let tree = parse(question)?;
        let mut fields = Fields::of(&tree, "question")?;
        let record = fields.any("record").map(record::read).transpose()?;
        let event = fields.any("event");
        let event = event::read(fields.given("event", event)?)?;
        let now = fields.time("now")?;
        let now = fields.given("now", now)?;
        fields.end()?;
        Ok(answer(&self.apply(record.as_ref(), &event, now)))
    }
}

/// An answer as a JSON object.
pub fn answer(answer: &Answer) -> String {
    let entries = |entries: &[trail::Entry], object: &mut Writer| {
        object.list("entries", entries.iter().map(trail::entry_to_json));
    };
    let mut object = Writer::new();
    object.put("result", answer.reply.name());
    object.put("changed", answer.changed);
    let record = answer.record.as_ref().map(record_to_json);
    object.nullable("record", record.as_deref().map(Out::Json));
    object.maybe("attempt", answer.attempt);
    object.maybe("retryInMs", answer.retry_in);
    object.maybe("renewInMs", answer.renew_in);
    object.maybe("problem", answer.problem.map(Problem::sentence));
    entries(&answer.entries, &mut object);
    if let Some((record, entry)) = answer.created.as_deref() {
        let mut created = Writer::new();
        created.put("record", Out::Json(&record_to_json(record)));
        entries(core::slice::from_ref(entry), &mut created);
        object.put("created", Out::Json(&created.end()));
    }
    object.end()
}

impl Item<'_> {
    /// What a person has to know about a record, all in JSON: `{ "record", "lang" }` gives
    /// `{ "item" }`, null where the record is not in review.
    ///
    /// # Errors
    /// A sentence that says what of the question cannot be read.
    pub fn describe_json(question: &str) -> Result<String, String> {
        let tree = parse(question)?;
        let mut fields = Fields::of(&tree, "question")?;
        let record = fields.any("record");
        let record = record::read(fields.given("record", record)?)?;
        let lang = fields.name("lang", Lang::from_name)?.unwrap_or(Lang::English);
        fields.end()?;
        let mut object = Writer::new();
        let item = Item::of(&record).map(|item| item.json(lang));
        object.nullable("item", item.as_deref().map(Out::Json));
        Ok(object.end())
    }

    fn json(&self, lang: Lang) -> String {
        let record = self.record;
        let mut object = Writer::new();
        object.put("id", &*record.id);
        object.put("cause", self.cause.name());
        object.put("explanation", self.cause.sentence(lang));
        object.put("advice", self.advice(lang));
        object.put("attempt", record.attempt);
        object.nullable("status", record.status);
        object.put("since", record.updated);
        let key = record.key.as_ref().map(|key| {
            let mut text = String::new();
            ShortKey(key.as_str()).push_to(&mut text);
            text
        });
        object.nullable("key", key.as_deref());
        object.put("maybeProcessed", record.maybe_processed);
        object
            .list("actions", self.actions.iter().map(|&action| write::text(Action::name(action))));
        object.end()
    }
}
