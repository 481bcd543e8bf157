use super::*;
use crate::{
    Class, Family, Method, Millis, TransportError,
    breaker::BreakerState,
    hint::HintSource,
    outcome::Header,
    policy::{BudgetOptions, Options},
    rng::Draw,
};
use alloc::vec::Vec;

mod told;

const WALL: UnixMillis = UnixMillis::new(1_768_478_400_000);

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn upstream(change: impl FnOnce(&mut Options)) -> Upstream {
    let mut options = Policy::standard().into_options();
    options.backoff.jitter = crate::policy::Jitter::None;
    change(&mut options);
    Upstream::new(Arc::new(options.validate().unwrap()), 7)
}

fn begin(upstream: &mut Upstream, request: &Request<'_>) -> Call {
    upstream.begin(request, at(0), Some(WALL)).unwrap()
}

fn settle(upstream: &mut Upstream, call: &mut Call, outcome: &Outcome<'_>, now: u64) -> Verdict {
    upstream.settle(call, outcome, at(now), Some(WALL.after(Millis::new(now))))
}

fn status(status: u16) -> Outcome<'static> {
    Outcome::from_response(status, &[])
}

fn reset() -> Outcome<'static> {
    Outcome::from_error(TransportError::new(Family::Node, "ECONNRESET"))
}

#[test]
fn a_get_is_retried_by_the_curve_until_its_retries_are_used_up() {
    let mut upstream = upstream(|o| o.max_retries = 3);
    let mut call = begin(&mut upstream, &Request::default());
    for (attempt, delay) in [(2, 500), (3, 1_000), (4, 2_000)] {
        let verdict = settle(&mut upstream, &mut call, &status(503), 0);
        assert_eq!(
            (verdict.kind, verdict.attempt, verdict.delay.get()),
            (VerdictKind::Retry, attempt, delay)
        );
        assert_eq!(verdict.reason, Reason::Backoff);
        upstream.resume(&mut call, at(0)).unwrap();
    }
    let verdict = settle(&mut upstream, &mut call, &status(503), 0);
    assert_eq!(
        (verdict.kind, verdict.reason, verdict.attempt),
        (VerdictKind::Stop, Reason::RetriesExhausted, 4)
    );
    assert!(call.is_over());
}

