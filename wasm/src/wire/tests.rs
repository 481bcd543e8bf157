use alloc::vec::Vec;

use super::*;

const NAMES: &[&str] = &["date", "retry-after"];

/// Appends an item.
fn item(run: &mut Vec<u8>, tag: u8, payload: &[u8]) {
    run.push(tag);
    run.extend((payload.len() as u16).to_le_bytes());
    run.extend(payload);
}

fn fields(run: &[u8]) -> Fields<'_> {
    let mut fields = Fields::default();
    fields.read(run, NAMES);
    fields
}

#[test]
fn an_outcome_arrives_as_it_was_written() {
    let mut run = Vec::new();
    item(&mut run, tag::HEADER, b"\x02 120 \xFF");
    item(&mut run, tag::NAMED_HEADER, b"\x03X-A1");
    item(&mut run, tag::BODY_CODE, b"SlowDown");
    item(&mut run, tag::ERROR, &[Family::Fetch.code(), 0]);
    item(&mut run, tag::MESSAGE, b"fetch failed");
    item(&mut run, tag::ERROR, &[Family::Node.code(), error_flag::REUSED]);
    item(&mut run, tag::CODE, b"ECONNREFUSED");
    item(&mut run, tag::STREAM_ID, b"7");

    let fields = fields(&run);
    let headers: Vec<_> = fields.headers().iter().map(|h| (h.name, h.value)).collect();
    assert_eq!(headers, [("retry-after", &b" 120 \xFF"[..]), ("X-A", &b"1"[..])]);
    assert_eq!(fields.body.code, Some("SlowDown"));
    linked(fields.errors(), |error| {
        let error = error.unwrap();
        assert_eq!((error.family, error.message), (Family::Fetch, Some("fetch failed")));
        let cause = error.cause.unwrap();
        assert_eq!((cause.family, cause.code), (Family::Node, Some("ECONNREFUSED")));
        assert_eq!((cause.reused, cause.stream_id), (true, Some(7)));
        assert!(cause.cause.is_none());
    });
}

#[test]
fn a_run_that_is_cut_short_says_what_came_before_the_cut() {
    let mut run = Vec::new();
    item(&mut run, tag::BODY_CODE, b"a");
    item(&mut run, tag::BODY_POLICY, b"bcd");
    for length in 0..run.len() {
        let fields = fields(&run[..length]);
        assert_eq!(fields.body.code.is_some(), length >= 4, "{length}");
        assert_eq!(fields.body.policy, None, "{length}");
    }
}

#[test]
fn what_makes_no_sense_is_passed_over() {
    let mut run = Vec::new();
    item(&mut run, tag::CODE, b"no error before it");
    item(&mut run, tag::HEADER, &[255, b'1']);
    item(&mut run, tag::HEADER, &[0, b'1']);
    item(&mut run, tag::HEADER, &[3, b'1']);
    item(&mut run, tag::HEADER, b"");
    item(&mut run, tag::NAMED_HEADER, b"\x09short");
    item(&mut run, 0xEE, b"?");
    item(&mut run, tag::ENTROPY, b"too short");
    item(&mut run, tag::BODY_CODE, b"\xC3\x28");
    item(&mut run, tag::ERROR, &[250]);
    let fields = fields(&run);
    assert!(fields.headers().is_empty() && fields.entropy.is_none() && fields.body.code.is_none());
    assert_eq!(fields.errors().len(), 1);
    assert_eq!(fields.errors()[0].family, Family::Unknown);
    assert_eq!(fields.errors()[0].code, None);
}

/// Ignoring it would send a request without the key that the caller gave.
#[test]
fn a_key_that_is_no_text_is_still_a_key() {
    let mut run = Vec::new();
    item(&mut run, tag::KEY, b"\xFF");
    assert_eq!(fields(&run).key, Some(""));
}

#[test]
fn endless_headers_and_causes_are_bounded() {
    let mut run = Vec::new();
    for depth in 0..100_u8 {
        item(&mut run, tag::NAMED_HEADER, b"\x01xy");
        item(&mut run, tag::ERROR, &[Family::Node.code(), 0]);
        item(&mut run, tag::CODE, &[b'A' + depth % 26]);
    }
    let fields = fields(&run);
    assert_eq!(fields.headers().len(), MAX_HEADERS);
    linked(fields.errors(), |error| {
        let codes: Vec<_> = core::iter::successors(error, |e| e.cause).map(|e| e.code).collect();
        assert_eq!(codes.len(), MAX_DEPTH);
        assert_eq!(codes[MAX_DEPTH - 1], Some("H"), "the ninth error left the eighth alone");
    });
}

#[test]
fn any_bytes_are_a_run() {
    let mut rng = retrywise::Rng::new(7);
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..rng.draw().between(0, 60))
            .map(|_| match rng.draw().between(0, 2) {
                0 => rng.draw().between(0, 0x32) as u8,
                1 => rng.draw().between(0, 3) as u8,
                _ => rng.draw().between(0, 255) as u8,
            })
            .collect();
        let fields = fields(&bytes);
        linked(fields.errors(), |error| {
            assert!(core::iter::successors(error, |e| e.cause).count() <= MAX_DEPTH);
        });
    }
}
