//! The exports as a host uses them: write the input, call, read the numbers.

#![allow(clippy::float_cmp)] // whole numbers, exact on purpose

mod dispatch;
mod ledger;

use alloc::{string::String, vec::Vec};

use retrywise::{Class, Family, HintSource, Method, Reason, VerdictKind};

use super::*;
use crate::{
    packed,
    scratch::slot,
    wire::{self, tag},
};

const NONE: f64 = f64::NAN;

/// A host of one state.
struct Host(State);

impl Host {
    fn new() -> Self {
        Self(State::new())
    }

    /// Writes into the input; its length.
    fn write(&mut self, bytes: &[u8]) -> u32 {
        let input = self.0.scratch.reserve(bytes.len()).unwrap();
        input[..bytes.len()].copy_from_slice(bytes);
        bytes.len() as u32
    }

    /// Writes items; their length.
    fn items(&mut self, items: &[(u8, &[u8])]) -> u32 {
        let mut run = Vec::new();
        for (tag, payload) in items {
            run.push(*tag);
            run.extend((payload.len() as u16).to_le_bytes());
            run.extend(*payload);
        }
        self.write(&run)
    }

    fn policy(&mut self, document: &str) -> u32 {
        let length = self.write(document.as_bytes());
        let policy = policy_new(&mut self.0, length);
        assert_ne!(policy, 0, "{}", self.text());
        policy
    }

    fn upstream(&mut self, document: &str) -> u32 {
        let policy = self.policy(document);
        upstream_new(&mut self.0, policy, 7.0, 0)
    }

    fn begin(&mut self, upstream: u32, method: Method, length: u32) -> u32 {
        let method = method.code().into();
        call_begin(&mut self.0, upstream, method, 0, 0.0, 0.0, NONE, length)
    }

    fn settle(&mut self, call: u32, status: f64, length: u32) -> (VerdictKind, Reason) {
        let flags = outcome_flag::ANSWERED;
        let word = call_settle(&mut self.0, call, flags, status, 0, 0.0, NONE, NONE, length);
        read(word)
    }

    fn slot(&self, place: usize) -> f64 {
        self.0.scratch.output()[place]
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(self.0.scratch.text()).into_owned()
    }

    /// The strings of the text.
    fn strings(&self) -> Vec<String> {
        let mut rest = self.0.scratch.text();
        let mut strings = Vec::new();
        while let Some((length, after)) = rest.split_first_chunk() {
            let (string, after) = after.split_at(u32::from_le_bytes(*length) as usize);
            strings.push(String::from_utf8(string.to_vec()).unwrap());
            rest = after;
        }
        strings
    }
}

/// Kind and reason of a packed verdict.
fn read(word: u32) -> (VerdictKind, Reason) {
    let kind = VerdictKind::from_code((word & 3) as u8).unwrap();
    (kind, Reason::from_code((word >> 2) as u8).unwrap())
}

fn source(word: u32) -> Option<HintSource> {
    HintSource::from_code((word >> 10 & 31) as u8)
}

fn class(word: u32) -> Class {
    Class::from_code((word >> 15 & 7) as u8).unwrap()
}

const PLAIN: &str = r#"{"maxRetries":2,"backoff":{"jitter":"none","baseMs":500},"breaker":null}"#;

#[test]
fn a_call_runs_from_begin_to_its_terminal_verdict_in_numbers() {
    let mut host = Host::new();
    let upstream = host.upstream(PLAIN);
    let call = host.begin(upstream, Method::Get, 0);
    assert_ne!(call, 0);
    assert_eq!(call_timeout(&mut host.0, call, 0.0).to_bits(), (-1.0_f64).to_bits());
    assert_eq!(host.settle(call, 503.0, 0), (VerdictKind::Retry, Reason::Backoff));
    assert_eq!((host.slot(slot::DELAY), host.slot(slot::ATTEMPT)), (500.0, 2.0));
    assert_eq!((host.slot(slot::HINT), host.slot(slot::TRANSITION)), (-1.0, -1.0));
    assert_eq!(call_resume(&mut host.0, call, 500.0), 1);
    assert_eq!(host.settle(call, 404.0, 0), (VerdictKind::Stop, Reason::Permanent));
    assert_eq!(calls(&mut host.0), 0);

    let again = call_settle(&mut host.0, call, 0, 0.0, 0, 0.0, NONE, NONE, 0);
    assert_eq!(again, packed::gone());
    assert_eq!(call_cancel(&mut host.0, call, 0.0), packed::gone());
    assert_eq!(call_resume(&mut host.0, call, 0.0), packed::gone());
    assert_eq!(host.slot(slot::REASON), f64::from(Reason::Cancelled.code()));
}

