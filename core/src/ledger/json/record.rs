//! The form in which records are kept.

use alloc::{boxed::Box, string::String};

use super::VERSION;
use crate::{
    document::{Fields, Malformed, parse},
    idempotency::Key,
    json::{
        Value,
        write::{Out, Writer},
    },
    ledger::{Cause, Record, State},
    review::{Action, Resolution},
    text::number,
};

/// A record as a flat JSON object: every field always there, null where it has no value.
pub fn record_to_json(record: &Record) -> String {
    let (owner, lease_until) = match &record.state {
        State::InProgress { owner, lease_until } => (Some(&**owner), Some(*lease_until)),
        _ => (None, None),
    };
    let due = match record.state {
        State::Waiting { due } => Some(due),
        _ => None,
    };
    let mut object = Writer::new();
    object.put("v", VERSION);
    object.put("revision", record.revision);
    object.put("id", &*record.id);
    object.nullable("key", record.key.as_ref().map(Key::as_str));
    object.put("fingerprint", &*record.fingerprint);
    object.put("state", record.state.name());
    object.put("attempt", record.attempt);
    object.nullable("owner", owner);
    object.nullable("leaseUntil", lease_until);
    object.nullable("dueAt", due);
    object.nullable("cause", record.cause().map(Cause::name));
    object.nullable("status", record.status);
    object.put("maybeProcessed", record.maybe_processed);
    object.put("queued", record.queued);
    object.put("createdAt", record.created);
    object.put("updatedAt", record.updated);
    object.nullable("firstSentAt", record.first_sent);
    object.nullable("replaces", record.replaces.as_deref());
    object.nullable("replacedBy", record.replaced_by.as_deref());
    let resolution = record.resolution.as_ref().map(resolution_to_json);
    object.nullable("resolution", resolution.as_deref().map(Out::Json));
    object.end()
}

/// The record of a JSON object.
///
/// # Errors
/// A sentence that names the field. A record of another version is refused whole: writing it back
/// would lose what this version does not know.
pub fn record_from_json(json: &str) -> Result<Record, String> {
    Ok(read(&parse(json)?)?)
}

/// The record of a tree.
pub(super) fn read(value: &Value<'_>) -> Result<Record, Malformed> {
    let mut fields = Fields::of(value, "record")?;
    let version = fields.count("v")?;
    let version: u32 = fields.given("v", version)?;
    if version != VERSION {
        let [found, known] = [version, VERSION].map(|version| number(version.into()));
        return Err(Malformed::new(&["record.v is ", &found, ": this version reads ", &known]));
    }
    let revision = fields.count("revision")?;
    let id = fields.text("id")?;
    let key = fields.text("key")?.map(|key| Key::own(key, 0));
    let fingerprint = fields.text("fingerprint")?;
    let attempt = fields.count("attempt")?;
    let (created, updated) = (fields.time("createdAt")?, fields.time("updatedAt")?);
    let resolution = fields.any("resolution").map(resolution_from_json).transpose()?;
    let record = Record {
        revision: fields.given("revision", revision)?,
        id: fields.given("id", id)?.into(),
        key: key.transpose().map_err(|_| "record.key is none that a server could take")?,
        fingerprint: fields.given("fingerprint", fingerprint)?.into(),
        state: state(&mut fields)?,
        attempt: fields.given("attempt", attempt)?,
        status: fields.count("status")?,
        maybe_processed: fields.flag("maybeProcessed")?,
        queued: fields.flag("queued")?,
        created: fields.given("createdAt", created)?,
        updated: fields.given("updatedAt", updated)?,
        first_sent: fields.time("firstSentAt")?,
        replaces: fields.text("replaces")?.map(Into::into),
        replaced_by: fields.text("replacedBy")?.map(Into::into),
        resolution,
    };
    fields.end()?;
    Ok(record)
}

fn state(fields: &mut Fields<'_>) -> Result<State, Malformed> {
    let name = fields.text("state")?;
    let name = fields.given("state", name)?;
    let owner: Option<Box<str>> = fields.text("owner")?.map(Into::into);
    let (lease_until, due) = (fields.time("leaseUntil")?, fields.time("dueAt")?);
    let cause = fields.name("cause", Cause::from_name)?;
    Ok(match name {
        "in-progress" => State::InProgress {
            owner: fields.given("owner", owner)?,
            lease_until: fields.given("leaseUntil", lease_until)?,
        },
        "waiting" => State::Waiting { due: fields.given("dueAt", due)? },
        "completed" => State::Completed,
        "review" => State::Review { cause: fields.given("cause", cause)? },
        "abandoned" => State::Abandoned,
        _ => return Err(fields.unknown("state", name)),
    })
}

fn resolution_to_json(resolution: &Resolution) -> String {
    let mut object = Writer::new();
    object.put("action", resolution.action.name());
    object.put("by", &*resolution.by);
    object.put("why", &*resolution.why);
    object.put("at", resolution.at);
    object.end()
}

fn resolution_from_json(value: &Value<'_>) -> Result<Resolution, Malformed> {
    let mut fields = Fields::of(value, "resolution")?;
    let action = fields.name("action", Action::from_name)?;
    let (by, why) = (fields.text("by")?, fields.text("why")?);
    let at = fields.time("at")?;
    let resolution = Resolution {
        action: fields.given("action", action)?,
        by: fields.given("by", by)?.into(),
        why: fields.given("why", why)?.into(),
        at: fields.given("at", at)?,
    };
    fields.end()?;
    Ok(resolution)
}
