use alloc::vec::Vec;

use super::*;
use crate::hint::Quota;

mod edges;
mod world;

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn limiter() -> Limiter {
    Limiter::new(LimiterOptions::default())
}

/// Asks without a ticket, at priority 0; the wait, or 0 and the pass is kept by nobody.
fn ask(limiter: &mut Limiter, now: u64) -> u64 {
    limiter.acquire(Ticket::Nobody, 0, at(now)).map_or_else(|wait| wait.retry_in.get(), |_| 0)
}

fn told(limit: Option<u64>, remaining: u64, reset_in: u64) -> News {
    let quota = Some(Quota::new(limit, remaining, Some(Millis::new(reset_in))));
    News { answered: true, quota, wait: None }
}

fn refused(wait: Option<u64>) -> News {
    News { answered: true, quota: None, wait: Some(wait.map(Millis::new)) }
}

const ANSWER: News = News { answered: true, quota: None, wait: None };

#[test]
fn who_knows_nothing_holds_nobody_back() {
    let mut limiter = limiter();
    assert!((0..1_000).all(|_| ask(&mut limiter, 0) == 0));
    assert_eq!(limiter.view(at(0)).available, None);
}

#[test]
fn what_is_left_is_used_up_and_then_every_call_waits_for_the_reset() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(10), 2, 7_000), at(0));
    let waits: Vec<_> = (0..4).map(|_| ask(&mut limiter, 1_000)).collect();
    assert_eq!(waits, [0, 0, 6_000, 6_000]);
    let view = limiter.view(at(1_000));
    assert_eq!((view.available, view.reset_in), (Some(0), Some(Millis::new(6_000))));
    assert_eq!((view.limit, view.in_flight, view.waiting), (Some(10), 2, 2));
}

#[test]
fn after_the_reset_the_learned_limit_is_the_new_allowance() {
    let mut limiter = limiter();
    let pass = limiter.acquire(Ticket::Nobody, 0, at(0)).unwrap();
    limiter.observe(Some(pass), told(Some(3), 0, 10_000), at(0));
    assert_eq!(ask(&mut limiter, 9_999), 1);
    let waits: Vec<_> = (0..4).map(|_| ask(&mut limiter, 10_000)).collect();
    assert_eq!(waits, [0, 0, 0, 10_000], "the next one lasts as long as the last");
}

#[test]
fn a_reset_that_was_seen_shortly_before_it_came_refills_once() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(2), 0, 300), at(0));
    assert_eq!((ask(&mut limiter, 300), ask(&mut limiter, 300)), (0, 0));
    // Nobody told how long the new one lasts: not 300 ms, perhaps.
    assert_eq!((ask(&mut limiter, 300), ask(&mut limiter, 650)), (300, 100));
    assert_eq!(limiter.view(at(650)).available, Some(0));
}

#[test]
fn a_call_that_is_lost_around_the_reset_may_be_the_first_of_the_new_allowance() {
    let mut limiter = limiter();
    let [tells, lost, early] =
        [0, 0, 0].map(|ms| limiter.acquire(Ticket::Nobody, 0, at(ms)).unwrap());
    // Told after 400 ms: the reset may come 400 ms before it looks so.
    limiter.observe(Some(tells), told(Some(5), 3, 1_000), at(400));
    limiter.release(early, at(999));
    limiter.release(lost, at(1_000));
    assert_eq!(limiter.view(at(1_399)).available, Some(1));
    assert_eq!(limiter.view(at(1_400)).available, Some(4), "less the one");
}

#[test]
fn after_the_reset_of_an_unknown_limit_one_scout_finds_out() {
    let mut limiter = limiter();
    limiter.observe(None, told(None, 0, 10_000), at(0));
    let scout = limiter.acquire(Ticket::Host(1), 0, at(10_000)).unwrap();
    assert_eq!(ask(&mut limiter, 10_000), 100);
    limiter.observe(Some(scout), told(None, 2, 5_000), at(10_050));
    let waits: Vec<_> = (0..3).map(|_| ask(&mut limiter, 10_100)).collect();
    assert_eq!(waits, [0, 0, 4_950]);
}

#[test]
fn a_scout_waits_for_calls_of_the_last_allowance_and_learns_from_them() {
    let mut limiter = limiter();
    let [late, lost] = [0, 1].map(|ms| limiter.acquire(Ticket::Nobody, 0, at(ms)).unwrap());
    limiter.observe(None, told(None, 0, 1_000), at(2));
    assert_eq!(limiter.view(at(1_002)).available, Some(0));
    assert_eq!(ask(&mut limiter, 1_002), 100, "both may take the first of the new allowance");
    limiter.observe(Some(late), told(None, 0, 700), at(1_100));
    assert_eq!(ask(&mut limiter, 1_100), 700, "one did, and it was the last");
    // Half a minute after the next reset nobody waits for the other one.
    assert_eq!((ask(&mut limiter, 1_800), ask(&mut limiter, 31_799)), (100, 100));
    assert_eq!(ask(&mut limiter, 31_800), 0);
    limiter.release(lost, at(31_800));
}

