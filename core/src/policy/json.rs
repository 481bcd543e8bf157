//! Reads a policy document into options: a field that is absent leaves its place as it is.

use alloc::{borrow::ToOwned, boxed::Box, string::String, vec::Vec};

use crate::{
    json::{self, Object, Value},
    policy::{
        check::quoted,
        fields::{Fields, Named, Objects, Optional, STATUS, Slot, Spec, TextRule, Unit, Visitor},
        issue::{IssueKind, Issues},
        nearest::suggestion,
        number::{Scaled, scaled},
    },
    text::{join, listed, number},
};

/// The tree of a document, and the fields that stand in it twice.
///
/// # Errors
///
/// One issue of kind `syntax`.
pub(crate) fn parse(document: &str) -> Result<(Value<'_>, Issues), Issues> {
    let document = json::read(document).map_err(|fault| {
        let message = join(&["not a JSON document: ", &fault]);
        Issues::one(String::new(), IssueKind::Syntax, message)
    })?;
    let mut issues = Issues::none();
    for path in document.twice {
        if !issues.touches(&path) {
            let message = join(&[&path, " is given more than once"]);
            issues.push(path, IssueKind::Contradiction, message);
        }
    }
    Ok((document.root, issues))
}

/// Reads the fields of one object into `part`; `prefix` is empty or ends in a dot. Fields called
/// `apart` are read by somebody else.
pub(crate) fn read<'a>(
    object: &'a Object<'a>,
    part: &mut dyn Fields,
    apart: &[&'static str],
    prefix: &str,
    issues: &mut Issues,
) {
    let mut reader =
        Reader { object, prefix, known: apart.to_owned(), foreign: Vec::new(), issues };
    part.fields(&mut reader);
    reader.finish();
}

/// `value must be …` about the value at `field`.
pub(crate) fn refuse(
    field: String,
    kind: IssueKind,
    allowed: &str,
    value: &Value<'_>,
    issues: &mut Issues,
) {
    let message = join(&[&field, " must be ", allowed, ", not ", &show(value)]);
    // The document itself has no name.
    let message = message.strip_prefix(' ').map_or(message.clone(), |m| join(&["a policy ", m]));
    issues.push(field, kind, message);
}

/// The text at `field`, if it is one of the names.
pub(crate) fn one_of<'a>(
    field: String,
    value: &'a Value<'a>,
    choices: &[&str],
    issues: &mut Issues,
) -> Option<&'a str> {
    let Some(name) = value.as_str() else {
        let allowed = join(&["one of ", &listed(choices, ", ")]);
        refuse(field, IssueKind::WrongType, &allowed, value, issues);
        return None;
    };
    if choices.contains(&name) {
        return Some(name);
    }
    let message = join(&[&field, " has no ", &quoted(name), &suggestion(name, choices)]);
    issues.push(field, IssueKind::UnknownName, message);
    None
}

struct Reader<'a> {
    object: &'a Object<'a>,
    prefix: &'a str,
    /// The names that the object may have.
    known: Vec<&'static str>,
    /// Names that it would have with another `kind`, and that kind.
    foreign: Vec<(&'static str, &'static str)>,
    issues: &'a mut Issues,
}

impl<'a> Reader<'a> {
    /// The value of a known field.
    fn take(&mut self, name: &'static str) -> Option<&'a Value<'a>> {
        self.known.push(name);
        self.object.get(name)
    }

    fn refuse(&mut self, name: &str, kind: IssueKind, allowed: &str, value: &Value<'_>) {
        refuse(join(&[self.prefix, name]), kind, allowed, value, self.issues);
    }

    /// The members of a list.
    fn list(&mut self, name: &'static str) -> Option<&'a [Value<'a>]> {
        match self.take(name)? {
            Value::Array(list) => Some(list),
            other => {
                self.refuse(name, IssueKind::WrongType, "a list", other);
                None
            }
        }
    }

    fn inside(&mut self, name: &str, value: &Value<'_>, null: bool, part: &mut dyn Fields) {
        if let Value::Object(object) = value {
            read(object, part, &[], &join(&[self.prefix, name, "."]), self.issues);
        } else {
            let allowed = if null { "an object or null" } else { "an object" };
            self.refuse(name, IssueKind::WrongType, allowed, value);
        }
    }

    fn integer(&mut self, name: &str, spec: Spec, value: &Value<'_>) -> Option<u64> {
        let kind = match value {
            Value::Number(number) => match scaled(number, spec.decimals()) {
                Scaled::Exact(value) if spec.accepts(value) => return Some(value),
                Scaled::TooFine if !matches!(spec.unit, Unit::Decimals(_)) => IssueKind::WrongType,
                _ => IssueKind::OutOfRange,
            },
            _ => IssueKind::WrongType,
        };
        self.refuse(name, kind, &spec.phrase(), value);
        None
    }

    fn string(&mut self, name: &str, rule: TextRule, value: &'a Value<'a>) -> Option<&'a str> {
        let kind = match value {
            Value::String(text) if rule.accepts(text) => return Some(text),
            Value::String(_) => IssueKind::OutOfRange,
            _ => IssueKind::WrongType,
        };
        self.refuse(name, kind, rule.phrase(), value);
        None
    }

