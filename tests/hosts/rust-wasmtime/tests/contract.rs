//! What no vector asks of the component: each test is a sentence about the contract.

use std::{error::Error, path::PathBuf};

use retrywise_host_wasmtime::{Brain, plain, wit};
use wasmtime::component::ResourceAny;
use wit::{
    dispatch::{AddError, Next, Standing},
    ledger::{
        Action, Answer, Cause, Claim, Decision, DocumentError, Event, NewCall, Reply, Settled,
        State, Successor,
    },
    trail::{Label, Story},
    types::{BodyCodes, Header, Language, Outcome, Response},
    upstream::{LoadError, Request, Verdict},
};

type Tested = Result<(), Box<dyn Error>>;

/// A component and what is made of it under one policy.
struct Host {
    brain: Brain,
    policy: ResourceAny,
    upstream: ResourceAny,
}

impl Host {
    fn new(policy: &str) -> Result<Self, Box<dyn Error>> {
        let file = std::env::var_os("RETRYWISE_COMPONENT").map(PathBuf::from);
        let beside =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../../js/wasm/retrywise.component.wasm");
        let mut brain = Brain::load(&file.unwrap_or_else(|| beside.into()))?;
        let api = brain.exports.retrywise_policy_policy().policy();
        let policy = api.call_parse(&mut brain.store, policy)?.map_err(|e| format!("{e:?}"))?;
        let api = brain.exports.retrywise_policy_upstream().upstream();
        let upstream = api.call_constructor(&mut brain.store, policy, 7)?;
        Ok(Self { brain, policy, upstream })
    }

    fn begin(&mut self, method: &str, now: u64) -> Result<ResourceAny, Box<dyn Error>> {
        let request = plain::request(method);
        let api = self.brain.exports.retrywise_policy_upstream().upstream();
        let begun = api.call_begin(&mut self.brain.store, self.upstream, &request, now, None)?;
        Ok(begun.map_err(|error| format!("{error:?}"))?)
    }

    fn settle(
        &mut self,
        call: ResourceAny,
        status: u16,
        headers: &[(&str, &str)],
        now: u64,
    ) -> wasmtime::Result<Verdict> {
        let outcome = plain::answered(status, headers.iter().copied());
        let api = self.brain.exports.retrywise_policy_upstream().call();
        api.call_settle(&mut self.brain.store, call, &outcome, now, None)
    }

    fn apply(&mut self, record: Option<&str>, event: &Event, now: i64) -> Result<Answer, String> {
        let api = self.brain.exports.retrywise_policy_ledger();
        let answer = api.call_apply(&mut self.brain.store, Some(self.policy), record, event, now);
        answer.map_err(|error| format!("{error:#}"))?.map_err(|error| format!("{error:?}"))
    }
}

fn claim(owner: &str) -> Event {
    let call = NewCall { id: "a".into(), key: Some("key-of-a".into()), fingerprint: "f".into() };
    Event::Claim(Claim { call, owner: owner.into(), lease: Some(1_000) })
}

