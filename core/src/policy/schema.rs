//! The JSON Schema of policy documents, from the same lists of fields that read and check them.
//!
//! What a schema cannot say stays with [`Policy::validate_json`](crate::Policy::validate_json):
//! fields that contradict each other, decimals beyond the last one, names within a set.

use alloc::{string::String, vec::Vec};

use serde_json::{Map, Value, json};

use crate::{
    codes::place as place_of,
    policy::{
        MatchRule, Options, PRESETS,
        fields::{Field, Fields, Place, What, each},
        meaning::meaning,
        spec::{STATUS, Spec, Unit},
        text_rule::TextRule,
    },
    profile,
    text::join,
};

/// The schema (draft 2020-12) of a policy document; `$defs.set` is that of a policy set.
pub fn schema() -> String {
    let Value::Object(mut root) = object(&mut Options::default()) else { return String::new() };
    if let Some(Value::Object(fields)) = root.get_mut("properties") {
        fields.insert("extends".into(), extends());
        fields.insert("profile".into(), vendor());
    }
    if let Some(fields) = root.get_mut("properties") {
        describe(fields, "");
    }
    root.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    root.insert("title".into(), "A retrywise policy".into());
    root.insert(
        "description".into(),
        "{} is the standard policy; what is left out is the \
        profile's, then the preset's, then the standard one's."
            .into(),
    );
    root.insert("$defs".into(), json!({ "set": set() }));
    let mut text = serde_json::to_string_pretty(&root).unwrap_or_default();
    text.push('\n');
    text
}

fn extends() -> Value {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    json!({ "default": "standard", "enum": names })
}

fn vendor() -> Value {
    let ids = profile::ALL.iter().map(|profile| Value::from(profile.id));
    let ids: Vec<Value> = ids.chain([Value::Null]).collect();
    json!({ "default": null, "enum": ids })
}

fn set() -> Value {
    let mut rule = object(&mut MatchRule::default());
    if let Some(rule) = rule.as_object_mut() {
        rule.insert("required".into(), json!(["use"]));
    }
    json!({
        "title": "A set of retrywise policies",
        "description": "Which request gets which policy: the first rule that matches wins.",
        "type": "object",
        "properties": {
            "policies": { "type": "object", "additionalProperties": { "$ref": "#" } },
            "match": { "type": "array", "items": rule },
            "default": { "type": "string" },
        },
        "required": ["policies", "default"],
        "additionalProperties": false,
    })
}

/// The schema of an object. Where it has a `kind`, each kind has fields of its own: all of them
/// are listed, and a stated kind allows only its own.
fn object(part: &mut dyn Fields) -> Value {
    let mut first = Collector::default();
    collect(part, &mut first);
    let Some(kinds) = first.kinds else { return closed(first.fields) };
    let mut all = Map::new();
    let mut rules = Vec::new();
    let lists: Vec<_> = kinds
        .iter()
        .map(|&kind| {
            let mut collector = Collector { kind: Some(kind), ..Collector::default() };
            collect(part, &mut collector);
            (kind, collector.fields)
        })
        .collect();
    for (_, fields) in &lists {
        for (name, schema) in fields {
            match all.get_mut(name) {
                None => drop(all.insert(name.clone(), schema.clone())),
                Some(known) if known == schema => {}
                Some(known) => *known = json!({ "anyOf": [known.take(), schema] }),
            }
        }
    }
    for (kind, fields) in lists {
        let names: Vec<String> = fields.keys().cloned().collect();
        let own: Map<_, _> =
            fields.into_iter().filter(|(name, schema)| all.get(name) != Some(schema)).collect();
        let mut then = json!({ "propertyNames": { "enum": names } });
        if let Some(then) = then.as_object_mut().filter(|_| !own.is_empty()) {
            then.insert("properties".into(), own.into());
        }
        let stated = json!({ "properties": { "kind": { "const": kind } }, "required": ["kind"] });
        rules.push(json!({ "if": stated, "then": then }));
    }
    let mut schema = closed(all);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("allOf".into(), rules.into());
    }
    schema
}

fn collect(part: &mut dyn Fields, collector: &mut Collector) {
    each(part, &mut |field, place| {
        if let Some(place) = place {
            collector.field(field, place);
        }
    });
}

