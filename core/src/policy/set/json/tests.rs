use alloc::{string::String, vec::Vec};

use super::*;

fn issues(document: &str) -> Vec<(String, &'static str)> {
    let found = PolicySet::validate_json(document);
    found.into_iter().map(|issue| (issue.field, issue.kind.name())).collect()
}

#[test]
fn every_issue_of_a_set_has_its_path() {
    let document = r#"{
        "policies": {
            "payments": { "backoff": { "capMs": "8 s", "baseMs": 40000 }, "extends": "paiments" },
            "usual": { "backoff": { "baseMs": 30001 } },
            "broken": []
        },
        "match": [
            { "use": "paymants", "origin": "api.example.com" },
            { "path": "v1", "method": "PO ST", "verb": "x" },
            7,
            { "use": 3 },
            { "use": "broken" }
        ],
        "default": "other",
        "defaults": 1
    }"#;
    let mut found = issues(document);
    found.sort();
    let expected = [
        ("default", "unknown-name"),
        ("defaults", "unknown-field"),
        ("match[0].origin", "out-of-range"),
        ("match[0].use", "unknown-name"),
        ("match[1].method", "out-of-range"),
        ("match[1].path", "out-of-range"),
        ("match[1].use", "wrong-type"),
        ("match[1].verb", "unknown-field"),
        ("match[2]", "wrong-type"),
        ("match[3].use", "wrong-type"),
        ("policies.broken", "wrong-type"),
        ("policies.payments.backoff.capMs", "wrong-type"),
        ("policies.payments.extends", "unknown-name"),
        ("policies.usual.backoff.baseMs", "contradiction"),
    ];
    assert_eq!(found, expected.map(|(field, kind)| (field.into(), kind)));
}

#[test]
fn what_a_set_must_have_is_missed() {
    let missing = |field: &str| (String::from(field), "wrong-type");
    assert_eq!(issues("{}"), [missing("policies"), missing("default")]);
    assert_eq!(issues(r#"{"policies":{"a":{}}}"#), [missing("default")]);
    assert_eq!(issues(r#"{"policies":[],"default":null,"match":{}}"#).len(), 3);
    assert_eq!(issues("[]"), [missing("")]);
    assert_eq!(issues(r#"{"policies":{"a":{}},"default":"a"}"#), []);
    assert_eq!(issues("{")[0].1, "syntax");
}

#[test]
fn a_policy_given_twice_is_a_contradiction() {
    let document = r#"{"policies":{"a":{},"a":{"maxRetries":1}},"default":"a"}"#;
    assert_eq!(issues(document), [("policies.a".into(), "contradiction")]);
}

#[test]
fn a_request_gets_the_policy_of_the_first_rule_about_it() {
    let set = PolicySet::from_json(
        r#"{
            "policies": {
                "usual": { "maxRetries": 1 },
                "search": { "maxRetries": 2, "retryOn": { "methods": { "add": ["POST"] } } },
                "money": { "extends": "payments", "maxRetries": 3 }
            },
            "match": [
                { "origin": "https://api.example.com", "path": "/v1/search", "use": "search" },
                { "origin": "https://api.example.com", "path": "/v1/*", "method": "POST", "use": "money" },
                { "path": "/v1/search", "use": "usual" }
            ],
            "default": "usual"
        }"#,
    )
    .unwrap();
    let api = "https://api.example.com";
    for (origin, path, method, retries) in [
        (api, "/v1/search?q=a", "POST", 2),
        (api, "/v1/charges", "POST", 3),
        (api, "/v1/charges", "GET", 1),
        ("https://other.example", "/v1/search", "POST", 1),
    ] {
        assert_eq!(set.select(origin, path, method).max_retries(), retries, "{origin}{path}");
    }
    let search = set.get("search").unwrap();
    assert!(search.is_idempotent(crate::Method::Post, None));
    assert!(!search.is_idempotent(crate::Method::Post, Some("PURGE")));
}
