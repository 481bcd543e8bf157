use alloc::{sync::Arc, vec::Vec};

use super::*;
use crate::{
    BreakerState, Call, Method, Outcome, Policy, Request, UnixMillis, VerdictKind,
    outcome::Header,
    policy::{BreakerKind, BreakerOptions, ClientThrottleOptions, Jitter, LimiterOptions, Options},
};

const WALL: UnixMillis = UnixMillis::new(1_768_478_400_000);
const LEFT: Header<'static> = Header::new("x-ratelimit-remaining", b"0");
const RESET: Header<'static> = Header::new("x-ratelimit-reset", b"10");
const LIMIT: Header<'static> = Header::new("x-ratelimit-limit", b"2");

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn upstream(change: impl FnOnce(&mut Options)) -> Upstream {
    let mut options = Policy::standard().into_options();
    options.backoff.jitter = Jitter::None;
    options.limiter = Some(LimiterOptions::default());
    change(&mut options);
    Upstream::new(Arc::new(options.validate().unwrap()), 7)
}

fn begin(upstream: &mut Upstream, request: &Request<'_>, now: u64) -> Result<Call, Refusal> {
    upstream.begin(request, at(now), Some(WALL))
}

fn get(upstream: &mut Upstream, now: u64) -> Result<Call, Refusal> {
    begin(upstream, &Request::default(), now)
}