/// Puts the meaning of each field before what its description says of its type: `value` is the
/// `properties` of the object at `path`.
fn describe(value: &mut Value, path: &str) {
    let Some(fields) = value.as_object_mut() else { return };
    for (name, field) in fields {
        let path = if path.is_empty() { name.clone() } else { join(&[path, ".", name]) };
        if let (Some(field), Some(meaning)) = (field.as_object_mut(), meaning(&path)) {
            let words = match field.get("description").and_then(Value::as_str) {
                Some(phrase) => join(&[meaning, " Allowed: ", phrase, "."]),
                None => meaning.into(),
            };
            field.insert("description".into(), words.into());
        }
        inside(field, &path);
    }
}

/// The same for the fields of an object, of one that may be null, and of a list's members.
fn inside(field: &mut Value, path: &str) {
    if let Some(properties) = field.get_mut("properties") {
        describe(properties, path);
    }
    if let Some(items) = field.get_mut("items") {
        inside(items, &join(&[path, "[]"]));
    }
    for choice in field.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten() {
        inside(choice, path);
    }
}

/// An object with these fields and no others.
fn closed(fields: Map<String, Value>) -> Value {
    let fields = Value::Object(fields);
    json!({ "type": "object", "properties": fields, "additionalProperties": false })
}

/// Writes down each field.
#[derive(Default)]
struct Collector {
    fields: Map<String, Value>,
    /// The kind to show the fields of.
    kind: Option<&'static str>,
    /// The kinds that the object has.
    kinds: Option<&'static [&'static str]>,
}

impl Collector {
    fn put(&mut self, name: &'static str, schema: Value) {
        self.fields.insert(name.into(), schema);
    }
}

/// A schema that takes null too.
fn or_null(schema: Value) -> Value {
    Value::Object(Map::from_iter([(
        "anyOf".into(),
        Value::Array([schema, json!({ "type": "null" })].into()),
    )]))
}

fn number(spec: &Spec) -> Value {
    let whole = matches!(spec.unit, Unit::Count | Unit::Millis);
    let show = |n: u64| serde_json::from_str::<Value>(&spec.show(n)).unwrap_or_default();
    let mut kind = json!(if whole { "integer" } else { "number" });
    if spec.null {
        kind = json!([kind, "null"]);
    }
    let (minimum, maximum) = (show(spec.min), show(spec.max));
    json!({ "type": kind, "minimum": minimum, "maximum": maximum, "description": spec.phrase() })
}

fn text(rule: TextRule) -> Value {
    let mut schema = json!({ "type": "string", "minLength": 1, "maxLength": 1024 });
    let pattern = match rule {
        TextRule::Text => None,
        TextRule::Token | TextRule::MaybeToken => Some("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"),
        TextRule::Origin => Some(r"^(\*|[^:]+://[^/?#@]+/*)$"),
        TextRule::Path => Some("^[/*][^?#]*$"),
    };
    if let (Some(schema), Some(pattern)) = (schema.as_object_mut(), pattern) {
        schema.insert("pattern".into(), pattern.into());
        schema.insert("description".into(), rule.phrase().into());
    }
    if rule == TextRule::MaybeToken { or_null(schema) } else { schema }
}

