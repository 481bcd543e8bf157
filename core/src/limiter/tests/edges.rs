//! What one answer more or less, one millisecond sooner or later, changes.

use super::*;

#[test]
fn a_refusal_says_when_what_was_used_up_is_there_again_unless_it_brings_numbers() {
    let (used_up, wait) = (told(Some(10), 0, 60_000), Some(Some(Millis::new(1_000))));
    let mut without = limiter();
    without.observe(None, used_up, at(0));
    without.observe(None, refused(Some(1_000)), at(0));
    assert_eq!(without.view(at(1_000)).available, Some(10));
    let mut with = limiter();
    with.observe(None, News { wait, ..used_up }, at(0));
    assert_eq!(with.view(at(1_000)).available, Some(0));
    assert_eq!(ask(&mut with, 1_000), 59_000);
}

#[test]
fn a_refusal_beyond_the_reset_moves_it_to_its_own_end() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(2), 1, 5_000), at(0));
    limiter.observe(None, refused(Some(6_000)), at(0));
    assert_eq!(ask(&mut limiter, 5_500), 500, "the reset is over, the refusal is not");
    let waits: Vec<_> = (0..3).map(|_| ask(&mut limiter, 6_000)).collect();
    assert_eq!(waits, [0, 0, 5_000], "the new allowance began when the refusal ended");
}

#[test]
fn a_refusal_that_asks_for_no_time_blocks_nobody() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(10), 3, 5_000), at(0));
    limiter.observe(None, refused(Some(0)), at(10));
    assert_eq!(limiter.view(at(10)).available, Some(3));
    assert_eq!(ask(&mut limiter, 10), 0);
}

#[test]
fn a_reset_that_is_now_fills_the_bucket_and_says_nothing_of_how_long_it_lasts() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(2), 0, 0), at(0));
    let waits: Vec<_> = (0..3).map(|_| ask(&mut limiter, 0)).collect();
    assert_eq!(waits, [0, 0, 1_000]);
}

#[test]
fn an_answer_that_leaves_something_out_takes_nothing_back() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(3), 2, 10_000), at(0));
    limiter.observe(None, told(None, 1, 9_900), at(100));
    assert_eq!((limiter.view(at(100)).limit, limiter.view(at(100)).available), (Some(3), Some(1)));
    // "Reset in 0" beside something that is left says nothing of the reset.
    limiter.observe(None, told(Some(3), 1, 0), at(200));
    let view = limiter.view(at(200));
    assert_eq!((view.available, view.reset_in), (Some(1), Some(Millis::new(9_800))));
    // The same limit told again, shortly before its end: it lasts as long as it did.
    limiter.observe(None, told(Some(3), 0, 400), at(9_600));
    let waits: Vec<_> = (0..4).map(|_| ask(&mut limiter, 10_000)).collect();
    assert_eq!(waits, [0, 0, 0, 10_000]);
}

#[test]
fn more_than_before_is_another_bucket_where_its_reset_is_half_a_span_away() {
    for (reset_in, kept) in [(5_001, true), (9_999, true), (10_000, false), (15_000, false)] {
        let mut limiter = limiter();
        limiter.observe(None, told(Some(10), 2, 10_000), at(0));
        limiter.observe(None, told(Some(10), 9, reset_in), at(5_000));
        let expected = if kept { 5_000 } else { reset_in };
        assert_eq!(limiter.view(at(5_000)).reset_in, Some(Millis::new(expected)), "{reset_in}");
    }
}

#[test]
fn a_call_that_is_no_scout_does_not_end_its_search() {
    let mut limiter = limiter();
    let late = limiter.acquire(Ticket::Nobody, 0, at(0)).unwrap();
    limiter.observe(None, told(None, 0, 1_000), at(1));
    // Nobody waits longer than half a minute for the late one.
    assert_eq!(ask(&mut limiter, 1_001), 100);
    let scout = limiter.acquire(Ticket::Nobody, 0, at(31_001)).unwrap();
    limiter.observe(Some(late), ANSWER, at(31_002));
    assert_eq!(ask(&mut limiter, 31_002), 100, "the scout is still out");
    limiter.observe(Some(scout), ANSWER, at(31_003));
    assert_eq!(ask(&mut limiter, 31_003), 0);
}

#[test]
fn a_refusal_that_ends_with_the_reset_tells_of_it_anew() {
    let mut limiter = limiter();
    let [tells, lost] = [0, 0].map(|ms| limiter.acquire(Ticket::Nobody, 0, at(ms)).unwrap());
    limiter.observe(Some(tells), told(Some(5), 3, 1_000), at(400));
    // It may be the first of the new allowance; but then that one is used up until 1 400.
    limiter.release(lost, at(1_100));
    limiter.observe(None, refused(Some(300)), at(1_100));
    assert_eq!(limiter.view(at(1_400)).available, Some(5));
}

#[test]
fn who_stands_behind_others_asks_again_soon_only_where_it_may_help() {
    // The one ahead was told to come at a reset that is not that of the bucket now.
    let mut limiter = limiter();
    limiter.observe(None, told(Some(2), 0, 10_000), at(0));
    let _ = limiter.acquire(Ticket::Host(1), 5, at(0));
    limiter.observe(None, told(Some(2), 1, 20_000), at(500));
    assert_eq!(ask(&mut limiter, 600), 19_900);
    // The one ahead was told to come by now, but what is left is on its way.
    let mut limiter = Limiter::new(LimiterOptions::default());
    let _slow = limiter.acquire(Ticket::Nobody, 0, at(0)).unwrap();
    let quick = limiter.acquire(Ticket::Nobody, 0, at(1)).unwrap();
    limiter.observe(Some(quick), told(Some(10), 1, 9_000), at(5));
    let first = limiter.acquire(Ticket::Host(1), 0, at(5));
    assert_eq!(first.map_err(|wait| wait.retry_in.get()).err(), Some(100));
    assert_eq!(ask(&mut limiter, 105), 8_900);
}
