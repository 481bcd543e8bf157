//! What an upstream costs: nothing is allocated from settle to settle, and an idle one is small.
#![allow(unsafe_code)] // an allocator is unsafe by nature

extern crate alloc;

use alloc::{collections::BTreeSet, sync::Arc};
use core::{
    alloc::{GlobalAlloc, Layout},
    cell::Cell,
};
use std::alloc::System;

use retrywise::{
    Family, Header, Instant, Outcome, Policy, Request, TransportError, UnixMillis, Upstream,
    VerdictKind,
    policy::{ClientThrottleOptions, LimiterOptions, Options},
};

/// Counts what this thread allocates and holds.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<usize> = const { Cell::new(0) };
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = CALLS.try_with(|calls| calls.set(calls.get().wrapping_add(1)));
        let _ = HELD.try_with(|held| held.set(held.get().wrapping_add(layout.size())));
        // SAFETY: the layout is the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let _ = HELD.try_with(|held| held.set(held.get().wrapping_sub(layout.size())));
        // SAFETY: pointer and layout are the caller's, from `alloc` above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const WALL: Option<UnixMillis> = Some(UnixMillis::new(1_768_478_400_000));

fn upstream(change: impl FnOnce(&mut Options)) -> Upstream {
    let mut options = Options::default();
    change(&mut options);
    Upstream::new(Arc::new(options.validate().unwrap()), 7)
}

/// Allocations of one step.
fn cost<T>(step: impl FnOnce() -> T) -> (T, usize) {
    let before = CALLS.get();
    let result = step();
    (result, CALLS.get().wrapping_sub(before))
}

/// One call that succeeds, fails, is throttled, waits or is cancelled; the allocations of its
/// settles and of its end. To resume may make room for a probe or for one that waits.
fn drive(upstream: &mut Upstream, outcomes: &[Outcome<'_>], round: usize) -> usize {
    let mut now = 10_000 + 400 * round as u64;
    let time = Instant::from_millis;
    let Ok(mut call) = upstream.begin(&Request::default(), time(now), WALL) else { return 0 };
    let mut sum = 0;
    for turn in 0.. {
        now += 3;
        let outcome = &outcomes[(round + turn) % outcomes.len()];
        let (verdict, allocations) = cost(|| upstream.settle(&mut call, outcome, time(now), WALL));
        sum += allocations;
        now += verdict.delay.get();
        let resumed = upstream.resume(&mut call, time(now));
        if verdict.kind != VerdictKind::Retry || resumed.is_err() {
            break;
        }
    }
    sum + cost(|| upstream.cancel(&mut call, time(now))).1
}

#[test]
fn settle_and_cancel_allocate_nothing() {
    let headers = [
        Header::new("date", b"Thu, 15 Jan 2026 12:00:00 GMT"),
        Header::new("retry-after", b"Thu, 15 Jan 2026 12:00:01 GMT"),
        Header::new("ratelimit", br#""burst";r=3;t=1, "day";r=900;t=3600"#),
        Header::new("ratelimit-policy", br#""burst";q=10;w=1, "day";q=1000;w=86400"#),
        Header::new("x-ratelimit-remaining-requests", b"5"),
        Header::new("x-ratelimit-reset-requests", b"6m0s"),
        Header::new("proxy-status", b"edge; error=connection_timeout"),
        Header::new("x-ms-retry-after-ms", b"12.5"),
    ];
    let error = |family, code| Outcome::from_error(TransportError::new(family, code));
    let outcomes = [
        Outcome::from_response(200, &headers[2..6]),
        Outcome::from_response(503, &[]),
        Outcome::from_response(503, &headers[..2]),
        Outcome::from_response(429, &headers),
        Outcome::from_response(502, &headers[6..7]),
        error(Family::Node, "ECONNRESET"),
        error(Family::Undici, "UND_ERR_SOCKET"),
        Outcome::from_response(404, &[]),
    ];
    let with_all = |options: &mut Options| {
        options.limiter = Some(LimiterOptions::default());
        options.client_throttle = Some(ClientThrottleOptions::default());
    };
    for (mut upstream, name) in [
        (upstream(|_| {}), "the standard policy"),
        (upstream(with_all), "limiter and throttle on"),
        (upstream(|o| o.breaker.as_mut().unwrap().minimum_calls = 2), "a breaker that opens"),
    ] {
        let mut states = BTreeSet::new();
        for round in 0..500 {
            assert_eq!(drive(&mut upstream, &outcomes, round), 0, "{name}, call {round}");
            let now = Instant::from_millis(10_000 + 400 * round as u64);
            states.extend(upstream.breaker().map(|breaker| breaker.view(now).state.name()));
        }
        assert!(states.len() == 3 || !name.ends_with("opens"), "{name}: {states:?}");
    }
}

#[test]
fn an_idle_upstream_of_the_standard_policy_takes_at_most_400_bytes() {
    let policy = Arc::new(Policy::standard());
    let before = HELD.get();
    let upstream = Upstream::new(policy, 7);
    let heap = HELD.get().wrapping_sub(before);
    let size = size_of::<Upstream>();
    println!("{size} bytes and {heap} on the heap");
    assert!(size + heap <= 400, "{size} bytes and {heap} on the heap");
    drop(upstream);
}
