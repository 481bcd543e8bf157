//! What people decide, and what else can happen to a record.

use super::*;
use crate::{
    review::{Action, Decision, Item},
    trail::TrailState,
};

fn resolve<'a>(action: Action, by: &'a str, why: &'a str) -> Event<'a> {
    Event::Resolve(Decision::new(action, by, why))
}

fn submit(due: Option<i64>) -> Event<'static> {
    Event::Submit { call: call("f"), due: due.map(at) }
}

#[test]
fn only_what_is_in_review_can_be_resolved() {
    let terms = honoured();
    for record in every_state(&terms) {
        for &action in Action::ALL {
            let event = Event::Resolve(Decision {
                new_id: Some("k2"),
                new_key: Some("k2"),
                ..Decision::new(action, "ann", "asked the vendor")
            });
            let answer = terms.apply(Some(&record), &event, at(30));
            let in_review = matches!(record.state, State::Review { .. });
            assert_eq!(answer.reply == Reply::Ok, in_review, "{action} {:?}", record.state);
            assert_eq!(answer.problem.is_some(), !in_review);
            assert_eq!(answer.created.is_some(), in_review && action == Action::RetryNewKey);
        }
    }
}

#[test]
fn a_decision_is_recorded_with_who_and_why() {
    for (action, state, trail) in [
        (Action::Confirm, State::Completed, TrailState::Confirmed),
        (Action::Abandon, State::Abandoned, TrailState::Abandoned),
    ] {
        let record = review(&plain(), Cause::Ambiguous);
        let answer = plain().apply(Some(&record), &resolve(action, " ann ", "saw it\n"), at(30));
        assert_eq!((answer.entries[0].state, answer.entries.len()), (trail, 1));
        let entry = &answer.entries[0];
        assert_eq!((entry.by.as_deref(), entry.why.as_deref()), (Some("ann"), Some("saw it")));
        assert_eq!(entry.attempt, 1);
        let next = answer.record.unwrap();
        assert_eq!(next.state, state);
        let resolution = next.resolution.unwrap();
        assert_eq!((&*resolution.by, &*resolution.why, resolution.at), ("ann", "saw it", at(30)));
    }
}

#[test]
fn nobody_decides_without_a_name_and_a_reason() {
    let record = review(&plain(), Cause::Exhausted);
    let long = |n: usize| "x".repeat(n);
    for (by, why, problem) in [
        ("", "why", Some(Problem::By)),
        (" \t", "why", Some(Problem::By)),
        (&long(129), "why", Some(Problem::By)),
        ("ann", "", Some(Problem::Why)),
        ("ann", "\n", Some(Problem::Why)),
        ("ann", &long(1_025), Some(Problem::Why)),
        (&long(128), &long(1_024), None),
    ] {
        let answer = plain().apply(Some(&record), &resolve(Action::Confirm, by, why), at(30));
        assert_eq!(answer.problem, problem);
        assert_eq!(answer.reply == Reply::Refused, problem.is_some());
    }
}

#[test]
fn a_retry_with_a_new_key_links_both_records() {
    let terms = honoured();
    let old = review(&terms, Cause::KeyExpired);
    let decision = Decision::retry("ann", "the vendor has nothing", "k2", Some("key-2"));
    let answer = terms.apply(Some(&old), &Event::Resolve(decision), at(30));
    let (new, pending) = *answer.created.unwrap();
    let old = answer.record.unwrap();
    assert_eq!((&old.state, old.replaced_by.as_deref()), (&State::Abandoned, Some("k2")));
    assert_eq!((new.replaces.as_deref(), &*new.id), (Some("k"), "k2"));
    assert_eq!(new.key.as_ref().map(crate::Key::as_str), Some("key-2"));
    assert_eq!((&new.fingerprint, new.attempt, new.first_sent), (&old.fingerprint, 0, None));
    assert_eq!(answer.entries[0].state, TrailState::Replaced);
    assert_eq!(answer.entries[0].other.as_deref(), Some("k2"));
    assert_eq!((pending.state, pending.other.as_deref()), (TrailState::Pending, Some("k")));
    assert_eq!((pending.attempt, answer.entries[0].attempt), (0, 1));
    assert_eq!(pending.why.as_deref(), Some("the vendor has nothing"));
    assert!(new.queued, "a release does not drop it");
    // The window begins when the new key is first sent, not when it was decided.
    let later = at(30 + 20_000);
    let started = terms.apply(Some(&new), &claim("w1"), later);
    assert_eq!((started.reply, started.attempt), (Reply::Start, Some(1)));
    assert_eq!(started.record.unwrap().first_sent, Some(later));
}

