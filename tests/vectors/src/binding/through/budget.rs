//! The budget: each step of a call is the event that has its effect and no other.
//!
//! | step | event |
//! |---|---|
//! | `start` | a GET begins |
//! | `retry` | it resumes if it waited, then settles: 503, or 429 for `throttled` |
//! | `refund` | it is cancelled while it waits |
//! | `finish` | it settles: 200, 404 for `ignored`, 503 with a veto for `failure` |
//! | `save`, `load` | the upstream is saved, another goes on from it, and calls of the old one are gone |
//! | `reconfigure` | another policy, for the same calls |
//!
//! A call is over where the trace's goes on: after a refusal, a refund, a finish. Then another call
//! takes its place, and where places are counted it begins at once. A ratio counts each begin, so
//! its spare calls have begun a window and more before the trace.

mod parts;

use alloc::collections::{BTreeMap, VecDeque};
use core::ops::RangeInclusive;

use retrywise::Policy;
use serde_json::{Value, json};

use parts::{Held, Kind, kind};

use super::{Port, alone, beginning, keep, look, settle, settling, strange, word};
use crate::{
    binding::{Answers, NoAnswer},
    trace::{Step, Trace},
};

/// More calls than that are not begun for one trace.
const MOST: u64 = 100_000;

/// The budget of one trace.
pub(in crate::binding) struct Budget {
    kind: Kind,
    /// When the trace begins on the clock of the binding.
    offset: u64,
    spare: Vec<String>,
    ahead: Ahead,
    made: u64,
    named: BTreeMap<String, Held>,
    /// Calls without a name, where places are counted, or where withdrawals have slots and each
    /// could be given back; else one stands for all, under "".
    nameless: Vec<Held>,
}

/// What repeated steps ask for in any case, asked for at one go before they need it.
#[derive(Default)]
struct Ahead {
    /// Calls that have begun.
    begun: VecDeque<String>,
    /// What the settle of a call was answered.
    settled: BTreeMap<String, Answers>,
}

impl Budget {
    pub(super) fn open(port: &mut impl Port, trace: &Trace) -> Result<Self, NoAnswer> {
        let (document, policy) = read(&trace.policy)?;
        let Some(options) = policy.budget() else {
            return Err(NoAnswer::Refused("the policy has no budget".into()));
        };
        let (kind, offset) = kind(options)?;
        port.open(&document, trace.seed)?;
        let (named, nameless) = (BTreeMap::new(), Vec::new());
        let (spare, ahead) = (Vec::new(), Ahead::default());
        let mut budget = Self { kind, offset, spare, ahead, made: 0, named, nameless };
        if kind == Kind::Ratio {
            let uses = trace.steps.iter().filter(|step| matches!(step.op.name, "retry" | "finish"));
            let most: u64 = uses.map(|step| step.times.unwrap_or(1)).sum();
            budget.spare = budget.begin_all(port, most.min(MOST), 0)?;
        }
        Ok(budget)
    }

    pub(super) fn repeat(
        &mut self,
        port: &mut impl Port,
        step: &Step,
        nth: RangeInclusive<u64>,
    ) -> Result<Vec<Answers>, NoAnswer> {
        let (first, last) = nth.into_inner();
        let mut answers = vec![self.step(port, &step.nth(first))?];
        self.look_ahead(port, step, last - first)?;
        for n in first + 1..=last {
            answers.push(self.step(port, &step.nth(n))?);
        }
        Ok(answers)
    }

    pub(super) fn step(&mut self, port: &mut impl Port, step: &Step) -> Result<Answers, NoAnswer> {
        let at = step.at.as_millis().saturating_add(self.offset);
        if super::is_look(step) {
            return look(port, step, at);
        }
        match step.op.name {
            "save" => return keep(port, step, at).map(|()| Answers::new()),
            "load" => {
                keep(port, step, at)?;
                // Those of the upstream before are nobody's any more.
                self.named.clear();
                self.nameless.clear();
                self.spare.clear();
                self.ahead = Ahead::default();
                return Ok(Answers::new());
            }
            "reconfigure" => return self.reconfigure(port, step, at),
            _ => {}
        }
        let name = step.text("call").to_owned();
        if name.is_empty() && matches!(self.kind, Kind::Concurrency | Kind::Ratio) {
            return self.counted(port, step, at);
        }
        let mut held = self.named.remove(&name).unwrap_or_default();
        let played = self.play(port, step, &mut held, at);
        self.named.insert(name, held);
        played
    }

