//! JSON objects of records, events and trails: read strictly, every field checked, nothing ignored.

use alloc::{boxed::Box, string::String, vec::Vec};

use crate::{
    json::{Object, Value, write},
    policy::number::{Scaled, scaled},
    text::join,
    time::{Millis, UnixMillis},
};

/// What is wrong with a document, as a sentence that names the field.
///
/// One word wide, since every field that is read may end the reading: in a module full of records a
/// text in each of these results is a sixth of its code.
#[derive(Debug)]
#[expect(clippy::box_collection, reason = "see above")]
pub(crate) struct Malformed(Box<String>);

impl Malformed {
    /// The sentence put together from pieces.
    #[inline(never)]
    pub(crate) fn new(pieces: &[&str]) -> Self {
        Self(Box::new(join(pieces)))
    }
}

impl From<&str> for Malformed {
    fn from(sentence: &str) -> Self {
        Self::new(&[sentence])
    }
}

impl From<Malformed> for String {
    #[inline(never)]
    fn from(malformed: Malformed) -> Self {
        *malformed.0
    }
}

/// The tree of a text.
///
/// # Errors
/// It is no JSON, or an object has a field twice.
pub(crate) fn parse(text: &str) -> Result<Value<'_>, Malformed> {
    let document =
        crate::json::read(text).map_err(|f| Malformed::new(&["no JSON document: ", &f]))?;
    match document.twice.first() {
        Some(path) => Err(Malformed::new(&[path, " is given more than once"])),
        None => Ok(document.root),
    }
}

/// The fields of one object, each to be read once. A field that is null counts as left out.
pub(crate) struct Fields<'a> {
    what: &'static str,
    members: &'a Object<'a>,
    read: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The fields of `value`; `what` names it in sentences.
    pub(crate) fn of(value: &'a Value<'a>, what: &'static str) -> Result<Self, Malformed> {
        match value.as_object() {
            Some(members) => Ok(Self { what, members, read: Vec::new() }),
            None => Err(Malformed::new(&[what, " must be an object"])),
        }
    }

    /// A field of any kind.
    pub(crate) fn any(&mut self, name: &'static str) -> Option<&'a Value<'a>> {
        self.read.push(name);
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<Option<&'a str>, Malformed> {
        let Some(value) = self.any(name) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| self.wrong(name, "a text"))
    }

    /// Yes or no; left out, no.
    pub(crate) fn flag(&mut self, name: &'static str) -> Result<bool, Malformed> {
        match self.any(name) {
            None => Ok(false),
            Some(&Value::Bool(flag)) => Ok(flag),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    /// A whole number from 0 on that fits `T`.
    pub(crate) fn count<T: TryFrom<i64>>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, Malformed> {
        let Some(value) = self.any(name) else { return Ok(None) };
        let fits = whole(value).filter(|&n| n >= 0).and_then(|n| T::try_from(n).ok());
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
        match from(text) {
            Some(value) => Ok(Some(value)),
            None => Err(self.unknown(name, text)),
        }
    }

    /// The value of a field that must be there.
    pub(crate) fn given<T>(&self, name: &str, value: Option<T>) -> Result<T, Malformed> {
        value.ok_or_else(|| self.missing(name))
    }

    /// A name that stands for nothing.
    pub(crate) fn unknown(&self, name: &str, text: &str) -> Malformed {
        Malformed::new(&[self.what, ".", name, " has no value ", &write::text(text)])
    }

    /// Every field was read.
    pub(crate) fn end(self) -> Result<(), Malformed> {
        let unknown =
            self.members.iter().map(|(name, _)| name).find(|key| !self.read.contains(key));
        match unknown {
            Some(key) => Err(Malformed::new(&[self.what, " has no field ", &write::text(key)])),
            None => Ok(()),
        }
    }

    fn wrong(&self, name: &str, allowed: &str) -> Malformed {
        Malformed::new(&[self.what, ".", name, " must be ", allowed])
    }

    #[inline(never)]
    fn missing(&self, name: &str) -> Malformed {
        Malformed::new(&[self.what, ".", name, " is missing"])
    }
}

/// A whole number, also where a host writes it as `5.0` or `5e3`.
fn whole(value: &Value<'_>) -> Option<i64> {
    let Value::Number(text) = *value else { return None };
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let Scaled::Exact(size) = scaled(text, 0) else { return None };
    if negative { 0_i64.checked_sub_unsigned(size) } else { i64::try_from(size).ok() }
}
