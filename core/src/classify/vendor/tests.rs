use super::*;
use crate::{
    Millis,
    hint::HintSource,
    outcome::{Body, Header},
    profile,
};

use Basis::{Gateway, None as Unproven, Status};
use Class::{Cancelled, Permanent, Success, Throttled, Transient};
use Delivery::{MaybeProcessed, NotProcessed, Processed};

type Meaning = (Class, Delivery, Basis);

fn meaning(found: Option<Classification>) -> Option<Meaning> {
    found.map(|found| (found.class, found.delivery, found.basis))
}

fn of_code(profile: &str, status: u16, code: &str) -> Option<Meaning> {
    let body = Body { code: Some(code), ..Body::default() };
    let response = Response { status, body, ..Response::default() };
    meaning(classify(&response, false, profile::find(profile).unwrap(), None))
}

fn of_headers(profile: &str, status: u16, headers: &[Header<'_>]) -> Option<Meaning> {
    let response = Response::new(status, headers);
    meaning(classify(&response, false, profile::find(profile).unwrap(), None))
}

#[test]
fn a_code_means_more_than_its_status() {
    for (profile, status, code, expected) in [
        ("aws", 400, "ThrottlingException", (Throttled, NotProcessed, Status)),
        ("aws", 503, "SlowDown", (Throttled, NotProcessed, Status)),
        ("aws", 400, "a.b#LimitExceededException:http://c", (Throttled, NotProcessed, Status)),
        ("aws", 400, "RequestTimeout", (Transient, NotProcessed, Status)),
        (
            "dynamodb",
            400,
            "ProvisionedThroughputExceededException",
            (Throttled, NotProcessed, Status),
        ),
        ("azure", 503, "ServerBusy", (Throttled, NotProcessed, Status)),
        ("arm", 409, "RetryableErrorDueToAnotherOperation", (Throttled, NotProcessed, Status)),
        ("cosmos", 449, "", (Transient, NotProcessed, Gateway)),
        ("openai", 429, "insufficient_quota", (Permanent, NotProcessed, Status)),
        ("anthropic", 429, "enforced_spend_limit_reached", (Permanent, NotProcessed, Status)),
        ("anthropic", 529, "overloaded_error", (Throttled, NotProcessed, Status)),
        ("google", 429, "RESOURCE_EXHAUSTED", (Throttled, NotProcessed, Status)),
        ("google", 409, "ABORTED", (Permanent, Processed, Unproven)),
        ("google", 500, "DATA_LOSS", (Permanent, MaybeProcessed, Unproven)),
        ("google", 499, "CANCELLED", (Cancelled, MaybeProcessed, Unproven)),
        ("google", 500, "INTERNAL", (Transient, MaybeProcessed, Unproven)),
        ("salesforce", 403, "REQUEST_LIMIT_EXCEEDED", (Throttled, NotProcessed, Status)),
        ("sendgrid", 403, "", (Permanent, NotProcessed, Status)),
        ("shopify", 200, "THROTTLED", (Throttled, NotProcessed, Status)),
        ("slack", 200, "ratelimited", (Throttled, NotProcessed, Status)),
        ("slack", 200, "internal_error", (Transient, MaybeProcessed, Unproven)),
        ("slack", 200, "channel_not_found", (Permanent, Processed, Unproven)),
        ("cloudflare", 429, "1015", (Throttled, NotProcessed, Gateway)),
        ("cloudflare", 530, "1033", (Transient, NotProcessed, Gateway)),
        ("adyen", 422, "704", (Transient, MaybeProcessed, Unproven)),
        ("stripe", 409, "", (Transient, MaybeProcessed, Unproven)),
        ("stripe-v2", 409, "lock_timeout", (Transient, MaybeProcessed, Unproven)),
    ] {
        assert_eq!(of_code(profile, status, code), Some(expected), "{profile} {status} {code}");
    }
}

#[test]
fn what_no_rule_knows_is_left_to_the_status() {
    for (profile, status, code) in [
        ("aws", 400, "ValidationException"),
        ("aws", 403, "RequestTimeTooSkewed"),
        ("aws", 200, "ThrottlingException"),
        ("azure", 429, "TooManyRequests"),
        ("openai", 500, "insufficient_quota"),
        ("openai", 429, "rate_limit_exceeded"),
        ("salesforce", 403, "INSUFFICIENT_ACCESS"),
        ("salesforce", 503, "REQUEST_LIMIT_EXCEEDED"),
        ("github", 403, "Resource not accessible by integration"),
        ("stripe", 429, "rate_limit"),
        ("adyen", 422, "101"),
        ("slack", 429, "ratelimited"),
        ("envoy", 503, ""),
        ("twilio", 429, "20429"),
    ] {
        assert_eq!(of_code(profile, status, code), None, "{profile} {status} {code}");
    }
}

#[test]
fn a_profiles_own_rules_come_before_those_it_shares() {
    let body = Body {
        code: Some("RESOURCE_EXHAUSTED"),
        policy: Some("RequestsPerDay"),
        ..Body::default()
    };
    let response = Response { status: 429, body, ..Response::default() };
    let found = classify(&response, false, profile::find("google").unwrap(), None);
    assert_eq!(meaning(found), Some((Permanent, NotProcessed, Status)));
}

#[test]
fn grpc_answers_200_and_means_its_status() {
    for (status, expected) in [
        ("0", (Success, Processed, Unproven)),
        ("1", (Cancelled, MaybeProcessed, Unproven)),
        ("2", (Transient, MaybeProcessed, Unproven)),
        ("3", (Permanent, Processed, Unproven)),
        ("4", (Transient, MaybeProcessed, Unproven)),
        ("5", (Permanent, Processed, Unproven)),
        ("6", (Permanent, Processed, Unproven)),
        ("7", (Permanent, Processed, Unproven)),
        ("8", (Throttled, NotProcessed, Status)),
        ("9", (Permanent, Processed, Unproven)),
        ("10", (Permanent, Processed, Unproven)),
        ("11", (Permanent, Processed, Unproven)),
        ("12", (Permanent, Processed, Unproven)),
        ("13", (Transient, MaybeProcessed, Unproven)),
        ("14", (Transient, MaybeProcessed, Unproven)),
        ("15", (Permanent, MaybeProcessed, Unproven)),
        ("16", (Permanent, Processed, Unproven)),
        ("17", (Transient, MaybeProcessed, Unproven)),
        ("UNAVAILABLE?", (Transient, MaybeProcessed, Unproven)),
    ] {
        let headers = [Header::new("grpc-status", status.as_bytes())];
        assert_eq!(of_headers("grpc", 200, &headers), Some(expected), "{status}");
    }
    assert_eq!(of_headers("grpc", 200, &[]), None);
    assert_eq!(of_headers("grpc", 503, &[]), None);
}

#[test]
fn githubs_403_is_a_limit_only_when_something_says_so() {
    let limit = Some((Throttled, NotProcessed, Status));
    let header = |name, value: &'static str| Header::new(name, value.as_bytes());
    let left = [header("x-ratelimit-remaining", "4999")];
    for status in [403, 429] {
        assert_eq!(of_headers("github", status, &[header("x-ratelimit-remaining", "0")]), limit);
    }
    assert_eq!(of_headers("github", 403, &left), None);
    assert_eq!(of_headers("github", 429, &left), limit);
    assert_eq!(of_code("github", 403, "You have exceeded a secondary rate limit"), limit);
    let github = profile::find("github").unwrap();
    for (source, expected) in [
        (HintSource::RetryAfter, limit),
        (HintSource::RetryAfterMs, limit),
        (HintSource::Body, limit),
        (HintSource::Reset, None),
        (HintSource::VendorWait, None),
    ] {
        let hint = Some(Hint::new(Millis::ZERO, source));
        let found = classify(&Response::new(403, &left), false, github, hint);
        assert_eq!(meaning(found), expected, "{source}");
    }
}

#[test]
fn a_limit_that_ends_the_day_is_permanent_and_still_a_rate_limit() {
    for (profile, policy, expected) in [
        ("hubspot", "TEN_SECONDLY_ROLLING", Throttled),
        ("hubspot", "SECONDLY", Throttled),
        ("hubspot", "DAILY", Permanent),
        ("google", "GenerateRequestsPerDayPerProjectPerModel-FreeTier", Permanent),
        ("anthropic", "This request would exceed your account's monthly spend limit.", Permanent),
    ] {
        let body = Body { policy: Some(policy), ..Body::default() };
        let response = Response { status: 429, body, ..Response::default() };
        let found = classify(&response, false, profile::find(profile).unwrap(), None).unwrap();
        let expected = (expected, NotProcessed, Status, true);
        assert_eq!((found.class, found.delivery, found.basis, found.rate_limit), expected);
    }
    let hubspot = profile::find("hubspot").unwrap();
    assert_eq!(classify(&Response::new(429, &[]), false, hubspot, None), None);
}

#[test]
fn throttling_by_a_5xx_is_no_rate_limit_of_the_callers() {
    let aws = profile::find("aws").unwrap();
    let body = Body { code: Some("SlowDown"), ..Body::default() };
    for (status, expected) in [(400, true), (403, true), (429, true), (500, false), (503, false)] {
        let response = Response { status, body, ..Response::default() };
        assert_eq!(classify(&response, false, aws, None).unwrap().rate_limit, expected, "{status}");
    }
}

#[test]
fn a_stored_answer_of_the_vip_marketplace_is_final_for_its_key() {
    let vipmp = profile::find("adobe-vipmp").unwrap();
    let answer = Response::new(500, &[]);
    let found = meaning(classify(&answer, true, vipmp, None));
    assert_eq!(found, Some((Permanent, MaybeProcessed, Unproven)));
    assert_eq!(classify(&answer, false, vipmp, None), None);
}

#[test]
fn a_header_may_be_the_whole_code() {
    let transient = [Header::new("Transient-Error", b"true")];
    let lasting = [Header::new("transient-error", b"false")];
    let expected = Some((Transient, MaybeProcessed, Unproven));
    assert_eq!(of_headers("adyen", 500, &transient), expected);
    assert_eq!(of_headers("adyen", 500, &lasting), None);
    let limited = [Header::new("x-envoy-ratelimited", b"true")];
    let expected = Some((Throttled, NotProcessed, Gateway));
    assert_eq!(of_headers("envoy", 429, &limited), expected);
    assert_eq!(of_headers("envoy", 200, &limited), None);
}

#[test]
fn a_dropped_request_and_a_problem_type_need_no_profile() {
    let overloaded = [Header::new("X-Envoy-Overloaded", b"true")];
    let expected = Some((Throttled, NotProcessed, Gateway));
    assert_eq!(meaning(generic(&Response::new(503, &overloaded))), expected);
    assert_eq!(meaning(generic(&Response::new(400, &overloaded))), expected);
    for status in [200, 399] {
        assert_eq!(generic(&Response::new(status, &overloaded)), None);
    }
    for (name, status, expected) in [
        ("quota-exceeded", 429, true),
        ("temporary-reduced-capacity", 503, true),
        ("abnormal-usage-detected", 429, true),
        ("quota-exceeded", 200, false),
        ("date", 429, false),
        ("", 429, false),
    ] {
        let mut response = Response::new(status, &[]);
        let uri = std::format!("https://iana.org/assignments/http-problem-types#{name}");
        response.body.problem_type = Some(&uri);
        let found = generic(&response);
        let expected = expected.then_some((Throttled, NotProcessed, Status));
        assert_eq!(meaning(found), expected, "{name} {status}");
        assert!(found.is_none_or(|found| found.signal == Signal::ProblemType));
        assert!(found.is_none_or(|found| found.rate_limit == (status == 429)));
    }
    let mut response = Response::new(429, &[]);
    response.body.problem_type = Some("https://example.com/#quota-exceeded");
    assert_eq!(generic(&response), None);
}

#[test]
fn the_server_decides_to_the_letter_and_no_outweighs_yes() {
    for (lines, expected) in [
        (&[("x-should-retry", "true")][..], Some(true)),
        (&[("X-Should-Retry", " false ")], Some(false)),
        (&[("stripe-should-retry", "true")], Some(true)),
        (&[("Stripe-Should-Retry", "false")], Some(false)),
        (&[("x-should-retry", "True")], None),
        (&[("x-should-retry", "maybe")], None),
        (&[("x-should-retry", "1")], None),
        (&[("x-should-retry", "")], None),
        (&[("x-should-retry", "true, false")], None),
        (&[("x-should-retry", "true"), ("stripe-should-retry", "false")], Some(false)),
        (&[("x-should-retry", "true"), ("x-should-retry", "false")], Some(false)),
        (&[("grpc-status", "14"), ("grpc-retry-pushback-ms", "-1")], Some(false)),
        (&[("grpc-status", "14"), ("grpc-retry-pushback-ms", "never")], Some(false)),
        (&[("grpc-status", "14"), ("grpc-retry-pushback-ms", "0")], None),
        (&[("grpc-retry-pushback-ms", "-1")], None),
        (&[], None),
    ] {
        let headers: alloc::vec::Vec<_> =
            lines.iter().map(|(name, value)| Header::new(name, value.as_bytes())).collect();
        assert_eq!(should_retry(&Response::new(503, &headers), None), expected, "{lines:?}");
    }
}
