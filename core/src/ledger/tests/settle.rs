//! From a verdict to the ledger, and what the trail says of it.

use super::*;
use crate::{
    classify::{Class, Delivery},
    trail::{Severity, TrailState},
    verdict::{Reason, VerdictKind},
};

fn settled(kind: VerdictKind, reason: Reason, delivery: Delivery) -> Settled {
    Settled {
        attempt: 1,
        status: Some(503),
        kind,
        reason,
        delay: Millis::new(400),
        class: Class::Transient,
        delivery,
        idempotent: false,
        sustained_throttling: false,
    }
}

fn settle(terms: &Ledger, settled: Settled) -> (State, Answer) {
    let answer = terms.apply(Some(&in_progress(terms)), &Event::Settle(settled), at(100));
    assert_eq!(answer.reply, Reply::Ok);
    (answer.record.clone().unwrap().state, answer)
}

#[test]
fn a_retry_waits_for_its_delay() {
    let waits = State::Waiting { due: at(500) };
    let retry = |delivery| settled(VerdictKind::Retry, Reason::Backoff, delivery);
    for terms in [plain(), honoured()] {
        assert_eq!(settle(&terms, retry(Delivery::NotProcessed)).0, waits);
    }
    assert_eq!(settle(&honoured(), retry(Delivery::MaybeProcessed)).0, waits);
    // The verdict would not be a retry: if it is one all the same, the ledger does not believe it.
    let (state, _) = settle(&plain(), retry(Delivery::MaybeProcessed));
    assert_eq!(state, State::Review { cause: Cause::Ambiguous });
    let idempotent = Settled { idempotent: true, ..retry(Delivery::MaybeProcessed) };
    let (state, answer) = settle(&plain(), idempotent);
    assert_eq!((state, answer.record.unwrap().maybe_processed), (waits, false));
}

#[test]
fn a_stop_goes_to_review_with_the_cause_that_says_most() {
    use Delivery::{MaybeProcessed, NotProcessed, Processed};
    for (reason, delivery, cause) in [
        (Reason::Permanent, Processed, Cause::Permanent),
        (Reason::ServerRefused, NotProcessed, Cause::Permanent),
        (Reason::UnsafeToRepeat, MaybeProcessed, Cause::Ambiguous),
        (Reason::UnsafeToRepeat, NotProcessed, Cause::Ambiguous),
        (Reason::RetriesExhausted, NotProcessed, Cause::Exhausted),
        (Reason::RetriesExhausted, MaybeProcessed, Cause::Ambiguous),
        (Reason::BudgetExhausted, MaybeProcessed, Cause::Ambiguous),
        (Reason::BreakerOpen, NotProcessed, Cause::Exhausted),
        (Reason::HintTooLong, NotProcessed, Cause::HintTooLong),
        (Reason::Deadline, MaybeProcessed, Cause::Deadline),
        (Reason::KeyExpired, MaybeProcessed, Cause::KeyExpired),
        (Reason::Cancelled, MaybeProcessed, Cause::Cancelled),
    ] {
        let (state, answer) = settle(&honoured(), settled(VerdictKind::Stop, reason, delivery));
        assert_eq!(state, State::Review { cause }, "{reason} {delivery}");
        let record = answer.record.unwrap();
        assert_eq!(record.maybe_processed, delivery == MaybeProcessed, "{reason}");
        assert_eq!(answer.entries[0].severity(), Severity::Error);
        assert_eq!(answer.entries[0].cause, Some(cause));
    }
}

#[test]
fn an_answer_that_cannot_be_read_may_tell_of_success() {
    let unread = settled(VerdictKind::Stop, Reason::Permanent, Delivery::Processed);
    for (status, cause, maybe) in [
        (None, Cause::Ambiguous, true),
        (Some(200), Cause::Ambiguous, true),
        (Some(399), Cause::Ambiguous, true),
        (Some(400), Cause::Permanent, false),
        (Some(422), Cause::Permanent, false),
    ] {
        let (state, answer) = settle(&honoured(), Settled { status, ..unread });
        assert_eq!(state, State::Review { cause }, "{status:?}");
        assert_eq!(answer.record.unwrap().maybe_processed, maybe, "{status:?}");
    }
}

