//! A snapshot as a JSON document.

use alloc::string::String;

use super::Snapshot;
use crate::{
    json::Value,
    policy::{
        IssueKind, Issues,
        fields::{Field, Fields, Place, What, each},
        json,
    },
};

impl Snapshot {
    /// The document. Numbers are below 2^53; the generators' states are texts.
    pub fn to_json(&self) -> String {
        let mut document = String::new();
        write(&mut self.clone(), &mut document);
        document
    }

    /// Reads a document.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once, each with its field.
    pub fn from_json(document: &str) -> Result<Self, Issues> {
        let (tree, mut issues) = json::parse(document)?;
        let mut snapshot = Self::default();
        if let Value::Object(fields) = &tree {
            json::read(fields, &mut snapshot, &[], "", &mut issues);
        } else {
            let message = String::from("a snapshot must be an object");
            issues.push(String::new(), IssueKind::WrongType, message);
        }
        // A version that is left out stays 0, which is none.
        snapshot.check(&mut issues);
        issues.or(snapshot)
    }
}

/// Writes the fields of one object. A null is left out.
fn write(part: &mut dyn Fields, out: &mut String) {
    out.push('{');
    let mut writer = Writer { out: &mut *out, first: true };
    each(part, &mut |field, place| {
        if let Some(place) = place {
            writer.field(field, place);
        }
    });
    out.push('}');
}

struct Writer<'a> {
    out: &'a mut String,
    first: bool,
}

impl Writer<'_> {
    fn field(&mut self, field: &'static Field, place: Place<'_>) {
        match (field.what, place) {
            (What::Number(spec), place) => {
                if let Some(number) = place.number() {
                    self.name_it(field.name);
                    self.out.push_str(&spec.show(number));
                }
            }
            (What::Flag, Place::Flag(slot)) => {
                self.name_it(field.name);
                self.out.push_str(if *slot { "true" } else { "false" });
            }
            (What::Name(_) | What::Kind(_), Place::Name(slot)) => {
                if let Some(value) = slot.get() {
                    self.name_it(field.name);
                    self.string(value);
                }
            }
            (What::Text(_), place) => {
                if let Some(text) = place.text(0) {
                    self.name_it(field.name);
                    self.string(text);
                }
            }
            (What::Texts(_), place) => {
                self.name_it(field.name);
                self.list(|writer, at| place.text(at).map(|text| writer.string(text)));
            }
            (What::Object, Place::Object(object)) => {
                self.name_it(field.name);
                write(object, self.out);
            }
            (What::Optional, Place::Optional(slot)) => {
                if let Some(object) = slot.get() {
                    self.name_it(field.name);
                    write(object, self.out);
                }
            }
            (What::Objects, Place::Objects(slot)) => {
                self.name_it(field.name);
                self.list(|writer, at| slot.get(at).map(|object| write(object, writer.out)));
            }
            // No part of a snapshot has statuses.
            _ => {}
        }
    }

    fn name_it(&mut self, name: &str) {
        if !core::mem::take(&mut self.first) {
            self.out.push(',');
        }
        self.string(name);
        self.out.push(':');
    }

    /// A text; what JSON does not take as it is becomes a space, and no text of ours has it.
    fn string(&mut self, text: &str) {
        self.out.push('"');
        let allowed =
            |c: char| if c.is_ascii_control() || matches!(c, '"' | '\\') { ' ' } else { c };
        self.out.extend(text.chars().map(allowed));
        self.out.push('"');
    }

    /// Items until there is none.
    fn list(&mut self, mut item: impl FnMut(&mut Self, usize) -> Option<()>) {
        self.out.push('[');
        let mut at = 0;
        loop {
            let end = self.out.len();
            if at > 0 {
                self.out.push(',');
            }
            if item(self, at).is_none() {
                self.out.truncate(end);
                break;
            }
            at += 1;
        }
        self.out.push(']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_does_not_take_as_it_is_becomes_a_space() {
        let mut snapshot = Snapshot::new(None);
        snapshot.generator = Some("1\"2\\3\u{1f}4 5".into());
        let document = snapshot.to_json();
        assert!(document.contains(r#""generator":"1 2 3 4 5""#), "{document}");
    }
}
