use super::*;
use crate::policy::{BreakerKind, WindowKind};
use alloc::vec::Vec;

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn consecutive() -> BreakerOptions {
    BreakerOptions {
        failures: 3,
        open: Millis::new(1_000),
        max_open: Millis::new(8_000),
        probes: 1,
        successes: 1,
        probe_timeout: Millis::new(500),
        ..BreakerOptions::of(BreakerKind::Consecutive)
    }
}

fn admit(breaker: &mut Breaker, now: u64) -> Result<Permit, Option<Millis>> {
    breaker.admit(at(now), Draw::MIN)
}

fn record(breaker: &mut Breaker, permit: Permit, sample: Sample, now: u64) -> Recorded {
    breaker.record(permit, sample, Millis::ZERO, None, at(now), Draw::MIN)
}

/// Admits `n` and lets them all fail at `now`.
fn fail(breaker: &mut Breaker, n: usize, now: u64) -> Recorded {
    let permits: Vec<_> = (0..n).map(|_| admit(breaker, now).unwrap()).collect();
    permits.into_iter().map(|permit| record(breaker, permit, Sample::Failure, now)).last().unwrap()
}

fn opened(options: BreakerOptions, now: u64) -> Breaker {
    let mut breaker = Breaker::new(options);
    assert_eq!(fail(&mut breaker, 3, now).transition.unwrap().to, BreakerState::Open);
    breaker
}

fn state(breaker: &Breaker, now: u64) -> BreakerState {
    breaker.view(at(now)).state
}

#[test]
fn it_opens_at_the_threshold_and_lets_one_probe_through_at_the_deadline() {
    let mut breaker = opened(consecutive(), 10);
    assert_eq!(admit(&mut breaker, 500), Err(Some(Millis::new(510))));
    assert_eq!(admit(&mut breaker, 1_009), Err(Some(Millis::new(1))));
    let probe = admit(&mut breaker, 1_010).unwrap();
    assert!(probe.is_probe());
    // App-vNext/Polly#216: all others are refused, until the lease ends.
    for _ in 0..99 {
        assert_eq!(admit(&mut breaker, 1_010), Err(Some(Millis::new(500))));
    }
    let closed = record(&mut breaker, probe, Sample::Success, 1_020).transition.unwrap();
    assert_eq!((closed.from, closed.to), (BreakerState::HalfOpen, BreakerState::Closed));
    assert!(!admit(&mut breaker, 1_021).unwrap().is_probe());
}

#[test]
fn failures_reported_while_open_change_nothing() {
    let mut breaker = Breaker::new(consecutive());
    let late: Vec<_> = (0..5).map(|_| admit(&mut breaker, 0).unwrap()).collect();
    assert!(fail(&mut breaker, 3, 10).transition.is_some());
    for permit in late {
        let recorded = record(&mut breaker, permit, Sample::Failure, 900);
        assert_eq!((recorded.transition, recorded.stale), (None, true));
    }
    assert!(admit(&mut breaker, 1_010).is_ok());
}

#[test]
fn a_late_sample_of_the_closed_state_is_no_probe() {
    for sample in [Sample::Success, Sample::Failure, Sample::Ignored] {
        let mut breaker = Breaker::new(consecutive());
        let late = admit(&mut breaker, 0).unwrap();
        let _ = fail(&mut breaker, 3, 10);
        let probe = admit(&mut breaker, 1_010).unwrap();
        assert!(record(&mut breaker, late, sample, 1_011).stale, "{sample}");
        assert_eq!(state(&breaker, 1_011), BreakerState::HalfOpen);
        assert!(admit(&mut breaker, 1_011).is_err(), "no place was freed");
        assert!(record(&mut breaker, probe, Sample::Success, 1_012).transition.is_some());
    }
}

#[test]
fn an_ignored_or_cancelled_probe_frees_its_place_and_counts_nothing() {
    for sample in [Sample::Ignored, Sample::Cancelled] {
        let mut breaker = opened(consecutive(), 0);
        let probe = admit(&mut breaker, 1_000).unwrap();
        assert_eq!(record(&mut breaker, probe, sample, 1_001), Recorded::default());
        assert!(admit(&mut breaker, 1_002).unwrap().is_probe());
    }
}