#[test]
fn an_exhausted_call_that_is_harmless_to_repeat_is_not_ambiguous() {
    let stop = settled(VerdictKind::Stop, Reason::RetriesExhausted, Delivery::MaybeProcessed);
    let (state, answer) = settle(&plain(), Settled { idempotent: true, ..stop });
    assert_eq!(state, State::Review { cause: Cause::Exhausted });
    assert!(!answer.record.unwrap().maybe_processed);
}

#[test]
fn a_success_completes() {
    let mut accept = settled(VerdictKind::Accept, Reason::Ok, Delivery::Processed);
    accept.status = Some(201);
    let (state, answer) = settle(&plain(), accept);
    assert_eq!((state, answer.record.unwrap().status), (State::Completed, Some(201)));
    assert_eq!(answer.entries[0].state, TrailState::Confirmed);
    assert_eq!(answer.entries[0].status, Some(201));
}

#[test]
fn a_wait_that_the_vendor_asked_for_is_a_rate_limit_and_any_other_is_a_retry() {
    use Reason::{Backoff, Immediate, ServerHint};
    use TrailState::{RateLimited, Retrying};
    for (status, class, reason, expected) in [
        (Some(503), Class::Transient, Backoff, Retrying),
        (Some(503), Class::Throttled, Backoff, Retrying),
        (Some(500), Class::Throttled, Backoff, Retrying),
        (Some(499), Class::Throttled, Backoff, RateLimited),
        (Some(503), Class::Throttled, ServerHint, RateLimited),
        (Some(429), Class::Throttled, Backoff, RateLimited),
        (Some(403), Class::Throttled, Backoff, RateLimited),
        (Some(429), Class::Transient, Backoff, RateLimited),
        (None, Class::Transient, Immediate, Retrying),
        (None, Class::Throttled, Backoff, RateLimited),
    ] {
        let retry = settled(VerdictKind::Retry, reason, Delivery::NotProcessed);
        let (_, answer) = settle(&plain(), Settled { status, class, ..retry });
        let [entry] = &*answer.entries else { panic!("one change, one entry") };
        assert_eq!(entry.state, expected, "{status:?} {class} {reason}");
        assert_eq!(entry.severity(), Severity::Info, "nobody is woken by a retry");
        assert_eq!((entry.delay, entry.reason), (Some(Millis::new(400)), Some(reason)));
        assert_eq!((entry.status, entry.attempt), (status, 1));
    }
}

#[test]
fn rate_limits_that_keep_coming_are_a_warning_and_no_error() {
    let retry = settled(VerdictKind::Retry, Reason::ServerHint, Delivery::NotProcessed);
    let (_, answer) = settle(&plain(), Settled { sustained_throttling: true, ..retry });
    assert_eq!(answer.entries[0].severity(), Severity::Warning);
    let stop = settled(VerdictKind::Stop, Reason::RetriesExhausted, Delivery::NotProcessed);
    let (_, answer) = settle(&plain(), Settled { sustained_throttling: true, ..stop });
    assert_eq!(answer.entries[0].severity(), Severity::Error);
}

#[test]
fn a_call_that_succeeds_in_the_end_never_raises_an_error() {
    let terms = honoured();
    let mut entries = alloc::vec::Vec::new();
    let mut record = None;
    for (now, event) in [
        (0, claim("w1")),
        (40, Event::Fail(Ending { status: Some(429), due: Some(at(500)), ..Ending::of(1) })),
        (500, claim("w1")),
        (600, ambiguous(2, Some(900))),
        (900, claim("w2")),
        (950, complete(3)),
    ] {
        let answer = terms.apply(record.as_ref(), &event, at(now));
        entries.extend(answer.entries);
        record = answer.record;
    }
    use TrailState::{Attempted, Confirmed, Pending, RateLimited, Retrying};
    let states: alloc::vec::Vec<_> = entries.iter().map(|entry| entry.state).collect();
    let expected = [Pending, Attempted, RateLimited, Attempted, Retrying, Attempted, Confirmed];
    assert_eq!(states, expected);
    assert!(entries.iter().all(|entry| entry.severity() == Severity::Info));
}
