use alloc::string::String;

use super::*;
use crate::{
    classify::Basis,
    outcome::{Body, Header, Response},
};

/// The ids that documents may name (`reference` section 6), and ours beside them.
const IDS: &str = "\
    aws dynamodb grpc azure arm msgraph partner-center github gitlab stripe stripe-v2 paypal \
    square adyen openai anthropic google shopify slack discord hubspot twilio sendgrid salesforce \
    atlassian okta rocketchat cloudflare envoy adobe autodesk lemlist linear reddit tiendanube x \
    adobe-vipmp azure-communication checkout cosmos";

#[test]
fn every_id_is_found_and_nothing_else() {
    for id in IDS.split_whitespace() {
        assert_eq!(find(id).map(|profile| profile.id), Some(id));
    }
    assert_eq!(ALL.len(), IDS.split_whitespace().count());
    for id in ["", "AWS", "aws ", "acme", "stripe-v3"] {
        assert_eq!(find(id), None, "{id}");
    }
}

#[test]
fn the_table_is_sorted_and_complete() {
    assert!(ALL.is_sorted_by_key(|profile| profile.id));
    for profile in ALL {
        assert!(!profile.name().is_empty(), "{}", profile.id);
        assert!(profile.policy().starts_with('{'), "{}", profile.id);
        assert!(profile.like.is_none_or(|other| other.like.is_none()), "{}", profile.id);
        assert!(profile.pointers.problem_type.contains(&"/type"), "{}", profile.id);
        for rule in profile.rules {
            let is_proven = rule.delivery == crate::Delivery::NotProcessed;
            assert_eq!(is_proven, rule.basis != Basis::None, "{}: {rule:?}", profile.id);
        }
    }
}

#[test]
fn no_profile_promises_what_its_vendor_does_not() {
    for id in ["adobe", "autodesk", "msgraph", "partner-center", "square"] {
        assert!(find(id).unwrap().policy().contains(r#""honoured":false"#), "{id}");
    }
    for id in
        ["stripe", "stripe-v2", "paypal", "adyen", "checkout", "adobe-vipmp", "azure-communication"]
    {
        assert!(find(id).unwrap().policy().contains(r#""honoured":true"#), "{id}");
    }
    let honoured = ALL.iter().filter(|profile| profile.policy().contains(r#""honoured":true"#));
    assert_eq!(honoured.count(), 7);
}

#[cfg(feature = "json")]
#[test]
fn the_table_says_what_the_files_say() {
    for profile in ALL {
        let path = std::format!("{}/profiles/{}.json", env!("CARGO_MANIFEST_DIR"), profile.id);
        let file: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let policy: serde_json::Value = serde_json::from_str(profile.policy()).unwrap();
        let written = file.get("policy").cloned().unwrap_or_else(|| serde_json::json!({}));
        assert_eq!(policy, written, "{}", profile.id);
        assert_eq!(profile.name(), file["name"], "{}", profile.id);
        assert_eq!(profile.rules.len(), file["rules"].as_array().map_or(0, alloc::vec::Vec::len));
        assert_eq!(profile.like.map(|other| other.id), file["like"].as_str());
        assert_eq!(profile.reset_unit.name(), file["reset"].as_str().unwrap_or("auto"));
        assert_eq!(u64::from(profile.key_max_len), file["key"]["maxLength"].as_u64().unwrap_or(0));
        assert_eq!(profile.code_headers.is_empty(), file["codeHeaders"].is_null());
    }
}

#[test]
fn amazons_codes_are_compared_without_namespace_and_address() {
    let aws = find("aws").unwrap();
    for (code, expected) in [
        ("ThrottlingException", "ThrottlingException"),
        ("com.amazonaws.dynamodb.v20120810#ThrottlingException", "ThrottlingException"),
        ("ThrottlingException:http://internal.amazon.com/coral/#x", "ThrottlingException"),
        ("com.amazon#ThrottlingException:http://x/", "ThrottlingException"),
        ("", ""),
        ("#", ""),
        (":", ""),
    ] {
        let body = Body { code: Some(code), ..Body::default() };
        assert_eq!(
            aws.code(&Response { status: 400, body, ..Response::default() }),
            Some(expected)
        );
        let headers = [Header::new("X-Amzn-ErrorType", code.as_bytes())];
        assert_eq!(aws.code(&Response::new(400, &headers)), Some(expected));
    }
    let other = find("github").unwrap();
    let body = Body { code: Some("a#b:c"), ..Body::default() };
    assert_eq!(other.code(&Response { status: 400, body, ..Response::default() }), Some("a#b:c"));
}

#[test]
fn only_who_reports_failures_as_successes_has_those_looked_into() {
    let judges: alloc::vec::Vec<_> =
        ALL.iter().filter(|profile| profile.judges_success()).map(|profile| profile.id).collect();
    assert_eq!(judges, ["google", "grpc", "linear", "shopify", "slack"]);
    assert_eq!(["slack", "github"].map(|id| Profile::looks_from(find(id))), [0, 400]);
    assert_eq!(Profile::looks_from(None), 400);
}

#[test]
fn the_body_says_more_than_a_header() {
    let azure = find("azure").unwrap();
    let headers = [Header::new("x-ms-error-code", b"ServerBusy")];
    let mut response = Response::new(503, &headers);
    assert_eq!(azure.code(&response), Some("ServerBusy"));
    response.body.code = Some("InternalError");
    assert_eq!(azure.code(&response), Some("InternalError"));
    let unreadable = [Header::new("x-ms-error-code", b"\xFF")];
    assert_eq!(azure.code(&Response::new(503, &unreadable)), None);
}

#[test]
fn a_sentence_is_searched_near_its_start_only() {
    let github = find("github").unwrap();
    let padded = |length: usize| " ".repeat(length) + "SECONDARY rate limit";
    for (sentence, found) in [
        (String::from("You have exceeded a secondary rate limit. Please wait."), true),
        (padded(1_000), true),
        (padded(10_000), false),
        (String::from("Resource not accessible"), false),
        (String::new(), false),
    ] {
        let body = Body { code: Some(&sentence), ..Body::default() };
        let response = Response { status: 403, body, ..Response::default() };
        let facts = Facts { response: &response, key_sent: false, retry_after: false };
        assert_eq!(github.rule(&facts).is_some(), found, "{sentence:.20}");
    }
}

#[test]
fn only_amazon_lets_its_hint_move_a_delay_by_five_seconds_at_most() {
    for profile in ALL {
        let window = matches!(profile.id, "aws" | "dynamodb").then_some(crate::Millis::new(5_000));
        assert_eq!(profile.hint_window(), window, "{}", profile.id);
    }
}