    /// Reports what nobody asked for.
    fn finish(self) {
        let unknown =
            self.object.iter().map(|(key, _)| key).filter(|key| !self.known.contains(key));
        for key in unknown {
            let field = join(&[self.prefix, key]);
            let kinds: Vec<&str> = self
                .foreign
                .iter()
                .filter_map(|&(name, kind)| (name == key).then_some(kind))
                .collect();
            let shown = shorten(&field, 120);
            let message = if kinds.is_empty() {
                join(&["unknown field ", &shown, &suggestion(key, &self.known)])
            } else {
                join(&[
                    "unknown field ",
                    &shown,
                    ": only kind ",
                    &listed(&kinds, " or "),
                    " has it",
                ])
            };
            self.issues.push(field, IssueKind::UnknownField, message);
        }
    }
}

impl Visitor for Reader<'_> {
    fn number(&mut self, name: &'static str, spec: Spec, slot: Slot<'_>) {
        let Some(value) = self.take(name) else { return };
        if spec.null && value.is_null() {
            slot.set(None);
        } else if let Some(value) = self.integer(name, spec, value) {
            slot.set(Some(value));
        }
    }

    fn flag(&mut self, name: &'static str, slot: &mut bool) {
        match self.take(name) {
            Some(&Value::Bool(value)) => *slot = value,
            Some(other) => self.refuse(name, IssueKind::WrongType, "true or false", other),
            None => {}
        }
    }

    fn name(&mut self, name: &'static str, slot: &mut dyn Named) -> bool {
        let Some(value) = self.take(name) else { return true };
        let field = join(&[self.prefix, name]);
        let found = one_of(field, value, slot.choices(), self.issues);
        found.map(|found| slot.set(found)).is_some()
    }

    fn text(&mut self, name: &'static str, rule: TextRule, slot: &mut Option<Box<str>>) {
        match self.take(name) {
            Some(Value::Null) if rule == TextRule::MaybeToken => *slot = None,
            Some(value) => {
                if let Some(text) = self.string(name, rule, value) {
                    *slot = Some(text.into());
                }
            }
            None => {}
        }
    }

    fn texts(&mut self, name: &'static str, rule: TextRule, slot: &mut Vec<String>) {
        if let Some(list) = self.list(name) {
            let texts = list.iter().enumerate().filter_map(|(index, value)| {
                self.string(&join(&[name, "[", &number(index as u64), "]"]), rule, value)
                    .map(String::from)
            });
            *slot = texts.collect();
        }
    }

    fn statuses(&mut self, name: &'static str, slot: &mut Vec<u16>) {
        if let Some(list) = self.list(name) {
            let statuses = list.iter().enumerate().filter_map(|(index, value)| {
                let status =
                    self.integer(&join(&[name, "[", &number(index as u64), "]"]), STATUS, value)?;
                u16::try_from(status).ok()
            });
            *slot = statuses.collect();
        }
    }

    fn object(&mut self, name: &'static str, slot: &mut dyn Fields) {
        if let Some(value) = self.take(name) {
            self.inside(name, value, false, slot);
        }
    }

    fn optional(&mut self, name: &'static str, slot: &mut dyn Optional) {
        match self.take(name) {
            Some(Value::Null) => slot.clear(),
            Some(value) => self.inside(name, value, true, slot.open()),
            None => {}
        }
    }

    fn objects(&mut self, name: &'static str, slot: &mut dyn Objects) {
        let Some(list) = self.list(name) else { return };
        slot.reset(list.len());
        slot.each(&mut |index, part| {
            if let Some(value) = list.get(index) {
                self.inside(&join(&[name, "[", &number(index as u64), "]"]), value, false, part);
            }
        });
    }

    fn others(&mut self, kind: &'static str, known: bool, fields: &mut dyn Fields) {
        let mut names = Names(Vec::new());
        fields.fields(&mut names);
        if known {
            self.foreign.extend(names.0.into_iter().map(|name| (name, kind)));
        } else {
            self.known.extend(names.0);
        }
    }
}

/// Collects the names of fields, reads nothing.
struct Names(Vec<&'static str>);

impl Visitor for Names {
    fn number(&mut self, name: &'static str, _: Spec, _: Slot<'_>) {
        self.0.push(name);
    }

    fn flag(&mut self, name: &'static str, _: &mut bool) {
        self.0.push(name);
    }

    fn name(&mut self, name: &'static str, _: &mut dyn Named) -> bool {
        self.0.push(name);
        true
    }

    fn text(&mut self, name: &'static str, _: TextRule, _: &mut Option<Box<str>>) {
        self.0.push(name);
    }

    fn texts(&mut self, name: &'static str, _: TextRule, _: &mut Vec<String>) {
        self.0.push(name);
    }

    fn statuses(&mut self, name: &'static str, _: &mut Vec<u16>) {
        self.0.push(name);
    }

    fn object(&mut self, name: &'static str, _: &mut dyn Fields) {
        self.0.push(name);
    }

    fn optional(&mut self, name: &'static str, _: &mut dyn Optional) {
        self.0.push(name);
    }

    fn objects(&mut self, name: &'static str, _: &mut dyn Objects) {
        self.0.push(name);
    }

    fn others(&mut self, _: &'static str, _: bool, _: &mut dyn Fields) {}
}

fn show(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(true) => "true".into(),
        Value::Bool(false) => "false".into(),
        Value::Number(number) => shorten(number, 48),
        Value::String(text) => join(&["the text ", &quoted(text)]),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// The beginning of a text for a message: a document can hold anything, at any length.
fn shorten(text: &str, shown: usize) -> String {
    match text.char_indices().nth(shown) {
        Some((end, _)) => join(&[text.get(..end).unwrap_or_default(), "…"]),
        None => text.into(),
    }
}
