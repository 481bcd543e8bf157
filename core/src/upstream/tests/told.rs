//! What a call and an upstream tell of themselves, and what is told only once.

use super::*;

#[test]
fn a_call_says_where_it_stands() {
    let mut upstream = upstream(|_| {});
    let request = Request { priority: -3, ..Request::default() };
    let mut call = begin(&mut upstream, &request);
    assert_eq!(call.priority(), -3);
    let stands = |call: &Call| (call.is_waiting(), call.is_over());
    assert_eq!(stands(&call), (false, false));
    let _ = settle(&mut upstream, &mut call, &status(503), 10);
    assert_eq!(stands(&call), (true, false));
    upstream.resume(&mut call, at(600)).unwrap();
    assert_eq!(stands(&call), (false, false));
    let _ = settle(&mut upstream, &mut call, &status(200), 700);
    assert_eq!(stands(&call), (false, true));
}

#[test]
fn the_key_of_a_call_ends_by_the_wall_clock_where_the_host_has_one() {
    use crate::call::KeyEnd;
    let hour = Millis::new(3_600_000);
    let end = KeyEnd::new(hour, Some(WALL), at(0), Some(WALL));
    let wall = |ms| Some(WALL.after(Millis::new(ms)));
    // The monotonic clock may have slept: the wall clock has not.
    assert!(!end.is_over(at(0), wall(3_599_999), Millis::ZERO));
    assert!(end.is_over(at(0), wall(3_600_000), Millis::ZERO));
    assert!(end.is_over(at(0), wall(3_599_000), Millis::new(1_000)));
    // Or run on, where the host has no wall clock now.
    assert!(!end.is_over(at(3_599_999), None, Millis::ZERO));
    assert!(end.is_over(at(3_600_000), None, Millis::ZERO));
    assert!(!end.is_over(at(3_600_000), wall(0), Millis::ZERO));
    // As a time of the monotonic clock, from what is left on the wall clock now.
    assert_eq!(end.moment(at(500_000), wall(3_599_000)), at(501_000));
    assert_eq!(end.moment(at(500_000), None), at(3_600_000));
}

#[test]
fn a_wait_that_a_success_asks_for_is_read_only_where_the_policy_retries_it() {
    let headers = [Header::new("retry-after", b"7")];
    let accepted = Outcome::from_response(202, &headers);
    let mut plain = upstream(|_| {});
    let mut call = begin(&mut plain, &Request::default());
    let verdict = settle(&mut plain, &mut call, &accepted, 10);
    assert_eq!((verdict.kind, verdict.hint), (VerdictKind::Accept, None));
    let mut asking = upstream(|o| o.retry_on.statuses_add = alloc::vec![202]);
    let mut call = begin(&mut asking, &Request::default());
    let verdict = settle(&mut asking, &mut call, &accepted, 10);
    assert_eq!((verdict.reason, verdict.delay), (Reason::ServerHint, Millis::new(7_000)));
}

#[test]
fn what_an_upstream_keeps_can_be_reached_and_replaced() {
    let mut upstream = upstream(|o| o.limiter = Some(crate::policy::LimiterOptions::default()));
    let _ = upstream.breaker_mut().unwrap().isolate();
    let refusal = upstream.begin(&Request::default(), at(0), None).unwrap_err();
    assert_eq!(refusal.reason, Reason::BreakerOpen);
    let _ = upstream.breaker_mut().unwrap().reset();
    let refused = crate::limiter::News { wait: Some(None), ..crate::limiter::News::default() };
    upstream.limiter_mut().unwrap().observe(None, refused, at(0));
    let refusal = upstream.begin(&Request::default(), at(0), None).unwrap_err();
    assert_eq!(refusal.reason, Reason::RateLimited);
    let other = crate::Rng::new(99);
    assert_ne!(upstream.rng(), other);
    upstream.set_rng(other);
    assert_eq!(upstream.rng(), other);
}

#[test]
fn a_change_of_the_breaker_is_told_once() {
    let mut upstream = upstream(|o| {
        let breaker = crate::policy::BreakerOptions {
            failures: 1,
            ..crate::policy::BreakerOptions::of(crate::policy::BreakerKind::Consecutive)
        };
        o.breaker = Some(breaker);
    });
    let mut call = begin(&mut upstream, &Request::default());
    let opened = settle(&mut upstream, &mut call, &status(503), 10);
    assert_eq!(opened.transition.map(|change| change.to), Some(BreakerState::Open));
    let again = settle(&mut upstream, &mut call, &status(503), 10);
    assert_eq!(again, Verdict { stale: true, transition: None, ..opened });
}