    /// Asks for what the next `times` of a step ask for, whatever is answered on the way.
    fn look_ahead(
        &mut self,
        port: &mut impl Port,
        step: &Step,
        times: u64,
    ) -> Result<(), NoAnswer> {
        let at = step.at.as_millis().saturating_add(self.offset);
        let nameless = step.text("call").is_empty();
        match (step.op.name, self.kind) {
            // Each begins a call; but one with a name may have its place already.
            ("start", _) if nameless || self.kind != Kind::Concurrency => {
                self.ahead.begun = self.begin_all(port, times, at)?.into();
            }
            // Each takes the next spare call, after the first, which may have had one: that is over
            // if it was refused, and left to itself if it was granted.
            ("retry", Kind::Ratio) if nameless => {
                let Some(status) = status(step) else { return Ok(()) };
                let taken =
                    self.spare.iter().rev().take(usize::try_from(times).unwrap_or(usize::MAX));
                let calls: Vec<String> = taken.cloned().collect();
                let settled = calls.iter().map(|call| settling(call, &unavailable(status)));
                let verdicts = port.play_all("settle", settled.collect(), at)?;
                self.ahead.settled = calls.into_iter().zip(verdicts).collect();
            }
            _ => {}
        }
        Ok(())
    }

    /// Another policy. Calls that stand for those of a trace stand for them under a budget of the
    /// same kind, or of one that asks no more of them.
    fn reconfigure(
        &mut self,
        port: &mut impl Port,
        step: &Step,
        at: u64,
    ) -> Result<Answers, NoAnswer> {
        let (document, policy) = read(step.value("document").unwrap_or(&Value::Null))?;
        let (next, offset) = policy.budget().map_or(Ok((self.kind, self.offset)), kind)?;
        let alike = |kind| matches!(kind, Kind::Tokens | Kind::Throttle);
        if offset != self.offset || !(next == self.kind || alike(next) && alike(self.kind)) {
            return Err(NoAnswer::Unsupported);
        }
        self.kind = next;
        port.state(step.op.name, json!({"document": document}), at, step.wall)?;
        Ok(Answers::new())
    }

    /// A step of a call without a name, where each has its own.
    fn counted(&mut self, port: &mut impl Port, step: &Step, at: u64) -> Result<Answers, NoAnswer> {
        let under_way = |held: &Held| held.call.is_some();
        let calls = &self.nameless;
        let last = calls.len().checked_sub(1);
        let found = match step.op.name {
            "retry" if self.kind == Kind::Ratio => last.filter(|&last| !calls[last].granted),
            "refund" if self.kind == Kind::Ratio => {
                calls.iter().rposition(|held| held.granted).or(last)
            }
            _ if self.kind == Kind::Ratio => last,
            "start" => None,
            "retry" => calls.iter().position(|held| under_way(held) && !held.granted),
            "refund" => calls.iter().rposition(|held| held.granted),
            _ => calls
                .iter()
                .position(|held| held.granted)
                .or_else(|| calls.iter().position(under_way)),
        };
        let mut held = found.map(|index| self.nameless.swap_remove(index)).unwrap_or_default();
        let played = self.play(port, step, &mut held, at);
        // The order says which is the first, so it comes back to where it was.
        match found {
            Some(index) => {
                self.nameless.push(held);
                let last = self.nameless.len() - 1;
                self.nameless.swap(index, last);
            }
            None => self.nameless.push(held),
        }
        played
    }

    fn play(
        &mut self,
        port: &mut impl Port,
        step: &Step,
        held: &mut Held,
        at: u64,
    ) -> Result<Answers, NoAnswer> {
        let mut answers = Answers::new();
        match step.op.name {
            "start" => self.start(port, held, at)?,
            "retry" => {
                let status = status(step).ok_or(NoAnswer::Unsupported)?;
                answers.insert("allowed".into(), self.retry(port, held, status, at)?.into());
            }
            "refund" => self.refund(port, held, at)?,
            "finish" => self.finish(port, held, step.text("result"), at)?,
            _ => return Err(NoAnswer::Unsupported),
        }
        Ok(answers)
    }

    fn start(&mut self, port: &mut impl Port, held: &mut Held, at: u64) -> Result<(), NoAnswer> {
        match (&held.call, self.kind) {
            // It has its place already.
            (Some(_), Kind::Concurrency) => {}
            (None, _) => held.call = Some(self.begin(port, at)?),
            _ => {
                let call = self.begin(port, at)?;
                self.spare.push(call);
            }
        }
        Ok(())
    }

