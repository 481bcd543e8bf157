//! The interface `upstream`.

use alloc::{string::String, vec::Vec};
use core::{cell::Cell, iter};

use retrywise::{
    Ask, BackoffState, Breaker, Call as Began, Class, Hint, HintSource, Instant, Method, Millis,
    Reason, Refusal, Request as Asked, Rng, Snapshot, Upstream, Verdict as Decision, VerdictKind,
    delay::Delay,
    explain::{self, Facts as Told},
};

use crate::{
    component::{
        Component, ROOM, given,
        policy::{self, Held as HeldPolicy},
        said,
        wit::exports::retrywise::policy::{
            policy::PolicyBorrow,
            types::{Class as WitClass, Header, Language, Outcome},
            upstream::{
                BeginError, Call, Chosen, DelayState, Ended, Guest, GuestCall, GuestUpstream,
                LoadError, Refusal as WitRefusal, Request, ResumeError, Settlement, Verdict, View,
                Wait,
            },
        },
    },
    engine::{Begin, Reports, Resume},
    state::with,
};

/// An upstream of the engine, by its handle.
pub(crate) struct HeldUpstream(u32);

/// A call of the engine, by its handle, and what it needs when the engine has let it go.
pub(crate) struct HeldCall {
    handle: u32,
    /// The verdict that was given last: an event after the end gets it again.
    last: Cell<Option<Decision>>,
    /// The latest reading of the host's clock: dropping has none of its own.
    seen: Cell<u64>,
}

impl Guest for Component {
    type Upstream = HeldUpstream;
    type Call = HeldCall;

    fn settle_all(settlements: Vec<Settlement<'_>>) -> Vec<Verdict> {
        let settle = |one: &Settlement<'_>| {
            one.call.get::<HeldCall>().settle_one(&one.outcome, one.now, one.wall)
        };
        settlements.iter().map(settle).collect()
    }

    fn explain(verdict: Verdict, language: Language) -> String {
        let (facts, delay) = match &verdict {
            Verdict::Accept(facts) | Verdict::Stop(facts) => (facts, 0),
            Verdict::Retry(retry) => (&retry.facts, retry.delay),
        };
        sentence(facts.reason.code, language, |told| {
            told.attempt = facts.attempt;
            told.delay = Millis::new(delay);
            told.hint = facts.hint.as_ref().map(|hint| Millis::new(hint.delay));
        })
    }

    fn explain_refusal(refusal: WitRefusal, language: Language) -> String {
        sentence(refusal.reason.code, language, |told| {
            told.refusal = true;
            told.retry_in = refusal.retry_in.map(Millis::new);
        })
    }
}

impl GuestUpstream for HeldUpstream {
    fn new(policy: PolicyBorrow<'_>, seed: u64) -> Self {
        let policy = policy.get::<HeldPolicy>().0;
        let seed = Millis::new(seed).get();
        // No room is handle 0, whose calls are all refused for that reason.
        Self(with(|engine| engine.add_upstream(policy, seed, Reports::All)).unwrap_or_default())
    }

    fn begin(&self, request: Request, now: u64, wall: Option<i64>) -> Result<Call, BeginError> {
        let lines = given::headers(&request.headers);
        let mut asked = Asked::new(Method::from_token(&request.method));
        asked.token = Some(&request.method);
        asked.key = request.key.as_deref();
        asked.entropy = request.entropy.as_deref().and_then(|bytes| bytes.try_into().ok());
        asked.event = request.event.as_deref();
        asked.headers = &lines;
        asked.replayable_body = request.replayable_body;
        asked.idempotent = request.idempotent;
        asked.priority = request.priority;
        asked.ticket = request.ticket;
        asked.nested = request.nested;
        let (at, wall) = (given::instant(now), given::wall(wall));
        match with(|engine| engine.begin(self.0, &asked, at, wall)) {
            Begin::Admitted(handle) => {
                let (last, seen) = (Cell::new(None), Cell::new(now));
                Ok(Call::new(HeldCall { handle, last, seen }))
            }
            Begin::Refused(refusal) => Err(BeginError::Refused(said::refusal(&refusal))),
            Begin::NoRoom => Err(BeginError::TooMany(ROOM)),
        }
    }

    fn view(&self, now: u64) -> View {
        with(|engine| said::view(engine.upstream(self.0), given::instant(now)))
    }

    fn save(&self, now: u64, wall: Option<i64>) -> String {
        let (now, wall) = (given::instant(now), given::wall(wall));
        let saved = |upstream: &Upstream| upstream.save(now, wall).to_json();
        with(|engine| engine.upstream(self.0).map(saved)).unwrap_or_default()
    }

    fn load(&self, document: String, now: u64, wall: Option<i64>) -> Result<(), LoadError> {
        if let Some(issue) = policy::too_long(&document) {
            return Err(LoadError::Invalid(Vec::from([issue])));
        }
        let (now, wall) = (given::instant(now), given::wall(wall));
        with(|engine| {
            let upstream = engine.upstream_mut(self.0).ok_or(LoadError::TooMany(ROOM))?;
            Snapshot::from_json(&document)
                .and_then(|snapshot| upstream.load(&snapshot, now, wall))
                .map_err(|issues| LoadError::Invalid(issues.into_iter().map(said::issue).collect()))
        })
    }

    fn set_policy(&self, policy: PolicyBorrow<'_>, now: u64) {
        let policy = policy.get::<HeldPolicy>().0;
        with(|engine| engine.set_policy(self.0, policy, given::instant(now)));
    }

    fn isolate(&self) {
        with(|engine| _ = engine.breaker_mut(self.0).map(Breaker::isolate));
    }

    fn reset(&self) {
        with(|engine| _ = engine.breaker_mut(self.0).map(Breaker::reset));
    }

