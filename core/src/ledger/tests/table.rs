//! State × event.

use super::*;

/// What an event comes to, and where the record stands then.
fn cell(terms: &Ledger, record: &Record, event: Event<'_>, now: i64) -> (Reply, &'static str) {
    let answer = terms.apply(Some(record), &event, at(now));
    let same = answer.record.as_ref() == Some(record);
    assert_eq!(answer.changed, !same, "{event:?}");
    if let Some(next) = answer.record.as_ref().filter(|_| answer.changed) {
        assert_eq!(next.revision, record.revision + 1, "{event:?}");
        assert_eq!(next.updated, at(now), "{event:?}");
    }
    (answer.reply, answer.record.map_or("absent", |record| record.state.name()))
}

#[test]
fn a_claim_with_another_fingerprint_is_a_conflict_in_every_state() {
    for record in every_state(&honoured()) {
        let other = Event::Claim { call: call("g"), owner: "w1", lease: None };
        let state = record.state.name();
        assert_eq!(cell(&honoured(), &record, other, 20_000), (Reply::Conflict, state));
    }
}

#[test]
fn a_first_claim_starts_attempt_1() {
    let answer = plain().apply(None, &claim("w1"), at(5));
    assert_eq!((answer.reply, answer.attempt), (Reply::Start, Some(1)));
    let record = answer.record.unwrap();
    assert_eq!(record.state, State::InProgress { owner: "w1".into(), lease_until: at(1_005) });
    assert_eq!((record.revision, record.created, record.first_sent), (1, at(5), Some(at(5))));
}

#[test]
fn a_live_lease_keeps_others_out_to_the_millisecond() {
    let record = in_progress(&plain());
    for (now, left) in [(0, 1_000), (10, 990), (999, 1), (-50, 1_050)] {
        let answer = plain().apply(Some(&record), &claim("w2"), at(now));
        assert_eq!((answer.reply, answer.retry_in), (Reply::InProgress, Some(Millis::new(left))));
        assert!(!answer.changed);
    }
}

#[test]
fn an_owner_gets_its_own_live_lease_renewed_with_the_same_attempt() {
    let record = in_progress(&plain());
    let answer = plain().apply(Some(&record), &claim("w1"), at(999));
    assert_eq!((answer.reply, answer.attempt), (Reply::Start, Some(1)));
    let renewed = answer.record.unwrap();
    assert_eq!(renewed.due(), Some(at(1_999)));
    assert_eq!(renewed.first_sent, Some(at(0)), "the key's window does not move");
    assert!(answer.entries.is_empty(), "nothing happened that a person has to read");
}

#[test]
fn a_lease_that_is_over_is_taken_over_under_an_honoured_key() {
    for owner in ["w1", "w2"] {
        let record = in_progress(&honoured());
        let answer = honoured().apply(Some(&record), &claim(owner), at(1_000));
        assert_eq!((answer.reply, answer.attempt), (Reply::Start, Some(2)), "{owner}");
        let next = answer.record.unwrap();
        assert!(next.maybe_processed, "by the attempt that vanished");
        assert!(answer.entries[0].taken_over);
        assert_eq!(cell(&honoured(), &next, complete(1), 1_001), (Reply::Fenced, "in-progress"));
        assert_eq!(cell(&honoured(), &next, complete(2), 1_001), (Reply::Ok, "completed"));
    }
}

#[test]
fn a_lease_that_is_over_is_a_persons_decision_without_an_honoured_key() {
    let record = in_progress(&plain());
    assert_eq!(cell(&plain(), &record, claim("w2"), 1_000), (Reply::Unknown, "review"));
    let next = plain().apply(Some(&record), &claim("w2"), at(1_000)).record.unwrap();
    assert_eq!((next.cause(), next.maybe_processed), (Some(Cause::Ambiguous), true));
    let call = NewCall { key: None, ..call("f") };
    let keyless = Event::Claim { call, owner: "w1", lease: None };
    let record = after(&honoured(), &[(0, keyless)]).unwrap();
    assert_eq!(
        cell(&honoured(), &record, claim("w2"), 1_000),
        (Reply::Unknown, "review"),
        "no server honours a key that was not sent"
    );
}

