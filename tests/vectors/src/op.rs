//! The ops of a trace: one table says which machine an op belongs to, which fields it takes and
//! which answers it gives.

use retrywise::Class;
use serde_json::Value;

use crate::{
    documents::{Headers, OutcomeDoc, RequestDoc},
    fields::{Fields, Invalid, Read},
};

/// A part of the core that traces are about; the areas of a trace file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Machine {
    /// Step 8 of a decision by itself.
    Delay,
    /// The retry budget.
    Budget,
    /// The circuit breaker.
    Breaker,
    /// The rate limiter.
    Limiter,
    /// The queue of waiting calls.
    Queue,
    /// The dedup ledger.
    Ledger,
    /// The attempts of whole calls.
    Engine,
    /// Policy documents.
    Policy,
    /// Saved and loaded state.
    State,
}

/// What a trace may do in one step.
#[derive(Debug)]
pub struct Op {
    /// Its name in a trace.
    pub name: &'static str,
    /// The machine it drives.
    pub machine: Machine,
    /// The fields it takes.
    pub args: &'static [Arg],
    /// The answers it gives.
    pub answers: &'static [&'static str],
}

/// One field of an op.
#[derive(Debug)]
pub struct Arg {
    /// Its name in a step.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it may be left out.
    pub optional: bool,
}

/// What a field of an op holds.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// The name of a call, permit, entry or record: gets a suffix when a step is repeated.
    Name,
    /// Any text.
    Text,
    /// A whole number from 0 on.
    Whole,
    /// A whole number.
    Signed,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A class of outcome.
    Class,
    /// Header lines.
    Headers,
    /// A request.
    Request,
    /// An outcome.
    Outcome,
    /// Any JSON document.
    Document,
}

impl Machine {
    /// The name under which it is counted.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delay => "delay",
            Self::Budget => "budget",
            Self::Breaker => "breaker",
            Self::Limiter => "limiter",
            Self::Queue => "queue",
            Self::Ledger => "ledger",
            Self::Engine => "engine",
            Self::Policy => "policy",
            Self::State => "state",
        }
    }
}

impl Op {
    /// The op of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        OPS.iter().find(|op| op.name == name)
    }

    /// All names, for messages.
    pub fn names() -> String {
        OPS.iter().map(|op| op.name).collect::<Vec<_>>().join(", ")
    }
}

impl Arg {
    /// Takes the field out of a step and checks what it holds.
    ///
    /// # Errors
    /// A missing field, a wrong type, an unknown word or nested field.
    pub fn take<'a>(
        &self,
        fields: &mut Fields<'a>,
        at: &str,
    ) -> Result<Option<&'a Value>, Invalid> {
        let name = self.name;
        if matches!(self.kind, Kind::Document) {
            // Null is a document, too.
            return fields.present(name).map(Some);
        }
        let value: Option<&Value> = fields.optional(name)?;
        let Some(value) = value else {
            return if self.optional { Ok(None) } else { fields.required(name).map(Some) };
        };
        let holds = match self.kind {
            Kind::Name | Kind::Text => wrong::<&str>(value),
            Kind::Whole => wrong::<u64>(value),
            Kind::Signed => wrong::<i64>(value),
            Kind::Headers => wrong::<Headers>(value),
            Kind::Document => None,
            Kind::Word(words) => known(value, words),
            Kind::Class => known(value, &Class::ALL.iter().map(|c| c.name()).collect::<Vec<_>>()),
            Kind::Request => {
                return RequestDoc::read(value, &inside(at, name)).map(|_| Some(value));
            }
            Kind::Outcome => {
                return OutcomeDoc::read(value, &inside(at, name)).map(|_| Some(value));
            }
        };
        match holds {
            None => Ok(Some(value)),
            Some(what) => Err(fields.invalid(format!("`{name}` has to be {what}, not {value}"))),
        }
    }
}

/// What `value` would have to be, unless it is one.
fn wrong<'a, T: Read<'a>>(value: &'a Value) -> Option<String> {
    T::read(value).is_none().then(|| T::WHAT.to_owned())
}

/// The words to choose from, unless `value` is one of them.
fn known(value: &Value, words: &[&str]) -> Option<String> {
    let is_one = value.as_str().is_some_and(|word| words.contains(&word));
    (!is_one).then(|| format!("one of {}", words.join(", ")))
}

fn inside(at: &str, name: &str) -> String {
    format!("{at}: {name}")
}

const fn arg(name: &'static str, kind: Kind) -> Arg {
    Arg { name, kind, optional: false }
}

const fn maybe(name: &'static str, kind: Kind) -> Arg {
    Arg { name, kind, optional: true }
}

const fn op(
    machine: Machine,
    name: &'static str,
    args: &'static [Arg],
    answers: &'static [&'static str],
) -> Op {
    Op { name, machine, args, answers }
}

