//! The npm package, driven through its public interface in one Node process.
//!
//! One line of JSON goes in, one comes back: `{"op": "signal" | "open" | "step", …}`, and in return
//! `{"answers", "rng"?}`, `{"unsupported": true}` or `{"refused": "…"}`. Generator states are
//! decimal strings, because they have 64 bits.

use core::time::Duration;
use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
};

use serde_json::{Value, json};

use super::{Answers, Binding, NoAnswer, Reply};
use crate::{
    op::Machine,
    signal::Signal,
    trace::{Step, Trace},
};

/// How long one answer may take; the first one compiles the module.
const PATIENCE: Duration = Duration::from_secs(30);

/// The npm package in a Node process.
pub struct Js {
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
    machines: Vec<String>,
}

impl Js {
    /// Starts the process.
    ///
    /// # Errors
    /// Node is missing, or the package is not built.
    pub fn start() -> Result<Self, String> {
        let host = home().join("js/host.mjs");
        let mut child = Command::new("node")
            .arg(&host)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                format!("node could not be started ({error}): install Node 20 or newer")
            })?;
        let (Some(input), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the Node process has no pipes".to_owned());
        };
        let (send, output) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let mut js = Self { child, input, output, machines: Vec::new() };
        let hello = js.ask(&json!({"op": "hello"})).map_err(|no| match no {
            NoAnswer::Broken(what) | NoAnswer::Refused(what) => {
                format!(
                    "the binding js did not start: {what}; `cargo xtask build` makes the package"
                )
            }
            NoAnswer::Unsupported => "the binding js did not start".to_owned(),
        })?;
        let machines = hello["machines"].as_array().into_iter().flatten();
        js.machines = machines.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        Ok(js)
    }

    /// Sends one line and waits for the one that answers it.
    fn ask(&mut self, question: &Value) -> Result<Value, NoAnswer> {
        let sent = writeln!(self.input, "{question}").and_then(|()| self.input.flush());
        let line = match self.output.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => {
                return Err(NoAnswer::Broken(format!("no answer within {} s", PATIENCE.as_secs())));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let how = sent.err().map_or_else(String::new, |error| format!(" ({error})"));
                return Err(NoAnswer::Broken(format!("the Node process ended{how}")));
            }
        };
        let answer: Value = serde_json::from_str(&line)
            .map_err(|error| NoAnswer::Broken(format!("no JSON ({error}): {line}")))?;
        match answer.get("refused").and_then(Value::as_str) {
            Some(what) => Err(NoAnswer::Refused(what.to_owned())),
            None if answer.get("unsupported").is_some() => Err(NoAnswer::Unsupported),
            None => Ok(answer),
        }
    }
}

impl Binding for Js {
    fn name(&self) -> &'static str {
        "js"
    }

    fn takes(&self, _signal: &Signal) -> bool {
        true
    }

    fn has(&self, machine: Machine) -> bool {
        self.machines.iter().any(|name| name == machine.name())
    }

    fn signal(&mut self, signal: &Signal) -> Result<Answers, NoAnswer> {
        let wall = signal.now.map(|now| now.0.get());
        let question = json!({"op": "signal", "input": signal.raw, "wall": wall});
        Ok(answers(self.ask(&question)?))
    }

    fn open(&mut self, trace: &Trace) -> Result<(), NoAnswer> {
        let question =
            json!({"op": "open", "policy": trace.policy, "seed": trace.seed.to_string()});
        self.ask(&question).map(|_| ())
    }

    fn step(&mut self, step: &Step, rng: Option<u64>) -> Result<Reply, NoAnswer> {
        let question = json!({
            "op": "step",
            "step": {"op": step.op.name, "args": step.args},
            "at": step.at.as_millis(),
            "wall": step.wall.map(|wall| wall.0.get()),
            "rng": rng.map(|state| state.to_string()),
        });
        let answer = self.ask(&question)?;
        let rng = answer.get("rng").and_then(Value::as_str).and_then(|state| state.parse().ok());
        Ok(Reply { answers: answers(answer), rng })
    }
}

impl Drop for Js {
    fn drop(&mut self) {
        // The process is only asked, never waited for: it holds nothing that could be lost.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answers(mut answer: Value) -> Answers {
    match answer.get_mut("answers").map(Value::take) {
        Some(Value::Object(map)) => map,
        _ => Answers::new(),
    }
}

/// The folder of this crate: as cargo says at run time, else where it was built.
fn home() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
}