#[test]
fn a_probe_without_an_answer_fails_at_the_end_of_its_lease() {
    let mut breaker = opened(consecutive(), 0);
    let hung = admit(&mut breaker, 1_000).unwrap();
    // Booked at 1 500, open for twice as long from then on, whoever looks whenever.
    assert_eq!(state(&breaker, 1_499), BreakerState::HalfOpen);
    assert_eq!(state(&breaker, 1_500), BreakerState::Open);
    assert_eq!(admit(&mut breaker, 3_000), Err(Some(Millis::new(500))));
    assert!(admit(&mut breaker, 3_500).unwrap().is_probe());
    assert!(record(&mut breaker, hung, Sample::Success, 3_501).stale);
}

#[test]
fn a_lease_may_free_its_place_instead() {
    let options = BreakerOptions { on_lease_expiry: LeaseExpiry::Free, ..consecutive() };
    let mut breaker = opened(options, 0);
    let hung = admit(&mut breaker, 1_000).unwrap();
    assert!(admit(&mut breaker, 1_500).unwrap().is_probe());
    assert!(record(&mut breaker, hung, Sample::Failure, 1_501).stale);
}

#[test]
fn it_closes_at_enough_successes_and_opens_when_they_cannot_be_reached() {
    let options = BreakerOptions { probes: 3, successes: 2, ..consecutive() };
    let half_open = || {
        let mut breaker = opened(options.clone(), 0);
        let probes: Vec<_> = (0..3).map(|_| admit(&mut breaker, 1_000).unwrap()).collect();
        assert!(admit(&mut breaker, 1_000).is_err());
        (breaker, probes.into_iter())
    };
    let (mut breaker, mut probes) = half_open();
    let mut next = |sample| record(&mut breaker, probes.next().unwrap(), sample, 1_001).transition;
    assert_eq!(next(Sample::Failure), None);
    assert_eq!(next(Sample::Success), None);
    assert_eq!(next(Sample::Success).unwrap().to, BreakerState::Closed);
    let (mut breaker, mut probes) = half_open();
    let mut next = |sample| record(&mut breaker, probes.next().unwrap(), sample, 1_001).transition;
    assert_eq!(next(Sample::Failure), None);
    assert_eq!(next(Sample::Failure).unwrap().to, BreakerState::Open);
}

#[test]
fn the_open_time_doubles_up_to_its_bound_and_starts_again_after_closing() {
    let mut breaker = opened(consecutive(), 0);
    let mut now = 0;
    for open in [1_000, 2_000, 4_000, 8_000, 8_000] {
        assert_eq!(breaker.view(at(now)).retry_in, Some(Millis::new(open)));
        now += open;
        let probe = admit(&mut breaker, now).unwrap();
        let _ = record(&mut breaker, probe, Sample::Failure, now);
    }
    now += 8_000;
    let probe = admit(&mut breaker, now).unwrap();
    assert_eq!(
        record(&mut breaker, probe, Sample::Success, now).transition.unwrap().to,
        BreakerState::Closed
    );
    let _ = fail(&mut breaker, 3, now);
    assert_eq!(breaker.view(at(now)).retry_in, Some(Millis::new(1_000)));
}

#[test]
fn a_server_hint_may_lengthen_the_open_time_up_to_its_bound() {
    for (hint, open) in [(500, 1_000), (3_000, 3_000), (60_000, 8_000)] {
        let mut breaker = Breaker::new(BreakerOptions { failures: 1, ..consecutive() });
        let permit = admit(&mut breaker, 0).unwrap();
        let hint = Some(Millis::new(hint));
        let _ = breaker.record(permit, Sample::Failure, Millis::ZERO, hint, at(0), Draw::MIN);
        assert_eq!(breaker.view(at(0)).retry_in, Some(Millis::new(open)));
    }
}

