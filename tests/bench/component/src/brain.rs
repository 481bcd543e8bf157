//! A component in wasmtime, and the calls that its attempts belong to.

use std::{path::Path, time::Duration};

use cpu_time::ThreadTime;
use wasmtime::{
    Engine, Result, Store,
    component::{Component, Linker, ResourceAny},
};

mod bindings {
    #![allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
    wasmtime::component::bindgen!({
        path: ["../../../wit", "wit"],
        world: "retrywise:bench/decisions",
    });
}
use bindings::{
    Decisions,
    exports::retrywise::policy::{
        types::{BodyCodes, Header, Outcome, Response},
        upstream::{Request, Settlement, Verdict},
    },
};

const WALL: Option<i64> = Some(1_768_478_400_000); // 2026-01-15T12:00:00Z
/// Every attempt fails, every call is let go after it: a budget would end the retries.
const POLICY: &str = r#"{"budget":null,"breaker":null}"#;

/// Settles an attempt of each call; the outcomes are given away, since a batch takes them.
type Settle = fn(&mut Brain, &[ResourceAny], Vec<Outcome>) -> Result<Vec<Verdict>>;

/// A component, compiled and instantiated, with one upstream.
pub(crate) struct Brain {
    store: Store<()>,
    exports: Decisions,
    upstream: ResourceAny,
}

impl Brain {
    pub(crate) fn load(file: &Path) -> Result<Self> {
        let engine = Engine::default();
        let component = Component::from_file(&engine, file)?;
        let mut store = Store::new(&engine, ());
        let exports = Decisions::instantiate(&mut store, &component, &Linker::new(&engine))?;
        let policies = exports.retrywise_policy_policy().policy();
        let policy = policies.call_parse(&mut store, POLICY)?.expect("the policy is valid");
        let upstreams = exports.retrywise_policy_upstream().upstream();
        let upstream = upstreams.call_constructor(&mut store, policy, 7)?;
        policy.resource_drop(&mut store)?;
        Ok(Self { store, exports, upstream })
    }

    /// At least `count` settles, so many calls at a time; nanoseconds of one. Beginning the calls
    /// and ending them is not measured, nor is making the outcomes.
    pub(crate) fn settles(
        &mut self,
        count: u32,
        many: u32,
        headers: &[(&str, &str)],
        settle: Settle,
    ) -> f64 {
        let (mut total, mut done) = (Duration::ZERO, 0);
        while done < count {
            let calls: Vec<_> = (0..many).map(|_| self.begin().expect("begins")).collect();
            let outcomes = (0..many).map(|_| failed(headers)).collect();
            let start = ThreadTime::now();
            let verdicts = settle(self, &calls, outcomes).expect("settles");
            total += start.elapsed();
            assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::Retry(_))));
            for call in calls {
                call.resource_drop(&mut self.store).expect("ends");
            }
            done += many;
        }
        total.as_secs_f64() * 1e9 / f64::from(done)
    }

    #[allow(clippy::needless_pass_by_value)] // as a batch
    pub(crate) fn one_by_one(
        &mut self,
        calls: &[ResourceAny],
        outcomes: Vec<Outcome>,
    ) -> Result<Vec<Verdict>> {
        let api = self.exports.retrywise_policy_upstream().call();
        let each = calls.iter().zip(&outcomes);
        each.map(|(call, outcome)| api.call_settle(&mut self.store, *call, outcome, 0, WALL))
            .collect()
    }

    pub(crate) fn at_once(
        &mut self,
        calls: &[ResourceAny],
        outcomes: Vec<Outcome>,
    ) -> Result<Vec<Verdict>> {
        let each = calls.iter().zip(outcomes);
        let settlements: Vec<_> = each
            .map(|(call, outcome)| Settlement { call: *call, outcome, now: 0, wall: WALL })
            .collect();
        self.exports.retrywise_policy_upstream().call_settle_all(&mut self.store, &settlements)
    }

    fn begin(&mut self) -> Result<ResourceAny> {
        let request = Request {
            method: "GET".to_owned(),
            key: None,
            entropy: None,
            event: None,
            headers: Vec::new(),
            replayable_body: true,
            idempotent: None,
            priority: 0,
            ticket: None,
            nested: false,
        };
        let api = self.exports.retrywise_policy_upstream().upstream();
        let begun = api.call_begin(&mut self.store, self.upstream, &request, 0, WALL)?;
        Ok(begun.expect("nothing refuses it"))
    }
}

fn failed(headers: &[(&str, &str)]) -> Outcome {
    let header = |(name, value): &(&str, &str)| Header {
        name: (*name).to_owned(),
        value: value.as_bytes().to_vec(),
    };
    let body = BodyCodes {
        code: None,
        policy: None,
        problem_type: None,
        retry_delay: None,
        retry_after_s: None,
    };
    let headers = headers.iter().map(header).collect();
    let response = Some(Response { status: 503, headers, body });
    Outcome { response, errors: vec![], committed: false, duration: None }
}
