//! JSON objects of records, events and trails: read strictly, every field checked, nothing ignored.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde_json::{Map, Value};

use crate::time::{Millis, UnixMillis};

/// What is wrong with a document, as a sentence that names the field.
pub(crate) type Malformed = String;

/// The fields of one object, each to be read once. A field that is null counts as left out.
pub(crate) struct Document<'a> {
    what: &'static str,
    fields: &'a Map<String, Value>,
    read: Vec<&'static str>,
}

impl<'a> Document<'a> {
    /// The fields of `value`; `what` names it in sentences.
    pub(crate) fn of(value: &'a Value, what: &'static str) -> Result<Self, Malformed> {
        match value {
            Value::Object(fields) => Ok(Self { what, fields, read: Vec::new() }),
            _ => Err(format!("{what} must be an object")),
        }
    }

    /// A field of any kind.
    pub(crate) fn any(&mut self, name: &'static str) -> Option<&'a Value> {
        self.read.push(name);
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<Option<&'a str>, Malformed> {
        let Some(value) = self.any(name) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| self.wrong(name, "a text"))
    }

    /// Yes or no; left out, no.
    pub(crate) fn flag(&mut self, name: &'static str) -> Result<bool, Malformed> {
        let Some(value) = self.any(name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| self.wrong(name, "true or false"))
    }

    /// A whole number from 0 on that fits `T`.
    pub(crate) fn count<T: TryFrom<u64>>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, Malformed> {
        let Some(value) = self.any(name) else { return Ok(None) };
        let whole = value.as_u64().or_else(|| whole(value).and_then(|n| u64::try_from(n).ok()));
        let fits = whole.and_then(|whole| T::try_from(whole).ok());
        fits.map(Some).ok_or_else(|| self.wrong(name, "a whole number from 0 on"))
    }

    /// A point on the wall clock.
    pub(crate) fn time(&mut self, name: &'static str) -> Result<Option<UnixMillis>, Malformed> {
        let Some(value) = self.any(name) else { return Ok(None) };
        let time = whole(value).map(UnixMillis::new);
        time.map(Some).ok_or_else(|| self.wrong(name, "whole milliseconds since 1970"))
    }

    /// A span.
    pub(crate) fn millis(&mut self, name: &'static str) -> Result<Option<Millis>, Malformed> {
        Ok(self.count::<u64>(name)?.map(Millis::new))
    }

    /// One of some names.
    pub(crate) fn name<T>(
        &mut self,
        name: &'static str,
        from: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Malformed> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        from(text).map(Some).ok_or_else(|| format!("{}.{name} has no value {text:?}", self.what))
    }

    /// The value of a field that must be there.
    pub(crate) fn given<T>(&self, name: &str, value: Option<T>) -> Result<T, Malformed> {
        value.ok_or_else(|| format!("{}.{name} is missing", self.what))
    }

    /// Every field was read.
    pub(crate) fn end(self) -> Result<(), Malformed> {
        let unknown = self.fields.keys().find(|key| !self.read.contains(&key.as_str()));
        unknown.map_or(Ok(()), |key| Err(format!("{} has no field {key:?}", self.what)))
    }

    fn wrong(&self, name: &str, allowed: &str) -> Malformed {
        format!("{}.{name} must be {allowed}", self.what)
    }
}

/// A whole number, also where a host writes it as `5.0`, up to 2^53.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        let whole = number as i64;
        let exact = whole.unsigned_abs() <= Millis::MAX.get()
            && (whole as f64).to_bits() == number.to_bits();
        exact.then_some(whole)
    })
}

/// Builds an object: fields without a value are left out.
#[derive(Default)]
pub(crate) struct Builder(Map<String, Value>);

impl Builder {
    /// Adds a field.
    pub(crate) fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_string(), value.into());
    }

    /// Adds a field if it has a value.
    pub(crate) fn maybe(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    /// Adds a field that is null without a value.
    pub(crate) fn nullable(&mut self, name: &str, value: Option<impl Into<Value>>) {
        self.put(name, value.map_or(Value::Null, Into::into));
    }

    /// The object.
    pub(crate) fn build(self) -> Value {
        Value::Object(self.0)
    }
}