#[test]
fn a_scout_that_is_lost_is_followed_by_another() {
    for lose in [true, false] {
        let mut limiter = limiter();
        limiter.observe(None, refused(Some(1_000)), at(0));
        let scout = limiter.acquire(Ticket::Nobody, 0, at(1_000)).unwrap();
        if lose {
            assert_eq!(ask(&mut limiter, 30_999), 100);
            assert_eq!(ask(&mut limiter, 31_000), 0);
        } else {
            limiter.release(scout, at(2_000));
            assert_eq!((ask(&mut limiter, 2_000), ask(&mut limiter, 2_000)), (0, 100));
        }
    }
}

#[test]
fn a_scout_that_is_answered_without_numbers_opens_the_way() {
    let mut limiter = limiter();
    limiter.observe(None, refused(Some(1_000)), at(0));
    let scout = limiter.acquire(Ticket::Nobody, 0, at(1_000)).unwrap();
    limiter.observe(Some(scout), ANSWER, at(1_100));
    assert!((0..10).all(|_| ask(&mut limiter, 1_100) == 0));
}

#[test]
fn a_refusal_blocks_until_its_wait_is_over() {
    let mut limiter = limiter();
    limiter.observe(None, refused(Some(5_000)), at(100));
    assert_eq!((ask(&mut limiter, 100), ask(&mut limiter, 5_099)), (5_000, 1));
    assert_eq!(ask(&mut limiter, 5_100), 0);
    limiter.observe(None, refused(None), at(6_000));
    assert_eq!(ask(&mut limiter, 6_000), 1_000, "no wait was named");
    limiter.observe(None, refused(Some(u64::MAX)), at(6_000));
    assert_eq!(ask(&mut limiter, 6_000), 86_400_000, "a day at most");
}

#[test]
fn a_shorter_refusal_does_not_shorten_a_longer_one() {
    let mut limiter = limiter();
    limiter.observe(None, refused(Some(5_000)), at(0));
    limiter.observe(None, refused(Some(1_000)), at(0));
    limiter.observe(None, refused(Some(0)), at(0));
    assert_eq!(ask(&mut limiter, 0), 5_000);
}

#[test]
fn the_numbers_of_a_refusal_hold_after_its_wait() {
    let mut limiter = limiter();
    let news = News { wait: Some(Some(Millis::new(1_000))), ..told(Some(100), 2, 60_000) };
    limiter.observe(None, news, at(0));
    let waits: Vec<_> = (0..3).map(|_| ask(&mut limiter, 1_000)).collect();
    assert_eq!(waits, [0, 0, 59_000]);
}

#[test]
fn calls_that_an_answer_cannot_have_counted_are_taken_off() {
    let mut limiter = limiter();
    let first = limiter.acquire(Ticket::Nobody, 0, at(0)).unwrap();
    assert_eq!((ask(&mut limiter, 1), ask(&mut limiter, 1)), (0, 0));
    limiter.observe(Some(first), told(Some(10), 4, 9_000), at(5));
    let waits: Vec<_> = (0..3).map(|_| ask(&mut limiter, 5)).collect();
    assert_eq!(waits, [0, 0, 9_000]);
}

#[test]
fn a_call_that_an_answer_may_have_counted_is_asked_for_again_soon() {
    let mut limiter = limiter();
    let slow = limiter.acquire(Ticket::Nobody, 0, at(0)).unwrap();
    let quick = limiter.acquire(Ticket::Nobody, 0, at(1)).unwrap();
    limiter.observe(Some(quick), told(Some(10), 1, 9_000), at(5));
    assert_eq!(ask(&mut limiter, 5), 100, "the last one may be the slow one's");
    limiter.observe(Some(slow), told(Some(10), 2, 9_000), at(90));
    assert_eq!(ask(&mut limiter, 105), 0, "it was not");
}

#[test]
fn an_answer_that_was_overtaken_does_not_give_back_what_later_ones_took() {
    let mut limiter = limiter();
    let early = limiter.acquire(Ticket::Nobody, 0, at(0)).unwrap();
    let later: Vec<_> =
        (0..3).map(|_| limiter.acquire(Ticket::Nobody, 0, at(1)).unwrap()).collect();
    for (pass, remaining) in later.into_iter().zip([8, 7, 6]) {
        limiter.observe(Some(pass), told(Some(10), remaining, 5_000), at(10));
    }
    limiter.observe(Some(early), told(Some(10), 9, 5_000), at(50));
    assert_eq!(limiter.view(at(50)).available, Some(6));
}

