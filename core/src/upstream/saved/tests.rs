use alloc::{format, string::String, sync::Arc, vec::Vec};
use core::fmt::Write;

use crate::{
    BreakerState, Call, Header, Instant, Millis, Outcome, Policy, Request, Rng, Snapshot,
    UnixMillis, Upstream, Verdict, VerdictKind, policy::IssueKind,
};

const WALL: UnixMillis = UnixMillis::new(1_768_478_400_000);

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn policy(document: &str) -> Arc<Policy> {
    Arc::new(Policy::from_json(document).unwrap())
}

/// Who waits for the rate limit is not kept: here nobody has a place.
const POLICIES: [&str; 8] = [
    "{}",
    r#"{"breaker":{"minimumCalls":3,"threshold":0.3,"openMs":700,"openJitter":0.5}}"#,
    r#"{"breaker":{"kind":"consecutive","failures":3,"openMs":900},"budget":null}"#,
    r#"{"breaker":{"window":"count","windowCalls":7,"minimumCalls":4,"slowCallMs":40,"slowThreshold":0.5}}"#,
    r#"{"breaker":null,"budget":{"kind":"tokens","capacity":40}}"#,
    r#"{"breaker":null,"budget":{"kind":"throttle"},"backoff":{"jitter":"decorrelated"}}"#,
    r#"{"breaker":null,"limiter":{"queue":0},"budget":{"minPerSecond":0,"ratio":0.5}}"#,
    r#"{"breaker":null,"clientThrottling":{"windowMs":5000},"limiter":{"reserve":1,"queue":0}}"#,
];

/// One call from its begin to its end, as text; the clock ends up at its end.
fn one_call(upstream: &mut Upstream, rng: &mut Rng, clock: &mut u64, offset: i64) -> String {
    let time = |clock: u64| at(clock.wrapping_add_signed(offset));
    let mut log = String::new();
    let mut call: Call = match upstream.begin(&Request::default(), time(*clock), None) {
        Ok(call) => call,
        Err(refusal) => return format!("{refusal:?}"),
    };
    for _ in 0..10 {
        *clock += rng.draw().between(0, 60);
        let left = format!("{}", rng.draw().between(0, 3));
        let headers = [
            Header::new("x-ratelimit-limit", b"4"),
            Header::new("x-ratelimit-remaining", left.as_bytes()),
            Header::new("x-ratelimit-reset", b"1"),
        ];
        let status = [200, 200, 503, 429, 404, 500][rng.draw().between(0, 5) as usize];
        let shown = rng.draw().between(0, 3) as usize;
        let outcome = Outcome::from_response(status, &headers[..shown]);
        let verdict = upstream.settle(&mut call, &outcome, time(*clock), None);
        let Verdict { reason, delay, transition, .. } = verdict;
        let _ = write!(log, "{status} {reason} {delay} {transition:?} ");
        log += if verdict.sustained_throttling { "sustained " } else { "" };
        if verdict.kind != VerdictKind::Retry {
            return log;
        }
        *clock += verdict.delay.get();
        match upstream.resume(&mut call, time(*clock)) {
            Ok(()) => {}
            Err(refusal) => {
                let _ = write!(log, "{refusal:?} ");
                let _ = upstream.cancel(&mut call, time(*clock));
                return log;
            }
        }
    }
    let _ = upstream.cancel(&mut call, time(*clock));
    log
}

#[test]
fn a_restored_upstream_decides_like_the_original() {
    for seed in 0..60 {
        for (which, document) in POLICIES.iter().enumerate() {
            let mut original = Upstream::new(policy(document), seed);
            let (mut rng, mut clock) = (Rng::new(seed), 50_000);
            for _ in 0..rng.draw().between(0, 40) {
                one_call(&mut original, &mut rng, &mut clock, 0);
                clock += rng.draw().between(0, 300);
            }
            let now = at(clock);
            if original.breaker().is_some_and(|b| b.view(now).state == BreakerState::HalfOpen) {
                continue; // its probes do not survive
            }
            // The other process has another clock, and some time lies between.
            let pause = rng.draw().between(0, 3_000);
            let offset = rng.draw().between(0, 90_000) as i64 - 49_000;
            let json = original.save(now, Some(WALL)).to_json();
            let mut restored = Upstream::new(policy(document), 99);
            let snapshot = Snapshot::from_json(&json).unwrap();
            clock += pause;
            let wall = Some(WALL.after(Millis::new(pause)));
            restored.load(&snapshot, at(clock.wrapping_add_signed(offset)), wall).unwrap();
            let (mut other_rng, mut other_clock) = (rng, clock);
            for n in 0..30 {
                let expected = one_call(&mut original, &mut rng, &mut clock, 0);
                let found = one_call(&mut restored, &mut other_rng, &mut other_clock, offset);
                assert_eq!(found, expected, "seed {seed} policy {which} call {n} of {json}");
                clock += rng.draw().between(0, 300);
                other_clock += other_rng.draw().between(0, 300);
            }
        }
    }
}

