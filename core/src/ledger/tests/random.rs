//! Long random histories: what must hold whatever happens.

use alloc::vec::Vec;

use super::*;
use crate::{
    Rng,
    review::{Action, Decision},
    trail::{Severity, TrailState},
};

fn event(rng: &mut Rng, attempts: u32, now: i64) -> Event<'static> {
    let attempt = rng.draw().between(0, u64::from(attempts) + 1) as u32;
    let due = match rng.draw().between(0, 2) {
        0 => None,
        n => Some(at(now + n as i64 * 300 - 200)),
    };
    let ending = Ending { due, ..Ending::of(attempt) };
    let owner = ["w1", "w2", "w3"][rng.draw().between(0, 2) as usize];
    match rng.draw().between(0, 14) {
        0..=5 => Event::Claim { call: call("f"), owner, lease: None },
        6 => Event::Claim { call: call("g"), owner, lease: Some(Millis::ZERO) },
        7 => complete(attempt),
        8 => Event::Fail(ending),
        9 => Event::Ambiguous(ending),
        10 => Event::Release { attempt },
        11 => Event::Resolve(Decision::new(Action::Abandon, "ann", "why")),
        12 => Event::Lookup { found: Found::ALL[rng.draw().between(0, 2) as usize], ending },
        13 => Event::Renew { attempt, lease: None },
        _ => Event::Submit { call: call("f"), due },
    }
}

#[test]
fn no_history_sends_twice_where_once_may_have_been_enough() {
    for seed in 0..2_000 {
        let mut rng = Rng::new(seed);
        let terms = if seed % 2 == 0 { honoured() } else { plain() };
        let (mut record, mut now) = (None::<Record>, 0);
        // Attempts that were started and about which nothing certain was heard.
        let mut open: Vec<u32> = Vec::new();
        for _ in 0..60 {
            now += rng.draw().between(0, 700) as i64;
            let attempts = record.as_ref().map_or(0, |record| record.attempt);
            let event = event(&mut rng, attempts, now);
            let before = record.clone();
            let answer = terms.apply(record.as_ref(), &event, at(now));
            let was_done = before.as_ref().is_some_and(|r| r.state == State::Completed);
            assert!(!was_done || answer.reply != Reply::Start, "seed {seed}: a done call is sent");
            assert_eq!(answer.changed, answer.record != before, "seed {seed} {event:?}");
            if answer.reply == Reply::Start {
                let attempt = answer.attempt.unwrap();
                let renewed = answer.entries.is_empty();
                if !renewed {
                    assert!(terms.honoured || open.is_empty(), "seed {seed}: sent over {open:?}");
                    open.push(attempt);
                }
            }
            // What says that an attempt did nothing settles it.
            let said_nothing = match event {
                Event::Fail(Ending { attempt, .. }) | Event::Release { attempt } => Some(attempt),
                Event::Lookup { found: Found::NotProcessed, ending } => Some(ending.attempt),
                _ => None,
            };
            if let (Some(attempt), Reply::Ok) = (said_nothing, answer.reply) {
                open.retain(|&other| other != attempt);
            }
            let failed = answer.entries.iter().any(|e| e.severity() == Severity::Error);
            let in_review =
                matches!(answer.record.as_ref().map(|r| &r.state), Some(State::Review { .. }));
            assert_eq!(failed, in_review && answer.changed, "seed {seed} {event:?}");
            if let (Some(before), Some(after)) = (&before, &answer.record) {
                assert!(after.attempt >= before.attempt, "seed {seed}: the fence never falls");
                assert_eq!(after.key, before.key, "seed {seed}: one call, one key");
            }
            let dropped = before.is_some() && answer.record.is_none();
            assert!(!dropped || matches!(event, Event::Release { attempt: 1 }), "seed {seed}");
            if dropped {
                open.clear();
            }
            let confirmed = answer.entries.iter().any(|e| e.state == TrailState::Confirmed);
            assert!(!confirmed || answer.record.as_ref().unwrap().state == State::Completed);
            record = answer.record;
        }
    }
}

#[test]
fn times_at_the_ends_of_the_clock_are_survived() {
    for now in [i64::MIN, -1, 0, i64::MAX] {
        for then in [i64::MIN, 0, i64::MAX] {
            let record = honoured().apply(None, &claim("w1"), at(now)).record.unwrap();
            let _ = honoured().apply(Some(&record), &claim("w2"), at(then));
            let _ = honoured().apply(Some(&record), &fail(1, Some(then)), at(now));
            let terms = Ledger { retention: Some(Millis::MAX), ..honoured() };
            let _ = terms.apply(Some(&completed(&terms)), &Event::Purge, at(then));
        }
    }
}
