//! The core crate, called directly.

mod breaker;
mod budget;
mod delay;
mod engine;
mod ledger;
mod limiter;
mod policy;
mod queue;
mod saved;
mod signal;

use alloc::sync::Arc;

use retrywise::{Policy, Rng, Upstream};

use super::{Answers, Binding, NoAnswer, Reply};
use crate::{
    op::Machine,
    signal::Signal,
    trace::{Step, Trace},
};

/// The core crate, called directly.
#[derive(Default)]
pub struct Native {
    world: Option<World>,
}

/// The state of one trace.
struct World {
    policy: Arc<Policy>,
    upstream: Upstream,
    calls: engine::Calls,
    delays: delay::Delays,
    holds: budget::Holds,
    permits: breaker::Permits,
    line: queue::Line,
    sent: limiter::Sent,
    saved: saved::Saved,
    records: ledger::Records,
}

impl Binding for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn takes(&self, _signal: &Signal) -> bool {
        true
    }

    fn has(&self, _machine: Machine) -> bool {
        true
    }

    fn signal(&mut self, signal: &Signal) -> Result<Answers, NoAnswer> {
        Ok(signal::answer(signal))
    }

    fn open(&mut self, trace: &Trace) -> Result<(), NoAnswer> {
        let policy = policy::read(&trace.policy)?;
        self.world = Some(World {
            upstream: Upstream::new(Arc::clone(&policy), trace.seed),
            records: ledger::Records::new(&policy),
            policy,
            calls: engine::Calls::default(),
            delays: delay::Delays::default(),
            holds: budget::Holds::default(),
            permits: breaker::Permits::default(),
            line: queue::Line::default(),
            sent: limiter::Sent::default(),
            saved: saved::Saved::default(),
        });
        Ok(())
    }

    fn step(&mut self, step: &Step, rng: Option<u64>) -> Result<Reply, NoAnswer> {
        let world =
            self.world.as_mut().ok_or_else(|| NoAnswer::Broken("no trace is open".into()))?;
        if let Some(state) = rng {
            world.upstream.set_rng(Rng::new(state));
        }
        let answers = match step.op.machine {
            Machine::Delay => world.delays.step(&world.policy, &mut world.upstream, step)?,
            Machine::Budget => world.holds.step(&mut world.upstream, step)?,
            Machine::Breaker => world.permits.step(&mut world.upstream, step)?,
            Machine::Engine => world.calls.step(&mut world.upstream, step)?,
            Machine::Limiter => world.sent.step(&mut world.upstream, step)?,
            Machine::Queue => world.line.step(step)?,
            Machine::Ledger => world.records.step(step)?,
            Machine::Policy => policy::step(step),
            Machine::State if step.op.name == "reconfigure" => {
                world.policy =
                    policy::read(step.value("document").unwrap_or(&serde_json::Value::Null))?;
                world.upstream.set_policy(Arc::clone(&world.policy), step.at);
                Answers::new()
            }
            Machine::State => {
                world.saved.step(&world.policy, &mut world.upstream, step)?;
                // A loaded generator was drawn from elsewhere: nothing is to be counted here.
                return Ok(Reply::default());
            }
        };
        Ok(Reply { answers, rng: Some(world.upstream.rng().state()) })
    }
}

#[cfg(test)]
impl Native {
    /// What a boundary offers besides calls: a view, and the breaker's two levers.
    pub(super) fn by_hand(
        &mut self,
        op: &str,
        at: retrywise::Instant,
    ) -> Result<Answers, NoAnswer> {
        let missing = || NoAnswer::Broken("no trace is open".into());
        let upstream = &mut self.world.as_mut().ok_or_else(missing)?.upstream;
        match (op, upstream.breaker_mut()) {
            ("isolate", Some(breaker)) => drop(breaker.isolate()),
            ("reset", Some(breaker)) => drop(breaker.reset()),
            _ => {}
        }
        let mut answers = Answers::new();
        if let Some(view) = upstream.breaker().map(|breaker| breaker.view(at)) {
            answers.insert("state".into(), view.state.name().into());
            answers.insert("retryInMs".into(), view.retry_in.map(retrywise::Millis::get).into());
        }
        if let Some(budget) = upstream.budget() {
            let left = budget.balance_thousandths(at) as f64 / 1_000.0;
            answers.insert("balance".into(), left.into());
        }
        Ok(answers)
    }
}
