//! The table: state × event.

use alloc::{boxed::Box, vec};

use super::{
    Answer, Cause, Ending, Event, Found, Ledger, MAX_TEXT_BYTES, NewCall, Problem, Record, Reply,
    State,
};
use crate::{
    review::{Action, Decision, Resolution},
    time::{Millis, UnixMillis},
    trail::{Entry, TrailState},
    verdict::Reason,
};

impl Ledger {
    /// Applies an event to a record; `None` is a call that the ledger does not know.
    pub fn apply(&self, record: Option<&Record>, event: &Event<'_>, now: UnixMillis) -> Answer {
        match (*event, record) {
            (Event::Settle(settled), _) => self.apply(record, &settled.event(now), now),
            (Event::Submit { call, due }, None) => self.submit(&call, due, now),
            (Event::Claim { call, owner, lease }, None) => {
                self.first_claim(&call, owner, lease, now)
            }
            (_, None) => Answer::refused(Problem::Absent, None),
            (Event::Submit { call, .. } | Event::Claim { call, .. }, Some(record))
                if *call.fingerprint != *record.fingerprint =>
            {
                Answer::unchanged(Reply::Conflict, Some(record))
            }
            (Event::Submit { .. }, Some(record)) => Answer::refused(Problem::Exists, Some(record)),
            (Event::Claim { owner, lease, .. }, Some(record)) => {
                self.claim(record, owner, lease, now)
            }
            (Event::Complete { attempt, status }, Some(record)) => {
                complete(record, attempt, status, now)
            }
            (Event::Fail(ending), Some(record)) => fail(record, &ending, now),
            (Event::Ambiguous(ending), Some(record)) => self.ambiguous(record, &ending, now),
            (Event::Release { attempt }, Some(record)) => release(record, attempt, now),
            (Event::Renew { attempt, lease }, Some(record)) => {
                self.renew(record, attempt, lease, now)
            }
            (Event::Lookup { found, ending }, Some(record)) => {
                self.lookup(record, found, &ending, now)
            }
            (Event::Resolve(decision), Some(record)) => self.resolve(record, &decision, now),
            (Event::Purge, Some(record)) => self.purge(record, now),
        }
    }

    fn submit(&self, call: &NewCall<'_>, due: Option<UnixMillis>, now: UnixMillis) -> Answer {
        let mut record = match self.create(call, now) {
            Ok(record) => record,
            Err(problem) => return Answer::refused(problem, None),
        };
        let due = due.unwrap_or(now);
        record.queued = true;
        record.state = State::Waiting { due };
        let entry = Entry { delay: wait(now, due), ..Entry::new(now, TrailState::Pending, 0) };
        Answer::changed(Reply::Ok, record, entry)
    }

    fn first_claim(
        &self,
        call: &NewCall<'_>,
        owner: &str,
        lease: Option<Millis>,
        now: UnixMillis,
    ) -> Answer {
        match self.create(call, now) {
            Ok(_) if owner.len() > MAX_TEXT_BYTES => Answer::refused(Problem::Text, None),
            Ok(record) => {
                let pending = Entry::new(now, TrailState::Pending, 0);
                let mut answer = self.start(&record, owner, lease, now);
                answer.entries.insert(0, pending);
                // It was made and started at once: one change, not two.
                answer.record = answer.record.map(|record| Record { revision: 1, ..record });
                answer
            }
            Err(problem) => Answer::refused(problem, None),
        }
    }

    fn claim(
        &self,
        record: &Record,
        owner: &str,
        lease: Option<Millis>,
        now: UnixMillis,
    ) -> Answer {
        if owner.len() > MAX_TEXT_BYTES {
            return Answer::refused(Problem::Text, Some(record));
        }
        match &record.state {
            State::InProgress { owner: holder, lease_until } if now < *lease_until => {
                if **holder != *owner {
                    return Answer::later(lease_until.since(now), record);
                }
                let renewed = self.held(record, owner, lease, now);
                Answer::start(renewed, self.renew_in(lease), vec![])
            }
            State::InProgress { .. } if self.honours(record) && self.knows_key(record, now) => {
                let record = Record { maybe_processed: true, ..record.clone() };
                let mut answer = self.start(&record, owner, lease, now);
                answer.entries.iter_mut().for_each(|entry| entry.taken_over = true);
                answer
            }
            State::InProgress { .. } => undecided(record, now),
            State::Waiting { due } if now < *due => Answer::later(due.since(now), record),
            // The policy honoured the key when the wait began, and does not now.
            State::Waiting { .. } if record.maybe_processed && !self.honours(record) => {
                undecided(record, now)
            }
            State::Waiting { .. } if record.key.is_none() || self.knows_key(record, now) => {
                self.start(record, owner, lease, now)
            }
            State::Waiting { .. } => to_review(
                Reply::Expired,
                record,
                &Ending::of(record.attempt),
                Cause::KeyExpired,
                now,
            ),
            State::Completed => Answer::unchanged(Reply::Replay, Some(record)),
            State::Review { .. } => Answer::unchanged(Reply::Review, Some(record)),
            State::Abandoned => Answer::unchanged(Reply::Abandoned, Some(record)),
        }
    }