fn rate(window: WindowKind) -> BreakerOptions {
    BreakerOptions {
        window,
        window_span: Millis::new(1_000),
        window_calls: 4,
        minimum_calls: 4,
        open: Millis::new(1_000),
        ..BreakerOptions::of(BreakerKind::Rate)
    }
}

#[test]
fn a_rate_opens_at_its_threshold_and_not_before_the_minimum() {
    for window in [WindowKind::Time, WindowKind::Count] {
        let mut breaker = Breaker::new(rate(window));
        assert_eq!(fail(&mut breaker, 1, 0).transition, None);
        for sample in [Sample::Success, Sample::Success] {
            let permit = admit(&mut breaker, 1).unwrap();
            assert_eq!(record(&mut breaker, permit, sample, 1), Recorded::default());
        }
        assert!(fail(&mut breaker, 1, 2).transition.is_some(), "2 of 4 at a half");
    }
}

#[test]
fn old_failures_leave_the_window_by_themselves() {
    // cockatiel#64: four failures, a long pause, two failures must not add up.
    let mut breaker = Breaker::new(BreakerOptions { minimum_calls: 6, ..rate(WindowKind::Time) });
    let _ = fail(&mut breaker, 4, 0);
    assert_eq!(fail(&mut breaker, 2, 300_000).transition, None);
    assert!(fail(&mut breaker, 4, 300_001).transition.is_some());
}

#[test]
fn a_late_sample_is_booked_to_the_slot_it_was_admitted_in() {
    let mut breaker = Breaker::new(BreakerOptions { minimum_calls: 1, ..rate(WindowKind::Time) });
    let old = admit(&mut breaker, 0).unwrap();
    assert!(record(&mut breaker, old, Sample::Failure, 1_000).stale, "its slot is forgotten");
    let young = admit(&mut breaker, 1_000).unwrap();
    assert!(record(&mut breaker, young, Sample::Failure, 1_999).transition.is_some());
}

#[test]
fn a_count_window_keeps_the_last_calls_only() {
    let mut breaker = Breaker::new(rate(WindowKind::Count));
    for sample in
        [Sample::Failure, Sample::Success, Sample::Success, Sample::Success, Sample::Failure]
    {
        let permit = admit(&mut breaker, 0).unwrap();
        assert_eq!(record(&mut breaker, permit, sample, 0).transition, None);
    }
    let permit = admit(&mut breaker, 0).unwrap();
    assert!(record(&mut breaker, permit, Sample::Failure, 0).transition.is_some(), "S S F F");
}

#[test]
fn slow_calls_open_it_and_a_call_at_the_limit_is_not_slow() {
    let options = BreakerOptions { slow_call: Some(Millis::new(100)), ..rate(WindowKind::Count) };
    for (duration, opens) in [(100, false), (101, true)] {
        let mut breaker = Breaker::new(options.clone());
        let mut last = None;
        for _ in 0..4 {
            let permit = admit(&mut breaker, 0).unwrap();
            let duration = Millis::new(duration);
            last = breaker
                .record(permit, Sample::Success, duration, None, at(0), Draw::MIN)
                .transition;
        }
        assert_eq!(last.is_some(), opens, "{duration}");
    }
}

#[test]
fn a_slow_call_counts_for_as_long_as_the_window_keeps_it() {
    let options = BreakerOptions {
        slow_call: Some(Millis::new(100)),
        slow_threshold: 5_000,
        ..rate(WindowKind::Count)
    };
    let mut breaker = Breaker::new(options);
    let mut call = |duration| {
        let permit = admit(&mut breaker, 0).unwrap();
        let duration = Millis::new(duration);
        let recorded = breaker.record(permit, Sample::Success, duration, None, at(0), Draw::MIN);
        recorded.transition.is_some()
    };
    for duration in [500, 1, 1, 1, 500, 1, 1, 1, 500] {
        assert!(!call(duration), "one of four is slow");
    }
    assert!(call(500), "two of the last four");
}

