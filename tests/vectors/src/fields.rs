//! Strict reading of a JSON object: every field is asked for by name, and what nobody asked for is
//! an error.

use core::fmt;

use serde_json::{Map, Value};

/// Why a line of a vector file cannot be replayed: a sentence that says where and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub String);

/// An object whose fields are taken out one by one.
pub struct Fields<'a> {
    at: String,
    map: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

/// A type that a JSON value can stand for.
pub trait Read<'a>: Sized {
    /// What the value has to be, for messages.
    const WHAT: &'static str;

    /// The value as this type, or nothing when it is of another type.
    fn read(value: &'a Value) -> Option<Self>;
}

impl<'a> Fields<'a> {
    /// The fields of `value`; `at` names it in messages.
    ///
    /// # Errors
    /// When `value` is no object.
    pub fn of(value: &'a Value, at: impl Into<String>) -> Result<Self, Invalid> {
        let at = at.into();
        match value.as_object() {
            Some(map) => Ok(Self { at, map, known: Vec::new() }),
            None => Err(Invalid(format!("{at} has to be an object, not {value}"))),
        }
    }

    /// The field `name`; absent and `null` are the same.
    ///
    /// # Errors
    /// When the value has another type.
    pub fn optional<T: Read<'a>>(&mut self, name: &'static str) -> Result<Option<T>, Invalid> {
        self.known.push(name);
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match T::read(value) {
                Some(read) => Ok(Some(read)),
                None => Err(self.invalid(format!("`{name}` has to be {}, not {value}", T::WHAT))),
            },
        }
    }

    /// The field `name`.
    ///
    /// # Errors
    /// When it is absent, `null` or of another type.
    pub fn required<T: Read<'a>>(&mut self, name: &'static str) -> Result<T, Invalid> {
        match self.optional(name)? {
            Some(read) => Ok(read),
            None => Err(self.invalid(format!("`{name}` is missing"))),
        }
    }

    /// The field `name`, whatever it holds; null is a value here.
    ///
    /// # Errors
    /// When it is absent.
    pub fn present(&mut self, name: &'static str) -> Result<&'a Value, Invalid> {
        self.known.push(name);
        self.map.get(name).ok_or_else(|| self.invalid(format!("`{name}` is missing")))
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// When a field is left that nobody asked for.
    pub fn end(self) -> Result<(), Invalid> {
        let stranger = self.map.keys().find(|key| !self.known.contains(&key.as_str()));
        match stranger {
            None => Ok(()),
            Some(key) => {
                let known = self.known.join(", ");
                Err(self.invalid(format!("unknown field `{key}` (known: {known})")))
            }
        }
    }

    /// An error about this object.
    pub fn invalid(&self, what: impl fmt::Display) -> Invalid {
        Invalid(format!("{}: {what}", self.at))
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Invalid {}

impl<'a> Read<'a> for &'a str {
    const WHAT: &'static str = "a string";

    fn read(value: &'a Value) -> Option<Self> {
        value.as_str()
    }
}

impl Read<'_> for String {
    const WHAT: &'static str = "a string";

    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(Self::from)
    }
}

impl Read<'_> for bool {
    const WHAT: &'static str = "true or false";

    fn read(value: &Value) -> Option<Self> {
        value.as_bool()
    }
}

impl Read<'_> for u64 {
    const WHAT: &'static str = "a whole number from 0 on";

    fn read(value: &Value) -> Option<Self> {
        value.as_u64()
    }
}

impl Read<'_> for u32 {
    const WHAT: &'static str = "a whole number from 0 to 4294967295";

    fn read(value: &Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl Read<'_> for u16 {
    const WHAT: &'static str = "a whole number from 0 to 65535";

    fn read(value: &Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl Read<'_> for i64 {
    const WHAT: &'static str = "a whole number";

    fn read(value: &Value) -> Option<Self> {
        value.as_i64()
    }
}

impl<'a> Read<'a> for &'a Value {
    const WHAT: &'static str = "a value";

    fn read(value: &'a Value) -> Option<Self> {
        Some(value)
    }
}

impl<'a> Read<'a> for &'a Map<String, Value> {
    const WHAT: &'static str = "an object";

    fn read(value: &'a Value) -> Option<Self> {
        value.as_object()
    }
}

impl<'a> Read<'a> for &'a [Value] {
    const WHAT: &'static str = "a list";

    fn read(value: &'a Value) -> Option<Self> {
        value.as_array().map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_nobody_asked_for_is_refused_by_name() {
        let value = json!({"a": 1, "b": 2});
        let mut fields = Fields::of(&value, "here").unwrap();
        assert_eq!(fields.required::<u64>("a"), Ok(1));
        assert_eq!(fields.end().unwrap_err().0, "here: unknown field `b` (known: a)");
    }

    #[test]
    fn null_is_absent_and_a_wrong_type_is_named() {
        let value = json!({"a": null, "b": "1"});
        let mut fields = Fields::of(&value, "here").unwrap();
        assert_eq!(fields.optional::<u64>("a"), Ok(None));
        assert!(fields.required::<u64>("a").is_err());
        let error = fields.optional::<u64>("b").unwrap_err().0;
        assert_eq!(error, "here: `b` has to be a whole number from 0 on, not \"1\"");
    }
}
