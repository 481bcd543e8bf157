//! Traces: a policy, and steps on a virtual clock.

use alloc::collections::BTreeSet;

use retrywise::Instant;
use serde_json::{Map, Value};

use crate::{
    draws,
    fields::{Fields, Invalid, Read},
    op::{Kind, Machine, Op},
    wall::Wall,
};

/// How often one step may be repeated.
const MAX_TIMES: u64 = 1_000_000;

/// One line of a trace file.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The name of the line.
    pub id: String,
    /// The policy document.
    pub policy: Value,
    /// The state in which the generator starts.
    pub seed: u64,
    /// The draws that decisions take, in order; once they are spent the generator goes on from `seed`.
    pub draws: Vec<u64>,
    /// What happens.
    pub steps: Vec<Step>,
}

/// One event of a trace, or `times` of them.
#[derive(Clone, Debug)]
pub struct Step {
    /// The monotonic time.
    pub at: Instant,
    /// The wall clock, where the step needs one.
    pub wall: Option<Wall>,
    /// What happens.
    pub op: &'static Op,
    /// The fields of the op, checked.
    pub args: Map<String, Value>,
    /// How often; `expect` then holds counts.
    pub times: Option<u64>,
    /// The answers asked for.
    pub expect: Map<String, Value>,
}

impl Trace {
    /// The trace in `value`.
    ///
    /// # Errors
    /// An unknown op or field, a wrong type, an answer that the op does not give.
    pub fn read(value: &Value) -> Result<Self, Invalid> {
        let mut fields = Fields::of(value, "trace")?;
        let trace = Self {
            id: fields.required("id")?,
            policy: fields.required::<&Value>("policy")?.clone(),
            seed: fields.optional("seed")?.unwrap_or(0),
            draws: fields.optional::<Draws>("draws")?.map_or_else(Vec::new, |draws| draws.0),
            steps: steps(fields.required("steps")?)?,
        };
        fields.optional::<&str>("about")?;
        fields.optional::<&str>("source")?;
        fields.end()?;
        Ok(trace)
    }

    /// The area under which it is counted: the machine of its first step.
    pub fn area(&self) -> Machine {
        self.steps.first().map_or(Machine::Engine, |step| step.op.machine)
    }

    /// What a binding has to have to replay it: the machines of its steps.
    pub fn machines(&self) -> BTreeSet<Machine> {
        self.steps.iter().map(|step| step.op.machine).collect()
    }
}

impl Step {
    /// The step as it happens for the `nth` time (from 1): names carry the suffix `#n`.
    #[must_use]
    pub fn nth(&self, n: u64) -> Self {
        let mut step = self.clone();
        for arg in self.op.args.iter().filter(|arg| matches!(arg.kind, Kind::Name)) {
            if let Some(Value::String(name)) = step.args.get_mut(arg.name) {
                *name = format!("{name}#{n}");
            }
        }
        step
    }

    /// A text field, or the empty text where it was left out.
    pub fn text(&self, name: &str) -> &str {
        self.args.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A whole number, if it was given.
    pub fn whole(&self, name: &str) -> Option<u64> {
        self.args.get(name).and_then(Value::as_u64)
    }

    /// The priority, by default 0.
    ///
    /// # Errors
    /// One that does not fit 32 bits; the sentence says so.
    pub fn priority(&self) -> Result<i32, String> {
        let given = self.args.get("priority").and_then(Value::as_i64).unwrap_or(0);
        i32::try_from(given).map_err(|_| "`priority` does not fit 32 bits".to_owned())
    }

    /// Any field, if it was given.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.args.get(name)
    }
}

struct Draws(Vec<u64>);

impl Read<'_> for Draws {
    const WHAT: &'static str = "a list of numbers from 0 to below 1, or \"max\"";

    fn read(value: &Value) -> Option<Self> {
        let draw = |value: &Value| match value {
            Value::String(word) if word == "max" => Some(u64::MAX),
            _ => draws::bits(value.as_f64()?),
        };
        value.as_array()?.iter().map(draw).collect::<Option<_>>().map(Self)
    }
}