#[test]
fn a_call_without_an_answer_may_have_been_counted() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(10), 3, 5_000), at(0));
    let pass = limiter.acquire(Ticket::Nobody, 0, at(0)).unwrap();
    limiter.release(pass, at(1));
    assert_eq!(limiter.view(at(1)).available, Some(2));
    let pass = limiter.acquire(Ticket::Nobody, 0, at(1)).unwrap();
    limiter.give_back(pass, at(1));
    assert_eq!(limiter.view(at(1)).available, Some(2), "that one was never sent");
}

#[test]
fn a_bucket_that_leaks_back_is_believed() {
    let mut limiter = limiter();
    let told = |remaining| News { quota: Some(Quota::new(Some(40), remaining, None)), ..ANSWER };
    limiter.observe(None, told(0), at(0));
    assert_eq!((ask(&mut limiter, 0), ask(&mut limiter, 999)), (1_000, 100));
    // Nobody said when: after a second one tries.
    let pass = limiter.acquire(Ticket::Nobody, 0, at(1_000)).unwrap();
    limiter.observe(Some(pass), told(3), at(1_100));
    assert_eq!(limiter.view(at(1_100)).available, Some(3));
}

#[test]
fn a_reserve_is_left_to_higher_priorities_and_never_everything() {
    let options = LimiterOptions { reserve: 3, ..LimiterOptions::default() };
    let mut limiter = Limiter::new(options);
    limiter.observe(None, told(Some(10), 4, 5_000), at(0));
    let mut waits = [0, 0, 1, 1].map(|priority| {
        limiter.acquire(Ticket::Nobody, priority, at(0)).map_or_else(|w| w.retry_in.get(), |_| 0)
    });
    assert_eq!(waits, [0, 5_000, 0, 0]);
    let options = LimiterOptions { reserve: 1_000, ..LimiterOptions::default() };
    limiter = Limiter::new(options);
    limiter.observe(None, told(Some(2), 2, 5_000), at(0));
    waits[0] = ask(&mut limiter, 0);
    assert_eq!((waits[0], ask(&mut limiter, 0)), (0, 5_000));
}

#[test]
fn who_waits_longer_or_is_more_urgent_goes_first() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(2), 0, 10_000), at(0));
    let mut acquire = |ticket, priority, now| {
        let asked = limiter.acquire(Ticket::Host(ticket), priority, at(now));
        asked.map_or_else(|wait| wait.retry_in.get(), |_| 0)
    };
    assert_eq!(acquire(1, 0, 0), 10_000);
    assert_eq!(acquire(2, 0, 1), 9_999);
    assert_eq!(acquire(3, 5, 2), 9_998);
    // All come back at the reset, the last one first: two may go.
    assert_eq!(acquire(4, 0, 10_000), 100, "it came last");
    assert_eq!(acquire(2, 0, 10_000), 100, "both places belong to others");
    assert_eq!(acquire(1, 0, 10_000), 0);
    assert_eq!(acquire(3, 5, 10_000), 0);
    assert_eq!(acquire(2, 0, 10_100), 9_900);
}

#[test]
fn who_does_not_come_is_forgotten_after_a_second() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(1), 0, 1_000), at(0));
    let _ = limiter.acquire(Ticket::Host(1), 9, at(0));
    assert_eq!(ask(&mut limiter, 1_000), 100);
    assert_eq!(ask(&mut limiter, 2_001), 0);
    assert_eq!(limiter.view(at(2_001)).waiting, 0);
}

#[test]
fn who_gives_up_leaves_the_place_to_others() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(1), 0, 1_000), at(0));
    let _ = limiter.acquire(Ticket::Call(1), 9, at(0));
    limiter.forget(Ticket::Call(1));
    assert_eq!(ask(&mut limiter, 1_000), 0);
}

#[test]
fn a_wait_beyond_the_longest_is_refused_at_once() {
    let options =
        LimiterOptions { max_wait: Some(Millis::new(5_000)), ..LimiterOptions::default() };
    let mut limiter = Limiter::new(options);
    limiter.observe(None, told(Some(1), 0, 4_000), at(0));
    let mut ask = |now| limiter.acquire(Ticket::Host(1), 0, at(now)).map_err(|w| w.too_long);
    assert_eq!(ask(0).err(), Some(false));
    limiter.observe(None, told(Some(1), 0, 3_000), at(2_500));
    let again = limiter.acquire(Ticket::Host(1), 0, at(4_000));
    assert_eq!(again.err().map(|wait| wait.too_long), Some(true), "5.5 s after 0 is too late");
}