#[test]
fn saving_twice_and_loading_between_changes_nothing() {
    for (seed, document) in POLICIES.iter().enumerate() {
        let mut upstream = Upstream::new(policy(document), seed as u64);
        let (mut rng, mut clock) = (Rng::new(seed as u64), 100_000);
        (0..20).for_each(|_| drop(one_call(&mut upstream, &mut rng, &mut clock, 0)));
        let saved = upstream.save(at(clock), Some(WALL));
        assert_eq!(upstream.save(at(clock), Some(WALL)), saved);
        let read = Snapshot::from_json(&saved.to_json()).unwrap();
        assert_eq!(read, saved, "{}", saved.to_json());
        let mut other = Upstream::new(policy(document), 0);
        other.load(&read, at(7), Some(WALL)).unwrap();
        assert_eq!(other.save(at(7), Some(WALL)), saved);
    }
}

#[test]
fn an_open_breaker_stays_open_for_what_is_left() {
    let document = r#"{"breaker":{"kind":"consecutive","failures":1,"openMs":5000}}"#;
    let mut upstream = Upstream::new(policy(document), 1);
    let mut call = upstream.begin(&Request::default(), at(1_000), None).unwrap();
    let _ = upstream.settle(&mut call, &Outcome::from_response(500, &[]), at(1_000), None);
    let saved = upstream.save(at(2_000), Some(WALL));
    for (now, later, left) in [(0, 0, 4_000), (9_000, 1_500, 2_500), (0, 60_000, 0)] {
        let mut other = Upstream::new(policy(document), 2);
        other.load(&saved, at(now), Some(WALL.after(Millis::new(later)))).unwrap();
        let view = other.breaker().unwrap().view(at(now));
        assert_eq!(view.retry_in, Some(Millis::new(left)), "{now} {later}");
    }
    let mut other = Upstream::new(policy(document), 2);
    other.load(&saved, at(0), None).unwrap();
    let left = other.breaker().unwrap().view(at(0)).retry_in;
    assert_eq!(left, Some(Millis::new(4_000)), "without a wall clock no time has passed");
}

#[test]
fn half_open_comes_back_with_all_its_probes() {
    let document = r#"{"breaker":{"kind":"consecutive","failures":1,"openMs":100}}"#;
    let mut upstream = Upstream::new(policy(document), 1);
    let begin =
        |upstream: &mut Upstream| upstream.begin(&Request::default(), at(200), None).is_ok();
    let mut call = upstream.begin(&Request::default(), at(0), None).unwrap();
    let _ = upstream.settle(&mut call, &Outcome::from_response(500, &[]), at(0), None);
    assert_eq!([0; 4].map(|_| begin(&mut upstream)), [true, true, true, false]);
    let saved = upstream.save(at(200), None);
    upstream.load(&saved, at(200), None).unwrap();
    assert_eq!(upstream.breaker().unwrap().view(at(200)).state, BreakerState::HalfOpen);
    assert_eq!([0; 4].map(|_| begin(&mut upstream)), [true, true, true, false]);
}

