//! Order of the sources, and "any input gives a value".

use super::*;
use crate::{
    hint::HintSource,
    outcome::{Family, Header, TransportError},
    rng::Rng,
    time::Millis,
};

fn of(status: u16, headers: &[Header<'_>]) -> Classification {
    classify(&Outcome::from_response(status, headers), &Context::default())
}

fn header<'a>(name: &'a str, value: &'a str) -> Header<'a> {
    Header::new(name, value.as_bytes())
}

#[test]
fn with_an_answer_the_status_decides_over_the_error() {
    let outcome = Outcome {
        error: Some(TransportError::new(Family::Axios, "ERR_BAD_REQUEST")),
        ..Outcome::from_response(429, &[])
    };
    let found = classify(&outcome, &Context::default());
    assert_eq!(found.class, Class::Throttled);
    assert_eq!(found.signal, Signal::Status);
}

#[test]
fn an_outcome_that_says_nothing_is_transient_and_open() {
    let found = classify(&Outcome::default(), &Context::default());
    assert_eq!(found.class, Class::Transient);
    assert_eq!(found.delivery, Delivery::MaybeProcessed);
    assert_eq!(found.signal, Signal::Unknown);
}

#[test]
fn an_error_whose_meaning_is_known_is_not_looked_up_and_the_policy_still_counts() {
    let error = TransportError {
        known: Some(Classification::cancelled()),
        ..TransportError::new(Family::Node, "ECONNREFUSED")
    };
    let outcome = Outcome::from_error(error);
    assert_eq!(classify(&outcome, &Context::default()).class, Class::Cancelled);
    let policy = RetryOn { errors_add: alloc::vec!["ECONNREFUSED".into()], ..RetryOn::default() };
    let context = Context { retry_on: Some(&policy), ..Context::default() };
    assert_eq!(classify(&outcome, &context).class, Class::Transient);
}

#[test]
fn the_servers_word_changes_the_class_and_nothing_else() {
    let yes = of(404, &[header("X-Should-Retry", "true")]);
    assert_eq!((yes.class, yes.delivery), (Class::Transient, Delivery::Processed));
    assert_eq!(yes.signal, Signal::ShouldRetry);
    let no = of(429, &[header("X-Should-Retry", "false")]);
    assert_eq!((no.class, no.delivery), (Class::Permanent, Delivery::NotProcessed));
    assert!(no.veto && no.rate_limit);
    assert_eq!(no.signal, Signal::ShouldRetry);
    assert_eq!(no.basis, Basis::Status);
    assert_eq!(of(503, &[header("X-Should-Retry", "True")]), of(503, &[]));
}

#[test]
fn the_body_of_an_answer_without_headers_is_read_all_the_same() {
    let mut outcome = Outcome::from_response(400, &[]);
    if let Some(response) = &mut outcome.response {
        response.body.problem_type =
            Some("https://iana.org/assignments/http-problem-types#quota-exceeded");
    }
    let found = classify(&outcome, &Context::default());
    assert_eq!((found.class, found.signal), (Class::Throttled, Signal::ProblemType));
}

#[test]
fn a_success_stays_one_whatever_the_server_says_about_retrying() {
    for value in ["true", "false"] {
        let found = of(200, &[header("X-Should-Retry", value)]);
        assert_eq!(found.class, Class::Success);
        assert!(!found.veto);
    }
}

#[test]
fn a_replayed_failure_is_final() {
    let headers = [header("Idempotent-Replayed", "true"), header("Retry-After", "1")];
    for status in [400, 409, 429, 500, 503] {
        let found = of(status, &headers);
        assert_eq!((found.class, found.signal), (Class::Permanent, Signal::Replayed), "{status}");
        assert_eq!(found.delivery, Delivery::Processed);
        assert!(!found.rate_limit && !found.veto);
    }
    assert_eq!(of(200, &headers).class, Class::Success);
    assert_eq!(of(500, &[header("Idempotent-Replayed", "false")]).class, Class::Transient);
}

#[test]
fn a_gateways_report_stands_over_the_status() {
    let found = of(503, &[header("Proxy-Status", "edge; error=connection_refused")]);
    assert_eq!((found.signal, found.basis), (Signal::ProxyStatus, Basis::Gateway));
    let context = Context {
        hint: Some(Hint::new(Millis::from_secs(5), HintSource::RetryAfter)),
        ..Context::default()
    };
    let headers = [header("Proxy-Status", "edge; error=http_response_timeout")];
    let found = classify(&Outcome::from_response(503, &headers), &context);
    assert_eq!(found.delivery, Delivery::MaybeProcessed, "the gateway knows that it was sent");
}

#[test]
fn every_status_with_every_header_gives_a_value() {
    let lists: [&[Header<'_>]; 5] = [
        &[],
        &[header("retry-after", "5"), header("x-should-retry", "true")],
        &[header("x-should-retry", "false"), header("x-envoy-overloaded", "true")],
        &[header("proxy-status", "a; error=dns_error; rcode=NXDOMAIN")],
        &[header("", ""), Header::new("proxy-status", b"\xff;;,")],
    ];
    for status in 0..=u16::MAX {
        for headers in lists {
            let context = Context { key_sent: status % 2 == 1, ..Context::default() };
            let found = classify(&Outcome::from_response(status, headers), &context);
            let success = matches!(status, 101 | 200..=399);
            assert_eq!(found.class == Class::Success, success, "{status}");
            assert!(!found.veto || found.class == Class::Permanent);
        }
    }
}

#[test]
fn every_text_in_every_field_gives_a_value() {
    const WORDS: [&str; 16] = [
        "",
        "+",
        "ECONNRESET",
        "is_connect+is_timeout",
        "ERR_SSL_",
        "GOAWAY",
        "💥\u{0}é",
        "<StreamReset error_code:99999999999999999999",
        "stream error: stream ID ",
        "0xffffffffffffffffff",
        "connect E",
        "AbortError",
        "refused",
        "NXDOMAIN",
        "x.y$z::",
        "NGHTTP2_",
    ];
    let mut rng = Rng::new(7);
    let mut pick = |any: &[&'static str]| match rng.draw().between(0, any.len() as u64) {
        0 => None,
        at => any.get(at as usize - 1).copied(),
    };
    for round in 0..5_000 {
        let mut error = TransportError {
            code: pick(&WORDS),
            name: pick(&WORDS),
            message: pick(&WORDS),
            syscall: pick(&WORDS),
            phase: pick(&WORDS),
            op: pick(&WORDS),
            kind: pick(&WORDS),
            rcode: pick(&WORDS),
            frame: pick(&WORDS),
            progress: pick(&WORDS),
            stream_id: Some(round),
            last_stream_id: Some(2_500),
            ..TransportError::default()
        };
        error.family = Family::ALL[round as usize % Family::ALL.len()];
        let outer = TransportError { cause: Some(&error), ..error };
        let found = classify(&Outcome::from_error(outer), &Context::default());
        assert_eq!(
            found.basis != Basis::None,
            found.delivery == Delivery::NotProcessed,
            "{error:?}"
        );
    }
}

#[test]
fn a_cancelled_call_is_cancelled_whatever_is_said_of_a_retry() {
    for word in [b"false".as_slice(), b"true"] {
        let headers = [crate::outcome::Header::new("x-should-retry", word)];
        let found = classify(&Outcome::from_response(499, &headers), &Context::default());
        assert_eq!((found.class, found.veto), (Class::Cancelled, false));
    }
}

#[test]
fn a_code_that_is_a_sentence_is_read_like_a_message() {
    let error = TransportError::new(Family::Go, "context canceled");
    let found = classify(&Outcome::from_error(error), &Context::default());
    assert_eq!(found.class, Class::Cancelled);
}

#[test]
fn a_code_of_one_word_is_no_sentence() {
    let of = |code| {
        classify(
            &Outcome::from_error(TransportError::new(Family::Unknown, code)),
            &Context::default(),
        )
    };
    assert_eq!(of("ssl: certificate_verify_failed").class, Class::Permanent);
    assert_eq!(of("x_certificate_verify_failed").class, Class::Transient);
}
