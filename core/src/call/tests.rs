//! Keys of calls: what goes out with every attempt.

use alloc::sync::Arc;

#[cfg(feature = "json")]
use crate::Policy;
use crate::{
    Instant, Method, Outcome, Reason, Request, Response, UnixMillis, Upstream, VerdictKind,
    policy::{KeyVersion, Options},
};

/// 2026-01-15T12:00:00.250Z.
const NOON: UnixMillis = UnixMillis::new(1_768_478_400_250);

fn upstream(change: impl FnOnce(&mut Options)) -> Upstream {
    let mut options = Options::default();
    options.idempotency.honoured = true;
    options.idempotency.generate = true;
    change(&mut options);
    Upstream::new(Arc::new(options.validate().expect("valid")), 1)
}

fn repeatable() -> Upstream {
    upstream(|options| {
        options.idempotency.header = "Repeatability-Request-ID".into();
        options.idempotency.first_sent_header = Some("Repeatability-First-Sent".into());
        options.idempotency.window = crate::Millis::new(300_000);
    })
}

fn post() -> Request<'static> {
    Request { entropy: Some([7; 16]), ..Request::new(Method::Post) }
}

fn unavailable() -> Outcome<'static> {
    let response = Response { status: 500, ..Response::default() };
    Outcome { response: Some(response), ..Outcome::default() }
}

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

#[test]
fn both_repeatability_headers_are_the_same_on_every_attempt() {
    let mut upstream = repeatable();
    let mut call = upstream.begin(&post(), at(0), Some(NOON)).unwrap();
    let policy = upstream.policy().clone();
    let sent = |call: &crate::Call| (call.key_header(&policy), call.first_sent_header(&policy));
    let first = sent(&call);
    assert_eq!(first.1, Some(("Repeatability-First-Sent", "Thu, 15 Jan 2026 12:00:00 GMT".into())));
    let later = NOON.after(crate::Millis::new(10_000));
    let verdict = upstream.settle(&mut call, &unavailable(), at(10_000), Some(later));
    assert_eq!(verdict.kind, VerdictKind::Retry);
    upstream.resume(&mut call, at(40_000)).unwrap();
    assert_eq!(sent(&call), first);
}

#[test]
fn neither_header_goes_without_the_other() {
    let mut upstream = repeatable();
    let refusal = upstream.begin(&post(), at(0), None).unwrap_err();
    assert_eq!(refusal.reason, Reason::KeyMissing);
    let get = upstream.begin(&Request::default(), at(0), Some(NOON)).unwrap();
    assert_eq!(get.first_sent_header(upstream.policy()), None, "a GET has no key");
    assert!(upstream.begin(&Request::default(), at(0), None).is_ok());
}

#[test]
fn a_call_that_goes_on_in_another_process_keeps_its_first_sending_and_its_window() {
    let mut upstream = repeatable();
    let first = UnixMillis::new(NOON.get() - 299_999);
    let request = Request { first_sent: Some(first), key: Some("k"), ..post() };
    let mut call = upstream.begin(&request, at(0), Some(NOON)).unwrap();
    assert_eq!(call.first_sent(), Some(first));
    let (_, date) = call.first_sent_header(upstream.policy()).unwrap();
    assert_eq!(date, "Thu, 15 Jan 2026 11:55:00 GMT");
    let verdict = upstream.settle(&mut call, &unavailable(), at(0), Some(NOON));
    assert_eq!(verdict.reason, Reason::KeyExpired, "a millisecond is left of the window");
    let request = Request { first_sent: Some(UnixMillis::new(NOON.get() - 300_000)), ..request };
    let mut call = upstream.begin(&request, at(0), Some(NOON)).unwrap();
    let verdict = upstream.settle(&mut call, &unavailable(), at(0), Some(NOON));
    assert_eq!(verdict.reason, Reason::UnsafeToRepeat, "the window was over before");
}

#[test]
fn a_clock_ahead_does_not_lengthen_the_window() {
    let mut upstream = repeatable();
    let ahead = NOON.after(crate::Millis::new(86_400_000));
    let request = Request { first_sent: Some(ahead), key: Some("k"), ..post() };
    let mut call = upstream.begin(&request, at(0), Some(NOON)).unwrap();
    let over = NOON.after(crate::Millis::new(300_000));
    let verdict = upstream.settle(&mut call, &unavailable(), at(300_000), Some(over));
    assert_eq!(verdict.reason, Reason::UnsafeToRepeat);
    let mut call = upstream.begin(&request, at(0), Some(NOON)).unwrap();
    let verdict = upstream.settle(&mut call, &unavailable(), at(300_000), None);
    assert_eq!(verdict.reason, Reason::UnsafeToRepeat, "measured without a wall clock too");
}