#[test]
fn calls_on_their_way_are_taken_off_what_is_left() {
    let document = r#"{"limiter":{}}"#;
    let mut upstream = Upstream::new(policy(document), 1);
    let mut call = upstream.begin(&Request::default(), at(0), None).unwrap();
    let headers = [Header::new("ratelimit", br#""a";r=5;t=60"#)];
    let _ = upstream.settle(&mut call, &Outcome::from_response(200, &headers), at(0), None);
    let _out = [0; 2].map(|_| upstream.begin(&Request::default(), at(0), None).is_ok());
    let saved = upstream.save(at(0), None);
    let mut other = Upstream::new(policy(document), 1);
    other.load(&saved, at(9), None).unwrap();
    assert_eq!(other.limiter().unwrap().view(at(9)).available, Some(3));
}

#[test]
fn a_bad_snapshot_is_refused_with_its_fields_and_nothing_is_loaded() {
    let good = Upstream::new(policy("{}"), 3).save(at(0), None).to_json();
    assert!(Snapshot::from_json(&good).is_ok());
    let change = |from: &str, to: &str| {
        assert!(good.contains(from), "{good}");
        good.replacen(from, to, 1)
    };
    for (document, field, kind) in [
        ("[]".into(), "", IssueKind::WrongType),
        ("{".into(), "", IssueKind::Syntax),
        (change("\"version\":1", "\"version\":2"), "version", IssueKind::OutOfRange),
        (change("\"version\":1", "\"versio\":1"), "versio", IssueKind::UnknownField),
        (change("\"generator\":\"3\"", "\"generator\":3"), "generator", IssueKind::WrongType),
        (change("\"generator\":\"3\"", "\"generator\":\"-3\""), "generator", IssueKind::OutOfRange),
        (
            change("\"state\":\"closed\"", "\"state\":\"half-open\""),
            "breaker.state",
            IssueKind::UnknownName,
        ),
        (change("\"opened\":0", "\"opened\":-1"), "breaker.opened", IssueKind::OutOfRange),
        (change("\"calls\":[]", "\"calls\":[\"019\"]"), "breaker.calls[0]", IssueKind::OutOfRange),
        (
            change("\"slots\":[]", "\"slots\":[{\"age\":10}]"),
            "budget.window.slots[0].age",
            IssueKind::OutOfRange,
        ),
        (change("\"kind\":\"ratio\"", "\"kind\":7"), "budget.kind", IssueKind::WrongType),
    ] {
        let issues: Vec<_> = Snapshot::from_json(&document).unwrap_err().into_vec();
        let found = issues.iter().any(|issue| issue.field == field && issue.kind == kind);
        assert!(found, "{document}: {issues:?}");
    }
    let missing = Snapshot::from_json("{}").unwrap_err();
    let fields: Vec<_> = missing.iter().map(|issue| issue.field.as_str()).collect();
    assert_eq!(fields, ["version", "generator", "stateGenerator"]);

    let mut upstream = Upstream::new(policy("{}"), 5);
    let mut bad = upstream.save(at(0), None);
    bad.generator = Some("x".into());
    bad.breaker.as_mut().unwrap().opened = 9;
    assert!(upstream.load(&bad, at(0), None).is_err());
    assert_eq!(upstream.save(at(0), None).breaker.unwrap().opened, 0);
}

#[test]
fn a_snapshot_of_another_policy_is_taken_over_as_far_as_it_fits() {
    let saved = Upstream::new(policy(POLICIES[3]), 3).save(at(0), None);
    for document in POLICIES {
        let mut other = Upstream::new(policy(document), 1);
        other.load(&saved, Instant::MAX, None).unwrap();
        assert_eq!(other.rng().state(), 3);
    }
}

#[test]
fn hostile_numbers_are_harmless() {
    let huge = 9_007_199_254_740_991_u64;
    let document = format!(
        r#"{{"version":1,"generator":"18446744073709551615","stateGenerator":"0","savedAtMs":0,
        "budget":{{"kind":"ratio","window":{{"widthMs":1000,"phaseMs":{huge},"slots":[
            {{"age":0,"a":4294967295}},{{"age":0,"b":4294967295}},{{"age":9,"a":1}}]}}}},
        "breaker":{{"state":"open","remainingMs":{huge},"opened":4294967295,"generation":4294967295,
            "window":{{"widthMs":1000,"slots":[{{"a":4294967295,"b":4294967295,"c":4294967295}}]}}}},
        "limiter":{{"limit":{huge},"least":{huge},"unseen":{huge},"sure":{huge},"resetMs":{huge},"resetTold":true,
            "spanMs":{huge},"blockedMs":{huge}}},
        "clientThrottling":{{"widthMs":500,"slots":[{{"a":1,"b":4294967295}}]}},
        "rateLimits":[{{"agoMs":{huge}}},{{"agoMs":0}}]}}"#
    );
    let snapshot = Snapshot::from_json(&document).unwrap();
    for document in POLICIES {
        for now in [0, 1, u64::MAX] {
            for wall in [None, Some(UnixMillis::new(i64::MAX)), Some(UnixMillis::new(i64::MIN))] {
                let mut upstream = Upstream::new(policy(document), 1);
                upstream.load(&snapshot, at(now), wall).unwrap();
                let _ = upstream.begin(&Request::default(), at(now), wall);
                let _ = upstream.save(Instant::MAX, wall);
            }
        }
    }
}

#[test]
fn a_seed_begins_two_sequences_that_are_the_same_on_every_machine() {
    for seed in [0, 3, u64::MAX] {
        let saved = Upstream::new(policy("{}"), seed).save(at(0), None);
        let state = seed ^ 0x5851_F42D_4C95_7F2D;
        assert_eq!(saved.generator, Some(format!("{seed}").into()));
        assert_eq!(saved.state_generator, Some(format!("{state}").into()));
    }
}

#[test]
fn a_call_of_the_same_process_still_counts_after_its_upstream_was_loaded() {
    let document = r#"{"breaker":{"kind":"consecutive","failures":1}}"#;
    let mut upstream = Upstream::new(policy(document), 1);
    let _ = upstream.breaker_mut().unwrap().isolate();
    let _ = upstream.breaker_mut().unwrap().reset();
    let mut call = upstream.begin(&Request::default(), at(10), None).unwrap();
    let saved = upstream.save(at(20), Some(WALL));
    upstream.load(&saved, at(20), Some(WALL)).unwrap();
    let verdict = upstream.settle(&mut call, &Outcome::from_response(500, &[]), at(30), None);
    assert_eq!(verdict.transition.map(|change| change.to), Some(BreakerState::Open));
}

#[test]
fn a_window_has_ten_slots_from_0_to_9() {
    for (age, is_read) in [(9, true), (10, false)] {
        let slots = format!(r#"{{"widthMs":1000,"phaseMs":0,"slots":[{{"age":{age},"a":1}}]}}"#);
        let document = format!(
            r#"{{"version":1,"generator":"1","stateGenerator":"1","clientThrottling":{slots}}}"#
        );
        let read = Snapshot::from_json(&document);
        assert_eq!(read.is_ok(), is_read, "{age}: {read:?}");
    }
}
