//! A component in wasmtime, and the calls that its attempts belong to.

use std::{path::Path, time::Duration};

use cpu_time::ThreadTime;
use retrywise_host_wasmtime::{plain, wit};
use wasmtime::{
    Engine, Result, Store,
    component::{Component, Linker, ResourceAny},
};
use wit::{
    policy,
    types::Outcome,
    upstream::{self, Settlement, Verdict},
};

const WALL: Option<i64> = Some(1_768_478_400_000); // 2026-01-15T12:00:00Z
/// Every attempt fails, every call is let go after it: a budget would end the retries.
const POLICY: &str = r#"{"budget":null,"breaker":null}"#;

/// Settles an attempt of each call; the outcomes are given away, since a batch takes them.
pub(crate) type Settle = fn(&mut Brain, &[ResourceAny], Vec<Outcome>) -> Result<Vec<Verdict>>;

/// A component, compiled and instantiated, with one upstream.
pub(crate) struct Brain {
    store: Store<()>,
    upstreams: upstream::Guest,
    upstream: ResourceAny,
}

impl Brain {
    pub(crate) fn load(file: &Path) -> Result<Self> {
        let engine = Engine::default();
        let component = Component::from_file(&engine, file)?;
        let mut store = Store::new(&engine, ());
        // No more of the world than decides, which is all that the floor exports.
        let loader = Linker::new(&engine).instantiate_pre(&component)?;
        let policies = policy::GuestIndices::new(&loader)?;
        let upstreams = upstream::GuestIndices::new(&loader)?;
        let instance = loader.instantiate(&mut store)?;
        let policies = policies.load(&mut store, &instance)?;
        let upstreams = upstreams.load(&mut store, &instance)?;
        let policy = policies.policy().call_parse(&mut store, POLICY)?;
        let policy = policy.expect("the policy is valid");
        let upstream = upstreams.upstream().call_constructor(&mut store, policy, 7)?;
        policy.resource_drop(&mut store)?;
        Ok(Self { store, upstreams, upstream })
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
            let failed = |_| plain::answered(503, headers.iter().copied());
            let outcomes = (0..many).map(failed).collect();
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
        let api = self.upstreams.call();
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
        self.upstreams.call_settle_all(&mut self.store, &settlements)
    }

    fn begin(&mut self) -> Result<ResourceAny> {
        let request = plain::request("GET");
        let api = self.upstreams.upstream();
        let begun = api.call_begin(&mut self.store, self.upstream, &request, 0, WALL)?;
        Ok(begun.expect("nothing refuses it"))
    }
}