#[test]
fn a_call_that_is_over_when_it_wakes_answers_with_its_verdict() {
    let mut host = Host::new();
    let upstream = host.upstream(r#"{"deadlineMs":60000}"#);
    let call = host.begin(upstream, Method::Get, 0);
    assert_eq!(host.settle(call, 503.0, 0).0, VerdictKind::Retry);
    let word = call_resume(&mut host.0, call, 60_000.0);
    assert_eq!(read(word), (VerdictKind::Stop, Reason::Deadline));
    assert_eq!(host.slot(slot::REASON), f64::from(Reason::Deadline.code()));
    assert_eq!((host.slot(slot::ATTEMPT), host.slot(slot::DELAY)), (1.0, 0.0));
    assert_eq!(call_resume(&mut host.0, call, 60_000.0), packed::gone());
}

#[test]
fn a_header_counts_once_its_id_was_asked_for() {
    let mut host = Host::new();
    let length = host.write(b"Retry-After");
    let id = header_id(&mut host.0, length);
    let length = host.write(b"content-length");
    assert_eq!((id, header_id(&mut host.0, length)), (1, 0));

    let upstream = host.upstream(PLAIN);
    let call = host.begin(upstream, Method::Get, 0);
    let length = host.items(&[(tag::HEADER, b"\x017")]);
    assert_eq!(host.settle(call, 429.0, length), (VerdictKind::Retry, Reason::ServerHint));
    assert_eq!((host.slot(slot::DELAY), host.slot(slot::HINT)), (7000.0, 7000.0));
}

#[test]
fn header_ids_run_out_and_names_go_on() {
    let mut host = Host::new();
    for i in 0..300 {
        let length = host.write(std::format!("x-ratelimit-reset-{i}").as_bytes());
        let id = header_id(&mut host.0, length);
        assert_eq!(id, if i < 254 { i + 1 } else { 255 });
    }
    let length = host.write(b"x-ratelimit-reset-0");
    assert_eq!(header_id(&mut host.0, length), 1, "a name keeps its id");
}

#[test]
fn an_error_that_is_kept_says_the_same_as_one_that_is_written() {
    let mut host = Host::new();
    let items: &[(u8, &[u8])] = &[
        (tag::ERROR, &[Family::Fetch.code(), 0]),
        (tag::MESSAGE, b"fetch failed"),
        (tag::ERROR, &[Family::Node.code(), 0]),
        (tag::CODE, b"ECONNREFUSED"),
        (tag::SYSCALL, b"connect"),
    ];
    let length = host.items(items);
    let written = classify(&mut host.0, 0, NONE, 0, NONE, 0, 0, length);
    let number = error_intern(&mut host.0, length);
    host.write(&[0xFF; 64]);
    assert_eq!(classify(&mut host.0, 0, NONE, number, NONE, 0, 0, 0), written);
    assert_eq!(class(written), Class::Transient);
    assert_eq!(error_intern(&mut host.0, 0), 0, "no error, no number");

    // A policy names errors by their words, anywhere in the chain.
    let policy = host.policy(r#"{"retryOn":{"errors":{"remove":["ECONNREFUSED"]}}}"#);
    let word = classify(&mut host.0, 0, NONE, number, NONE, policy, 0, 0);
    assert_eq!(class(word), Class::Permanent);
}

#[test]
fn errors_that_find_no_room_are_written_instead() {
    let mut host = Host::new();
    let mut last = 0;
    for i in 0..600_u32 {
        let length = host.items(&[(tag::ERROR, &[1, 0]), (tag::CODE, &i.to_le_bytes())]);
        last = error_intern(&mut host.0, length);
    }
    assert_eq!(last, 0);
}

#[test]
fn a_refusal_gives_its_reason_and_when_to_ask_again() {
    let mut host = Host::new();
    let upstream = host.upstream(r#"{"idempotency":{"generate":true}}"#);
    assert_eq!(host.begin(upstream, Method::Post, 0), 0);
    assert_eq!(host.slot(slot::REASON), f64::from(Reason::KeyMissing.code()));
    assert_eq!(host.slot(slot::RETRY_IN), -1.0);

    let length = host.items(&[(tag::ENTROPY, &[7; 16])]);
    let call = host.begin(upstream, Method::Post, length);
    call_headers(&mut host.0, call);
    let headers = host.strings();
    assert_eq!(headers[0], "Idempotency-Key");
    assert_eq!(headers[1].len(), 36);

    upstream_free(&mut host.0, upstream);
    assert_eq!(host.begin(upstream, Method::Get, 0), 0);
    assert_eq!(host.slot(slot::REASON), -1.0);
}

#[test]
fn an_upstream_shows_its_breaker_and_its_budget() {
    let mut host = Host::new();
    let upstream = host.upstream(r#"{"breaker":{"kind":"consecutive","failures":1}}"#);
    assert_eq!(upstream_view(&mut host.0, upstream, 0.0), 1, "closed");
    assert_eq!((host.slot(slot::RETRY_IN), host.slot(slot::BALANCE) > 0.0), (0.0, true));

    let call = host.begin(upstream, Method::Get, 0);
    call_settle(&mut host.0, call, 1, 503.0, 0, 0.0, -1.0, -1.0, 0);
    assert_eq!(upstream_view(&mut host.0, upstream, 1000.0), 2, "open");
    assert_eq!(host.slot(slot::RETRY_IN), 4000.0);

    assert_eq!(upstream_reset(&mut host.0, upstream), 1);
    assert_eq!(upstream_view(&mut host.0, upstream, 1000.0), 1, "closed by hand");
    assert_eq!(upstream_isolate(&mut host.0, upstream), 1);
    assert_eq!(upstream_view(&mut host.0, upstream, 1e9), 4, "isolated");
    assert_eq!((host.slot(slot::RETRY_IN), host.begin(upstream, Method::Get, 0)), (-1.0, 0));

    let bare = host.upstream(r#"{"breaker":null,"budget":null}"#);
    assert_eq!(upstream_isolate(&mut host.0, bare), 0);
    assert_eq!(upstream_view(&mut host.0, bare, 0.0), 0);
    assert_eq!((host.slot(slot::RETRY_IN), host.slot(slot::BALANCE)), (-1.0, -1.0));
}

#[test]
fn issues_come_as_strings_three_by_three() {
    let mut host = Host::new();
    let length = host.write(br#"{"maxRetries":-1,"typo":1}"#);
    assert_eq!(policy_new(&mut host.0, length), 0);
    let issues = host.strings();
    assert_eq!(issues.len(), 6);
    assert_eq!((&*issues[0], &*issues[1]), ("maxRetries", "out-of-range"));
    assert!(policy_validate(&mut host.0, length) > 0);
    let length = host.write(b"{\"\xFF\":1}");
    assert!(policy_validate(&mut host.0, length) > 0);
    assert_eq!(host.strings()[1], "syntax");
    let length = host.write(b"{}");
    assert_eq!(policy_validate(&mut host.0, length), 0);
}

#[test]
fn a_host_learns_where_to_look() {
    let mut host = Host::new();
    let policy = host.policy(r#"{"idempotency":{"header":"X-Key"},"maxRetries":9}"#);
    looks_for(&mut host.0, policy, 0);
    assert_eq!(host.strings(), ["X-Key", "18", "/type"]);
    assert_eq!(policy_max_retries(&mut host.0, policy), 9);
    assert_eq!(policy_generates_keys(&mut host.0, policy), 0);
    policy_free(&mut host.0, policy);
    assert_eq!(policy_max_retries(&mut host.0, policy), 0);

    let length = host.write(b"discord");
    let discord = profile_find(&mut host.0, length);
    assert_ne!(discord, 0);
    assert_eq!(looks_from(&mut host.0, 0, discord), 400);
    looks_for(&mut host.0, 0, discord);
    let strings = host.strings();
    assert!(strings.chunks(2).skip(1).count() > 0, "{strings:?}");
    let length = host.write(b"no such vendor");
    assert_eq!(profile_find(&mut host.0, length), 0);
}

#[test]
fn a_host_learns_from_which_status_on_a_body_says_anything() {
    let mut host = Host::new();
    let [slack, plain] = [r#"{"profile":"slack"}"#, "{}"].map(|policy| host.policy(policy));
    assert_eq!(looks_from(&mut host.0, slack, 0), 0);
    assert_eq!(looks_from(&mut host.0, plain, 0), 400);
    assert_eq!(looks_from(&mut host.0, 0, 0), 400);
    let length = host.write(b"grpc");
    let grpc = profile_find(&mut host.0, length);
    assert_eq!(looks_from(&mut host.0, plain, grpc), 0);
}

#[test]
fn a_hint_is_read_without_a_call() {
    let mut host = Host::new();
    let length = host.items(&[(tag::NAMED_HEADER, b"\x0Bretry-after2")]);
    let found = hint(&mut host.0, 503.0, NONE, 0, length);
    assert_eq!(found, u32::from(HintSource::RetryAfter.code()));
    assert_eq!(host.slot(slot::HINT), 2000.0);
    assert_eq!(hint(&mut host.0, 503.0, NONE, 0, 0), 0);
    assert_eq!(host.slot(slot::HINT), -1.0);
    let word = classify(&mut host.0, outcome_flag::ANSWERED, 503.0, 0, NONE, 0, 0, length);
    assert_eq!((class(word), source(word)), (Class::Throttled, Some(HintSource::RetryAfter)));
}

#[test]
fn a_delay_is_chosen_without_a_call_and_carries_its_state_along() {
    let mut host = Host::new();
    let transient = Class::Transient.code().into();
    let plain = host.upstream(PLAIN);
    assert_eq!(delay(&mut host.0, plain, 3, transient, -1.0, -1.0, 0.0), 2000.0);
    assert_eq!(delay(&mut host.0, plain, 1, transient, 7000.0, -1.0, 0.0), 7000.0);
    assert_eq!(host.slot(slot::REASON), f64::from(Reason::ServerHint.code()));

    let strict = host.upstream(r#"{"hint":{"beyond":"give-up","maxMs":1000},"breaker":null}"#);
    assert_eq!(delay(&mut host.0, strict, 1, transient, 7000.0, -1.0, 0.0), -1.0);
    assert_eq!(host.slot(slot::REASON), f64::from(Reason::HintTooLong.code()));
    assert_eq!(delay(&mut host.0, 0, 1, transient, -1.0, -1.0, 0.0), -1.0);

    let upstream = host.upstream(r#"{"backoff":{"jitter":"decorrelated","baseMs":100}}"#);
    let first = delay(&mut host.0, upstream, 1, transient, -1.0, -1.0, 0.0);
    assert!((100.0..=300.0).contains(&first), "{first}");
    assert_eq!(host.slot(slot::PREVIOUS), first);
    let second = delay(&mut host.0, upstream, 2, transient, -1.0, first, 0.0);
    assert!((100.0..=first * 3.0).contains(&second), "{second} after {first}");
}

#[test]
fn the_generator_can_be_saved_and_set() {
    let mut host = Host::new();
    let upstream = host.upstream("{}");
    assert_eq!((rng_high(&mut host.0, upstream), rng_low(&mut host.0, upstream)), (0, 7));
    rng_set(&mut host.0, upstream, 3, 0xFFFF_FFFF);
    assert_eq!(rng_high(&mut host.0, upstream), 3);
    assert_eq!(rng_low(&mut host.0, upstream), 0xFFFF_FFFF);
}

#[test]
fn a_reason_has_a_sentence_in_both_languages() {
    let mut host = Host::new();
    for reason in Reason::ALL {
        for (language, refusal) in [(0, 0), (1, 0), (0, 1), (99, 1)] {
            let reason = reason.code().into();
            let length = explain(&mut host.0, reason, refusal, 2, 500.0, -1.0, -1.0, language);
            assert!(length > 0, "{reason}");
        }
    }
    assert_eq!(explain(&mut host.0, 250, 0, 1, 0.0, 0.0, 0.0, 0), 0);
}

#[test]
fn methods_are_told_apart_and_unknown_ones_assume_nothing() {
    let mut host = Host::new();
    assert_eq!(method_facts(&mut host.0, Method::Get.code().into()), 3);
    assert_eq!(method_facts(&mut host.0, Method::Put.code().into()), 2);
    assert_eq!(method_facts(&mut host.0, Method::Post.code().into()), 0);
    assert_eq!(method_facts(&mut host.0, u32::MAX), 0);
}

/// Whatever a host passes, it gets an answer: with one state through a long run of nonsense.
#[test]
fn no_numbers_and_no_bytes_break_it() {
    let mut host = Host::new();
    let mut rng = retrywise::Rng::new(11);
    let upstream = host.upstream(PLAIN);
    let numbers = [0.0, -1.0, 1.5, 503.0, 429.0, 1e300, f64::NAN, f64::INFINITY, -f64::INFINITY];
    for _ in 0..3_000 {
        let mut pick = |n: u64| rng.draw().between(0, n - 1);
        let bytes: Vec<u8> =
            (0..pick(40)).map(|_| [0, 1, 2, 0x20, 0x21, 0xFF][pick(6) as usize]).collect();
        let mut number = || numbers[pick(9) as usize];
        let (a, b, c, d) = (number(), number(), number(), number());
        let (flags, error, method) = (pick(16) as u32, pick(4) as u32, pick(60) as u32);
        let length = host.write(&bytes) + pick(3) as u32 * 5000;
        let state = &mut host.0;
        let call = call_begin(state, upstream, method, flags, a, b, c, length);
        for _ in 0..pick(4) {
            let word = call_settle(state, call, flags, d, error, a, b, c, length);
            assert!(VerdictKind::from_code((word & 3) as u8).is_some());
            let delay = state.scratch.output()[slot::DELAY];
            assert!((0.0..=30_000.0).contains(&delay), "{delay}");
            call_resume(state, call, d);
        }
        error_intern(state, length);
        classify(state, flags, a, error, b, method, flags, length);
        hint(state, c, d, flags, length);
        header_id(state, length);
        call_timeout(state, call, a);
        call_headers(state, call);
        call_cancel(state, call, b);
        call_end(state, call, b);
    }
    assert_eq!(calls(&mut host.0), 0);
    assert_eq!(wire::MAX_DEPTH, 8);
}