#[test]
fn a_new_key_is_new_and_one_that_the_vendor_takes() {
    let terms = Ledger { keys: crate::KeyRule::of(crate::profile::find("square")), ..honoured() };
    let old = review(&terms, Cause::Exhausted);
    let long = "x".repeat(46);
    for (id, key, problem) in [
        (None, Some("k2"), Problem::Id),
        (Some("k"), Some("k2"), Problem::Id),
        (Some(""), Some("k2"), Problem::Id),
        (Some("k2"), None, Problem::Key),
        (Some("k2"), Some("k"), Problem::Key),
        (Some("k2"), Some("a b"), Problem::Key),
        (Some("k2"), Some(&*long), Problem::Key),
    ] {
        let decision = Decision {
            new_id: id,
            new_key: key,
            ..Decision::new(Action::RetryNewKey, "ann", "why")
        };
        let answer = terms.apply(Some(&old), &Event::Resolve(decision), at(30));
        assert_eq!(answer.problem, Some(problem), "{id:?} {key:?}");
        assert_eq!(answer.record.as_ref(), Some(&old));
    }
}

#[test]
fn a_submitted_call_waits_until_it_is_due_and_is_never_dropped_by_a_release() {
    let terms = plain();
    let record = after(&terms, &[(0, submit(Some(50_000)))]).unwrap();
    assert_eq!((record.attempt, record.due()), (0, Some(at(50_000))));
    let early = terms.apply(Some(&record), &claim("w1"), at(49_999));
    assert_eq!((early.reply, early.retry_in), (Reply::InProgress, Some(Millis::new(1))));
    // Its key was not sent yet, so no window is over.
    let started = terms.apply(Some(&record), &claim("w1"), at(50_000));
    assert_eq!((started.reply, started.attempt), (Reply::Start, Some(1)));
    let sending = started.record.unwrap();
    let released = terms.apply(Some(&sending), &Event::Release { attempt: 1 }, at(50_001));
    let released = released.record.expect("still there");
    assert_eq!((&released.state, released.first_sent), (&State::Waiting { due: at(50_001) }, None));
    let again = terms.apply(Some(&released), &submit(None), at(60_000));
    assert_eq!(again.problem, Some(Problem::Exists));
    let other = Event::Submit { call: call("g"), due: None };
    assert_eq!(terms.apply(Some(&released), &other, at(60_000)).reply, Reply::Conflict);
}

#[test]
fn the_trail_of_a_submitted_call_names_its_wait_if_there_is_one() {
    for (due, delay) in [
        (Some(150), Some(50)),
        (Some(101), Some(1)),
        (Some(100), None),
        (Some(50), None),
        (None, None),
    ] {
        let answer = plain().apply(None, &submit(due), at(100));
        assert_eq!(answer.entries[0].delay, delay.map(Millis::new), "{due:?}");
        assert_eq!(answer.entries[0].state, TrailState::Pending);
    }
}

#[test]
fn a_status_call_that_cannot_say_leaves_it_to_a_person_whatever_the_policy_would_do() {
    let ending = Ending { due: Some(at(3_000)), ..Ending::of(1) };
    let event = Event::Lookup { found: Found::Unknown, ending };
    let answer = honoured().apply(Some(&in_progress(&honoured())), &event, at(2_000));
    assert_eq!(answer.record.unwrap().cause(), Some(Cause::Ambiguous));
}

#[test]
fn a_status_call_settles_what_was_lost() {
    let terms = plain();
    let lookup = |found, attempt| Event::Lookup { found, ending: Ending::of(attempt) };
    let sending = in_progress(&terms);
    let is = |record: &Record, event| {
        let answer = terms.apply(Some(record), &event, at(2_000));
        (answer.reply, answer.record.unwrap().state.name())
    };
    assert_eq!(is(&sending, lookup(Found::Processed, 1)), (Reply::Ok, "completed"));
    assert_eq!(is(&sending, lookup(Found::NotProcessed, 1)), (Reply::Ok, "waiting"));
    assert_eq!(is(&sending, lookup(Found::Unknown, 1)), (Reply::Ok, "review"));
    let lost = review(&terms, Cause::Ambiguous);
    assert_eq!(is(&lost, lookup(Found::Processed, 1)), (Reply::Ok, "completed"));
    for &found in &[Found::NotProcessed, Found::Unknown] {
        assert_eq!(is(&lost, lookup(found, 1)), (Reply::Refused, "review"), "{found}");
    }
    assert_eq!(is(&waiting(&terms), lookup(Found::NotProcessed, 1)), (Reply::Fenced, "waiting"));
    // A wait that nothing hangs over can be sent without an honoured key.
    let waits = terms.apply(Some(&sending), &lookup(Found::NotProcessed, 1), at(2_000)).record;
    assert_eq!(terms.apply(waits.as_ref(), &claim("w2"), at(2_000)).reply, Reply::Start);
}

