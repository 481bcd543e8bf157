//! Budget and breaker by the events of whole calls, for bindings that show nothing else of them.
//!
//! A binding offers begin, settle, resume, cancel and a view. Each step of a trace becomes such
//! events under a policy in which nothing but the machine in question decides. Where the events of
//! a call cannot say the same as the step, the trace is not supported.

mod breaker;
mod budget;

use core::ops::RangeInclusive;

use retrywise::Policy;
use serde_json::{Value, json};

use super::{Answers, NoAnswer};
use crate::{
    op::Machine,
    trace::{Step, Trace},
    wall::Wall,
};

/// An upstream behind a boundary, and its calls by name.
pub(super) trait Port {
    /// Begins anew, under this policy.
    fn open(&mut self, policy: &Value, seed: u64) -> Result<(), NoAnswer>;

    /// One of `begin`, `settle`, `resume`, `cancel`, `view`, `isolate`, `reset`.
    fn play(&mut self, op: &str, args: Value, at: u64) -> Result<Answers, NoAnswer>;

    /// Several of them at one time, each of which would be asked for whatever the others answer.
    fn play_all(&mut self, op: &str, args: Vec<Value>, at: u64) -> Result<Vec<Answers>, NoAnswer> {
        args.into_iter().map(|args| self.play(op, args, at)).collect()
    }

    /// One of `save`, `load`, `reconfigure`.
    fn state(&mut self, op: &str, args: Value, at: u64, wall: Option<Wall>)
    -> Result<(), NoAnswer>;
}

/// The machine of one trace.
pub(super) enum Through {
    /// All steps are the budget's.
    Budget(budget::Budget),
    /// All steps are the breaker's.
    Breaker(breaker::Breaker),
}

impl Through {
    /// Whether this step acts on budget or breaker by hand; a look at either is the view of any
    /// upstream.
    pub(super) fn is_needed_for(step: &Step) -> bool {
        matches!(step.op.machine, Machine::Budget | Machine::Breaker) && !is_look(step)
    }

    /// Begins a trace that needs it.
    pub(super) fn open(port: &mut impl Port, trace: &Trace) -> Result<Self, NoAnswer> {
        let machines = trace.machines().into_iter();
        let machines: Vec<_> = machines.filter(|machine| *machine != Machine::State).collect();
        match machines[..] {
            [Machine::Budget] => budget::Budget::open(port, trace).map(Self::Budget),
            [Machine::Breaker] => breaker::Breaker::open(port, trace).map(Self::Breaker),
            // Calls of its own beside those that stand for the steps would count twice.
            _ => Err(NoAnswer::Unsupported),
        }
    }

    /// Plays one step.
    pub(super) fn step(&mut self, port: &mut impl Port, step: &Step) -> Result<Answers, NoAnswer> {
        match self {
            Self::Budget(budget) => budget.step(port, step),
            Self::Breaker(breaker) => breaker.step(port, step),
        }
    }

    /// Plays a repeated step.
    pub(super) fn repeat(
        &mut self,
        port: &mut impl Port,
        step: &Step,
        nth: RangeInclusive<u64>,
    ) -> Result<Vec<Answers>, NoAnswer> {
        match self {
            Self::Budget(budget) => budget.repeat(port, step, nth),
            Self::Breaker(breaker) => nth.map(|n| breaker.step(port, &step.nth(n))).collect(),
        }
    }
}

/// Whether the step only looks.
pub(super) fn is_look(step: &Step) -> bool {
    matches!(step.op.name, "balance" | "state")
}

/// The answer of a step that only looks, from the view at that time.
pub(super) fn look(port: &mut impl Port, step: &Step, at: u64) -> Result<Answers, NoAnswer> {
    let view = port.play("view", json!({}), at)?;
    let get = |name: &str| view.get(name).cloned().unwrap_or(Value::Null);
    let mut answers = Answers::new();
    if step.op.name == "balance" {
        if get("balance").is_null() {
            return Err(NoAnswer::Refused("the policy has no budget".into()));
        }
        answers.insert("balance".into(), get("balance"));
    } else {
        if get("state").is_null() {
            return Err(NoAnswer::Refused("the policy has no breaker".into()));
        }
        answers.insert("state".into(), get("state"));
        answers.insert("retryInMs".into(), get("retryInMs"));
    }
    Ok(answers)
}

/// A step that saves an upstream or loads into a new one, at this time.
fn keep(port: &mut impl Port, step: &Step, at: u64) -> Result<(), NoAnswer> {
    port.state(step.op.name, Value::Object(step.args.clone()), at, step.wall)
}

/// A policy document with `kept` decided as it says and nothing else deciding.
fn alone(document: &Value, kept: &str, max_retries: u64) -> Result<(Value, Policy), NoAnswer> {
    let mut document = document.clone();
    let fields = document
        .as_object_mut()
        .ok_or_else(|| NoAnswer::Refused("the policy is no object".into()))?;
    if fields.keys().any(|name| name != kept && name != "extends") {
        // What else it says was meant for a trace of whole calls.
        return Err(NoAnswer::Unsupported);
    }
    let backoff = json!({"curve": "constant", "baseMs": 0, "jitter": "none"});
    let off = ["budget", "breaker", "deadlineMs", "attemptTimeoutMs", "limiter"];
    fields.extend(
        off.into_iter().filter(|name| *name != kept).map(|name| (name.into(), Value::Null)),
    );
    fields.insert("maxRetries".into(), max_retries.into());
    fields.insert("backoff".into(), backoff);
    let policy = Policy::from_json(&document.to_string())
        .map_err(|issues| NoAnswer::Refused(format!("the policy is invalid: {issues}")))?;
    Ok((document, policy))
}

/// The word that an answer holds.
fn word<'a>(answers: &'a Answers, name: &str) -> &'a str {
    answers.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A call that has to be let go.
fn begin(port: &mut impl Port, call: &str, at: u64) -> Result<Answers, NoAnswer> {
    port.play("begin", beginning(call), at)
}

fn beginning(call: &str) -> Value {
    json!({"call": call, "request": {"method": "GET"}})
}

fn settle(port: &mut impl Port, call: &str, outcome: &Value, at: u64) -> Result<Answers, NoAnswer> {
    port.play("settle", settling(call, outcome), at)
}

fn settling(call: &str, outcome: &Value) -> Value {
    json!({"call": call, "outcome": outcome})
}

/// The core did something that the plan of events rules out.
fn strange(what: &str, answers: &Answers) -> NoAnswer {
    NoAnswer::Refused(format!("{what} was answered by {}", Value::Object(answers.clone())))
}

#[cfg(test)]
mod tests;
