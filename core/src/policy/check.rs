//! Looks at options that somebody filled in: is every value in its range?

use alloc::string::String;

use crate::policy::{
    fields::{Field, Fields, Place, What, each},
    issue::{IssueKind, Issues},
    spec::{STATUS, Spec},
};
use crate::text::{join, listed, number};

/// Reports each value that is out of its range, under `prefix` (empty, or ending in a dot).
pub(crate) fn check(part: &mut dyn Fields, prefix: &str, issues: &mut Issues) {
    let mut checker = Checker { prefix, issues };
    each(part, &mut |field, place| {
        if let Some(place) = place {
            checker.field(field, place);
        }
    });
}

struct Checker<'a> {
    prefix: &'a str,
    issues: &'a mut Issues,
}

impl Checker<'_> {
    fn field(&mut self, field: &'static Field, place: Place<'_>) {
        let path = || join(&[self.prefix, field.name]);
        match (field.what, place) {
            (What::Name(names) | What::Kind(names), Place::Name(slot)) => {
                if let Some(value) = slot.get()
                    && !names.contains(&value)
                {
                    let allowed = join(&["one of ", &listed(names, ", ")]);
                    self.refuse(path(), &allowed, value);
                }
            }
            (What::Object, Place::Object(object)) => self.inside(&path(), object),
            (What::Optional, Place::Optional(slot)) => {
                if let Some(object) = slot.get() {
                    self.inside(&path(), object);
                }
            }
            (What::Objects, Place::Objects(slot)) => {
                let mut at = 0;
                while let Some(object) = slot.get(at) {
                    self.inside(&numbered(&path(), at), object);
                    at += 1;
                }
            }
            (What::Number(spec), place) => {
                let value = place.number();
                self.number(&path(), spec, value);
            }
            (What::Text(rule) | What::Texts(rule), place) => {
                let is_list = matches!(field.what, What::Texts(_));
                let mut at = 0;
                while let Some(text) = place.text(at) {
                    if !rule.accepts(text) {
                        let path = if is_list { numbered(&path(), at) } else { path() };
                        self.refuse(path, rule.phrase(), &quoted(text));
                    }
                    at += 1;
                }
            }
            (What::Statuses, place) => {
                let mut at = 0;
                while let Some(status) = place.status(at) {
                    self.number(&numbered(&path(), at), &STATUS, Some(status.into()));
                    at += 1;
                }
            }
            _ => {}
        }
    }

    fn number(&mut self, path: &str, spec: &Spec, value: Option<u64>) {
        if let Some(value) = value.filter(|&value| !spec.accepts(value)) {
            self.refuse(path.into(), &spec.phrase(), &spec.show(value));
        }
    }

    fn inside(&mut self, path: &str, part: &mut dyn Fields) {
        check(part, &join(&[path, "."]), self.issues);
    }

    fn refuse(&mut self, field: String, allowed: &str, value: &str) {
        // Whatever a document has wrong here was never filled in.
        if self.issues.touches(&field) {
            return;
        }
        let message = join(&[&field, " must be ", allowed, ", not ", value]);
        self.issues.push(field, IssueKind::OutOfRange, message);
    }
}

/// The path of a member of a list.
pub(crate) fn numbered(list: &str, at: usize) -> String {
    join(&[list, "[", &number(at as u64), "]"])
}

/// A text as JSON writes it, the beginning only if it is long.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 48;
    let mut quoted = String::from("\"");
    for (count, letter) in text.chars().enumerate() {
        if count == SHOWN {
            quoted.push_str("\"…");
            return quoted;
        }
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // What would hide or turn the line that the text is shown in.
            '\0'..' '
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => push_escape(&mut quoted, letter),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// `\uXXXX`; all letters that need it lie in the first 65 536.
fn push_escape(text: &mut String, letter: char) {
    text.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        let digit = u32::from(letter) >> shift & 15;
        text.push(char::from_digit(digit, 16).unwrap_or('0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_quoted_on_one_line_whatever_it_holds() {
        for (text, shown) in [
            ("", r#""""#),
            ("it's é 😀", r#""it's é 😀""#),
            ("a\"b\\c", r#""a\"b\\c""#),
            ("\n\r\t\0\x1b[1m\x7f", r#""\n\r\t\u0000\u001b[1m\u007f""#),
            ("\u{202e}txt\u{200f}", r#""\u202etxt\u200f""#),
        ] {
            assert_eq!(quoted(text), shown);
        }
        let long = "x".repeat(49);
        assert_eq!(quoted(&long), alloc::format!("\"{}\"…", &long[..48]));
        assert!(!quoted(&long[..48]).ends_with('…'));
    }
}