#[test]
fn a_probe_that_is_slow_is_no_healthy_one() {
    let options = BreakerOptions { slow_call: Some(Millis::new(100)), ..consecutive() };
    for (duration, state) in [(100, BreakerState::Closed), (101, BreakerState::Open)] {
        let mut breaker = opened(options.clone(), 0);
        let probe = admit(&mut breaker, 1_000).unwrap();
        let (duration, now) = (Millis::new(duration), at(1_101));
        let recorded = breaker.record(probe, Sample::Success, duration, None, now, Draw::MIN);
        assert_eq!(recorded.transition.unwrap().to, state);
    }
}

#[test]
fn a_window_that_cannot_hold_the_minimum_decides_when_it_is_full() {
    let mut breaker =
        Breaker::new(BreakerOptions { minimum_calls: 100, ..rate(WindowKind::Count) });
    assert_eq!(fail(&mut breaker, 3, 0).transition, None);
    assert!(fail(&mut breaker, 1, 0).transition.is_some());
}

#[test]
fn a_threshold_of_nothing_needs_a_failure_all_the_same() {
    for window in [WindowKind::Time, WindowKind::Count] {
        let options = BreakerOptions { threshold: 0, minimum_calls: 1, ..rate(window) };
        let mut breaker = Breaker::new(options);
        let permit = admit(&mut breaker, 0).unwrap();
        assert_eq!(record(&mut breaker, permit, Sample::Success, 0), Recorded::default());
        assert!(fail(&mut breaker, 1, 0).transition.is_some());
    }
}

#[test]
fn a_breaker_that_closed_has_forgotten_why_it_opened() {
    let three = BreakerOptions { failures: 4, ..consecutive() };
    for options in [three, rate(WindowKind::Time), rate(WindowKind::Count)] {
        let options = BreakerOptions { probes: 1, successes: 1, open: Millis::new(1), ..options };
        for by_hand in [false, true] {
            let mut breaker = Breaker::new(options.clone());
            assert!(fail(&mut breaker, 4, 0).transition.is_some());
            if by_hand {
                let _ = breaker.reset();
            } else {
                let probe = admit(&mut breaker, 1).unwrap();
                assert!(record(&mut breaker, probe, Sample::Success, 1).transition.is_some());
            }
            assert_eq!(fail(&mut breaker, 3, 2).transition, None, "{options:?}");
            assert!(fail(&mut breaker, 1, 2).transition.is_some());
        }
    }
}

#[test]
fn a_probe_that_came_back_makes_no_room_for_another() {
    let options = BreakerOptions { probes: 3, successes: 2, ..consecutive() };
    for sample in [Sample::Success, Sample::Failure] {
        let mut breaker = opened(options.clone(), 0);
        let probe = admit(&mut breaker, 1_000).unwrap();
        assert_eq!(record(&mut breaker, probe, sample, 1_100).transition, None);
        assert_eq!(breaker.view(at(1_100)).retry_in, Some(Millis::ZERO), "two are left");
        let _second = admit(&mut breaker, 1_100).unwrap();
        let _third = admit(&mut breaker, 1_200).unwrap();
        assert_eq!(admit(&mut breaker, 1_200), Err(Some(Millis::new(400))));
        assert_eq!(breaker.view(at(1_200)).retry_in, Some(Millis::new(400)));
    }
}

#[test]
fn no_more_than_64_probes_are_out_at_once() {
    let mut breaker = opened(BreakerOptions { probes: 100, ..consecutive() }, 0);
    let probes: Vec<_> = (0..64).map(|_| admit(&mut breaker, 1_000).unwrap()).collect();
    assert_eq!(breaker.view(at(1_000)).retry_in, Some(Millis::new(500)));
    assert_eq!(admit(&mut breaker, 1_000), Err(Some(Millis::new(500))));
    let _ = record(&mut breaker, probes.into_iter().next().unwrap(), Sample::Ignored, 1_000);
    assert_eq!(breaker.view(at(1_000)).retry_in, Some(Millis::ZERO));
    assert!(admit(&mut breaker, 1_000).is_ok());
}