    fn retry(
        &mut self,
        port: &mut impl Port,
        held: &mut Held,
        status: u16,
        at: u64,
    ) -> Result<bool, NoAnswer> {
        let call = self.sending(port, held, at)?;
        let verdict = match self.ahead.settled.remove(&call) {
            Some(verdict) => verdict,
            None => settle(port, &call, &unavailable(status), at)?,
        };
        match (word(&verdict, "verdict"), word(&verdict, "reason")) {
            ("retry", _) => {
                *held = Held { call: Some(call), waiting: true, granted: true, lost: false };
                Ok(true)
            }
            ("stop", "budget-exhausted") => {
                held.lost |= held.granted;
                self.replace(port, held, at)?;
                Ok(false)
            }
            _ => Err(strange("a retry", &verdict)),
        }
    }

    fn refund(&mut self, port: &mut impl Port, held: &mut Held, at: u64) -> Result<(), NoAnswer> {
        if held.lost && matches!(self.kind, Kind::Ratio | Kind::Tokens) {
            return Err(NoAnswer::Unsupported);
        }
        match held.call.take() {
            Some(call) if held.waiting => {
                port.play("cancel", json!({"call": call}), at)?;
                self.replace(port, held, at)
            }
            // Nothing was withdrawn, or it was given back.
            call => {
                held.call = call;
                Ok(())
            }
        }
    }

    fn finish(
        &mut self,
        port: &mut impl Port,
        held: &mut Held,
        result: &str,
        at: u64,
    ) -> Result<(), NoAnswer> {
        if self.kind == Kind::Concurrency && held.call.is_none() {
            // It has no place to give back, and results count nowhere.
            return Ok(());
        }
        if held.lost && self.kind == Kind::Tokens && result == "success" {
            return Err(NoAnswer::Unsupported);
        }
        let outcome = match result {
            "success" => json!({"status": 200, "headers": []}),
            "failure" => json!({"status": 503, "headers": [["x-should-retry", "false"]]}),
            _ => json!({"status": 404, "headers": []}),
        };
        let call = self.sending(port, held, at)?;
        let verdict = settle(port, &call, &outcome, at)?;
        if word(&verdict, "verdict") == "retry" {
            return Err(strange("a finish", &verdict));
        }
        // It is over: what it withdrew is spent.
        *held = Held::default();
        Ok(())
    }

    /// The call that stands for this one, with an attempt on its way.
    fn sending(
        &mut self,
        port: &mut impl Port,
        held: &mut Held,
        at: u64,
    ) -> Result<String, NoAnswer> {
        let Some(call) = held.call.take() else {
            return match self.kind {
                // One that never started has no place, and no call is without one.
                Kind::Concurrency => Err(NoAnswer::Unsupported),
                Kind::Ratio => self.spare.pop().ok_or(NoAnswer::Unsupported),
                Kind::Tokens | Kind::Throttle => self.begin(port, at),
            };
        };
        if core::mem::take(&mut held.waiting) {
            let resumed = port.play("resume", json!({"call": call}), at)?;
            if resumed.get("admitted") != Some(&Value::Bool(true)) {
                return Err(strange("a resume", &resumed));
            }
        }
        Ok(call)
    }

    /// The call is over where the trace's goes on: where places are counted, the next one has to
    /// take its place at once.
    fn replace(&mut self, port: &mut impl Port, held: &mut Held, at: u64) -> Result<(), NoAnswer> {
        let call = (self.kind == Kind::Concurrency).then(|| self.begin(port, at)).transpose()?;
        *held = Held { call, lost: held.lost, ..Held::default() };
        Ok(())
    }

    fn begin(&mut self, port: &mut impl Port, at: u64) -> Result<String, NoAnswer> {
        if let Some(call) = self.ahead.begun.pop_front() {
            return Ok(call);
        }
        Ok(self.begin_all(port, 1, at)?.swap_remove(0))
    }

    fn begin_all(
        &mut self,
        port: &mut impl Port,
        count: u64,
        at: u64,
    ) -> Result<Vec<String>, NoAnswer> {
        let calls: Vec<_> = (1..=count).map(|n| format!("call {}", self.made + n)).collect();
        self.made += count;
        let begun =
            port.play_all("begin", calls.iter().map(|call| beginning(call)).collect(), at)?;
        match begun.iter().find(|begun| begun.get("admitted") != Some(&Value::Bool(true))) {
            Some(refused) => Err(strange("a start", refused)),
            None => Ok(calls),
        }
    }
}

/// What is answered to a retry of this step's class; nothing for a class that is none of them.
fn status(step: &Step) -> Option<u16> {
    match step.text("class") {
        "" | "transient" => Some(503),
        "throttled" => Some(429),
        _ => None,
    }
}

fn unavailable(status: u16) -> Value {
    json!({"status": status, "headers": []})
}

/// The policy with nothing but its budget.
fn read(document: &Value) -> Result<(Value, Policy), NoAnswer> {
    alone(document, "budget", 1_000_000)
}
