//! The breaker: a permit is a call without retries.
//!
//! | step | event |
//! |---|---|
//! | `admit` | a GET begins; it is a probe where the view before said half-open |
//! | `record` | it settles: 200, 500, or 429 for `ignored`; `cancelled` cancels it |
//! | `state` | the view |
//! | `save`, `load` | the upstream is saved, another goes on from it; permits of the old one are void |
//!
//! `stale` is not told of a first record. A permit is stale when the state has changed since it was
//! given; it is not while it is young and nothing changed; else a trace that asks is not supported.

use alloc::collections::BTreeMap;

use retrywise::{
    BreakerState,
    policy::{BreakerKind, BreakerOptions, WindowKind},
};
use serde_json::{Value, json};

use super::{Port, alone, begin, keep, look, settle, strange, word};
use crate::{
    binding::{Answers, NoAnswer},
    trace::{Step, Trace},
};

/// The breaker of one trace.
pub(in crate::binding) struct Breaker {
    /// For how long an answer certainly counts, admitted while closed and while half-open.
    young: (u64, u64),
    /// The shortest that it stays open, ms.
    open: u64,
    state: String,
    /// Changes of state seen so far.
    changes: u64,
    /// Moves on where a change and one back may have been missed.
    doubts: u64,
    latest: u64,
    made: u64,
    permits: BTreeMap<String, Given>,
    /// Another upstream goes on.
    loaded: bool,
}

struct Given {
    call: String,
    at: u64,
    changes: u64,
    doubts: u64,
    half_open: bool,
    recorded: bool,
}

impl Breaker {
    pub(super) fn open(port: &mut impl Port, trace: &Trace) -> Result<Self, NoAnswer> {
        let (document, policy) = alone(&trace.policy, "breaker", 0)?;
        let Some(options) = policy.breaker() else {
            return Err(NoAnswer::Refused("the policy has no breaker".into()));
        };
        if options.open_jitter > 0 {
            // An upstream draws that from a generator that no boundary shows.
            return Err(NoAnswer::Unsupported);
        }
        port.open(&document, trace.seed)?;
        Ok(Self {
            young: (remembers(options), options.probe_timeout.get()),
            open: options.open.get(),
            state: BreakerState::Closed.name().into(),
            changes: 0,
            doubts: 0,
            latest: 0,
            made: 0,
            permits: BTreeMap::new(),
            loaded: false,
        })
    }

    pub(super) fn step(&mut self, port: &mut impl Port, step: &Step) -> Result<Answers, NoAnswer> {
        let at = step.at.as_millis();
        if matches!(step.op.name, "save" | "load") {
            keep(port, step, at)?;
            if step.op.name == "load" {
                // Its clock is another one, and so is its count of changes.
                self.permits.clear();
                self.loaded = true;
                self.latest = at;
                self.changes += 1;
                self.state = state(port, at)?;
            }
            return Ok(Answers::new());
        }
        self.look(port, at)?;
        match step.op.name {
            "admit" => self.admit(port, step.text("permit"), at),
            "record" => self.record(port, step, at),
            "state" => look(port, step, at),
            "isolate" | "reset" => {
                port.play(step.op.name, json!({}), at)?;
                self.changes += 1;
                self.state = state(port, at)?;
                Ok(Answers::new())
            }
            _ => Err(NoAnswer::Unsupported),
        }
    }

    /// Notes what time alone has changed.
    fn look(&mut self, port: &mut impl Port, at: u64) -> Result<(), NoAnswer> {
        let now = state(port, at)?;
        let half_open = BreakerState::HalfOpen.name();
        if now != self.state {
            self.changes += 1;
        } else if now == half_open && at.saturating_sub(self.latest) >= self.open {
            self.doubts += 1;
        }
        self.state = now;
        self.latest = self.latest.max(at);
        Ok(())
    }

    fn admit(&mut self, port: &mut impl Port, permit: &str, at: u64) -> Result<Answers, NoAnswer> {
        self.made += 1;
        let call = format!("call {}", self.made);
        let begun = begin(port, &call, at)?;
        let admitted = begun.get("admitted") == Some(&Value::Bool(true));
        if !admitted && word(&begun, "reason") != "breaker-open" {
            return Err(strange("an admit", &begun));
        }
        let half_open = self.state == BreakerState::HalfOpen.name();
        let mut answers = Answers::new();
        answers.insert("admitted".into(), admitted.into());
        answers.insert("probe".into(), (admitted && half_open).into());
        if admitted {
            let Self { changes, doubts, latest, .. } = *self;
            let given = Given { call, at: latest, changes, doubts, half_open, recorded: false };
            self.permits.insert(permit.to_owned(), given);
        } else {
            let wait = begun.get("retryInMs").cloned();
            answers.insert("retryInMs".into(), wait.unwrap_or(Value::Null));
        }
        Ok(answers)
    }

    fn record(&mut self, port: &mut impl Port, step: &Step, at: u64) -> Result<Answers, NoAnswer> {
        let name = step.text("permit");
        let loaded = self.loaded;
        let missing = || {
            let refused = NoAnswer::Refused(format!("no permit `{name}` was given"));
            if loaded { NoAnswer::Unsupported } else { refused }
        };
        let given = self.permits.get_mut(name).ok_or_else(missing)?;
        let status = match step.text("sample") {
            "success" => Some(200),
            "failure" => Some(500),
            "ignored" => Some(429),
            _ => None,
        };
        let verdict = if let Some(status) = status {
            let mut outcome = json!({"status": status, "headers": []});
            if let Some(took) = step.whole("durationMs") {
                outcome["durationMs"] = took.into();
            }
            settle(port, &given.call, &outcome, at)?
        } else {
            port.play("cancel", json!({"call": given.call}), at)?
        };
        let again = core::mem::replace(&mut given.recorded, true);
        if verdict.get("stale") != Some(&Value::Bool(again)) {
            return Err(strange("a record", &verdict));
        }
        let transition = match verdict.get("transition") {
            Some(Value::String(change)) if !again => Some(change.clone()),
            _ => None,
        };
        let elapsed = self.latest.saturating_sub(given.at);
        let young = elapsed < if given.half_open { self.young.1 } else { self.young.0 };
        let unmoved = given.changes == self.changes && given.doubts == self.doubts;
        let stale = match () {
            () if again => Some(true),
            () if transition.is_some() => Some(false),
            () if given.changes != self.changes => Some(true),
            () => (unmoved && young).then_some(false),
        };
        if let Some(to) = transition.as_ref().and_then(|change| change.split("->").nth(1)) {
            self.changes += 1;
            to.clone_into(&mut self.state);
        }
        if stale.is_none() && step.expect.contains_key("stale") {
            return Err(NoAnswer::Unsupported);
        }
        let mut answers = Answers::new();
        answers.insert("transition".into(), transition.map_or(Value::Null, Value::String));
        if let Some(stale) = stale {
            answers.insert("stale".into(), stale.into());
        }
        Ok(answers)
    }
}

/// How long an answer counts that was admitted while closed: nine of ten slots for certain.
fn remembers(options: &BreakerOptions) -> u64 {
    match (options.kind, options.window) {
        (BreakerKind::Rate, WindowKind::Time) => options.window_span.get() / 10 * 9,
        _ => u64::MAX,
    }
}

fn state(port: &mut impl Port, at: u64) -> Result<String, NoAnswer> {
    let view = port.play("view", json!({}), at)?;
    match word(&view, "state") {
        "" => Err(NoAnswer::Refused("the policy has no breaker".into())),
        state => Ok(state.to_owned()),
    }
}
