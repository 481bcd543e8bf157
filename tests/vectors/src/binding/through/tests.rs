//! The core itself behind a port: what the events of calls say has to be what its machines say when
//! they are asked directly.

use retrywise::Instant;

use super::*;
use crate::{
    binding::{Binding, Native, Reply},
    op::Op,
    run::{Fate, Vector, run},
    signal::Signal,
};

/// The core, seen only through calls.
#[derive(Default)]
struct Calls {
    native: Native,
    through: Option<Through>,
}

impl Port for Native {
    fn open(&mut self, policy: &Value, seed: u64) -> Result<(), NoAnswer> {
        let (policy, id) = (policy.clone(), "through".to_owned());
        Binding::open(self, &Trace { id, policy, seed, draws: Vec::new(), steps: Vec::new() })
    }

    fn play(&mut self, op: &str, args: Value, at: u64) -> Result<Answers, NoAnswer> {
        let at = Instant::from_millis(at);
        if matches!(op, "view" | "isolate" | "reset") {
            return self.by_hand(op, at);
        }
        let (Value::Object(args), Some(op)) = (args, Op::find(op)) else { unreachable!() };
        let (wall, times, expect) = (None, None, Answers::new());
        Ok(self.step(&Step { at, wall, op, args, times, expect }, None)?.answers)
    }

    fn state(
        &mut self,
        op: &str,
        args: Value,
        at: u64,
        wall: Option<Wall>,
    ) -> Result<(), NoAnswer> {
        let (Value::Object(args), Some(op)) = (args, Op::find(op)) else { unreachable!() };
        let (times, expect) = (None, Answers::new());
        let at = Instant::from_millis(at);
        self.step(&Step { at, wall, op, args, times, expect }, None).map(|_| ())
    }
}

impl Binding for Calls {
    fn name(&self) -> &'static str {
        "calls"
    }

    fn takes(&self, _signal: &Signal) -> bool {
        false
    }

    fn has(&self, machine: Machine) -> bool {
        matches!(machine, Machine::Budget | Machine::Breaker | Machine::State)
    }

    fn signal(&mut self, _signal: &Signal) -> Result<Answers, NoAnswer> {
        Err(NoAnswer::Unsupported)
    }

    fn open(&mut self, trace: &Trace) -> Result<(), NoAnswer> {
        self.through = Some(Through::open(&mut self.native, trace)?);
        Ok(())
    }

    fn step(&mut self, step: &Step, _rng: Option<u64>) -> Result<Reply, NoAnswer> {
        let answers = self.through.as_mut().unwrap().step(&mut self.native, step)?;
        Ok(Reply { answers, rng: None })
    }

    fn repeat(&mut self, step: &Step, nth: RangeInclusive<u64>) -> Result<Vec<Answers>, NoAnswer> {
        self.through.as_mut().unwrap().repeat(&mut self.native, step, nth)
    }
}

/// The fates of the traces of a file, and how many could be told.
fn fates(file: &str) -> (Vec<String>, usize, Vec<String>) {
    let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut calls = Calls::default();
    let (mut wrong, mut passed, mut untold) = (Vec::new(), 0, Vec::new());
    for line in text.lines() {
        let vector = Vector::read(&serde_json::from_str(line).unwrap()).unwrap();
        match run(&mut calls, &vector).unwrap() {
            Fate::Passed => passed += 1,
            Fate::Failed(what) => wrong.push(format!("{}: {what:?}", vector.id())),
            Fate::Unsupported(_) => untold.push(vector.id().to_owned()),
        }
    }
    (wrong, passed, untold)
}

#[test]
fn calls_say_of_budgets_and_breakers_what_the_machines_say() {
    for (file, least) in
        [("budgets.jsonl", 80), ("breakers.jsonl", 60), ("states.jsonl", 11), ("traces.jsonl", 10)]
    {
        let (wrong, passed, untold) = fates(file);
        println!("{file}: {passed} passed, untold {untold:?}");
        assert!(wrong.is_empty(), "{file}: {wrong:#?}");
        assert!(passed >= least, "{file}: {passed} passed, not told: {untold:?}");
    }
}

#[test]
fn an_altered_answer_is_noticed_through_calls_too() {
    let trace = |op: Value| {
        let mut steps = vec![json!({"at": 0, "op": "start", "times": 10})];
        steps.push(op);
        let budget = json!({"kind": "ratio", "ratio": 0.1, "minPerSecond": 0, "windowMs": 10_000});
        let value = json!({"id": "t", "policy": {"budget": budget}, "steps": steps});
        run(&mut Calls::default(), &Vector::read(&value).unwrap()).unwrap()
    };
    let retries = |allowed| {
        trace(json!({"at": 1, "op": "retry", "times": 40, "expect": {"allowed": allowed}}))
    };
    assert_eq!(retries(1), Fate::Passed);
    assert!(matches!(retries(2), Fate::Failed(_)));
}
