//! A snapshot as a JSON document.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::Snapshot;
use crate::{
    json::Value,
    policy::{
        IssueKind, Issues,
        fields::{Fields, Named, Objects, Optional, Slot, Spec, TextRule, Visitor},
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
    part.fields(&mut Writer { out: &mut *out, first: true });
    out.push('}');
}

struct Writer<'a> {
    out: &'a mut String,
    first: bool,
}

impl Writer<'_> {
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
        let allowed = |c: char| if c < ' ' || matches!(c, '"' | '\\') { ' ' } else { c };
        self.out.extend(text.chars().map(allowed));
        self.out.push('"');
    }

    fn list(&mut self, items: usize, mut item: impl FnMut(&mut Self, usize)) {
        self.out.push('[');
        for index in 0..items {
            if index > 0 {
                self.out.push(',');
            }
            item(self, index);
        }
        self.out.push(']');
    }
}

impl Visitor for Writer<'_> {
    fn number(&mut self, name: &'static str, spec: Spec, slot: Slot<'_>) {
        if let Some(number) = slot.get() {
            self.name_it(name);
            self.out.push_str(&spec.show(number));
        }
    }

    fn flag(&mut self, name: &'static str, slot: &mut bool) {
        self.name_it(name);
        self.out.push_str(if *slot { "true" } else { "false" });
    }

    fn name(&mut self, name: &'static str, slot: &mut dyn Named) -> bool {
        if let Some(value) = slot.get() {
            self.name_it(name);
            self.string(value);
        }
        true
    }

    fn text(&mut self, name: &'static str, _: TextRule, slot: &mut Option<Box<str>>) {
        if let Some(text) = slot {
            self.name_it(name);
            self.string(text);
        }
    }

    fn texts(&mut self, name: &'static str, _: TextRule, slot: &mut Vec<String>) {
        self.name_it(name);
        self.list(slot.len(), |writer, index| {
            writer.string(slot.get(index).map_or("", String::as_str));
        });
    }

    fn statuses(&mut self, name: &'static str, slot: &mut Vec<u16>) {
        self.name_it(name);
        self.list(slot.len(), |writer, index| {
            let status = slot.get(index).copied().unwrap_or_default();
            writer.out.push_str(&Spec::count(0, 0).show(status.into()));
        });
    }

    fn object(&mut self, name: &'static str, slot: &mut dyn Fields) {
        self.name_it(name);
        write(slot, self.out);
    }

    fn optional(&mut self, name: &'static str, slot: &mut dyn Optional) {
        if let Some(object) = slot.get() {
            self.name_it(name);
            write(object, self.out);
        }
    }

    fn objects(&mut self, name: &'static str, slot: &mut dyn Objects) {
        self.name_it(name);
        self.out.push('[');
        slot.each(&mut |index, object| {
            if index > 0 {
                self.out.push(',');
            }
            write(object, self.out);
        });
        self.out.push(']');
    }

    fn others(&mut self, _: &'static str, _: bool, _: &mut dyn Fields) {}
}
