//! From values to text.

use alloc::string::String;

use crate::text::push_number;

/// Something that a member can hold.
#[derive(Clone, Copy)]
pub(crate) enum Out<'a> {
    /// A text, escaped when it is written.
    Text(&'a str),
    /// A whole number.
    Number(i64),
    /// True or false.
    Flag(bool),
    /// JSON already.
    Json(&'a str),
}

impl<'a> From<&'a str> for Out<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl From<u16> for Out<'_> {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

impl From<u32> for Out<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<i64> for Out<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Out<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<crate::Millis> for Out<'_> {
    fn from(span: crate::Millis) -> Self {
        // At most 2^53 − 1.
        Self::Number(span.get() as i64)
    }
}

impl From<crate::UnixMillis> for Out<'_> {
    fn from(at: crate::UnixMillis) -> Self {
        Self::Number(at.get())
    }
}

/// Writes an object, member by member.
pub(crate) struct Writer(String);

impl Writer {
    pub(crate) fn new() -> Self {
        Self("{".into())
    }

    /// Adds a member.
    pub(crate) fn put<'a>(&mut self, name: &str, value: impl Into<Out<'a>>) {
        self.name(name);
        let out = &mut self.0;
        match value.into() {
            Out::Text(text) => push_text(out, text),
            Out::Number(number) => {
                if number < 0 {
                    out.push('-');
                }
                push_number(out, number.unsigned_abs());
            }
            Out::Flag(flag) => out.push_str(if flag { "true" } else { "false" }),
            Out::Json(json) => out.push_str(json),
        }
    }

    /// Adds a member if it has a value.
    pub(crate) fn maybe<'a>(&mut self, name: &str, value: Option<impl Into<Out<'a>>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    /// Adds a member that is null without a value.
    pub(crate) fn nullable<'a>(&mut self, name: &str, value: Option<impl Into<Out<'a>>>) {
        match value {
            Some(value) => self.put(name, value),
            None => self.put(name, Out::Json("null")),
        }
    }

    /// Adds a list of what is JSON already.
    pub(crate) fn list(&mut self, name: &str, items: impl Iterator<Item = String>) {
        self.name(name);
        self.0.push('[');
        for (at, item) in items.enumerate() {
            if at > 0 {
                self.0.push(',');
            }
            self.0.push_str(&item);
        }
        self.0.push(']');
    }

    /// The object.
    pub(crate) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_text(&mut self.0, name);
        self.0.push(':');
    }
}

/// A text as JSON.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_text(&mut out, text);
    out
}

fn push_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0'..='\u{1f}' => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                let code = c as usize;
                out.push_str(if code < 16 { "\\u000" } else { "\\u001" });
                out.push(HEX.get(code % 16).copied().map_or('0', char::from));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_reader_finds_every_text_and_number_again() {
        let all: String =
            (0..0x300).chain([0x2028, 0xFEFF, 0x1_F600]).filter_map(char::from_u32).collect();
        let mut object = Writer::new();
        object.put("text", &*all);
        object.put(&all, true);
        object.put("least", i64::MIN);
        object.put("most", i64::MAX);
        object.maybe("none", None::<u32>);
        object.nullable("null", None::<u32>);
        object.list("list", [text("a"), text("b")].into_iter());
        let found: serde_json::Value = serde_json::from_str(&object.end()).unwrap();
        let expected = serde_json::json!({
            "text": all, (all.clone()): true, "least": i64::MIN, "most": i64::MAX, "null": null,
            "list": ["a", "b"],
        });
        assert_eq!(found, expected);
        assert_eq!(Writer::new().end(), "{}");
    }
}
