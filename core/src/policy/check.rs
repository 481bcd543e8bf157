//! Looks at options that somebody filled in: is every value in its range?

use alloc::{boxed::Box, string::String, vec::Vec};

use crate::policy::{
    fields::{Fields, Named, Objects, Optional, STATUS, Slot, Spec, TextRule, Visitor},
    issue::{IssueKind, Issues},
};
use crate::text::{join, listed, number};

/// Reports each value that is out of its range, under `prefix` (empty, or ending in a dot).
pub(crate) fn check(part: &mut dyn Fields, prefix: &str, issues: &mut Issues) {
    part.fields(&mut Checker { prefix, issues });
}

struct Checker<'a> {
    prefix: &'a str,
    issues: &'a mut Issues,
}

impl Checker<'_> {
    fn refuse(&mut self, field: String, allowed: &str, value: &str) {
        // Whatever a document has wrong here was never filled in.
        if self.issues.touches(&field) {
            return;
        }
        let message = join(&[&field, " must be ", allowed, ", not ", value]);
        self.issues.push(field, IssueKind::OutOfRange, message);
    }

    fn inside(&mut self, name: &str, part: &mut dyn Fields) {
        check(part, &join(&[self.prefix, name, "."]), self.issues);
    }
}

impl Visitor for Checker<'_> {
    fn number(&mut self, name: &'static str, spec: Spec, slot: Slot<'_>) {
        if let Some(value) = slot.get()
            && !spec.accepts(value)
        {
            self.refuse(join(&[self.prefix, name]), &spec.phrase(), &spec.show(value));
        }
    }

    fn flag(&mut self, _: &'static str, _: &mut bool) {}

    fn name(&mut self, name: &'static str, slot: &mut dyn Named) -> bool {
        let choices = slot.choices();
        if let Some(value) = slot.get()
            && !choices.contains(&value)
        {
            let allowed = join(&["one of ", &listed(choices, ", ")]);
            self.refuse(join(&[self.prefix, name]), &allowed, value);
        }
        true
    }

    fn text(&mut self, name: &'static str, rule: TextRule, slot: &mut Option<Box<str>>) {
        if let Some(text) = slot.as_deref()
            && !rule.accepts(text)
        {
            self.refuse(join(&[self.prefix, name]), rule.phrase(), &quoted(text));
        }
    }

    fn texts(&mut self, name: &'static str, rule: TextRule, slot: &mut Vec<String>) {
        for (index, text) in slot.iter().enumerate().filter(|(_, text)| !rule.accepts(text)) {
            let field = join(&[self.prefix, name, "[", &number(index as u64), "]"]);
            self.refuse(field, rule.phrase(), &quoted(text));
        }
    }

    fn statuses(&mut self, name: &'static str, slot: &mut Vec<u16>) {
        for (index, &status) in slot.iter().enumerate() {
            if !STATUS.accepts(status.into()) {
                let field = join(&[self.prefix, name, "[", &number(index as u64), "]"]);
                self.refuse(field, &STATUS.phrase(), &STATUS.show(status.into()));
            }
        }
    }

    fn object(&mut self, name: &'static str, slot: &mut dyn Fields) {
        self.inside(name, slot);
    }

    fn optional(&mut self, name: &'static str, slot: &mut dyn Optional) {
        if let Some(object) = slot.get() {
            self.inside(name, object);
        }
    }

    fn objects(&mut self, name: &'static str, slot: &mut dyn Objects) {
        slot.each(&mut |index, object| {
            self.inside(&join(&[name, "[", &number(index as u64), "]"]), object);
        });
    }

    fn others(&mut self, _: &'static str, _: bool, _: &mut dyn Fields) {}
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
