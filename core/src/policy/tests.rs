//! The document, field by field and layer by layer.

mod fields;
mod layers;
mod random;

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use serde_json::Value;

use crate::time::Millis;

use super::{IssueKind, Issues, LimiterOptions, Options, Policy, json, layers::assemble};

/// The options of a document whose `budget`, `breaker` and `profile` are read too.
fn options(document: &str) -> Result<Options, Issues> {
    let (tree, mut issues) = json::parse(document)?;
    let mut options = assemble(tree.as_object().unwrap(), "", &mut issues);
    options.check("", &mut issues);
    issues.or(options)
}

fn issues(document: &str) -> Vec<(String, IssueKind)> {
    let issues = options(document).err().map(Issues::into_vec).unwrap_or_default();
    issues.into_iter().map(|issue| (issue.field, issue.kind)).collect()
}

fn one_issue(document: &str) -> (String, IssueKind, String) {
    let issues = options(document).unwrap_err().into_vec();
    let [issue] = &issues[..] else { panic!("{document}: {issues:?}") };
    (issue.field.clone(), issue.kind, issue.message.clone())
}

/// `document` with `value` at the dotted path.
fn with(document: &str, path: &str, value: &str) -> String {
    let mut tree: Value = serde_json::from_str(document).unwrap();
    let mut place = &mut tree;
    for name in path.split('.') {
        let object = place.as_object_mut().unwrap();
        place = object.entry(name).or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    *place = serde_json::from_str(value).unwrap();
    tree.to_string()
}

#[test]
fn the_empty_document_is_the_standard_policy() {
    assert_eq!(Policy::from_json("{}").unwrap(), Policy::standard());
    assert_eq!(
        Policy::from_json(r#"{"extends":"standard","profile":null}"#).unwrap(),
        Policy::standard()
    );
    assert_eq!(Options::default().validate().unwrap(), Policy::standard());
}

#[test]
fn a_text_that_is_refused_is_shown() {
    for (document, field) in [
        (r#"{"idempotency":{"header":"a b"}}"#, "idempotency.header"),
        (r#"{"retryOn":{"methods":{"add":["a b"]}}}"#, "retryOn.methods.add[0]"),
    ] {
        let (at, kind, message) = one_issue(document);
        assert_eq!((at.as_str(), kind), (field, IssueKind::OutOfRange));
        assert!(message.ends_with(r#", not the text "a b""#), "{message}");
    }
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let document = r#"{
        "maxRetrys": 3, "maxRetries": "3", "deadlineMs": 0, "safety": "sometimes", "extends": "fast",
        "backoff": { "baseMs": 40000, "factor": 1.23456, "jiter": "full",
                     "overrides": [{}, { "statuses": [99, "x"], "baseMs": -1 }, 7] },
        "retryOn": { "statuses": { "add": [1000] }, "methods": { "add": ["A B"] }, "verbs": {} },
        "hint": []
    }"#;
    let mut found = issues(document);
    found.sort();
    let expected = [
        ("backoff.baseMs", IssueKind::Contradiction),
        ("backoff.factor", IssueKind::OutOfRange),
        ("backoff.jiter", IssueKind::UnknownField),
        ("backoff.overrides[1].baseMs", IssueKind::OutOfRange),
        ("backoff.overrides[1].statuses[0]", IssueKind::OutOfRange),
        ("backoff.overrides[1].statuses[1]", IssueKind::WrongType),
        ("backoff.overrides[2]", IssueKind::WrongType),
        ("deadlineMs", IssueKind::OutOfRange),
        ("extends", IssueKind::UnknownName),
        ("hint", IssueKind::WrongType),
        ("maxRetries", IssueKind::WrongType),
        ("maxRetrys", IssueKind::UnknownField),
        ("retryOn.methods.add[0]", IssueKind::OutOfRange),
        ("retryOn.statuses.add[0]", IssueKind::OutOfRange),
        ("retryOn.verbs", IssueKind::UnknownField),
        ("safety", IssueKind::UnknownName),
    ];
    assert_eq!(found, expected.map(|(field, kind)| (field.to_string(), kind)));
    // The public door says the same.
    let kinds = Policy::validate_json(document);
    assert_eq!(kinds.len(), expected.len());
}

#[test]
fn messages_name_the_field_the_value_and_what_is_allowed() {
    for (document, message) in [
        (
            r#"{"maxRetries":"3"}"#,
            r#"maxRetries must be an integer from 0 to 1000000, not the text "3""#,
        ),
        (
            r#"{"maxRetries":1000001}"#,
            "maxRetries must be an integer from 0 to 1000000, not 1000001",
        ),
        (
            r#"{"deadlineMs":0}"#,
            "deadlineMs must be a whole number of milliseconds from 1 to 31622400000 or null, not 0",
        ),
        (
            r#"{"backoff":{"factor":0.5}}"#,
            "backoff.factor must be a number from 1 to 100 with at most 3 decimals, not 0.5",
        ),
        (r#"{"backoff":{"jitter":"ful"}}"#, r#"backoff.jitter has no "ful"; did you mean "full"?"#),
        (r#"{"safety":"x"}"#, r#"safety has no "x"; known are never, proven, presumed"#),
        (
            r#"{"backoff":{"baseMs":40000}}"#,
            "backoff.baseMs (40000 ms) must not be above backoff.capMs (30000 ms)",
        ),
        (r#"{"budget":{"capacity":1}}"#, "unknown field budget.capacity: only kind tokens has it"),
        (
            r#"{"budget":{"kind":"tokens","ratio":1}}"#,
            "unknown field budget.ratio: only kind ratio or concurrency has it",
        ),
        (
            r#"{"breaker":{"kind":"consecutive","threshold":1}}"#,
            "unknown field breaker.threshold: only kind rate has it",
        ),
        (
            r#"{"breaker":{"probes":1,"successes":2}}"#,
            "breaker.successes (2) must not be above breaker.probes (1)",
        ),
        (r#"{"hint":null}"#, "hint must be an object, not null"),
        (r#"{"budget":true}"#, "budget must be an object or null, not true"),
    ] {
        let (_, _, found) = one_issue(document);
        assert_eq!(found, message, "{document}");
        assert!(!found.ends_with('.') && found.starts_with(char::is_lowercase), "{found}");
    }
}

#[test]
fn a_message_stays_short_whatever_the_document_holds() {
    let long = "x".repeat(100_000);
    for document in [
        alloc::format!(r#"{{"safety":"{long}"}}"#),
        alloc::format!(r#"{{"{long}":1}}"#),
        alloc::format!(r#"{{"idempotency":{{"header":"{long}"}}}}"#),
    ] {
        assert!(one_issue(&document).2.len() < 500);
    }
}

#[test]
fn text_that_is_no_json_is_one_issue_with_line_and_column() {
    for (text, place) in [
        ("", "line 1 column 0"),
        ("{", "line 1 column 1"),
        ("{\n  \"maxRetries\": 3,\n}", "line 3 column 1"),
        ("{} {}", "line 1 column 4"),
        ("{'a':1}", "line 1 column 2"),
        ("\u{feff}{}", "line 1 column 1"),
    ] {
        let found = Policy::validate_json(text);
        assert_eq!(found.len(), 1, "{text:?}");
        assert_eq!((found[0].field.as_str(), found[0].kind), ("", IssueKind::Syntax));
        assert!(found[0].message.contains(place), "{text:?}: {}", found[0].message);
    }
    let deep = "[".repeat(100_000);
    assert_eq!(Policy::validate_json(&deep)[0].kind, IssueKind::Syntax);
}

#[test]
fn a_document_that_is_no_object_is_of_the_wrong_type() {
    for text in ["[]", "null", "3", "\"standard\"", "true"] {
        let found = Policy::validate_json(text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!((found[0].field.as_str(), found[0].kind), ("", IssueKind::WrongType));
        assert!(found[0].message.starts_with("a policy must be an object"), "{}", found[0].message);
    }
}

#[test]
fn a_field_given_twice_is_a_contradiction() {
    let document = r#"{"maxRetries":1,"backoff":{"capMs":1,"capMs":2},"maxRetries":2}"#;
    let twice = |field: &str| (field.to_string(), IssueKind::Contradiction);
    assert_eq!(issues(document), [twice("backoff.capMs"), twice("maxRetries")]);
}

#[test]
fn an_empty_limiter_is_the_default_one_and_null_is_none() {
    let limiter = |document| Policy::from_json(document).unwrap().limiter().cloned();
    assert_eq!(limiter("{}"), None);
    assert_eq!(limiter(r#"{"limiter":null}"#), None);
    assert_eq!(limiter(r#"{"limiter":{}}"#), Some(LimiterOptions::default()));
    let stated = r#"{"limiter":{"reserve":5,"maxWaitMs":0,"queue":0,"agingMs":1}}"#;
    let mut expected = LimiterOptions {
        reserve: 5,
        max_wait: Some(Millis::ZERO),
        ..limiter(r#"{"limiter":{}}"#).unwrap()
    };
    (expected.queue, expected.aging) = (0, Millis::new(1));
    assert_eq!(limiter(stated), Some(expected));
    for field in ["reserve", "queue", "agingMs", "maxWaitMs"] {
        let found = Policy::validate_json(&std::format!(r#"{{"limiter":{{"{field}":-1}}}}"#));
        assert_eq!(
            (found[0].field.as_str(), found[0].kind),
            (&*std::format!("limiter.{field}"), IssueKind::OutOfRange)
        );
    }
}

#[test]
fn a_policy_tells_its_parts() {
    let policy = Policy::standard();
    assert_eq!(policy.breaker(), Options::default().breaker.as_ref());
    assert!(policy.breaker().is_some() && policy.limiter().is_none());
}