fn settle(
    upstream: &mut Upstream,
    call: &mut Call,
    status: u16,
    headers: &[Header<'_>],
    now: u64,
) -> crate::Verdict {
    upstream.settle(call, &Outcome::from_response(status, headers), at(now), Some(WALL))
}

fn limited(retry_in: Option<u64>) -> Refusal {
    Refusal { reason: Reason::RateLimited, retry_in: retry_in.map(Millis::new) }
}

#[test]
fn a_success_that_uses_up_the_limit_holds_the_next_call_back() {
    let mut upstream = upstream(|_| {});
    let mut call = get(&mut upstream, 0).unwrap();
    let verdict = settle(&mut upstream, &mut call, 200, &[LIMIT, LEFT, RESET], 100);
    assert_eq!(verdict.kind, VerdictKind::Accept);
    assert_eq!(get(&mut upstream, 100).unwrap_err(), limited(Some(10_000)));
    let all: Vec<_> = (0..3).map(|_| get(&mut upstream, 10_100).is_ok()).collect();
    assert_eq!(all, [true, true, false]);
}

#[test]
fn a_refused_begin_gives_the_probe_back_and_deposits_nothing() {
    let breaker = BreakerOptions {
        failures: 1,
        open: Millis::new(1_000),
        max_open: Millis::new(1_000),
        probes: 1,
        successes: 1,
        ..BreakerOptions::of(BreakerKind::Consecutive)
    };
    let mut upstream = upstream(|o| o.breaker = Some(breaker));
    let mut call = get(&mut upstream, 0).unwrap();
    let _ = settle(&mut upstream, &mut call, 503, &[LIMIT, LEFT, RESET], 0);
    assert_eq!(upstream.breaker().unwrap().view(at(0)).state, BreakerState::Open);
    let balance = upstream.budget().unwrap().balance_thousandths(at(1_000));
    for _ in 0..5 {
        assert_eq!(get(&mut upstream, 1_000).unwrap_err(), limited(Some(9_000)));
    }
    let view = upstream.breaker().unwrap().view(at(1_000));
    assert_eq!((view.state, view.retry_in), (BreakerState::HalfOpen, Some(Millis::ZERO)));
    assert_eq!(upstream.budget().unwrap().balance_thousandths(at(1_000)), balance);
    assert!(get(&mut upstream, 10_000).is_ok());
}

#[test]
fn a_retry_that_the_limit_holds_stays_waiting_and_asks_again() {
    let mut upstream = upstream(|_| {});
    let mut first = get(&mut upstream, 0).unwrap();
    let mut second = get(&mut upstream, 0).unwrap();
    let verdict = settle(&mut upstream, &mut first, 502, &[], 10);
    assert_eq!((verdict.kind, verdict.delay.get()), (VerdictKind::Retry, 500));
    let _ = settle(&mut upstream, &mut second, 200, &[LIMIT, LEFT, RESET], 20);
    assert_eq!(upstream.resume(&mut first, at(510)), Err(limited(Some(9_510))));
    assert!(first.is_waiting());
    assert_eq!(upstream.resume(&mut first, at(10_020)), Ok(()));
    assert_eq!(first.attempt(), 2);
}

#[test]
fn a_retry_that_would_wait_past_its_deadline_is_over_and_refunded() {
    let mut upstream = upstream(|o| o.deadline = Some(Millis::new(9_000)));
    let full = upstream.budget().unwrap().balance_thousandths(at(0));
    let mut first = get(&mut upstream, 0).unwrap();
    let mut second = get(&mut upstream, 0).unwrap();
    let _ = settle(&mut upstream, &mut first, 502, &[], 10);
    let _ = settle(&mut upstream, &mut second, 200, &[LIMIT, LEFT, RESET], 20);
    assert_eq!(upstream.resume(&mut first, at(510)), Err(limited(None)));
    assert!(first.is_over());
    assert_eq!(upstream.resume(&mut first, at(600)), Err(limited(None)));
    assert!(upstream.budget().unwrap().balance_thousandths(at(600)) >= full);
    assert_eq!(upstream.limiter().unwrap().view(at(600)).waiting, 0);
}

#[test]
fn a_retry_that_would_wait_past_the_window_of_its_key_is_over() {
    let post = Request::new(Method::Post).with_key("order-1");
    // The wall clock of these tests stands still, so the window ends ten later than it began.
    for (window, over) in [(10_010, true), (10_011, false)] {
        let mut upstream = upstream(|o| {
            o.idempotency.honoured = true;
            o.idempotency.window = Millis::new(window);
        });
        let mut first = begin(&mut upstream, &post, 0).unwrap();
        let mut second = get(&mut upstream, 0).unwrap();
        let _ = settle(&mut upstream, &mut first, 502, &[], 10);
        let _ = settle(&mut upstream, &mut second, 200, &[LIMIT, LEFT, RESET], 20);
        let told = if over { limited(None) } else { limited(Some(9_510)) };
        assert_eq!(upstream.resume(&mut first, at(510)), Err(told));
        assert_eq!(first.is_over(), over);
    }
}

#[test]
fn the_deadline_of_a_call_that_was_held_back_runs_from_its_first_begin() {
    let mut upstream = upstream(|o| o.deadline = Some(Millis::new(15_000)));
    let mut call = get(&mut upstream, 0).unwrap();
    let _ = settle(&mut upstream, &mut call, 200, &[LIMIT, LEFT, RESET], 0);
    let request = Request { ticket: Some(9), ..Request::default() };
    assert_eq!(begin(&mut upstream, &request, 1_000).unwrap_err(), limited(Some(9_000)));
    let call = begin(&mut upstream, &request, 10_000).unwrap();
    assert_eq!(call.timeout(at(10_000)), Some(Millis::new(6_000)));
}

#[test]
fn a_wait_beyond_the_longest_ends_the_call() {
    let mut upstream =
        upstream(|o| o.limiter.as_mut().unwrap().max_wait = Some(Millis::new(9_000)));
    let mut first = get(&mut upstream, 0).unwrap();
    let mut second = get(&mut upstream, 0).unwrap();
    let _ = settle(&mut upstream, &mut first, 502, &[], 0);
    let _ = settle(&mut upstream, &mut second, 200, &[LIMIT, LEFT, RESET], 0);
    assert_eq!(upstream.resume(&mut first, at(500)), Err(limited(None)));
    assert!(first.is_over());
    assert_eq!(get(&mut upstream, 999).unwrap_err(), limited(None));
    assert!(get(&mut upstream, 1_000).unwrap_err().retry_in.is_some());
}

#[test]
fn a_refusal_holds_other_calls_back_too() {
    let mut upstream = upstream(|_| {});
    let mut call = get(&mut upstream, 0).unwrap();
    let wait = [Header::new("retry-after", b"5")];
    let _ = settle(&mut upstream, &mut call, 429, &wait, 0);
    assert_eq!(get(&mut upstream, 1).unwrap_err(), limited(Some(4_999)));
    assert_eq!(upstream.resume(&mut call, at(5_000)), Ok(()));
    // The limit is not known: it is the scout.
    assert_eq!(get(&mut upstream, 5_000).unwrap_err(), limited(Some(100)));
    let _ = settle(&mut upstream, &mut call, 200, &[], 5_050);
    assert!(get(&mut upstream, 5_050).is_ok());
}

#[test]
fn a_cancelled_call_holds_nothing_back_any_more() {
    let mut upstream = upstream(|_| {});
    let mut calls: Vec<_> = (0..5).map(|_| get(&mut upstream, 0).unwrap()).collect();
    let mut last = calls.pop().unwrap();
    let _ = settle(&mut upstream, &mut last, 200, &[LIMIT, LEFT, RESET], 0);
    for mut call in calls {
        let _ = upstream.cancel(&mut call, at(1));
        upstream.end(&mut call, at(1));
    }
    assert_eq!(upstream.limiter().unwrap().view(at(10_000)).available, Some(2));
}

#[test]
fn without_a_limiter_nothing_is_held_back() {
    let mut upstream = upstream(|o| o.limiter = None);
    let mut call = get(&mut upstream, 0).unwrap();
    let _ = settle(&mut upstream, &mut call, 200, &[LIMIT, LEFT, RESET], 100);
    assert!(get(&mut upstream, 100).is_ok() && upstream.limiter().is_none());
}

#[test]
fn a_server_that_accepts_nothing_is_asked_less_and_less() {
    let mut upstream = upstream(|o| {
        (o.limiter, o.breaker, o.max_retries) = (None, None, 0);
        o.client_throttle = Some(ClientThrottleOptions::default());
    });
    let mut refused = 0;
    for n in 0..200 {
        match get(&mut upstream, n) {
            Ok(mut call) => drop(settle(&mut upstream, &mut call, 503, &[], n)),
            Err(refusal) => {
                assert_eq!(refusal, Refusal::new(Reason::ClientThrottled));
                refused += 1;
            }
        }
    }
    assert!((180..200).contains(&refused), "{refused}");
    let (odds, of) = upstream.client_throttle().unwrap().refusal_odds(at(200));
    assert_eq!((odds, of), (2_000_000, 2_010_000), "refused ones count as requests");
}

#[test]
fn the_throttle_draws_nothing_from_the_decisions_generator() {
    let delays = |throttle: Option<ClientThrottleOptions>| {
        let mut upstream = upstream(|o| {
            (o.client_throttle, o.backoff.jitter) = (throttle, Jitter::Full);
            (o.breaker, o.budget) = (None, None);
            o.client_throttle.iter_mut().for_each(|options| options.multiplier = 1_000_000);
        });
        let mut call = get(&mut upstream, 0).unwrap();
        let _ = settle(&mut upstream, &mut call, 200, &[], 0);
        let mut delays = Vec::new();
        for _ in 0..20 {
            let mut call = get(&mut upstream, 0).unwrap();
            delays.push(settle(&mut upstream, &mut call, 503, &[], 0).delay);
            assert_eq!(upstream.resume(&mut call, at(1)), Ok(()));
            let _ = settle(&mut upstream, &mut call, 200, &[], 1);
        }
        delays
    };
    assert_eq!(delays(None), delays(Some(ClientThrottleOptions::default())));
}

#[test]
fn what_a_server_takes_is_told_from_what_it_turns_away() {
    for (status, headers, requests, accepted) in [
        (200, &[][..], 1, true),
        (404, &[], 1, true),
        (503, &[], 1, false),
        (429, &[], 1, false),
        (429, &[Header::new("retry-after", b"1")], 1, false),
    ] {
        let mut upstream = upstream(|o| {
            (o.limiter, o.client_throttle) = (None, Some(ClientThrottleOptions::default()));
        });
        let mut call = get(&mut upstream, 0).unwrap();
        let _ = settle(&mut upstream, &mut call, status, headers, 0);
        let (odds, of) = upstream.client_throttle().unwrap().refusal_odds(at(0));
        assert_eq!((odds == 0, of), (accepted, (requests + 1) * 10_000), "{status}");
    }
    let mut upstream = upstream(|o| o.client_throttle = Some(ClientThrottleOptions::default()));
    let mut call = get(&mut upstream, 0).unwrap();
    let _ = upstream.cancel(&mut call, at(0));
    assert_eq!(upstream.client_throttle().unwrap().refusal_odds(at(0)), (0, 10_000));
}

#[test]
fn rate_limits_that_keep_coming_are_told_with_the_fifth() {
    let mut upstream = upstream(|o| (o.limiter, o.max_retries) = (None, 0));
    let mut told = Vec::new();
    for (status, now) in [(429, 0), (429, 1), (503, 2), (429, 3), (429, 4), (429, 5), (200, 6)] {
        let mut call = get(&mut upstream, now).unwrap();
        told.push(settle(&mut upstream, &mut call, status, &[], now).sustained_throttling);
        assert!(!settle(&mut upstream, &mut call, status, &[], now).sustained_throttling, "stale");
    }
    assert_eq!(told, [false, false, false, false, false, true, false]);
}

#[test]
fn another_policy_keeps_what_was_learned() {
    let mut upstream = upstream(|_| {});
    let mut call = get(&mut upstream, 0).unwrap();
    let _ = settle(&mut upstream, &mut call, 200, &[LIMIT, LEFT, RESET], 0);
    let mut options = upstream.policy().clone().into_options();
    options.max_retries = 1;
    upstream.set_policy(Arc::new(options.clone().validate().unwrap()), at(0));
    assert!(get(&mut upstream, 0).is_err());
    options.limiter = None;
    upstream.set_policy(Arc::new(options.validate().unwrap()), at(0));
    assert!(get(&mut upstream, 0).is_ok());
}

#[test]
fn a_call_that_the_throttle_refuses_takes_nothing_from_the_limit() {
    let mut upstream = upstream(|o| {
        (o.breaker, o.max_retries) = (None, 0);
        o.client_throttle = Some(ClientThrottleOptions::default());
    });
    let left = [Header::new("x-ratelimit-remaining", b"900"), Header::new("ratelimit-reset", b"9")];
    let mut refused = 0;
    for now in 0..50 {
        let before = upstream.limiter().unwrap().view(at(now)).available;
        if let Ok(mut call) = get(&mut upstream, now) {
            let _ = settle(&mut upstream, &mut call, 500, &left, now);
        } else {
            refused += 1;
            assert_eq!(upstream.limiter().unwrap().view(at(now)).available, before);
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn a_replayed_answer_was_accepted_and_a_rate_limit_was_not() {
    let replayed = Header::new("Idempotent-Replayed", b"true");
    for (headers, refused) in [(&[replayed][..], 0), (&[], 1)] {
        let mut upstream = upstream(|options| {
            options.limiter = None;
            options.client_throttle = Some(ClientThrottleOptions::default());
        });
        let mut call = get(&mut upstream, 0).unwrap();
        let _ = settle(&mut upstream, &mut call, 429, headers, 0);
        let odds = upstream.client_throttle().map(|throttle| throttle.refusal_odds(at(0)).0);
        assert_eq!(odds, Some(refused * 10_000));
    }
}

#[test]
fn the_server_took_what_it_answered_without_turning_it_away() {
    use crate::record::Credit;
    let wait = Some(Some(Millis::new(1)));
    for (sample, answered, wait, expected) in [
        (Sample::Success, true, None, Taken::Yes),
        (Sample::Failure, true, None, Taken::No),
        (Sample::Ignored, true, None, Taken::Yes),
        (Sample::Ignored, true, wait, Taken::No),
        (Sample::Ignored, false, None, Taken::Unknown),
        (Sample::Cancelled, false, None, Taken::Unknown),
    ] {
        let effect = Effect { sample, credit: Credit::Nothing };
        let news = News { answered, wait, ..News::default() };
        assert_eq!(taken(effect, news), expected, "{sample} {answered} {wait:?}");
    }
}