#[test]
fn a_call_that_was_not_processed_is_a_persons_when_the_policy_allows_no_other_attempt() {
    let terms = Ledger { max_retries: 1, ..plain() };
    let event = |attempt| {
        let ending = Ending { due: Some(at(2_000)), ..Ending::of(attempt) };
        Event::Lookup { found: Found::NotProcessed, ending }
    };
    let events = [(0, claim("w1")), (10, event(1)), (2_000, claim("w1"))];
    let second = after(&terms, &events).unwrap();
    let answer = terms.apply(Some(&second), &event(2), at(2_010));
    let record = answer.record.unwrap();
    assert_eq!(record.cause(), Some(Cause::Exhausted));
    assert!(!record.maybe_processed, "the vendor says so");
    assert_eq!(answer.entries[0].reason, Some(crate::Reason::RetriesExhausted));
    let none = Ledger { max_retries: 0, ..plain() };
    let first = none.apply(Some(&in_progress(&none)), &event(1), at(10)).record.unwrap();
    assert_eq!(first.cause(), Some(Cause::Exhausted));
}

#[test]
fn only_a_completed_record_past_its_retention_can_be_let_go() {
    let terms = Ledger { retention: Some(Millis::new(1_000)), ..plain() };
    let record = completed(&terms);
    let early = terms.apply(Some(&record), &Event::Purge, at(1_009));
    assert_eq!((early.problem, early.record.as_ref()), (Some(Problem::NotOver), Some(&record)));
    let over = terms.apply(Some(&record), &Event::Purge, at(1_010));
    assert_eq!((over.reply, over.changed, over.record), (Reply::Ok, true, None));
    assert_eq!(plain().apply(Some(&record), &Event::Purge, at(1 << 50)).reply, Reply::Refused);
    for record in every_state(&terms).iter().filter(|r| r.state != State::Completed) {
        assert_eq!(terms.apply(Some(record), &Event::Purge, at(1 << 50)).reply, Reply::Refused);
    }
}

#[test]
fn ids_and_texts_have_their_limits() {
    let long = |n: usize| "x".repeat(n);
    for (id, key, fingerprint, owner, problem) in [
        ("", None, "f", "w", Problem::Id),
        (&*long(256), None, "f", "w", Problem::Id),
        ("k", Some("a\nb"), "f", "w", Problem::Key),
        ("k", Some(""), "f", "w", Problem::Key),
        ("k", None, &*long(1_025), "w", Problem::Text),
        ("k", None, "f", &*long(1_025), Problem::Text),
    ] {
        let call = NewCall { id, key, fingerprint };
        let answer = plain().apply(None, &Event::Claim { call, owner, lease: None }, at(0));
        assert_eq!((answer.problem, answer.record), (Some(problem), None));
    }
    let longest = long(1_024);
    let claim = |owner| {
        let call = NewCall { id: "k", key: None, fingerprint: &longest };
        Event::Claim { call, owner, lease: None }
    };
    let held = plain().apply(None, &claim(&longest), at(0));
    assert_eq!(held.reply, Reply::Start);
    let again = plain().apply(held.record.as_ref(), &claim(&longest), at(0));
    assert_eq!(again.reply, Reply::Start, "its own lease");
    let other = plain().apply(held.record.as_ref(), &claim(&long(1_025)), at(0));
    assert_eq!(other.problem, Some(Problem::Text));
}

#[test]
fn a_person_is_told_when_a_retry_could_act_twice() {
    let record = review(&plain(), Cause::Ambiguous);
    let item = Item::of(&record).unwrap();
    assert_eq!(item.actions[0], Action::Confirm);
    assert!(item.advice(crate::explain::Lang::English).contains("ask the vendor"));
    for cause in [Cause::Exhausted, Cause::Permanent] {
        let record = review(&plain(), cause);
        let item = Item::of(&record).unwrap();
        assert_eq!((item.cause, item.actions.len()), (cause, 3));
        assert_ne!(item.actions[0], Action::Confirm);
    }
    for (cause, first) in [
        (Cause::Permanent, Action::Abandon),
        (Cause::Cancelled, Action::Abandon),
        (Cause::Exhausted, Action::RetryNewKey),
    ] {
        let record = review(&plain(), cause);
        assert_eq!(Item::of(&record).unwrap().actions[0], first, "{cause}");
    }
    assert!(Item::of(&completed(&plain())).is_none());
}