#[test]
fn a_version_7_key_needs_a_wall_clock() {
    let mut upstream = upstream(|options| options.idempotency.version = KeyVersion::V7);
    let call = upstream.begin(&post(), at(0), Some(NOON)).unwrap();
    assert!(call.key().unwrap().starts_with("019bc186-defa-7"), "{:?}", call.key());
    let refusal = upstream.begin(&post(), at(0), None).unwrap_err();
    assert_eq!(refusal.reason, Reason::KeyMissing);
    let event = Request { event: Some("renewal"), ..post() };
    let call = upstream.begin(&event, at(0), None).unwrap();
    assert_eq!(call.key().unwrap().as_bytes()[14], b'5', "an event needs no clock");
}

#[test]
fn a_vendor_that_takes_the_key_in_the_body_names_its_field() {
    let square = |options: &mut Options| options.profile = crate::profile::find("square");
    let mut upstream = upstream(square);
    let call = upstream.begin(&post(), at(0), None).unwrap();
    let (field, key) = call.key_field(upstream.policy()).unwrap();
    assert_eq!((field, Some(key)), ("idempotency_key", call.key()));
    let long = Request { key: Some(&"k".repeat(46)), ..post() };
    assert_eq!(upstream.begin(&long, at(0), None).unwrap_err().reason, Reason::KeyInvalid);
    let get = upstream.begin(&Request::default(), at(0), None).unwrap();
    assert_eq!(get.key_field(upstream.policy()), None);
}

#[cfg(feature = "json")]
#[test]
fn azure_communication_services_get_the_pair_and_forget_it_after_five_minutes() {
    let policy = Policy::from_json(r#"{"profile":"azure-communication"}"#).unwrap();
    let mut upstream = Upstream::new(Arc::new(policy), 1);
    let request = Request { key: Some("8e03978e-40d5-43e8-bc93-6894a57f9324"), ..post() };
    let mut call = upstream.begin(&request, at(0), Some(NOON)).unwrap();
    let (name, _) = call.key_header(upstream.policy()).unwrap();
    assert_eq!(name, "Repeatability-Request-ID");
    let (name, date) = call.first_sent_header(upstream.policy()).unwrap();
    assert_eq!((name, &*date), ("Repeatability-First-Sent", "Thu, 15 Jan 2026 12:00:00 GMT"));
    let later = NOON.after(crate::Millis::new(300_000));
    let verdict = upstream.settle(&mut call, &unavailable(), at(300_000), Some(later));
    assert_eq!(verdict.reason, Reason::UnsafeToRepeat);
    let order = Request { key: Some("order-42"), ..post() };
    let refusal = upstream.begin(&order, at(0), Some(NOON)).unwrap_err();
    assert_eq!(refusal.reason, Reason::KeyInvalid, "a UUID it has to be");
}

#[cfg(feature = "json")]
#[test]
fn a_document_says_how_keys_are_made_and_whether_their_date_is_sent() {
    let read = |json: &str| {
        let policy = Policy::from_json(json).map_err(|issues| alloc::format!("{issues}"))?;
        let options = policy.idempotency();
        Ok::<_, alloc::string::String>((options.version, options.first_sent_header.clone()))
    };
    assert_eq!(read("{}"), Ok((KeyVersion::V4, None)));
    let both = r#"{"idempotency":{"version":"v7","firstSentHeader":"First-Sent"}}"#;
    assert_eq!(read(both), Ok((KeyVersion::V7, Some("First-Sent".into()))));
    let off = r#"{"profile":"azure-communication","idempotency":{"firstSentHeader":null}}"#;
    assert_eq!(read(off), Ok((KeyVersion::V4, None)), "a document can take it back");
    for wrong in [
        r#"{"idempotency":{"version":"v5"}}"#,
        r#"{"idempotency":{"version":null}}"#,
        r#"{"idempotency":{"firstSentHeader":"a b"}}"#,
        r#"{"idempotency":{"firstSentHeader":""}}"#,
        r#"{"idempotency":{"firstSentHeader":5}}"#,
        r#"{"idempotency":{"header":null}}"#,
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}
