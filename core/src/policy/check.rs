//! Looks at options that somebody filled in: is every value in its range?

use alloc::{boxed::Box, format, string::String, vec::Vec};

use crate::policy::{
    fields::{Fields, Named, Objects, Optional, STATUS, Slot, Spec, TextRule, Visitor},
    issue::{IssueKind, Issues},
};

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
        let message = format!("{field} must be {allowed}, not {value}");
        self.issues.push(field, IssueKind::OutOfRange, message);
    }

    fn inside(&mut self, name: &str, part: &mut dyn Fields) {
        check(part, &format!("{}{name}.", self.prefix), self.issues);
    }
}

impl Visitor for Checker<'_> {
    fn number(&mut self, name: &'static str, spec: Spec, slot: Slot<'_>) {
        if let Some(value) = slot.get()
            && !spec.accepts(value)
        {
            self.refuse(format!("{}{name}", self.prefix), &spec.phrase(), &spec.show(value));
        }
    }

    fn flag(&mut self, _: &'static str, _: &mut bool) {}

    fn name(&mut self, name: &'static str, slot: &mut dyn Named) -> bool {
        let choices = slot.choices();
        if let Some(value) = slot.get()
            && !choices.contains(&value)
        {
            let allowed = format!("one of {}", choices.join(", "));
            self.refuse(format!("{}{name}", self.prefix), &allowed, value);
        }
        true
    }

    fn text(&mut self, name: &'static str, rule: TextRule, slot: &mut Option<Box<str>>) {
        if let Some(text) = slot.as_deref()
            && !rule.accepts(text)
        {
            self.refuse(format!("{}{name}", self.prefix), rule.phrase(), &quoted(text));
        }
    }

    fn texts(&mut self, name: &'static str, rule: TextRule, slot: &mut Vec<String>) {
        for (index, text) in slot.iter().enumerate().filter(|(_, text)| !rule.accepts(text)) {
            let field = format!("{}{name}[{index}]", self.prefix);
            self.refuse(field, rule.phrase(), &quoted(text));
        }
    }

    fn statuses(&mut self, name: &'static str, slot: &mut Vec<u16>) {
        for (index, &status) in slot.iter().enumerate() {
            if !STATUS.accepts(status.into()) {
                let field = format!("{}{name}[{index}]", self.prefix);
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
        slot.each(&mut |index, object| self.inside(&format!("{name}[{index}]"), object));
    }

    fn others(&mut self, _: &'static str, _: bool, _: &mut dyn Fields) {}
}

/// A text as JSON writes it, the beginning only if it is long.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 48;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}