#[test]
fn a_lease_that_ends_after_the_window_is_a_persons_decision_too() {
    let late = Event::Claim { call: call("f"), owner: "w1", lease: Some(Millis::new(WINDOW)) };
    let record = after(&honoured(), &[(0, late)]).unwrap();
    assert_eq!(cell(&honoured(), &record, claim("w2"), 9_999), (Reply::InProgress, "in-progress"));
    assert_eq!(cell(&honoured(), &record, claim("w2"), 10_000), (Reply::Unknown, "review"));
}

#[test]
fn a_lease_of_0_is_over_at_once() {
    let zero = Event::Claim { call: call("f"), owner: "w1", lease: Some(Millis::ZERO) };
    let record = after(&honoured(), &[(0, zero)]).unwrap();
    let answer = honoured().apply(Some(&record), &claim("w2"), at(0));
    assert_eq!((answer.reply, answer.attempt), (Reply::Start, Some(2)));
    let terms = Ledger { lease: Millis::ZERO, ..plain() };
    let record = after(&terms, &[(0, claim("w1"))]).unwrap();
    assert_eq!(cell(&terms, &record, claim("w1"), 0), (Reply::Unknown, "review"));
}

#[test]
fn an_attempt_that_lasts_renews_its_lease_and_no_other_worker_takes_over() {
    for terms in [plain(), honoured()] {
        let started = terms.apply(None, &claim("w1"), at(0));
        assert_eq!(started.renew_in, Some(Millis::new(LEASE / 3)));
        let renew = |attempt, lease| Event::Renew { attempt, lease };
        let renewed = terms.apply(started.record.as_ref(), &renew(1, None), at(900));
        assert_eq!((renewed.reply, renewed.changed), (Reply::Ok, true));
        assert_eq!(renewed.renew_in, Some(Millis::new(LEASE / 3)));
        assert!(renewed.entries.is_empty(), "it is no transition");
        let record = renewed.record.unwrap();
        assert_eq!((record.due(), record.revision), (Some(at(1_900)), 2));
        let rival = terms.apply(Some(&record), &claim("w2"), at(1_899));
        assert_eq!(rival.reply, Reply::InProgress);
        let other = terms.apply(Some(&record), &renew(1, Some(Millis::new(9_000))), at(1_000));
        assert_eq!(other.record.unwrap().due(), Some(at(10_000)));
        // Late, but nobody came meanwhile.
        assert_eq!(cell(&terms, &record, renew(1, None), 5_000), (Reply::Ok, "in-progress"));
        assert_eq!(cell(&terms, &record, renew(2, None), 1_000), (Reply::Fenced, "in-progress"));
        let never = terms.apply(
            None,
            &Event::Claim { call: call("f"), owner: "w1", lease: Some(Millis::ZERO) },
            at(0),
        );
        assert_eq!(never.renew_in, None, "a lease of no time");
    }
}

#[test]
fn a_worker_that_lost_its_call_cannot_renew_and_learns_whether_its_answer_counts() {
    let terms = honoured();
    let renew = Event::Renew { attempt: 1, lease: None };
    let taken = after(&terms, &[(0, claim("w1")), (1_000, claim("w2"))]).unwrap();
    assert_eq!(cell(&terms, &taken, renew, 1_100), (Reply::Fenced, "in-progress"));
    let awaited = review(&terms, Cause::Ambiguous);
    assert_eq!(cell(&terms, &awaited, renew, 1_100), (Reply::Refused, "review"));
    let other = Event::Renew { attempt: 2, lease: None };
    assert_eq!(cell(&terms, &awaited, other, 1_100), (Reply::Fenced, "review"));
    for record in &every_state(&terms)[1..] {
        let before = record.state.name();
        assert_eq!(cell(&terms, record, renew, 1_100), (Reply::Fenced, before));
    }
}

#[test]
fn a_waiting_call_waits_to_the_millisecond_and_then_starts_the_next_attempt() {
    let record = waiting(&plain());
    let early = plain().apply(Some(&record), &claim("w2"), at(499));
    assert_eq!((early.reply, early.retry_in), (Reply::InProgress, Some(Millis::new(1))));
    let answer = plain().apply(Some(&record), &claim("w2"), at(500));
    assert_eq!((answer.reply, answer.attempt), (Reply::Start, Some(2)));
    assert_eq!(
        answer.record.unwrap().first_sent,
        Some(at(0)),
        "the key is as old as its first use"
    );
}