    /// Whether the server deduplicates this call: it honours keys, and the call has one.
    const fn honours(&self, record: &Record) -> bool {
        self.honoured && record.key.is_some()
    }

    /// Whether the server still knows the record's key; one that was never sent it will know.
    fn knows_key(&self, record: &Record, now: UnixMillis) -> bool {
        record.first_sent.is_none_or(|first| now < first.after(self.window))
    }

    /// The next attempt begins.
    fn start(
        &self,
        record: &Record,
        owner: &str,
        lease: Option<Millis>,
        now: UnixMillis,
    ) -> Answer {
        let mut next = self.held(record, owner, lease, now);
        next.attempt = record.attempt.saturating_add(1);
        next.first_sent = record.first_sent.or(Some(now));
        let entry = Entry::new(now, TrailState::Attempted, next.attempt);
        Answer::start(next, self.renew_in(lease), vec![entry])
    }

    /// The attempt is still on its way. A lease that is over is renewed as well, as long as nobody
    /// took the call.
    fn renew(
        &self,
        record: &Record,
        attempt: u32,
        lease: Option<Millis>,
        now: UnixMillis,
    ) -> Answer {
        match &record.state {
            State::InProgress { owner, .. } if attempt == record.attempt => Answer {
                changed: true,
                record: Some(self.held(record, owner, lease, now)),
                renew_in: self.renew_in(lease),
                ..Answer::unchanged(Reply::Ok, None)
            },
            // Nothing to renew, but the attempt's answer is still awaited.
            State::Review { cause: Cause::Ambiguous } if attempt == record.attempt => {
                Answer::refused(Problem::NotInProgress, Some(record))
            }
            _ => Answer::unchanged(Reply::Fenced, Some(record)),
        }
    }

    /// A third of the lease, so that it outlasts two renewals that fail. A lease of no time is none
    /// to renew.
    fn renew_in(&self, lease: Option<Millis>) -> Option<Millis> {
        let lease = lease.unwrap_or(self.lease).get();
        (lease > 0).then(|| Millis::new((lease / 3).max(1)))
    }

    /// The record in the hands of `owner`.
    fn held(&self, record: &Record, owner: &str, lease: Option<Millis>, now: UnixMillis) -> Record {
        let lease_until = now.after(lease.unwrap_or(self.lease));
        changed(record, State::InProgress { owner: owner.into(), lease_until }, now)
    }

    fn ambiguous(&self, record: &Record, ending: &Ending, now: UnixMillis) -> Answer {
        if !is_sending(record, ending.attempt) {
            return Answer::unchanged(Reply::Fenced, Some(record));
        }
        let ending = Ending { maybe_processed: true, ..*ending };
        match ending.due.filter(|_| self.honours(record)) {
            Some(due) => to_waiting(record, &ending, due, now),
            None => to_review(Reply::Ok, record, &ending, Cause::Ambiguous, now),
        }
    }

    fn lookup(&self, record: &Record, found: Found, ending: &Ending, now: UnixMillis) -> Answer {
        let sending = is_sending(record, ending.attempt);
        match found {
            Found::Processed => complete(record, ending.attempt, ending.status, now),
            Found::NotProcessed if sending && ending.attempt > self.max_retries => {
                let ending = Ending { reason: Some(Reason::RetriesExhausted), ..*ending };
                let mut answer = to_review(Reply::Ok, record, &ending, Cause::Exhausted, now);
                if let Some(record) = &mut answer.record {
                    record.maybe_processed = false;
                }
                answer
            }
            Found::NotProcessed if sending => {
                let due = ending.due.unwrap_or(now);
                let mut answer = to_waiting(record, ending, due, now);
                if let Some(record) = &mut answer.record {
                    record.maybe_processed = false;
                }
                answer
            }
            Found::Unknown if sending => {
                self.ambiguous(record, &Ending { due: None, ..*ending }, now)
            }
            _ if matches!(record.state, State::Review { .. }) => {
                Answer::refused(Problem::Lookup, Some(record))
            }
            _ => Answer::unchanged(Reply::Fenced, Some(record)),
        }
    }

    fn resolve(&self, record: &Record, decision: &Decision<'_>, now: UnixMillis) -> Answer {
        if !matches!(record.state, State::Review { .. }) {
            return Answer::refused(Problem::NotInReview, Some(record));
        }
        let resolution = match Resolution::new(decision, now) {
            Ok(resolution) => resolution,
            Err(problem) => return Answer::refused(problem, Some(record)),
        };
        let mut entry = Entry {
            by: Some(resolution.by.clone()),
            why: Some(resolution.why.clone()),
            ..Entry::new(now, TrailState::Confirmed, record.attempt)
        };
        let mut next = changed(record, State::Completed, now);
        next.resolution = Some(resolution);
        match decision.action {
            Action::Confirm => Answer::changed(Reply::Ok, next, entry),
            Action::Abandon => {
                next.state = State::Abandoned;
                entry.state = TrailState::Abandoned;
                Answer::changed(Reply::Ok, next, entry)
            }
            Action::RetryNewKey => {
                let made = self.successor(record, decision.new_id, decision.new_key, now);
                let made = match made {
                    Ok(made) => made,
                    Err(problem) => return Answer::refused(problem, Some(record)),
                };
                let pending = Entry {
                    state: TrailState::Pending,
                    attempt: 0,
                    other: Some(Box::clone(&record.id)),
                    ..entry.clone()
                };
                next.state = State::Abandoned;
                next.replaced_by = Some(Box::clone(&made.id));
                entry.state = TrailState::Replaced;
                entry.other = Some(Box::clone(&made.id));
                let created = Some(Box::new((made, pending)));
                Answer { created, ..Answer::changed(Reply::Ok, next, entry) }
            }
        }
    }

