//! The fields of a data file, read strictly: a flaw is an error that names the field.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value};

pub(super) fn known(object: &Map<String, Value>, names: &[&str]) -> Result<()> {
    let unknown = object.keys().find(|key| !names.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| bail!("there is no field {key}"))
}

pub(super) fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>> {
    let Some(value) = object.get(name) else { return Ok(None) };
    let text = value.as_str().with_context(|| format!("{name} is no text"))?;
    ensure!(!text.is_empty(), "{name} is empty");
    Ok(Some(text))
}

pub(super) fn number(object: &Map<String, Value>, name: &str) -> Result<Option<u64>> {
    let Some(value) = object.get(name) else { return Ok(None) };
    value.as_u64().with_context(|| format!("{name} is no number")).map(Some)
}

pub(super) fn flag(object: &Map<String, Value>, name: &str) -> Result<bool> {
    let Some(value) = object.get(name) else { return Ok(false) };
    value.as_bool().with_context(|| format!("{name} is neither true nor false"))
}

pub(super) fn object<'a>(
    object: &'a Map<String, Value>,
    name: &str,
) -> Result<Option<&'a Map<String, Value>>> {
    let Some(value) = object.get(name) else { return Ok(None) };
    value.as_object().with_context(|| format!("{name} is no object")).map(Some)
}

pub(super) fn array<'a>(object: &'a Map<String, Value>, name: &str) -> Result<&'a [Value]> {
    let Some(value) = object.get(name) else { return Ok(&[]) };
    Ok(value.as_array().with_context(|| format!("{name} is no list"))?)
}

pub(super) fn strings<'a>(object: &'a Map<String, Value>, name: &str) -> Result<Vec<&'a str>> {
    let texts = array(object, name)?.iter().map(Value::as_str).collect::<Option<_>>();
    texts.with_context(|| format!("{name} is no list of texts"))
}
