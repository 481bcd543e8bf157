//! The values that a host holds by handle: policies, upstreams, calls.
//!
//! Knows nothing of any binding: types of the core go in and come out. A handle that is stale or
//! was never given out does nothing, and the answer is `None`.

use alloc::sync::Arc;

use retrywise::{
    Ask, BackoffState, Breaker, Call, Hint, Instant, Outcome, Policy, Refusal, Request, Rng,
    SharedBudgets, UnixMillis, Upstream, Verdict, VerdictKind,
    delay::{Delay, delay},
};

use crate::slab::Slab;

/// All that one module holds.
#[derive(Debug)]
pub struct Engine {
    policies: Slab<Arc<Policy>>,
    upstreams: Slab<Upstream>,
    calls: Slab<Begun>,
    budgets: SharedBudgets,
}

/// A call and the upstream that decides for it.
#[derive(Debug)]
struct Begun {
    upstream: u32,
    call: Call,
}

/// What a host will report of the calls it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // it sees successes or it does not
pub enum Reports {
    /// Every outcome, successes too.
    All,
    /// Failures only: budget, breaker and limiter are off, they would count wrongly.
    Failures,
}

/// How a `begin` ended.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // every binding answers each of them
pub enum Begin {
    /// The first attempt may be sent; the call's handle.
    Admitted(u32),
    /// Not now.
    Refused(Refusal),
    /// The upstream is gone, or a million calls are under way.
    NoRoom,
}

/// How a `resume` ended.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // every binding answers each of them
pub enum Resume {
    /// The next attempt may be sent.
    Admitted,
    /// Not now: ask again when the refusal says.
    Later(Refusal),
    /// Not at all: why, and the verdict that the call ended with.
    Over(Refusal, Verdict),
}

impl Engine {
    /// An engine that holds nothing.
    pub const fn new() -> Self {
        Self {
            policies: Slab::new(),
            upstreams: Slab::new(),
            calls: Slab::new(),
            budgets: SharedBudgets::new(),
        }
    }

    /// Keeps a policy. None when a million are kept.
    pub fn add_policy(&mut self, policy: Policy) -> Option<u32> {
        self.policies.insert(Arc::new(policy))
    }

    /// A policy.
    pub fn policy(&self, policy: u32) -> Option<&Policy> {
        self.policies.get(policy).map(|policy| &**policy)
    }

    /// A policy, to be held by somebody else as well.
    pub fn shared_policy(&self, policy: u32) -> Option<Arc<Policy>> {
        self.policies.get(policy).map(Arc::clone)
    }

    /// Lets a policy go; upstreams that were made of it keep it.
    pub fn remove_policy(&mut self, policy: u32) {
        self.policies.remove(policy);
    }

    /// Makes an upstream. None when the policy is gone or a million upstreams are kept.
    pub fn add_upstream(&mut self, policy: u32, seed: u64, reports: Reports) -> Option<u32> {
        let policy = Arc::clone(self.policies.get(policy)?);
        self.upstreams.insert(match reports {
            Reports::All => Upstream::new(policy, seed),
            Reports::Failures => Upstream::without_memory(policy, seed),
        })
    }

    /// Lets an upstream go. Its calls go when they are settled next, as if they had been cancelled.
    pub fn remove_upstream(&mut self, upstream: u32) {
        self.upstreams.remove(upstream);
    }

    /// The state of an upstream's generator.
    pub fn rng(&self, upstream: u32) -> Option<Rng> {
        self.upstreams.get(upstream).map(Upstream::rng)
    }

    /// Continues an upstream from a saved state of its generator.
    pub fn set_rng(&mut self, upstream: u32, rng: Rng) {
        if let Some(upstream) = self.upstreams.get_mut(upstream) {
            upstream.set_rng(rng);
        }
    }

    /// Continues an upstream under another policy; nothing when either is gone.
    pub fn set_policy(&mut self, upstream: u32, policy: u32, now: Instant) {
        let Some(policy) = self.shared_policy(policy) else { return };
        if let Some(upstream) = self.upstreams.get_mut(upstream) {
            upstream.set_policy(policy, now);
        }
    }

    /// The breaker of an upstream, to be isolated or reset by hand.
    pub fn breaker_mut(&mut self, upstream: u32) -> Option<&mut Breaker> {
        self.upstreams.get_mut(upstream).and_then(Upstream::breaker_mut)
    }