    fn purge(&self, record: &Record, now: UnixMillis) -> Answer {
        let over = self.retention.is_some_and(|kept| now >= record.updated.after(kept));
        if !over || record.state != State::Completed {
            return Answer::refused(Problem::NotOver, Some(record));
        }
        Answer { changed: true, ..Answer::unchanged(Reply::Ok, None) }
    }
}

fn complete(record: &Record, attempt: u32, status: Option<u16>, now: UnixMillis) -> Answer {
    let is_same = attempt == record.attempt;
    match record.state {
        State::InProgress { .. } | State::Review { cause: Cause::Ambiguous } if is_same => {
            let mut next = changed(record, State::Completed, now);
            next.status = status.or(record.status);
            let entry = Entry { status, ..Entry::new(now, TrailState::Confirmed, attempt) };
            Answer::changed(Reply::Ok, next, entry)
        }
        // Told twice: the first answer stands.
        State::Completed if is_same => Answer::unchanged(Reply::Ok, Some(record)),
        _ => Answer::unchanged(Reply::Fenced, Some(record)),
    }
}

fn fail(record: &Record, ending: &Ending, now: UnixMillis) -> Answer {
    if !is_sending(record, ending.attempt) {
        return Answer::unchanged(Reply::Fenced, Some(record));
    }
    if let Some(due) = ending.due {
        return to_waiting(record, ending, due, now);
    }
    let cause = ending.cause.unwrap_or_else(|| Cause::of_status(ending.status));
    to_review(Reply::Ok, record, ending, cause, now)
}

fn release(record: &Record, attempt: u32, now: UnixMillis) -> Answer {
    if !matches!(record.state, State::InProgress { .. }) {
        return Answer::refused(Problem::NotInProgress, Some(record));
    }
    if attempt != record.attempt {
        return Answer::unchanged(Reply::Fenced, Some(record));
    }
    if attempt <= 1 && !record.queued {
        return Answer { changed: true, ..Answer::unchanged(Reply::Ok, None) };
    }
    let mut next = changed(record, State::Waiting { due: now }, now);
    if attempt <= 1 {
        // The key has not been seen by anybody.
        next.first_sent = None;
    }
    Answer::changed(Reply::Ok, next, Entry::new(now, TrailState::Pending, attempt))
}

/// Whether this attempt is the one on its way.
fn is_sending(record: &Record, attempt: u32) -> bool {
    matches!(record.state, State::InProgress { .. }) && attempt == record.attempt
}

/// The worker is gone, and its attempt may have been processed.
fn undecided(record: &Record, now: UnixMillis) -> Answer {
    let ending = Ending { maybe_processed: true, ..Ending::of(record.attempt) };
    to_review(Reply::Unknown, record, &ending, Cause::Ambiguous, now)
}

fn to_waiting(record: &Record, ending: &Ending, due: UnixMillis, now: UnixMillis) -> Answer {
    let next = ended(record, ending, State::Waiting { due }, now);
    let mut entry = entry(ending, TrailState::waiting(ending), now);
    entry.delay = Some(due.since(now));
    Answer::changed(Reply::Ok, next, entry)
}

fn to_review(
    reply: Reply,
    record: &Record,
    ending: &Ending,
    cause: Cause,
    now: UnixMillis,
) -> Answer {
    let next = ended(record, ending, State::Review { cause }, now);
    let mut entry = entry(ending, TrailState::Failed, now);
    entry.cause = Some(cause);
    Answer::changed(reply, next, entry)
}

fn ended(record: &Record, ending: &Ending, state: State, now: UnixMillis) -> Record {
    let mut next = changed(record, state, now);
    next.status = ending.status.or(record.status);
    next.maybe_processed |= ending.maybe_processed;
    next
}

/// The record in another state.
fn changed(record: &Record, state: State, now: UnixMillis) -> Record {
    let revision = record.revision.saturating_add(1);
    Record { state, revision, updated: now, ..record.clone() }
}

fn entry(ending: &Ending, state: TrailState, now: UnixMillis) -> Entry {
    Entry {
        status: ending.status,
        reason: ending.reason,
        sustained_throttling: ending.sustained_throttling,
        ..Entry::new(now, state, ending.attempt)
    }
}

/// The wait until `due`, if there is one.
fn wait(now: UnixMillis, due: UnixMillis) -> Option<Millis> {
    (due > now).then(|| due.since(now))
}
