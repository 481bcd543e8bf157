//! JSON documents as a tree: as much of RFC 8259 as settings need, and small.
//!
//! A general reader was measured: it made the WebAssembly module 60 kB larger, most of it for
//! floating-point numbers, which no setting is, and for a map of its own. Here a number stays the
//! text that it was written as, so that 0.1 is exactly a tenth.

mod read;
pub(crate) mod write;

use alloc::{borrow::Cow, string::String, vec::Vec};

pub(crate) use read::read;

/// A value, with the texts of the document where they stand there unescaped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    /// As written.
    Number(&'a str),
    String(Cow<'a, str>),
    Array(Vec<Self>),
    Object(Object<'a>),
}

impl<'a> Value<'a> {
    pub(crate) const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) const fn as_object(&self) -> Option<&Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// A member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }
}

/// The members of an object, in the order of the document. Of a name that stands there twice the
/// last value is kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

impl<'a> Object<'a> {
    /// The most members that [`read()`] lets an object have: looking a name up is a walk.
    pub(crate) const MAX: usize = 1024;

    pub(crate) fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }
}

/// A document, read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Document<'a> {
    pub(crate) root: Value<'a>,
    /// The paths of members that an object has more than once.
    pub(crate) twice: Vec<String>,
}

#[cfg(test)]
mod tests;