    /// Begins a call.
    pub fn begin(
        &mut self,
        upstream: u32,
        request: &Request<'_>,
        now: Instant,
        wall: Option<UnixMillis>,
    ) -> Begin {
        let Self { upstreams, calls, budgets, .. } = self;
        let Some(owner) = upstreams.get_mut(upstream) else { return Begin::NoRoom };
        if calls.is_full() {
            return Begin::NoRoom;
        }
        match budgets.with(owner, |owner| owner.begin(request, now, wall)) {
            Err(refusal) => Begin::Refused(refusal),
            Ok(call) => {
                calls.insert(Begun { upstream, call }).map_or(Begin::NoRoom, Begin::Admitted)
            }
        }
    }

    /// Settles an attempt. A verdict other than `retry` lets the call go.
    pub fn settle(
        &mut self,
        call: u32,
        outcome: &Outcome<'_>,
        now: Instant,
        wall: Option<UnixMillis>,
    ) -> Option<Verdict> {
        self.decide(call, |upstream, call| upstream.settle(call, outcome, now, wall))
    }

    /// Cancels a call and lets it go.
    pub fn cancel(&mut self, call: u32, now: Instant) -> Option<Verdict> {
        self.decide(call, |upstream, call| upstream.cancel(call, now))
    }

    /// Ends a call that nobody will settle, and lets it go.
    pub fn end(&mut self, call: u32, now: Instant) {
        let Some(begun) = self.calls.get_mut(call) else { return };
        if let Some(upstream) = self.upstreams.get_mut(begun.upstream) {
            self.budgets.with(upstream, |upstream| upstream.end(&mut begun.call, now));
        }
        self.calls.remove(call);
    }

    /// Asks, after the wait, whether the next attempt may be sent. A call that is over by the answer
    /// is let go, with the verdict that it ended with.
    pub fn resume(&mut self, call: u32, now: Instant) -> Option<Resume> {
        let begun = self.calls.get_mut(call)?;
        let Some(upstream) = self.upstreams.get_mut(begun.upstream) else {
            self.calls.remove(call);
            return None;
        };
        let answer = self.budgets.with(upstream, |upstream| {
            match upstream.resume(&mut begun.call, now) {
                Ok(()) => Resume::Admitted,
                Err(refusal) if !begun.call.is_over() => Resume::Later(refusal),
                // An event after the end: it gives the verdict again and changes nothing.
                Err(refusal) => Resume::Over(refusal, upstream.cancel(&mut begun.call, now)),
            }
        });
        if begun.call.is_over() {
            self.calls.remove(call);
        }
        Some(answer)
    }

    /// The wait before a retry by itself: what step 9 of a settle chooses, with one draw of the
    /// upstream's generator.
    pub fn delay(
        &mut self,
        upstream: u32,
        ask: Ask<'_>,
        hint: Option<Hint>,
        state: &mut BackoffState,
    ) -> Option<Delay> {
        let upstream = self.upstreams.get_mut(upstream)?;
        let mut rng = upstream.rng();
        let draw = rng.draw();
        upstream.set_rng(rng);
        Some(delay(upstream.policy(), ask, hint, state, draw))
    }

    /// An upstream.
    pub fn upstream(&self, upstream: u32) -> Option<&Upstream> {
        self.upstreams.get(upstream)
    }

    /// An upstream, to be loaded into.
    pub fn upstream_mut(&mut self, upstream: u32) -> Option<&mut Upstream> {
        self.upstreams.get_mut(upstream)
    }

    /// A call, to be told what its host can no longer do.
    pub fn call_mut(&mut self, call: u32) -> Option<&mut Call> {
        self.calls.get_mut(call).map(|begun| &mut begun.call)
    }

    /// A call, and the policy it runs under.
    pub fn call(&self, call: u32) -> Option<(&Call, &Policy)> {
        let begun = self.calls.get(call)?;
        Some((&begun.call, self.upstreams.get(begun.upstream)?.policy()))
    }