#[test]
fn a_waiting_call_whose_key_is_forgotten_goes_to_review() {
    for terms in [plain(), honoured()] {
        let record = waiting(&terms);
        assert_eq!(cell(&terms, &record, claim("w2"), 9_999), (Reply::Start, "in-progress"));
        assert_eq!(cell(&terms, &record, claim("w2"), 10_000), (Reply::Expired, "review"));
        let next = terms.apply(Some(&record), &claim("w2"), at(10_000)).record.unwrap();
        assert_eq!(next.cause(), Some(Cause::KeyExpired));
    }
}

#[test]
fn a_waiting_call_without_a_key_has_no_window() {
    let call = NewCall { key: None, ..call("f") };
    let claim = |owner| Event::Claim { call, owner, lease: None };
    let record = after(&plain(), &[(0, claim("w1")), (10, fail(1, Some(500)))]).unwrap();
    assert_eq!(cell(&plain(), &record, claim("w2"), 1_000_000), (Reply::Start, "in-progress"));
}

#[test]
fn a_call_that_waits_on_a_lost_answer_is_not_sent_once_the_key_stops_being_honoured() {
    let record = after(&honoured(), &[(0, claim("w1")), (10, ambiguous(1, Some(500)))]).unwrap();
    assert_eq!(cell(&honoured(), &record, claim("w2"), 500), (Reply::Start, "in-progress"));
    assert_eq!(cell(&plain(), &record, claim("w2"), 500), (Reply::Unknown, "review"));
}

#[test]
fn a_completed_call_is_replayed_whatever_its_age() {
    let record = completed(&plain());
    for now in [20, 10_000, 1 << 40] {
        let answer = plain().apply(Some(&record), &claim("w2"), at(now));
        assert_eq!(answer.reply, Reply::Replay);
        assert_eq!(answer.record.unwrap().status, Some(201));
    }
}

#[test]
fn a_call_in_review_or_abandoned_is_not_sent() {
    let terms = honoured();
    let record = review(&terms, Cause::Exhausted);
    assert_eq!(cell(&terms, &record, claim("w1"), 20), (Reply::Review, "review"));
    assert_eq!(cell(&terms, &abandoned(&terms), claim("w1"), 30), (Reply::Abandoned, "abandoned"));
}

#[test]
fn what_no_record_has_seen_is_refused() {
    for event in [
        complete(1),
        fail(1, None),
        ambiguous(1, None),
        Event::Release { attempt: 1 },
        Event::Renew { attempt: 1, lease: None },
        Event::Lookup { found: Found::Processed, ending: Ending::of(1) },
        Event::Resolve(crate::review::Decision::new(crate::review::Action::Confirm, "a", "b")),
        Event::Purge,
    ] {
        let answer = plain().apply(None, &event, at(0));
        assert_eq!((answer.reply, answer.problem), (Reply::Refused, Some(Problem::Absent)));
        assert_eq!((answer.record, answer.changed), (None, false));
    }
}

#[test]
fn complete_counts_for_the_attempt_in_progress_and_for_a_late_answer_that_was_awaited() {
    let terms = honoured();
    let sending = in_progress(&terms);
    assert_eq!(cell(&terms, &sending, complete(1), 10), (Reply::Ok, "completed"));
    assert_eq!(cell(&terms, &sending, complete(2), 10), (Reply::Fenced, "in-progress"));
    assert_eq!(cell(&terms, &sending, complete(0), 10), (Reply::Fenced, "in-progress"));
    assert_eq!(cell(&terms, &waiting(&terms), complete(1), 10), (Reply::Fenced, "waiting"));
    assert_eq!(cell(&terms, &completed(&terms), complete(1), 20), (Reply::Ok, "completed"));
    assert_eq!(cell(&terms, &completed(&terms), complete(2), 20), (Reply::Fenced, "completed"));
    assert_eq!(cell(&terms, &abandoned(&terms), complete(1), 30), (Reply::Fenced, "abandoned"));
    for &cause in Cause::ALL {
        let record = review(&terms, cause);
        let late = cell(&terms, &record, complete(1), 30);
        if cause == Cause::Ambiguous {
            assert_eq!(late, (Reply::Ok, "completed"));
            assert_eq!(cell(&terms, &record, complete(2), 30), (Reply::Fenced, "review"));
        } else {
            assert_eq!(late, (Reply::Fenced, "review"), "{cause}");
        }
    }
}

#[test]
fn the_first_answer_of_a_completed_call_stands() {
    let record = completed(&plain());
    let again = Event::Complete { attempt: 1, status: Some(409) };
    assert_eq!(plain().apply(Some(&record), &again, at(20)).record.unwrap().status, Some(201));
}

