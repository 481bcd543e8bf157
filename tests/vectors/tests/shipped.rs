//! The vector files beside this crate, and a runner that must notice when one of them is wrong.

use retrywise_vectors::{
    binding,
    run::{Fate, Vector, run},
};
use serde_json::{Value, json};

/// The files of traces.
const TRACES: [&str; 16] = [
    "breakers.jsonl",
    "budgets.jsonl",
    "calls.jsonl",
    "decisions.jsonl",
    "delays.jsonl",
    "engine.jsonl",
    "guide.jsonl",
    "idempotency.jsonl",
    "ledger.jsonl",
    "limiter.jsonl",
    "order.jsonl",
    "policies.jsonl",
    "queues.jsonl",
    "states.jsonl",
    "traces.jsonl",
    "walks.jsonl",
];

/// The files of signals.
const SIGNALS: [&str; 3] = ["edges.jsonl", "meanings.jsonl", "signals.jsonl"];

fn lines(file: &str) -> Vec<Value> {
    let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same answer, changed.
fn altered(expected: &Value) -> Value {
    match expected {
        Value::Bool(truth) => json!(!truth),
        Value::Number(_) => json!(987_654_321),
        Value::Object(range) if range.contains_key("min") => json!({"min": -2, "max": -1}),
        Value::Null => json!("something"),
        _ => json!("something else"),
    }
}

#[test]
fn every_shipped_line_can_be_read() {
    for file in TRACES.into_iter().chain(SIGNALS) {
        let lines = lines(file);
        assert!(!lines.is_empty(), "{file}");
        for line in lines {
            assert!(Vector::read(&line).is_ok(), "{file}: {line}");
        }
    }
}

#[test]
fn no_two_shipped_vectors_share_a_name() {
    for file in TRACES.into_iter().chain(SIGNALS) {
        let mut ids: Vec<_> = lines(file).iter().map(|line| line["id"].to_string()).collect();
        ids.sort();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all, "{file}");
    }
}

#[test]
fn each_altered_answer_of_a_signal_fails() {
    let mut native = binding::find("native").unwrap();
    for line in SIGNALS.into_iter().flat_map(lines) {
        for (field, expected) in line["expect"].as_object().unwrap() {
            let mut wrong = line.clone();
            wrong["expect"] = json!({field: altered(expected)});
            let fate = run(&mut *native, &Vector::read(&wrong).unwrap()).unwrap();
            assert!(matches!(fate, Fate::Failed(_)), "{}: {field}: {fate:?}", line["id"]);
        }
    }
}

#[test]
fn each_altered_answer_of_a_trace_fails() {
    let mut native = binding::find("native").unwrap();
    for line in TRACES.into_iter().flat_map(lines) {
        let steps = line["steps"].as_array().unwrap();
        // Of a long walk some answers, else this is most of the suite's time.
        let stride = steps.len() / 20 + 1;
        for (index, step) in steps.iter().enumerate().step_by(stride) {
            for (field, expected) in step["expect"].as_object().into_iter().flatten() {
                let mut wrong = line.clone();
                let begun = wrong["steps"].as_array_mut().unwrap();
                begun.truncate(index + 1);
                begun[index]["expect"] = json!({field: altered(expected)});
                let fate = run(&mut *native, &Vector::read(&wrong).unwrap()).unwrap();
                assert!(fate != Fate::Passed, "{} step {}: {field}", line["id"], index + 1);
            }
        }
    }
}