    fn delay(&self, retry: u32, class: WitClass, hint: Option<u64>, state: DelayState) -> Wait {
        let class = Class::from_code(class as u8).unwrap_or(Class::Transient);
        let hint = hint.map(|ms| Hint::new(Millis::new(ms), HintSource::RetryAfter));
        let mut backoff = BackoffState::default();
        backoff.previous = state.previous.map(Millis::new);
        backoff.v2_bits = state.polly;
        let ask = Ask::new(retry, class);
        let chosen = with(|engine| engine.delay(self.0, ask, hint, &mut backoff));
        let state =
            DelayState { previous: backoff.previous.map(Millis::get), polly: backoff.v2_bits };
        match chosen {
            Some(Delay::Wait(delay, reason)) => {
                Wait::Chosen(Chosen { delay: delay.get(), reason: said::reason(reason), state })
            }
            Some(Delay::TooLong) | None => Wait::TooLong(state),
        }
    }

    fn random_state(&self) -> u64 {
        with(|engine| engine.rng(self.0)).map_or(0, Rng::state)
    }

    fn set_random_state(&self, state: u64) {
        with(|engine| engine.set_rng(self.0, Rng::new(state)));
    }
}

impl Drop for HeldUpstream {
    fn drop(&mut self) {
        with(|engine| engine.remove_upstream(self.0));
    }
}

impl GuestCall for HeldCall {
    fn headers(&self) -> Vec<Header> {
        let header = |name: &str, value: String| Header {
            name: String::from(name),
            value: value.into_bytes(),
        };
        let headers = with(|engine| {
            let (call, policy) = engine.call(self.handle)?;
            let (name, value) = call.key_header(policy)?;
            let first = call.first_sent_header(policy).map(|(name, date)| header(name, date));
            Some((header(name, value), first))
        });
        headers.into_iter().flat_map(|(key, first)| iter::once(key).chain(first)).collect()
    }

    fn key_field(&self) -> Option<(String, String)> {
        with(|engine| {
            let (call, policy) = engine.call(self.handle)?;
            call.key_field(policy).map(|(name, key)| (String::from(name), String::from(key)))
        })
    }

    fn attempt(&self) -> u32 {
        with(|engine| engine.call(self.handle).map_or(0, |(call, _)| call.attempt()))
    }

    fn timeout(&self, now: u64) -> Option<u64> {
        let now = self.see(now);
        with(|engine| engine.call(self.handle).and_then(|(call, _)| call.timeout(now)))
            .map(Millis::get)
    }

    fn may_retry(&self) -> bool {
        with(|engine| engine.call(self.handle).is_some_and(|(call, policy)| call.may_retry(policy)))
    }

    fn give_up_body(&self) {
        with(|engine| _ = engine.call_mut(self.handle).map(Began::give_up_body));
    }

    fn settle(&self, outcome: Outcome, now: u64, wall: Option<i64>) -> Verdict {
        self.settle_one(&outcome, now, wall)
    }

    fn resume(&self, now: u64) -> Result<(), ResumeError> {
        let now = self.see(now);
        match with(|engine| engine.resume(self.handle, now)) {
            Some(Resume::Admitted) => Ok(()),
            Some(Resume::Later(refusal)) => Err(ResumeError::Later(said::refusal(&refusal))),
            Some(Resume::Over(refusal, verdict)) => Err(self.over(&refusal, verdict)),
            None => {
                let reason = self.ended().map_or(Reason::Cancelled, |verdict| verdict.reason);
                let refusal = WitRefusal { reason: said::reason(reason), retry_in: None };
                Err(ResumeError::Over(Ended { refusal, verdict: self.answer(None) }))
            }
        }
    }

    fn cancel(&self, now: u64) -> Verdict {
        let now = self.see(now);
        self.answer(with(|engine| engine.cancel(self.handle, now)))
    }

    fn end(&self, now: u64) {
        // As cancelling does, and nobody reads the verdict.
        let _ = self.cancel(now);
    }
}

impl HeldCall {
    fn settle_one(&self, outcome: &Outcome, now: u64, wall: Option<i64>) -> Verdict {
        let (now, wall) = (self.see(now), given::wall(wall));
        self.answer(given::outcome(outcome, |outcome| {
            with(|engine| engine.settle(self.handle, outcome, now, wall))
        }))
    }

    /// Keeps the decision; where the engine has let the call go, gives the last one again.
    fn answer(&self, decision: Option<Decision>) -> Verdict {
        if decision.is_some() {
            self.last.set(decision);
        }
        decision.or_else(|| self.ended()).as_ref().map_or_else(said::gone, said::verdict)
    }

    fn over(&self, refusal: &Refusal, verdict: Decision) -> ResumeError {
        let refusal = said::refusal(refusal);
        ResumeError::Over(Ended { refusal, verdict: self.answer(Some(verdict)) })
    }

    /// The terminal verdict that was given, for an event after the end.
    fn ended(&self) -> Option<Decision> {
        let mut verdict = self.last.get().filter(|last| last.kind != VerdictKind::Retry)?;
        verdict.stale = true;
        Some(verdict)
    }

    fn see(&self, now: u64) -> Instant {
        self.seen.set(self.seen.get().max(now));
        given::instant(now)
    }
}

impl Drop for HeldCall {
    fn drop(&mut self) {
        let now = given::instant(self.seen.get());
        with(|engine| engine.end(self.handle, now));
    }
}

fn sentence(reason: u8, language: Language, fill: impl FnOnce(&mut Told)) -> String {
    let mut text = String::new();
    let Some(reason) = Reason::from_code(reason) else { return text };
    let mut told = Told::new(reason);
    fill(&mut told);
    // Writing to memory does not fail.
    let _ = explain::sentence(&mut text, &told, given::lang(language));
    text
}