const SAMPLES: Kind = Kind::Word(&["success", "failure", "ignored", "cancelled"]);
const RESULTS: Kind = Kind::Word(&["success", "failure", "ignored"]);
const ACTIONS: Kind = Kind::Word(&["confirm", "retry-new-key", "abandon"]);
const ADMISSION: &[&str] = &["admitted", "reason", "retryInMs"];
const RESUMPTION: &[&str] = &["admitted", "reason", "retryInMs", "over"];
const VERDICT: &[&str] = &[
    "verdict",
    "attempt",
    "delayMs",
    "reason",
    "hintMs",
    "hintSource",
    "class",
    "delivery",
    "transition",
    "stale",
];
const CALL: Arg = arg("call", Kind::Name);
const ANY_CALL: Arg = maybe("call", Kind::Name);
const KEY: Arg = arg("key", Kind::Name);
const ATTEMPT: Arg = arg("attempt", Kind::Whole);
const STATUS: Arg = arg("status", Kind::Whole);
const DUE: Arg = maybe("dueAt", Kind::Whole);
const PERMIT: Arg = arg("permit", Kind::Name);

/// Every op. `at`, `op`, `wall`, `times` and `expect` belong to each step and stand nowhere here.
static OPS: &[Op] = &[
    op(
        Machine::Delay,
        "delay",
        &[
            arg("retry", Kind::Whole),
            maybe("class", Kind::Class),
            maybe("hintMs", Kind::Whole),
            ANY_CALL,
        ],
        &["delayMs", "reason"],
    ),
    op(Machine::Budget, "start", &[ANY_CALL], &[]),
    op(Machine::Budget, "retry", &[ANY_CALL, maybe("class", Kind::Class)], &["allowed"]),
    op(Machine::Budget, "refund", &[ANY_CALL], &[]),
    op(Machine::Budget, "finish", &[ANY_CALL, arg("result", RESULTS)], &[]),
    op(Machine::Budget, "balance", &[], &["balance"]),
    op(Machine::Breaker, "admit", &[PERMIT], &["admitted", "probe", "retryInMs"]),
    op(
        Machine::Breaker,
        "record",
        &[PERMIT, arg("sample", SAMPLES), maybe("durationMs", Kind::Whole)],
        &["transition", "stale"],
    ),
    op(Machine::Breaker, "isolate", &[], &[]),
    op(Machine::Breaker, "reset", &[], &[]),
    op(Machine::Breaker, "state", &[], &["state", "retryInMs"]),
    op(
        Machine::Limiter,
        "observe",
        &[arg("status", Kind::Whole), arg("headers", Kind::Headers)],
        &[],
    ),
    op(Machine::Limiter, "acquire", &[ANY_CALL, maybe("priority", Kind::Signed)], &["waitMs"]),
    op(Machine::Queue, "push", &[arg("id", Kind::Name), maybe("priority", Kind::Signed), DUE], &[]),
    op(Machine::Queue, "pop", &[], &["id"]),
    op(
        Machine::Ledger,
        "claim",
        &[
            KEY,
            arg("fingerprint", Kind::Text),
            maybe("leaseMs", Kind::Whole),
            arg("owner", Kind::Text),
        ],
        &["result", "attempt", "retryInMs", "renewInMs"],
    ),
    op(
        Machine::Ledger,
        "renew",
        &[KEY, ATTEMPT, maybe("leaseMs", Kind::Whole)],
        &["result", "renewInMs"],
    ),
    op(Machine::Ledger, "complete", &[KEY, ATTEMPT, STATUS], &["result"]),
    op(Machine::Ledger, "fail", &[KEY, ATTEMPT, maybe("status", Kind::Whole), DUE], &["result"]),
    op(Machine::Ledger, "ambiguous", &[KEY, ATTEMPT, DUE], &["result"]),
    op(Machine::Ledger, "release", &[KEY, ATTEMPT], &["result"]),
    op(
        Machine::Ledger,
        "resolve",
        &[KEY, arg("action", ACTIONS), arg("by", Kind::Text), arg("why", Kind::Text)],
        &["result"],
    ),
    op(Machine::Ledger, "get", &[KEY], &["state", "cause"]),
    op(Machine::Engine, "begin", &[CALL, arg("request", Kind::Request)], ADMISSION),
    op(Machine::Engine, "settle", &[CALL, arg("outcome", Kind::Outcome)], VERDICT),
    op(Machine::Engine, "resume", &[CALL], RESUMPTION),
    op(Machine::Engine, "cancel", &[ANY_CALL], VERDICT),
    op(Machine::Engine, "end", &[ANY_CALL], &[]),
    op(Machine::Policy, "policy", &[arg("document", Kind::Document)], &["valid", "issues"]),
    op(Machine::State, "save", &[arg("as", Kind::Name)], &[]),
    op(Machine::State, "load", &[arg("from", Kind::Name)], &[]),
    op(Machine::State, "reconfigure", &[arg("document", Kind::Document)], &[]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_ops_share_a_name() {
        for op in OPS {
            let found = Op::find(op.name).unwrap();
            assert!(core::ptr::eq(found, op), "{}", op.name);
        }
    }
}