#[test]
fn isolated_stays_open_until_it_is_reset_by_hand() {
    let mut breaker = Breaker::new(consecutive());
    let before = admit(&mut breaker, 0).unwrap();
    assert_eq!(breaker.isolate().to, BreakerState::Isolated);
    assert_eq!(admit(&mut breaker, 1_000_000), Err(None));
    assert_eq!(breaker.view(Instant::MAX).retry_in, None);
    assert!(record(&mut breaker, before, Sample::Success, 1).stale);
    assert_eq!(breaker.reset().to, BreakerState::Closed);
    assert!(admit(&mut breaker, 2).is_ok());
}

#[test]
fn looking_changes_nothing() {
    let breaker = opened(consecutive(), 0);
    assert_eq!(state(&breaker, 1_000), BreakerState::HalfOpen);
    assert_eq!(state(&breaker, 999), BreakerState::Open);
}

#[test]
fn a_clock_that_steps_back_does_not_keep_it_open_longer() {
    let mut breaker = opened(consecutive(), 100_000);
    assert_eq!(admit(&mut breaker, 40_000), Err(Some(Millis::new(1_000))));
    assert_eq!(admit(&mut breaker, 100_500), Err(Some(Millis::new(500))));
    assert!(admit(&mut breaker, u64::MAX).is_ok());
}

#[test]
fn the_jitter_of_the_open_time_lengthens_and_keeps_the_bound() {
    let options = BreakerOptions { open_jitter: 5_000, failures: 1, ..consecutive() };
    for (draw, open) in [(Draw::MIN, 1_000), (Draw::MAX, 1_500)] {
        let mut breaker = Breaker::new(options.clone());
        let permit = admit(&mut breaker, 0).unwrap();
        let _ = breaker.record(permit, Sample::Failure, Millis::ZERO, None, at(0), draw);
        assert_eq!(breaker.view(at(0)).retry_in, Some(Millis::new(open)));
    }
}

#[test]
fn other_options_keep_the_state_and_the_samples_of_the_same_kind_of_window() {
    let rate = |window, calls| BreakerOptions {
        window,
        window_calls: calls,
        minimum_calls: 4,
        ..BreakerOptions::of(BreakerKind::Rate)
    };
    let [by_time, by_count] = [rate(WindowKind::Time, 100), rate(WindowKind::Count, 10)];
    let slower = BreakerOptions { window_span: Millis::new(20_000), ..by_time.clone() };
    for (before, after, is_kept) in [
        (consecutive(), BreakerOptions { failures: 4, ..consecutive() }, true),
        (by_time.clone(), BreakerOptions { threshold: 9_000, ..by_time.clone() }, true),
        (by_count.clone(), BreakerOptions { threshold: 9_000, ..by_count.clone() }, true),
        (by_time.clone(), slower, false),
        (by_count.clone(), rate(WindowKind::Count, 9), false),
        (by_time, by_count, false),
    ] {
        let mut breaker = Breaker::new(before);
        let _ = fail(&mut breaker, 2, 0);
        breaker.reconfigure(after.clone());
        assert_eq!(breaker.options(), &after);
        let opens = fail(&mut breaker, 2, 1).transition.is_some();
        assert_eq!(opens, is_kept, "two failures before and two after: {after:?}");
    }
    let mut breaker = opened(consecutive(), 0);
    breaker.reconfigure(BreakerOptions { open: Millis::new(1), ..consecutive() });
    assert_eq!(state(&breaker, 999), BreakerState::Open, "an open time that began goes on");
}

#[test]
fn an_isolated_breaker_is_open_at_any_time_and_a_half_open_one_at_none() {
    let mut breaker = opened(consecutive(), 0);
    assert!(breaker.is_open_at(at(999)) && !breaker.is_open_at(at(1_000)));
    let _ = breaker.isolate();
    assert!(breaker.is_open_at(Instant::MAX));
    let _ = breaker.reset();
    assert!(!breaker.is_open_at(at(0)));
}