#[test]
fn the_first_stop_that_applies_is_the_reason() {
    let throttled = [Header::new("retry-after", b"3600")];
    let veto = [Header::new("x-should-retry", b"false")];
    let get = Request::default();
    let post = Request::new(Method::Post);
    let body = Request { replayable_body: false, ..post };
    let nested = Request { nested: true, ..get };
    let give_up = |o: &mut Options| o.hint.beyond = crate::policy::Beyond::GiveUp;
    type Change<'a> = &'a dyn Fn(&mut Options);
    let none: Change<'_> = &|_| {};
    let cases: [(&Request<'_>, Outcome<'_>, Change<'_>, Reason); 11] = [
        (&get, status(404), none, Reason::Permanent),
        (&get, Outcome::from_response(503, &veto), none, Reason::ServerRefused),
        (&body, status(404), none, Reason::Permanent),
        (&body, status(503), none, Reason::BodyConsumed),
        (&get, status(503).committed(), none, Reason::BodyConsumed),
        (&post, status(503), none, Reason::UnsafeToRepeat),
        (&post, status(503), &|o| o.max_retries = 0, Reason::UnsafeToRepeat),
        (&nested, status(503), &|o| o.max_retries = 0, Reason::RetriesExhausted),
        (&nested, status(503), none, Reason::NestedLayer),
        (&get, Outcome::from_response(503, &throttled), &give_up, Reason::HintTooLong),
        (&get, status(503), &|o| o.deadline = Some(Millis::new(500)), Reason::Deadline),
    ];
    for (request, outcome, change, reason) in cases {
        let mut upstream = upstream(change);
        let mut call = begin(&mut upstream, request);
        let verdict = settle(&mut upstream, &mut call, &outcome, 0);
        assert_eq!((verdict.kind, verdict.reason), (VerdictKind::Stop, reason));
        assert!(verdict.delay == Millis::ZERO && call.is_over());
    }
}

#[test]
fn a_hint_that_is_too_long_is_told_in_the_verdict() {
    let headers = [Header::new("Retry-After", b"3600")];
    let mut upstream = upstream(|o| o.hint.beyond = crate::policy::Beyond::GiveUp);
    let mut call = begin(&mut upstream, &Request::default());
    let verdict = settle(&mut upstream, &mut call, &Outcome::from_response(503, &headers), 0);
    let hint = verdict.hint.unwrap();
    assert_eq!((hint.delay.get(), hint.source), (3_600_000, HintSource::RetryAfter));
}

#[test]
fn a_post_that_may_have_been_processed_repeats_only_under_an_honoured_key() {
    let with_key = Request::new(Method::Post).with_key("order-1");
    for (request, honoured, kind) in [
        (Request::new(Method::Post), true, VerdictKind::Stop),
        (with_key, false, VerdictKind::Stop),
        (with_key, true, VerdictKind::Retry),
    ] {
        let mut upstream = upstream(|o| o.idempotency.honoured = honoured);
        let mut call = begin(&mut upstream, &request);
        assert_eq!(settle(&mut upstream, &mut call, &reset(), 0).kind, kind);
    }
    // What never left may be sent again without one.
    let mut upstream = upstream(|_| {});
    let mut call = begin(&mut upstream, &Request::new(Method::Post));
    let refused = Outcome::from_error(TransportError::new(Family::Node, "ECONNREFUSED"));
    assert_eq!(settle(&mut upstream, &mut call, &refused, 0).kind, VerdictKind::Retry);
}

#[test]
fn a_key_ends_with_its_window_on_the_wall_clock() {
    let request = Request::new(Method::Post).with_key("order-1");
    for (now, reason) in
        [(8_999, None), (9_500, Some(Reason::KeyExpired)), (10_000, Some(Reason::UnsafeToRepeat))]
    {
        let mut upstream = upstream(|o| {
            o.idempotency.honoured = true;
            o.idempotency.window = Millis::new(10_000);
        });
        let mut call = begin(&mut upstream, &request);
        let verdict = settle(&mut upstream, &mut call, &reset(), now);
        let stop = (verdict.kind == VerdictKind::Stop).then_some(verdict.reason);
        assert_eq!(stop, reason, "{now}");
    }
}

#[test]
fn a_generated_key_is_made_of_entropy_or_of_the_event_and_never_of_the_seed() {
    let mut upstream = upstream(|o| o.idempotency.generate = true);
    let post = Request::new(Method::Post);
    let refusal = upstream.begin(&post, at(0), None).unwrap_err();
    assert_eq!(refusal.reason, Reason::KeyMissing);
    let first = begin(&mut upstream, &Request { entropy: Some([1; 16]), ..post });
    let second = begin(&mut upstream, &Request { entropy: Some([2; 16]), ..post });
    assert_ne!(first.key(), second.key());
    let event = Request { event: Some("renewal-7"), entropy: Some([1; 16]), ..post };
    assert_eq!(begin(&mut upstream, &event).key(), begin(&mut upstream, &event).key());
    assert_eq!(begin(&mut upstream, &Request::default()).key(), None, "a GET needs none");
    let bad = upstream.begin(&post.with_key("a\nb"), at(0), None).unwrap_err();
    assert_eq!(bad.reason, Reason::KeyInvalid);
}

#[test]
fn a_key_header_that_is_there_already_is_the_callers_key() {
    let mut upstream = upstream(|o| o.idempotency.honoured = true);
    let headers = [Header::new("idempotency-key", b"order-1")];
    let call = begin(&mut upstream, &Request { headers: &headers, ..Request::new(Method::Post) });
    assert_eq!(call.key(), Some("order-1"));
    let (name, value) = call.key_header(upstream.policy()).unwrap();
    assert_eq!((name, &*value), ("Idempotency-Key", "order-1"));
}

#[test]
fn a_replayed_answer_is_final_whatever_it_says() {
    let headers = [Header::new("Idempotent-Replayed", b"true")];
    for (status, kind, reason) in [
        (200, VerdictKind::Accept, Reason::Replayed),
        (399, VerdictKind::Accept, Reason::Replayed),
        (500, VerdictKind::Stop, Reason::Permanent),
        (0, VerdictKind::Stop, Reason::Permanent),
    ] {
        let mut upstream = upstream(|_| {});
        let mut call = begin(&mut upstream, &Request::default());
        let verdict =
            settle(&mut upstream, &mut call, &Outcome::from_response(status, &headers), 0);
        assert_eq!((verdict.kind, verdict.reason), (kind, reason));
    }
}

#[test]
fn a_second_settle_gives_the_same_verdict_and_counts_nothing() {
    let mut upstream = upstream(|_| {});
    let mut call = begin(&mut upstream, &Request::default());
    let first = settle(&mut upstream, &mut call, &status(503), 0);
    let rng = upstream.rng();
    let second = settle(&mut upstream, &mut call, &status(200), 1);
    assert_eq!(second, Verdict { stale: true, ..first });
    assert_eq!(upstream.rng(), rng);
    upstream.resume(&mut call, at(500)).unwrap();
    let end = settle(&mut upstream, &mut call, &status(200), 600);
    assert_eq!(settle(&mut upstream, &mut call, &status(503), 601), Verdict { stale: true, ..end });
}

#[test]
fn exactly_one_draw_is_spent_per_decision_that_reaches_the_delay() {
    let mut upstream = upstream(|_| {});
    let mut expected = upstream.rng();
    for outcome in [status(404), status(200)] {
        let mut call = begin(&mut upstream, &Request::default());
        let _ = settle(&mut upstream, &mut call, &outcome, 0);
        assert_eq!(upstream.rng(), expected);
    }
    let mut call = begin(&mut upstream, &Request::default());
    let _ = settle(&mut upstream, &mut call, &status(503), 0);
    let _: Draw = expected.draw();
    assert_eq!(upstream.rng(), expected);
}

#[test]
fn the_budget_bounds_the_load_that_retries_add() {
    let ratio =
        BudgetOptions::Ratio { ratio: 1_000, min_per_second: 0, window: Millis::new(10_000) };
    let mut upstream = upstream(|o| {
        o.budget = Some(ratio);
        o.breaker = None;
    });
    let mut calls: Vec<_> = (0..100).map(|_| begin(&mut upstream, &Request::default())).collect();
    let verdicts: Vec<_> =
        calls.iter_mut().map(|call| settle(&mut upstream, call, &status(503), 1)).collect();
    assert_eq!(verdicts.iter().filter(|v| v.kind == VerdictKind::Retry).count(), 10);
    assert!(verdicts[10..].iter().all(|v| v.reason == Reason::BudgetExhausted));
    // One of them gives up while waiting: its retry is another call's.
    let _ = upstream.cancel(&mut calls[0], at(2));
    let mut late = begin(&mut upstream, &Request::default());
    assert_eq!(settle(&mut upstream, &mut late, &status(503), 3).kind, VerdictKind::Retry);
}

fn with_breaker(open: u64) -> Upstream {
    upstream(|o| {
        let breaker = o.breaker.as_mut().unwrap();
        *breaker = crate::policy::BreakerOptions {
            failures: 2,
            open: Millis::new(open),
            probes: 1,
            successes: 1,
            ..crate::policy::BreakerOptions::of(crate::policy::BreakerKind::Consecutive)
        };
    })
}

#[test]
fn a_breaker_that_is_still_open_after_the_wait_stops_the_call_before_it_sleeps() {
    for (open, reason) in [(5_000, Reason::BreakerOpen), (400, Reason::Backoff)] {
        let mut upstream = with_breaker(open);
        let (mut a, mut b) =
            (begin(&mut upstream, &Request::default()), begin(&mut upstream, &Request::default()));
        let _ = settle(&mut upstream, &mut a, &status(500), 0);
        let verdict = settle(&mut upstream, &mut b, &status(500), 0);
        assert_eq!(verdict.reason, reason);
        assert_eq!(verdict.transition.unwrap().to, BreakerState::Open);
        let refusal = upstream.begin(&Request::default(), at(1), None).unwrap_err();
        assert_eq!(
            (refusal.reason, refusal.retry_in),
            (Reason::BreakerOpen, Some(Millis::new(open - 1)))
        );
    }
}

#[test]
fn a_resume_that_the_breaker_refuses_ends_the_call_and_refunds_its_retry() {
    let mut upstream = with_breaker(5_000);
    let mut waiting = begin(&mut upstream, &Request::default());
    let mut other = begin(&mut upstream, &Request::default());
    let before = upstream.budget().unwrap().balance_thousandths(at(0));
    assert_eq!(settle(&mut upstream, &mut waiting, &status(500), 0).kind, VerdictKind::Retry);
    let _ = settle(&mut upstream, &mut other, &status(500), 1);
    let refusal = upstream.resume(&mut waiting, at(500)).unwrap_err();
    assert_eq!(refusal.reason, Reason::BreakerOpen);
    assert!(waiting.is_over());
    assert_eq!(upstream.budget().unwrap().balance_thousandths(at(500)), before);
    let again = settle(&mut upstream, &mut waiting, &status(200), 501);
    assert_eq!((again.stale, again.reason, again.attempt), (true, Reason::BreakerOpen, 1));
    assert_eq!((again.kind, again.delay), (VerdictKind::Stop, Millis::ZERO));
}

#[test]
fn an_end_without_an_outcome_frees_the_probe() {
    let mut upstream = with_breaker(100);
    for _ in 0..2 {
        let mut call = begin(&mut upstream, &Request::default());
        let _ = settle(&mut upstream, &mut call, &status(500), 0);
    }
    let mut probe = upstream.begin(&Request::default(), at(100), None).unwrap();
    assert!(upstream.begin(&Request::default(), at(100), None).is_err());
    upstream.end(&mut probe, at(101));
    upstream.end(&mut probe, at(102));
    assert!(upstream.begin(&Request::default(), at(103), None).is_ok());
}

#[test]
fn a_host_that_wakes_up_after_the_deadline_sends_nothing() {
    let mut upstream = upstream(|o| o.deadline = Some(Millis::new(1_000)));
    let mut call = begin(&mut upstream, &Request::default());
    assert_eq!(settle(&mut upstream, &mut call, &status(503), 0).kind, VerdictKind::Retry);
    assert_eq!(upstream.resume(&mut call, at(1_000)).unwrap_err().reason, Reason::Deadline);
}

#[test]
fn a_host_that_wakes_up_after_the_window_of_the_key_sends_only_what_is_safe_without_it() {
    let post = Request::new(Method::Post).with_key("order-1");
    let refused = Outcome::from_error(TransportError::new(Family::Node, "ECONNREFUSED"));
    // By the wall clock the window ends at 9 s: it began a second before the call.
    let wall = |now: u64| Some(UnixMillis::new(1_000 + i64::try_from(now).unwrap()));
    for (request, outcome, now, reason) in [
        (post, reset(), 8_999, None),
        (post, reset(), 9_000, Some(Reason::KeyExpired)),
        (post, refused, 9_000, None),
        (Request::new(Method::Put).with_key("order-1"), reset(), 9_000, None),
    ] {
        let mut upstream = upstream(|o| {
            o.idempotency.honoured = true;
            o.idempotency.window = Millis::new(10_000);
        });
        let request = Request { first_sent: Some(UnixMillis::new(0)), ..request };
        let mut call = upstream.begin(&request, at(0), wall(0)).unwrap();
        let verdict = upstream.settle(&mut call, &outcome, at(10), wall(10));
        assert_eq!(verdict.kind, VerdictKind::Retry);
        let woken = upstream.resume(&mut call, at(now));
        assert_eq!(woken.err().map(|refusal| refusal.reason), reason, "{request:?} at {now}");
        assert_eq!(call.is_over(), reason.is_some());
    }
}

#[test]
fn the_time_of_an_attempt_is_bounded_by_its_timeout_and_by_what_is_left() {
    let mut upstream = upstream(|o| {
        o.deadline = Some(Millis::new(1_000));
        o.attempt_timeout = Some(Millis::new(300));
    });
    let call = begin(&mut upstream, &Request::default());
    assert_eq!(call.timeout(at(0)), Some(Millis::new(300)));
    assert_eq!(call.timeout(at(900)), Some(Millis::new(100)));
    assert_eq!(call.timeout(at(5_000)), Some(Millis::ZERO));
}

#[test]
fn an_outcome_that_says_nothing_is_a_fault_that_may_pass() {
    let mut upstream = upstream(|_| {});
    let mut call = begin(&mut upstream, &Request::default());
    let verdict = settle(&mut upstream, &mut call, &Outcome::default(), 0);
    assert_eq!(
        (verdict.kind, verdict.classification.class),
        (VerdictKind::Retry, Class::Transient)
    );
}

#[test]
fn a_body_that_could_not_be_kept_ends_the_call_and_none_is_kept_for_nothing() {
    let mut upstream = upstream(|o| o.max_retries = 1);
    let policy = upstream.policy().clone();
    let mut call = begin(&mut upstream, &Request::default());
    assert!(call.may_retry(&policy));
    call.give_up_body();
    assert!(!call.may_retry(&policy));
    let verdict = settle(&mut upstream, &mut call, &status(503), 0);
    assert_eq!((verdict.kind, verdict.reason), (VerdictKind::Stop, Reason::BodyConsumed));

    let mut call = begin(&mut upstream, &Request::default());
    assert_eq!(settle(&mut upstream, &mut call, &status(503), 0).kind, VerdictKind::Retry);
    assert!(!call.may_retry(&policy), "the second attempt is the last one");
    for request in [
        Request { nested: true, ..Request::default() },
        Request { replayable_body: false, ..Request::default() },
    ] {
        assert!(!begin(&mut upstream, &request).may_retry(&policy));
    }
}
