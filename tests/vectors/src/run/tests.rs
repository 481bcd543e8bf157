//! The runner judged by a binding whose answers the tests choose.

use retrywise::Rng;
use serde_json::{Value, json};

use super::*;
use crate::{binding::Answers, op::Machine};

/// Answers every signal with `signal`, every step with the next of `steps`; a step called `retry`
/// or `delay` spends a draw and answers its bits.
#[derive(Default)]
struct Told {
    signal: Value,
    steps: Vec<Value>,
    rng: u64,
    spends: u32,
    missing: Option<Machine>,
}

impl Binding for Told {
    fn name(&self) -> &'static str {
        "told"
    }

    fn takes(&self, signal: &Signal) -> bool {
        signal.area != "far-away"
    }

    fn has(&self, machine: Machine) -> bool {
        self.missing != Some(machine)
    }

    fn signal(&mut self, _signal: &Signal) -> Result<Answers, NoAnswer> {
        Ok(self.signal.as_object().unwrap().clone())
    }

    fn open(&mut self, trace: &Trace) -> Result<(), NoAnswer> {
        self.rng = trace.seed;
        self.steps.reverse();
        Ok(())
    }

    fn step(&mut self, step: &Step, rng: Option<u64>) -> Result<Reply, NoAnswer> {
        self.rng = rng.unwrap_or(self.rng);
        if step.op.name == "delay" {
            let mut rng = Rng::new(self.rng);
            let drawn = (0..self.spends).map(|_| rng.draw().between(0, 999)).last();
            self.rng = rng.state();
            let answers = json!({"delayMs": drawn}).as_object().unwrap().clone();
            return Ok(Reply { answers, rng: Some(self.rng) });
        }
        match self.steps.pop() {
            Some(Value::Object(answers)) => Ok(Reply { answers, rng: Some(self.rng) }),
            _ => Err(NoAnswer::Refused("the policy turns it off".into())),
        }
    }
}

fn play(told: &mut Told, vector: &Value) -> Fate {
    run(told, &Vector::read(vector).unwrap()).unwrap()
}

fn signal(expect: &Value) -> Value {
    json!({"id": "s", "area": "status", "input": {"status": 503}, "now": null, "expect": expect, "source": ""})
}

fn trace(steps: &Value) -> Value {
    json!({"id": "t", "policy": {}, "steps": steps})
}

#[test]
fn a_wrong_expectation_fails_and_says_what_came() {
    let answers = json!({"class": "transient", "delivery": "not_processed", "delay_ms": null});
    let mut told = Told { signal: answers.clone(), ..Told::default() };
    assert_eq!(play(&mut told, &signal(&answers)), Fate::Passed);
    let fate = play(&mut told, &signal(&json!({"class": "permanent", "delay_ms": 0})));
    let Fate::Failed(wrong) = fate else { panic!("{fate:?}") };
    assert_eq!(
        wrong,
        [r#"class expected "permanent", got "transient""#, "delay_ms expected 0, got null"]
    );
}

#[test]
fn an_answer_that_was_not_given_fails() {
    let mut told = Told { signal: json!({}), ..Told::default() };
    let fate = play(&mut told, &signal(&json!({"class": "transient"})));
    assert!(matches!(fate, Fate::Failed(_)));
}

#[test]
fn a_wrong_step_is_named_and_the_later_ones_are_still_judged() {
    let steps = json!([
        {"at": 0, "op": "balance", "expect": {"balance": 5}},
        {"at": 7, "op": "balance", "expect": {"balance": {"min": 1, "max": 2}}},
        {"at": 9, "op": "balance", "expect": {"balance": {"min": 1, "max": 2}}},
    ]);
    let answers = [json!({"balance": 4}), json!({"balance": 3}), json!({"balance": 2})];
    let fate = play(&mut Told { steps: answers.into(), ..Told::default() }, &trace(&steps));
    let Fate::Failed(wrong) = fate else { panic!("{fate:?}") };
    assert_eq!(
        wrong,
        [
            "step 1 (balance at 0): balance expected 5, got 4",
            r#"step 2 (balance at 7): balance expected {"max":2,"min":1}, got 3"#
        ]
    );
}

#[test]
fn a_repeated_step_is_judged_by_its_counts() {
    let told = || Told {
        steps: [true, false, true].map(|allowed| json!({"allowed": allowed})).into(),
        ..Told::default()
    };
    let three = |allowed: u64| {
        trace(&json!([{"at": 0, "op": "retry", "times": 3, "expect": {"allowed": allowed}}]))
    };
    assert_eq!(play(&mut told(), &three(2)), Fate::Passed);
    assert!(matches!(play(&mut told(), &three(3)), Fate::Failed(_)));
}

#[test]
fn each_decision_takes_the_next_draw_then_the_seed_goes_on() {
    let mut vector = trace(&json!([
        {"at": 0, "op": "delay", "retry": 1, "expect": {"delayMs": 500}},
        {"at": 0, "op": "balance"},
        {"at": 0, "op": "delay", "retry": 1, "expect": {"delayMs": 999}},
        {"at": 0, "op": "delay", "retry": 1, "expect": {"delayMs": Rng::new(7).draw().between(0, 999)}},
    ]));
    vector["draws"] = json!([0.5, "max"]);
    vector["seed"] = json!(7);
    let mut told = Told { steps: vec![json!({})], spends: 1, ..Told::default() };
    assert_eq!(play(&mut told, &vector), Fate::Passed);
}

#[test]
fn a_step_that_spends_two_draws_fails() {
    let mut vector = trace(&json!([{"at": 0, "op": "delay", "retry": 1}]));
    vector["draws"] = json!([0.5, 0.5]);
    let mut told = Told { spends: 2, ..Told::default() };
    assert!(matches!(play(&mut told, &vector), Fate::Failed(_)));
}

#[test]
fn a_step_without_an_answer_fails() {
    let fate = play(&mut Told::default(), &trace(&json!([{"at": 0, "op": "balance"}])));
    assert_eq!(fate, Fate::Failed(vec!["step 1 (balance at 0): the policy turns it off".into()]));
}

#[test]
fn a_step_that_cannot_be_played_hides_nothing_that_was_wrong_before_it() {
    let mut told = Told { steps: vec![json!({"admitted": false})], ..Told::default() };
    let vector = trace(&json!([
        {"at": 0, "op": "begin", "call": "a", "request": {"method": "GET"}, "expect": {"admitted": true}},
        {"at": 1, "op": "settle", "call": "a", "outcome": {"status": 200}},
    ]));
    let Fate::Failed(wrong) = play(&mut told, &vector) else { panic!("it passed") };
    assert_eq!(
        wrong,
        [
            "step 1 (begin at 0): admitted expected true, got false",
            "step 2 (settle at 1): the policy turns it off",
        ]
    );
}

#[test]
fn what_the_binding_has_not_got_is_neither_passed_nor_failed() {
    let mut told = Told { missing: Some(Machine::Limiter), ..Told::default() };
    let vector = trace(&json!([{"at": 0, "op": "acquire"}]));
    assert_eq!(play(&mut told, &vector), Fate::Unsupported("limiter".into()));
    let mut far = signal(&json!({"class": "transient"}));
    far["area"] = json!("far-away");
    assert_eq!(play(&mut told, &far), Fate::Unsupported("far-away".into()));
}

#[test]
fn a_line_that_is_neither_signal_nor_trace_is_refused() {
    assert!(Vector::read(&json!({"id": "x"})).is_err());
    assert!(Vector::read(&json!(7)).is_err());
}