#[test]
fn fail_waits_with_a_due_time_and_goes_to_review_without() {
    let terms = plain();
    let sending = in_progress(&terms);
    assert_eq!(cell(&terms, &sending, fail(1, Some(500)), 10), (Reply::Ok, "waiting"));
    assert_eq!(cell(&terms, &sending, fail(1, None), 10), (Reply::Ok, "review"));
    assert_eq!(cell(&terms, &sending, fail(2, Some(500)), 10), (Reply::Fenced, "in-progress"));
    assert_eq!(cell(&terms, &sending, fail(2, None), 10), (Reply::Fenced, "in-progress"));
    for record in
        [waiting(&terms), completed(&terms), review(&terms, Cause::Ambiguous), abandoned(&terms)]
    {
        for due in [None, Some(500)] {
            let state = record.state.name();
            assert_eq!(cell(&terms, &record, fail(1, due), 30), (Reply::Fenced, state));
        }
    }
}

#[test]
fn a_failure_names_its_cause_or_the_status_does() {
    for (status, cause, expected) in [
        (Some(503), None, Cause::Exhausted),
        (Some(422), None, Cause::Permanent),
        (None, None, Cause::Exhausted),
        (Some(503), Some(Cause::Deadline), Cause::Deadline),
    ] {
        let event = Event::Fail(Ending { status, cause, ..Ending::of(1) });
        let record = plain().apply(Some(&in_progress(&plain())), &event, at(10)).record.unwrap();
        assert_eq!((record.cause(), record.status), (Some(expected), status));
    }
}

#[test]
fn ambiguous_waits_only_under_an_honoured_key_with_a_due_time() {
    for (terms, due, state) in [
        (honoured(), Some(500), "waiting"),
        (honoured(), None, "review"),
        (plain(), Some(500), "review"),
        (plain(), None, "review"),
    ] {
        let sending = in_progress(&terms);
        assert_eq!(cell(&terms, &sending, ambiguous(1, due), 10), (Reply::Ok, state));
        assert_eq!(cell(&terms, &sending, ambiguous(2, due), 10), (Reply::Fenced, "in-progress"));
        let next = terms.apply(Some(&sending), &ambiguous(1, due), at(10)).record.unwrap();
        assert!(next.maybe_processed);
        if state == "review" {
            assert_eq!(next.cause(), Some(Cause::Ambiguous));
        }
        for record in [
            waiting(&terms),
            completed(&terms),
            review(&terms, Cause::Ambiguous),
            abandoned(&terms),
        ] {
            let state = record.state.name();
            assert_eq!(cell(&terms, &record, ambiguous(1, due), 30), (Reply::Fenced, state));
        }
    }
}

#[test]
fn release_undoes_a_claim_after_which_nothing_was_sent() {
    let terms = honoured();
    let release = |attempt| Event::Release { attempt };
    let sending = in_progress(&terms);
    assert_eq!(cell(&terms, &sending, release(1), 10), (Reply::Ok, "absent"));
    assert_eq!(cell(&terms, &sending, release(2), 10), (Reply::Fenced, "in-progress"));
    let second = terms.apply(Some(&waiting(&terms)), &claim("w1"), at(500)).record.unwrap();
    assert_eq!(cell(&terms, &second, release(2), 600), (Reply::Ok, "waiting"));
    assert_eq!(cell(&terms, &second, release(1), 600), (Reply::Fenced, "in-progress"));
    let released = terms.apply(Some(&second), &release(2), at(600)).record.unwrap();
    assert_eq!(released.state, State::Waiting { due: at(600) });
    for record in
        [waiting(&terms), completed(&terms), review(&terms, Cause::Ambiguous), abandoned(&terms)]
    {
        let state = record.state.name();
        assert_eq!(cell(&terms, &record, release(1), 30), (Reply::Refused, state));
    }
}

#[test]
fn an_owner_that_lost_its_lease_changes_nothing_any_more() {
    let terms = honoured();
    let stolen = after(&terms, &[(0, claim("w1")), (1_000, claim("w2"))]).unwrap();
    for event in [
        complete(1),
        fail(1, None),
        fail(1, Some(2_000)),
        ambiguous(1, Some(2_000)),
        Event::Release { attempt: 1 },
        Event::Lookup { found: Found::NotProcessed, ending: Ending::of(1) },
    ] {
        assert_eq!(cell(&terms, &stolen, event, 1_001), (Reply::Fenced, "in-progress"));
    }
}