#[test]
fn a_verdict_goes_into_the_ledger_as_it_is_and_a_person_ends_what_it_could_not() -> Tested {
    let mut host = Host::new(r#"{"maxRetries":0}"#)?;
    let started = host.apply(None, &claim("w1"), 0)?;
    assert!(matches!(&started.reply, Reply::Start(s) if (s.attempt, s.renew_in) == (1, Some(333))));
    let record = started.kept.unwrap();
    assert_eq!((record.id.as_str(), record.revision, record.attempt), ("a", 1, 1));
    assert!(
        matches!(&record.state, State::InProgress(lease) if lease.owner == "w1" && lease.until == 1_000)
    );

    let call = host.begin("POST", 0)?;
    let verdict = host.settle(call, 500, &[], 40)?;
    let settled = Settled { attempt: 1, status: Some(500), verdict, idempotent: false };
    let ended = host.apply(Some(&record.document), &Event::Settle(settled), 40)?;
    assert!(matches!(ended.reply, Reply::Done(None)) && ended.changed);
    let record = ended.kept.unwrap();
    assert!(matches!(record.state, State::Review(Cause::Ambiguous)), "{:?}", record.state);

    let api = host.brain.exports.retrywise_policy_ledger();
    let item = api.call_review(&mut host.brain.store, &record.document, Language::English)?;
    let item = item.map_err(|error| format!("{error:?}"))?.unwrap();
    assert!(item.maybe_processed && item.advice.contains("ask the vendor"), "{}", item.advice);
    assert_ne!(item.key.as_deref(), Some("key-of-a"), "a key is never shown whole");
    let actions: Vec<_> = item.actions.iter().map(|action| action.name.as_str()).collect();
    assert_eq!(actions, ["confirm", "retry-new-key", "abandon"]);

    let next = Successor { id: "b".into(), key: Some("key-of-b".into()) };
    let decision = |by: &str| Decision {
        action: Action::RetryNewKey(next.clone()),
        by: by.into(),
        why: "the vendor has nothing".into(),
    };
    let refused = host.apply(Some(&record.document), &Event::Resolve(decision(" ")), 50)?;
    assert!(matches!(&refused.reply, Reply::Refused(why) if why.code.name == "by"));
    assert!(!refused.changed);
    let resolved = host.apply(Some(&record.document), &Event::Resolve(decision("ann")), 50)?;
    assert_eq!(resolved.created.unwrap().kept.id, "b");
    assert!(matches!(resolved.kept.unwrap().state, State::Abandoned));

    let entries = [started.entries, ended.entries, resolved.entries].concat();
    let labels = vec![Label { name: "invoice".into(), value: "4711".into() }];
    let story = Story { id: Some("a".into()), key: None, labels, entries };
    let api = host.brain.exports.retrywise_policy_trail();
    let text = api.call_render(&mut host.brain.store, &story, Language::English)?;
    let text = text.map_err(|error| format!("{error:?}"))?;
    assert!(text.contains("4711") && text.contains("ann") && text.lines().count() >= 4, "{text}");
    Ok(())
}

#[test]
fn a_record_that_cannot_be_read_is_named_and_not_overwritten() -> Tested {
    let mut host = Host::new("{}")?;
    let error = host.apply(Some(r#"{"v":2}"#), &claim("w1"), 0).unwrap_err();
    assert!(error.contains("record.v is 2"), "{error}");
    let api = host.brain.exports.retrywise_policy_ledger();
    let read = api.call_read(&mut host.brain.store, "[]")?;
    assert!(matches!(read, Err(DocumentError::Unreadable(why)) if why.contains("record")));
    Ok(())
}

#[test]
fn a_view_shows_what_the_limiter_was_told() -> Tested {
    let mut host = Host::new(r#"{"limiter":{},"clientThrottling":{}}"#)?;
    let call = host.begin("GET", 0)?;
    let told = [("ratelimit-limit", "10"), ("ratelimit-remaining", "4"), ("ratelimit-reset", "30")];
    host.settle(call, 200, &told, 10)?;
    let api = host.brain.exports.retrywise_policy_upstream().upstream();
    let view = api.call_view(&mut host.brain.store, host.upstream, 1_010)?;
    let limiter = view.limiter.unwrap();
    let seen = (limiter.limit, limiter.available, limiter.reset_in, limiter.in_flight);
    assert_eq!(seen, (Some(10), Some(4), Some(29_000), 0));
    assert_eq!(view.client_throttle.map(|odds| odds.part), Some(0));
    assert!(view.breaker.is_some() && view.budget_thousandths.is_some());
    Ok(())
}

#[test]
fn a_state_that_is_wrong_is_told_whole_and_nothing_of_it_is_loaded() -> Tested {
    let mut host = Host::new("{}")?;
    let api = host.brain.exports.retrywise_policy_upstream().upstream();
    let store = &mut host.brain.store;
    let before = api.call_save(&mut *store, host.upstream, 5, None)?;
    let wrong = r#"{"version":1,"generator":"x","stateGenerator":"1","colour":1}"#;
    let loaded = api.call_load(&mut *store, host.upstream, wrong, 5, None)?;
    let Err(LoadError::Invalid(issues)) = loaded else { panic!("{loaded:?}") };
    let mut fields: Vec<_> = issues.iter().map(|issue| issue.field.as_str()).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["colour", "generator"]);
    assert_eq!(api.call_save(&mut *store, host.upstream, 5, None)?, before);
    let long = " ".repeat((1 << 20) + 1);
    let loaded = api.call_load(&mut *store, host.upstream, &long, 5, None)?;
    assert!(matches!(loaded, Err(LoadError::Invalid(issues)) if issues.len() == 1));
    Ok(())
}

#[test]
fn a_body_that_was_given_up_is_not_sent_again() -> Tested {
    let mut host = Host::new("{}")?;
    let call = host.begin("PUT", 0)?;
    let api = host.brain.exports.retrywise_policy_upstream().call();
    assert!(api.call_may_retry(&mut host.brain.store, call)?);
    api.call_give_up_body(&mut host.brain.store, call)?;
    assert!(!api.call_may_retry(&mut host.brain.store, call)?);
    let verdict = host.settle(call, 503, &[], 10)?;
    assert!(matches!(verdict, Verdict::Stop(facts) if facts.reason.name == "body-consumed"));
    Ok(())
}

#[test]
fn a_dispatch_keeps_so_many_and_holds_back_what_was_refused() -> Tested {
    let mut host = Host::new("{}")?;
    let api = host.brain.exports.retrywise_policy_dispatch().dispatch();
    let store = &mut host.brain.store;
    let calls = api.call_constructor(&mut *store, 1, 2, None)?;
    assert!(api.call_add(&mut *store, calls, 1, 0, None, 0)?.is_ok());
    assert!(api.call_add(&mut *store, calls, 2, 5, Some(100), 0)?.is_ok());
    let full = api.call_add(&mut *store, calls, 3, 0, None, 0)?;
    assert!(matches!(full, Err(AddError::Full(2))));
    assert!(matches!(api.call_next(&mut *store, calls, 0)?, Next::Start(1)));
    assert!(matches!(api.call_next(&mut *store, calls, 0)?, Next::Idle));
    assert!(api.call_put_back(&mut *store, calls, 1, 500, 0)?);
    assert!(matches!(api.call_next(&mut *store, calls, 100)?, Next::Wait(400)));
    let Standing { not_due, waiting, running } = api.call_view(&mut *store, calls)?;
    assert_eq!((not_due, waiting, running), (0, 2, 0));
    assert!(matches!(api.call_next(&mut *store, calls, 500)?, Next::Start(2)));
    assert!(api.call_done(&mut *store, calls, 2)? && api.call_remove(&mut *store, calls, 1)?);
    Ok(())
}