fn steps(list: &[Value]) -> Result<Vec<Step>, Invalid> {
    if list.is_empty() {
        return Err(Invalid("trace: `steps` is empty".to_owned()));
    }
    list.iter()
        .enumerate()
        .map(|(index, value)| step(value, &format!("step {}", index + 1)))
        .collect()
}

fn step(value: &Value, at: &str) -> Result<Step, Invalid> {
    let mut fields = Fields::of(value, at)?;
    let name: &str = fields.required("op")?;
    let op = Op::find(name)
        .ok_or_else(|| fields.invalid(format!("unknown op `{name}` (known: {})", Op::names())))?;
    let at_time = Instant::from_millis(fields.required("at")?);
    let wall = fields.optional("wall")?;
    let times = fields.optional("times")?;
    let expect = fields.optional::<&Map<String, Value>>("expect")?.cloned().unwrap_or_default();
    let mut args = Map::new();
    for arg in op.args {
        if let Some(value) = arg.take(&mut fields, at)? {
            args.insert(arg.name.to_owned(), value.clone());
        }
    }
    if let Some(stranger) = expect.keys().find(|key| !op.answers.contains(&key.as_str())) {
        let known = op.answers.join(", ");
        let what = format!("`{name}` does not answer `{stranger}` (it answers: {known})");
        return Err(fields.invalid(what));
    }
    if times.is_some_and(|times| times == 0 || times > MAX_TIMES) {
        return Err(fields.invalid(format!("`times` has to be from 1 to {MAX_TIMES}")));
    }
    fields.end()?;
    Ok(Step { at: at_time, wall, op, args, times, expect })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn trace(step: &Value) -> Value {
        json!({"id": "t", "policy": {}, "steps": [step]})
    }

    #[test]
    fn unknown_ops_fields_and_answers_are_refused_by_name() {
        for (step, named) in [
            (json!({"at": 0, "op": "explode"}), "explode"),
            (json!({"at": 0, "op": "start", "colour": 1}), "colour"),
            (json!({"at": 0, "op": "start", "expect": {"allowed": true}}), "allowed"),
            (json!({"op": "start"}), "`at` is missing"),
            (json!({"at": 0, "op": "start", "times": 0}), "times"),
            (json!({"at": 0, "op": "finish", "result": "great"}), "one of success"),
            (json!({"at": 0, "op": "begin", "call": "a"}), "`request` is missing"),
            (json!({"at": 0, "op": "begin", "call": "a", "request": {"method": 1}}), "method"),
            (json!({"at": 0, "op": "delay", "retry": 1, "class": "bad"}), "one of success"),
            (json!({"at": 0, "op": "settle", "call": "a", "outcome": {"state": 1}}), "state"),
            (json!({"at": 0, "op": "start", "wall": "today"}), "wall"),
        ] {
            let error = Trace::read(&trace(&step)).unwrap_err().0;
            assert!(error.contains(named), "{step}: {error}");
        }
        let mut extra = trace(&json!({"at": 0, "op": "start"}));
        extra["sede"] = json!(7);
        assert!(Trace::read(&extra).unwrap_err().0.contains("sede"));
    }

    #[test]
    fn a_trace_needs_the_machines_of_its_steps() {
        let mut value = trace(&json!({"at": 0, "op": "start"}));
        value["steps"] = json!([{"at": 0, "op": "start"}, {"at": 0, "op": "isolate"}]);
        let machines: Vec<_> = Trace::read(&value).unwrap().machines().into_iter().collect();
        assert_eq!(machines, [Machine::Budget, Machine::Breaker]);
    }

    #[test]
    fn a_repeated_step_numbers_its_names() {
        let value = trace(&json!({"at": 0, "op": "admit", "permit": "p", "times": 2}));
        let step = &Trace::read(&value).unwrap().steps[0];
        assert_eq!(step.nth(2).text("permit"), "p#2");
    }

    #[test]
    fn draws_are_numbers_below_one_or_the_largest() {
        let mut value = trace(&json!({"at": 0, "op": "start"}));
        value["draws"] = json!([0.0, 0.5, "max"]);
        assert_eq!(Trace::read(&value).unwrap().draws, [0, 1 << 63, u64::MAX]);
        value["draws"] = json!([1.0]);
        assert!(Trace::read(&value).is_err());
    }
}