    /// How many calls are under way.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    fn decide(
        &mut self,
        call: u32,
        decision: impl FnOnce(&mut Upstream, &mut Call) -> Verdict,
    ) -> Option<Verdict> {
        let begun = self.calls.get_mut(call)?;
        let Some(upstream) = self.upstreams.get_mut(begun.upstream) else {
            self.calls.remove(call);
            return None;
        };
        let verdict = self.budgets.with(upstream, |upstream| decision(upstream, &mut begun.call));
        if verdict.kind != VerdictKind::Retry {
            self.calls.remove(call);
        }
        Some(verdict)
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrywise::{
        Method, Reason,
        policy::{BudgetOptions, Options},
    };

    const NOW: Instant = Instant::ORIGIN;

    fn engine() -> (Engine, u32) {
        let mut engine = Engine::new();
        let policy = engine.add_policy(Policy::standard()).unwrap();
        let upstream = engine.add_upstream(policy, 7, Reports::All).unwrap();
        engine.remove_policy(policy);
        (engine, upstream)
    }

    fn begin(engine: &mut Engine, upstream: u32, method: Method) -> u32 {
        match engine.begin(upstream, &Request::new(method), NOW, None) {
            Begin::Admitted(call) => call,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_terminal_verdict_lets_the_call_go_and_a_retry_keeps_it() {
        let (mut engine, upstream) = engine();
        let call = begin(&mut engine, upstream, Method::Get);
        let failed = Outcome::from_response(503, &[]);
        let verdict = engine.settle(call, &failed, NOW, None).unwrap();
        assert_eq!((verdict.kind, verdict.attempt), (VerdictKind::Retry, 2));
        assert_eq!(engine.resume(call, NOW), Some(Resume::Admitted));
        assert_eq!(engine.calls(), 1);

        let done = Outcome::from_response(200, &[]);
        let verdict = engine.settle(call, &done, NOW, None).unwrap();
        assert_eq!((verdict.kind, verdict.reason), (VerdictKind::Accept, Reason::Ok));
        assert_eq!(engine.calls(), 0);
        assert!(engine.settle(call, &done, NOW, None).is_none());
        assert!(engine.cancel(call, NOW).is_none());
        assert!(engine.resume(call, NOW).is_none());
        engine.end(call, NOW);
    }

    #[test]
    fn calls_of_an_upstream_that_is_gone_go_with_it() {
        let (mut engine, upstream) = engine();
        let settled = begin(&mut engine, upstream, Method::Get);
        let resumed = begin(&mut engine, upstream, Method::Get);
        let ended = begin(&mut engine, upstream, Method::Get);
        engine.remove_upstream(upstream);
        assert!(engine.settle(settled, &Outcome::default(), NOW, None).is_none());
        assert!(engine.resume(resumed, NOW).is_none());
        engine.end(ended, NOW);
        assert_eq!(engine.calls(), 0);
        let again = engine.begin(upstream, &Request::default(), NOW, None);
        assert_eq!(again, Begin::NoRoom);
    }

    /// The host woke up after the deadline: the retry that was promised will not happen.
    #[test]
    fn a_call_that_is_over_when_it_wakes_says_why() {
        let mut engine = Engine::new();
        let policy = Policy::from_json(r#"{"deadlineMs":60000}"#).unwrap();
        let policy = engine.add_policy(policy).unwrap();
        let upstream = engine.add_upstream(policy, 7, Reports::All).unwrap();
        let call = begin(&mut engine, upstream, Method::Get);
        let failed = Outcome::from_response(503, &[]);
        assert_eq!(engine.settle(call, &failed, NOW, None).unwrap().kind, VerdictKind::Retry);
        let late = Instant::from_millis(60_000);
        let Some(Resume::Over(refusal, verdict)) = engine.resume(call, late) else {
            panic!("it is over");
        };
        assert_eq!((refusal.reason, refusal.retry_in), (Reason::Deadline, None));
        assert_eq!((verdict.kind, verdict.reason), (VerdictKind::Stop, Reason::Deadline));
        assert_eq!((verdict.attempt, engine.calls()), (1, 0));
    }

    /// What the budgets of two upstreams share must come back after every event.
    #[test]
    fn a_budget_by_name_is_drawn_on_by_all_who_name_it() {
        let budget =
            BudgetOptions::Tokens { capacity: 2, transient_cost: 1, throttled_cost: 1, credit: 0 };
        let options = Options {
            breaker: None,
            budget: Some(budget),
            budget_shared: Some("pool".into()),
            ..Options::default()
        };
        let mut engine = Engine::new();
        let policy = engine.add_policy(options.validate().unwrap()).unwrap();
        let failed = Outcome::from_response(500, &[]);
        let reasons: alloc::vec::Vec<_> = (0..3)
            .map(|seed| {
                let upstream = engine.add_upstream(policy, seed, Reports::All).unwrap();
                let call = begin(&mut engine, upstream, Method::Get);
                engine.settle(call, &failed, NOW, None).unwrap().reason
            })
            .collect();
        assert_eq!(reasons, [Reason::Backoff, Reason::Backoff, Reason::BudgetExhausted]);
        let alone = engine.add_upstream(policy, 0, Reports::Failures).unwrap();
        let call = begin(&mut engine, alone, Method::Get);
        assert_eq!(engine.settle(call, &failed, NOW, None).unwrap().reason, Reason::Backoff);
    }

    #[test]
    fn a_policy_that_is_gone_makes_no_upstream() {
        let mut engine = Engine::new();
        assert_eq!(engine.add_upstream(1, 0, Reports::All), None);
        assert_eq!(engine.rng(1), None);
        engine.set_rng(1, Rng::new(3));
    }
}
