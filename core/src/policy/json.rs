//! Reads a policy document into options: a field that is absent leaves its place as it is.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::{
    codes::place,
    json::{self, Object, Value},
    policy::{
        check::{numbered, quoted},
        fields::{Field, Fields, Place, What, each},
        issue::{IssueKind, Issues},
        nearest::suggestion,
        number::{Scaled, scaled},
        spec::{STATUS, Spec, Unit},
        text_rule::TextRule,
    },
    text::{join, listed},
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
pub(crate) fn read(
    object: &Object<'_>,
    part: &mut dyn Fields,
    apart: &[&'static str],
    prefix: &str,
    issues: &mut Issues,
) {
    let kinds = part.list().iter().find_map(|field| match field.what {
        What::Kind(names) => Some(names),
        _ => None,
    });
    let mut reader = Reader { prefix, names_no_kind: false, issues };
    // What it may hold, and what it could hold with another kind.
    let (mut known, mut foreign) = (apart.to_owned(), Vec::new());
    each(part, &mut |field, place| {
        let place = place.filter(|_| field.of.is_none() || !reader.names_no_kind);
        if place.is_none() && !reader.names_no_kind {
            foreign.push(field);
            return;
        }
        // With a kind that is none, the fields of all kinds are let pass unread.
        known.push(field.name);
        if let Some((place, value)) = place.zip(object.get(field.name)) {
            reader.field(field, place, value);
        }
    });
    for (key, _) in object.iter().filter(|(key, _)| !known.contains(key)) {
        let mut having = Vec::new();
        for field in foreign.iter().filter(|field| field.name == key) {
            having.extend(kinds.zip(field.of).and_then(|(names, of)| names.get(usize::from(of))));
        }
        reader.unknown(key, &having, &known);
    }
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

/// Which of the names the text at `field` is, if it is one of them.
pub(crate) fn one_of(
    field: String,
    value: &Value<'_>,
    choices: &[&str],
    issues: &mut Issues,
) -> Option<usize> {
    let Some(name) = value.as_str() else {
        let allowed = join(&["one of ", &listed(choices, ", ")]);
        refuse(field, IssueKind::WrongType, &allowed, value, issues);
        return None;
    };
    let found = place(choices, name);
    if found.is_none() {
        let message = join(&[&field, " has no ", &quoted(name), &suggestion(name, choices)]);
        issues.push(field, IssueKind::UnknownName, message);
    }
    found
}

struct Reader<'a> {
    prefix: &'a str,
    /// The document names a kind that is none of them.
    names_no_kind: bool,
    issues: &'a mut Issues,
}

impl Reader<'_> {
    fn field(&mut self, field: &'static Field, place: Place<'_>, value: &Value<'_>) {
        let path = join(&[self.prefix, field.name]);
        match (field.what, place) {
            (What::Number(spec), place) => {
                if spec.null && value.is_null() {
                    place.set_number(None);
                } else if let Some(value) = self.integer(path, spec, value) {
                    place.set_number(Some(value));
                }
            }
            (What::Flag, Place::Flag(slot)) => match *value {
                Value::Bool(value) => *slot = value,
                _ => self.refuse(path, IssueKind::WrongType, "true or false", value),
            },
            (What::Name(names) | What::Kind(names), Place::Name(slot)) => {
                let found = one_of(path, value, names, self.issues);
                if matches!(field.what, What::Kind(_)) {
                    self.names_no_kind = found.is_none();
                }
                if let Some(at) = found {
                    slot.set(at);
                }
            }
            (What::Text(rule), place) => {
                if rule == TextRule::MaybeToken && value.is_null() {
                    place.set_texts(Vec::new());
                } else if let Some(text) = self.string(path, rule, value) {
                    place.set_texts(Vec::from([text]));
                }
            }
            (What::Object, Place::Object(object)) => self.inside(path, false, value, object),
            (What::Optional, Place::Optional(slot)) => {
                if value.is_null() {
                    slot.clear();
                } else {
                    self.inside(path, true, value, slot.open());
                }
            }
            (_, place) => match value {
                Value::Array(items) => self.list(&path, field.what, place, items),
                _ => self.refuse(path, IssueKind::WrongType, "a list", value),
            },
        }
    }

    /// A list of whatever the field takes.
    fn list(&mut self, path: &str, what: What, place: Place<'_>, items: &[Value<'_>]) {
        let (mut texts, mut statuses) = (Vec::new(), Vec::new());
        let mut place = place;
        if let Place::Objects(slot) = &mut place {
            slot.reset(items.len());
        }
        for (at, item) in items.iter().enumerate() {
            let path = numbered(path, at);
            match (what, &mut place) {
                (What::Texts(rule), _) => texts.extend(self.string(path, rule, item)),
                (What::Statuses, _) => {
                    // The spec ends far below 2^16.
                    let status = self.integer(path, &STATUS, item);
                    statuses.extend(status.map(|status| status as u16));
                }
                (_, Place::Objects(slot)) => {
                    if let Some(object) = slot.get(at) {
                        self.inside(path, false, item, object);
                    }
                }
                _ => {}
            }
        }
        match what {
            What::Texts(_) => place.set_texts(texts),
            What::Statuses => place.set_statuses(statuses),
            _ => {}
        }
    }

    fn inside(&mut self, path: String, null: bool, value: &Value<'_>, part: &mut dyn Fields) {
        if let Value::Object(object) = value {
            read(object, part, &[], &join(&[&path, "."]), self.issues);
        } else {
            let allowed = if null { "an object or null" } else { "an object" };
            self.refuse(path, IssueKind::WrongType, allowed, value);
        }
    }

    fn integer(&mut self, path: String, spec: &Spec, value: &Value<'_>) -> Option<u64> {
        let kind = match value {
            Value::Number(number) => match scaled(number, spec.decimals()) {
                Scaled::Exact(value) if spec.accepts(value) => return Some(value),
                Scaled::TooFine if !matches!(spec.unit, Unit::Decimals(_)) => IssueKind::WrongType,
                _ => IssueKind::OutOfRange,
            },
            _ => IssueKind::WrongType,
        };
        self.refuse(path, kind, &spec.phrase(), value);
        None
    }

    fn string(&mut self, path: String, rule: TextRule, value: &Value<'_>) -> Option<String> {
        let kind = match value {
            Value::String(text) if rule.accepts(text) => return Some(String::from(&**text)),
            Value::String(_) => IssueKind::OutOfRange,
            _ => IssueKind::WrongType,
        };
        self.refuse(path, kind, rule.phrase(), value);
        None
    }

    /// Reports what nobody asked for: `kinds` would have it.
    fn unknown(&mut self, key: &str, kinds: &[&str], known: &[&str]) {
        let field = join(&[self.prefix, key]);
        let shown = shorten(&field, 120);
        let message = if kinds.is_empty() {
            join(&["unknown field ", &shown, &suggestion(key, known)])
        } else {
            join(&["unknown field ", &shown, ": only kind ", &listed(kinds, " or "), " has it"])
        };
        self.issues.push(field, IssueKind::UnknownField, message);
    }

    fn refuse(&mut self, path: String, kind: IssueKind, allowed: &str, value: &Value<'_>) {
        refuse(path, kind, allowed, value, self.issues);
    }
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