impl Collector {
    fn field(&mut self, field: &'static Field, place: Place<'_>) {
        let name = field.name;
        match (field.what, place) {
            (What::Number(spec), place) => {
                let mut schema = number(spec);
                let default = place.number();
                let default =
                    default.map(|n| serde_json::from_str(&spec.show(n)).unwrap_or_default());
                if let Some(schema) =
                    schema.as_object_mut().filter(|_| default.is_some() || spec.null)
                {
                    schema.insert("default".into(), default.unwrap_or(Value::Null));
                }
                self.put(name, schema);
            }
            (What::Flag, Place::Flag(slot)) => {
                self.put(name, json!({ "type": "boolean", "default": *slot }));
            }
            (What::Name(names), Place::Name(slot)) => {
                let mut schema = json!({ "enum": names });
                if let (Some(schema), Some(default)) = (schema.as_object_mut(), slot.get()) {
                    schema.insert("default".into(), default.into());
                }
                self.put(name, schema);
            }
            (What::Kind(names), Place::Name(slot)) => {
                self.put(name, json!({ "enum": names }));
                self.kinds = Some(names);
                if let Some(kind) = self.kind.and_then(|kind| place_of(names, kind)) {
                    slot.set(kind);
                }
            }
            (What::Text(rule), _) => self.put(name, text(rule)),
            (What::Texts(rule), _) => {
                self.put(name, json!({ "type": "array", "items": text(rule) }));
            }
            (What::Statuses, _) => {
                self.put(name, json!({ "type": "array", "items": number(&STATUS) }));
            }
            (What::Object, Place::Object(part)) => self.put(name, object(part)),
            (What::Optional, Place::Optional(slot)) => {
                let is_null = slot.get().is_none();
                let mut schema = or_null(object(slot.open()));
                if let Some(schema) = schema.as_object_mut().filter(|_| is_null) {
                    schema.insert("default".into(), Value::Null);
                }
                self.put(name, schema);
            }
            (What::Objects, Place::Objects(slot)) => {
                slot.reset(1);
                let item = slot.get(0).map(object);
                self.put(name, json!({ "type": "array", "items": item }));
            }
            (what, _) => debug_assert!(false, "{name}: {what:?} is kept elsewhere"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn tree() -> Value {
        serde_json::from_str(&schema()).unwrap()
    }

    #[test]
    fn the_committed_schema_is_current() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../js/schema/policy.schema.json");
        let committed = fs::read_to_string(path).unwrap_or_default();
        assert!(committed == schema(), "run `cargo xtask schema`");
    }

    #[test]
    fn every_field_has_its_type_range_and_default() {
        let tree = tree();
        let field = |path: &str| tree.pointer(path).unwrap_or_else(|| panic!("{path}"));
        let retries = field("/properties/maxRetries");
        assert_eq!(retries["type"], "integer");
        assert_eq!((&retries["maximum"], &retries["default"]), (&json!(1_000_000), &json!(5)));
        let deadline = field("/properties/deadlineMs");
        assert_eq!(deadline["type"], json!(["integer", "null"]));
        assert_eq!(deadline["default"], Value::Null);
        let factor = field("/properties/backoff/properties/factor");
        assert_eq!((&factor["type"], &factor["maximum"]), (&json!("number"), &json!(100)));
        assert_eq!(field("/properties/hint/properties/mode")["default"], "override");
        assert_eq!(field("/properties/limiter")["default"], Value::Null);
        assert_eq!(field("/additionalProperties"), &json!(false));
        let jitters = field("/properties/backoff/properties/jitter/enum");
        assert!(jitters.as_array().unwrap().contains(&json!("polly-v2")));
    }

    #[test]
    fn every_field_has_a_meaning_and_every_meaning_a_field() {
        fn walk(value: &Value, path: &str, found: &mut Vec<String>) {
            for (name, field) in value["properties"].as_object().into_iter().flatten() {
                let path = if path.is_empty() { name.clone() } else { join(&[path, ".", name]) };
                let words = field["description"].as_str().unwrap_or_default();
                assert!(meaning(&path).is_some_and(|known| words.starts_with(known)), "{path}");
                walk(field, &path, found);
                found.push(path);
            }
            walk_items(&value["items"], &join(&[path, "[]"]), found);
            for choice in value["anyOf"].as_array().into_iter().flatten() {
                walk(choice, path, found);
            }
        }
        fn walk_items(value: &Value, path: &str, found: &mut Vec<String>) {
            if value.is_object() {
                walk(value, path, found);
            }
        }
        let mut found = Vec::new();
        walk(&tree(), "", &mut found);
        for (path, _) in crate::policy::meaning::TABLE {
            assert!(found.iter().any(|one| one == path), "there is no field {path}");
        }
    }

    #[test]
    fn a_stated_kind_allows_its_own_fields_only() {
        let tree = tree();
        let rules = tree.pointer("/properties/budget/anyOf/0/allOf").unwrap().as_array().unwrap();
        assert_eq!(rules.len(), 4);
        let tokens = rules
            .iter()
            .find(|rule| rule["if"]["properties"]["kind"]["const"] == "tokens")
            .unwrap();
        let names = tokens["then"]["propertyNames"]["enum"].as_array().unwrap();
        assert!(names.contains(&json!("capacity")) && !names.contains(&json!("ratio")));
    }

    #[test]
    fn every_field_that_the_reader_knows_is_in_the_schema() {
        for (document, path) in [
            (r#"{"x":1}"#, "/properties"),
            (r#"{"breaker":{"x":1}}"#, "/properties/breaker/anyOf/0/properties"),
            (r#"{"limiter":{"x":1}}"#, "/properties/limiter/anyOf/0/properties"),
        ] {
            let issues = crate::Policy::validate_json(document);
            assert_eq!(issues.len(), 1, "{document}");
            assert!(tree().pointer(path).unwrap().as_object().unwrap().len() > 3);
        }
        for preset in PRESETS {
            let fragment: Value = serde_json::from_str(preset.policy).unwrap();
            for name in fragment.as_object().unwrap().keys() {
                assert!(tree()["properties"][name].is_object(), "{name}");
            }
        }
    }
}
