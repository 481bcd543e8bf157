//! Entries as JSON.

use alloc::{string::String, vec::Vec};

use super::{Entry, Label, Severity, Story, TrailState};
use crate::{
    document::{Fields, Malformed, parse},
    explain::Lang,
    json::{Value, write::Writer},
    ledger::Cause,
    verdict::Reason,
};

/// An entry as a JSON object; fields without a value are left out.
pub fn entry_to_json(entry: &Entry) -> String {
    let mut object = Writer::new();
    object.put("at", entry.at);
    object.put("state", entry.state.name());
    object.put("severity", entry.severity().name());
    object.put("attempt", entry.attempt);
    object.maybe("status", entry.status);
    object.maybe("delayMs", entry.delay);
    object.maybe("reason", entry.reason.map(Reason::name));
    object.maybe("cause", entry.cause.map(Cause::name));
    object.maybe("sustainedThrottling", entry.sustained_throttling.then_some(true));
    object.maybe("takenOver", entry.taken_over.then_some(true));
    object.maybe("other", entry.other.as_deref());
    object.maybe("by", entry.by.as_deref());
    object.maybe("why", entry.why.as_deref());
    object.end()
}

/// The entry of a JSON object.
///
/// # Errors
/// A sentence that names the field.
pub fn entry_from_json(json: &str) -> Result<Entry, String> {
    Ok(entry(&parse(json)?)?)
}

fn entry(value: &Value<'_>) -> Result<Entry, Malformed> {
    let mut fields = Fields::of(value, "entry")?;
    let at = fields.time("at")?;
    let state = fields.name("state", TrailState::from_name)?;
    let attempt = fields.count("attempt")?;
    let mut entry = Entry::new(
        fields.given("at", at)?,
        fields.given("state", state)?,
        fields.given("attempt", attempt)?,
    );
    // It follows from the rest.
    fields.name("severity", Severity::from_name)?;
    entry.status = fields.count("status")?;
    entry.delay = fields.millis("delayMs")?;
    entry.reason = fields.name("reason", Reason::from_name)?;
    entry.cause = fields.name("cause", Cause::from_name)?;
    entry.sustained_throttling = fields.flag("sustainedThrottling")?;
    entry.taken_over = fields.flag("takenOver")?;
    entry.other = fields.text("other")?.map(Into::into);
    entry.by = fields.text("by")?.map(Into::into);
    entry.why = fields.text("why")?.map(Into::into);
    fields.end()?;
    Ok(entry)
}

/// Renders a story given as `{ "trail": { "id", "key", "labels", "entries" }, "lang" }`: the text,
/// or what is wrong.
///
/// # Errors
/// A sentence that names the field.
pub fn render_json(question: &str) -> Result<String, String> {
    let tree = parse(question)?;
    let mut outer = Fields::of(&tree, "question")?;
    let lang = outer.name("lang", Lang::from_name)?.unwrap_or(Lang::English);
    let trail = outer.any("trail");
    let trail = outer.given("trail", trail)?;
    outer.end()?;
    let mut fields = Fields::of(trail, "trail")?;
    let (id, key) = (fields.text("id")?, fields.text("key")?);
    let labels = fields.any("labels").map(labels).transpose()?.unwrap_or_default();
    let entries = fields.any("entries").map(entries).transpose()?.unwrap_or_default();
    fields.end()?;
    let mut text = String::new();
    let story = Story { id, key, labels: &labels, entries: &entries };
    story.render(&mut text, lang);
    Ok(text)
}

fn entries(value: &Value<'_>) -> Result<Vec<Entry>, Malformed> {
    let Some(list) = value.as_array() else { return Err("trail.entries must be a list".into()) };
    list.iter().map(entry).collect()
}

fn labels<'a>(value: &'a Value<'a>) -> Result<Vec<Label<'a>>, Malformed> {
    let Some(labels) = value.as_object() else {
        return Err("trail.labels must be an object".into());
    };
    let pairs = labels.iter().map(|(name, value)| {
        let value = value.as_str();
        let value =
            value.ok_or_else(|| Malformed::new(&["trail.labels.", name, " must be a text"]))?;
        Ok((name, value))
    });
    pairs.collect()
}