#[test]
fn a_full_queue_gives_no_place() {
    let options = LimiterOptions { queue: 2, ..LimiterOptions::default() };
    let mut limiter = Limiter::new(options);
    limiter.observe(None, told(Some(1), 0, 1_000), at(0));
    for ticket in 0..10 {
        let wait = limiter.acquire(Ticket::Host(ticket), 0, at(0)).unwrap_err();
        assert_eq!((wait.retry_in.get(), wait.too_long), (1_000, false));
    }
    assert_eq!(limiter.view(at(0)).waiting, 2);
}

#[test]
fn a_clock_that_steps_back_or_ends_is_harmless() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(1), 0, 1_000), at(100_000));
    assert_eq!(ask(&mut limiter, 0), 1_000);
    assert!(limiter.acquire(Ticket::Nobody, i32::MAX, Instant::MAX).is_ok());
    limiter.observe(None, told(Some(u64::MAX), u64::MAX, u64::MAX), Instant::MAX);
    let _ = limiter.acquire(Ticket::Nobody, i32::MIN, Instant::MAX);
    limiter.observe(None, refused(Some(u64::MAX)), Instant::MAX);
    let _ = limiter.view(Instant::MAX);
}

#[test]
fn an_overtaken_answer_does_not_move_the_reset_and_a_new_bucket_does() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(10), 2, 1_000), at(0));
    limiter.observe(None, told(Some(10), 9, 1_050), at(10));
    assert_eq!(limiter.view(at(10)).reset_in, Some(Millis::new(990)));
    limiter.observe(None, told(Some(10), 9, 10_000), at(900));
    assert_eq!(limiter.view(at(900)).reset_in, Some(Millis::new(10_000)));
}

#[test]
fn another_bucket_lasts_as_long_as_it_says() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(1_000), 3, 3_600_000), at(0));
    limiter.observe(None, told(Some(1), 0, 1_000), at(0));
    assert_eq!(ask(&mut limiter, 1_000), 0);
    assert_eq!(ask(&mut limiter, 1_000), 1_000, "a second, not an hour");
}

#[test]
fn who_waits_is_known_by_its_own_ticket_only() {
    let mut limiter = limiter();
    limiter.observe(None, told(Some(1), 0, 1_000), at(0));
    let _ = limiter.acquire(Ticket::Host(1), 0, at(5));
    let _ = limiter.acquire(Ticket::Nobody, 0, at(6));
    assert_eq!(limiter.asked_since(Ticket::Host(1)), Some(at(5)));
    assert_eq!(limiter.asked_since(Ticket::Host(2)), None);
    assert_eq!(limiter.asked_since(Ticket::Nobody), None, "anybody may be nobody");
}

#[test]
fn what_was_saved_lasts_as_long_and_names_its_calls_as_before() {
    let mut old = limiter();
    old.observe(None, told(Some(1), 0, 10_000), at(0));
    let saved = old.save(at(4_000));
    let mut new = limiter();
    let ticket = new.new_ticket();
    new.load(&saved, Millis::ZERO, at(100));
    assert_ne!(new.new_ticket(), ticket, "calls of this process go on");
    assert_eq!((ask(&mut new, 6_099), ask(&mut new, 6_100)), (1, 0));
    assert_eq!(ask(&mut new, 6_100), 10_000, "the next one lasts as long as the last");
}

#[test]
fn an_answer_to_a_call_of_the_last_allowance_says_nothing_of_this_one() {
    let mut limiter = limiter();
    let late = limiter.acquire(Ticket::Nobody, 0, at(0)).unwrap();
    limiter.observe(None, told(Some(5), 0, 1_000), at(10));
    assert_eq!(limiter.view(at(1_010)).available, Some(4), "but for the one on its way");
    // Its bucket ends when the last one did, or before: 5 are left of a bucket that is over.
    limiter.observe(Some(late), told(Some(5), 0, 900), at(1_020));
    assert_eq!(limiter.view(at(1_020)).available, Some(4));
}

#[test]
fn a_refusal_of_a_shorter_limit_leaves_a_longer_one_as_it_is() {
    for (wait, kept) in [(1_000, true), (4_999, true), (5_000, false), (6_000, false)] {
        let mut limiter = limiter();
        limiter.observe(None, told(Some(10), 7, 5_000), at(0));
        limiter.observe(None, refused(Some(wait)), at(0));
        let after = limiter.view(at(wait));
        let expected = if kept { 7 } else { 10 };
        assert_eq!(after.available, Some(expected), "{wait}");
        assert_eq!(after.reset_in.is_some(), kept, "{wait}");
    }
}
