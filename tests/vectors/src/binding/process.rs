//! Bindings in a process of their own: the npm package in Node, the component in wasmtime.
//!
//! One line of JSON goes in, one comes back: `{"op": "signal" | "open" | "step", …}`, and in return
//! `{"answers", "rng"?}`, `{"unsupported": true}` or `{"refused": "…"}`. Generator states are
//! decimal strings, because they have 64 bits.

use core::{ops::RangeInclusive, time::Duration};
use std::{
    env,
    io::{self, BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
};

use serde_json::{Value, json};

use super::{
    Answers, Binding, NoAnswer, Reply,
    through::{self, Port, Through},
};
use crate::{
    op::Machine,
    signal::Signal,
    trace::{Step, Trace},
    wall::Wall,
};

/// How long one answer may take; the first one compiles the module.
const PATIENCE: Duration = Duration::from_secs(120);

/// The program that carries the component, where cargo puts it.
const COMPONENT_HOST: &str =
    if cfg!(windows) { "retrywise-component-host.exe" } else { "retrywise-component-host" };

const JS_HELP: &str = "install Node 20 or newer; `cargo xtask build` makes the package";

/// A binding in a process of its own.
pub struct Process {
    name: &'static str,
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
    machines: Vec<String>,
    /// It shows how an upstream stands: budget and breaker are then played through calls.
    views: bool,
    /// It can hold a breaker open by hand, and let it go.
    isolates: bool,
    through: Option<Through>,
}

impl Process {
    /// The npm package, in Node.
    ///
    /// # Errors
    /// Node is missing, or the package is not built.
    pub fn js() -> Result<Self, String> {
        let mut node = Command::new("node");
        node.arg(home().join("js/host.mjs"));
        Self::start("js", node, JS_HELP)
    }

    /// The npm package's build in plain JavaScript, in Node.
    ///
    /// # Errors
    /// Node is missing, or the package is not built.
    pub fn nowasm() -> Result<Self, String> {
        let mut node = Command::new("node");
        node.arg(home().join("js/host.mjs")).arg("--nowasm");
        Self::start("nowasm", node, JS_HELP)
    }

    /// The component, in wasmtime.
    ///
    /// # Errors
    /// The host or the component is not built.
    pub fn component() -> Result<Self, String> {
        let beside = || env::current_exe().ok()?.parent().map(|folder| folder.join(COMPONENT_HOST));
        let host = env::var_os("RETRYWISE_COMPONENT_HOST").map(PathBuf::from).or_else(beside);
        let mut command = Command::new(host.unwrap_or_else(|| COMPONENT_HOST.into()));
        command.arg(home().join("../../js/wasm/retrywise.component.wasm"));
        Self::start("component", command, "`cargo xtask vectors` builds the host and the component")
    }

    /// The component, in the Python package, or the raw module in Go or Java: a program of its own
    /// that speaks the same lines. `command` is split at spaces and run in this crate's folder.
    ///
    /// # Errors
    /// The program does not start.
    pub fn foreign(command: &str) -> Result<Self, String> {
        let mut words = command.split_whitespace();
        let mut program = Command::new(words.next().unwrap_or_default());
        program.args(words);
        Self::start("command", program, "see tests/vectors/README.md for what a host answers")
    }

    fn start(name: &'static str, mut command: Command, help: &str) -> Result<Self, String> {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| {
                format!("the binding {name} could not be started ({error}): {help}")
            })?;
        let (Some(input), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("the binding {name} has no pipes"));
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
        let (machines, through) = (Vec::new(), None);
        let (views, isolates) = (false, false);
        let mut process = Self { name, child, input, output, machines, views, isolates, through };
        let hello = process.ask(&json!({"op": "hello"})).map_err(|no| match no {
            NoAnswer::Broken(what) | NoAnswer::Refused(what) => {
                format!("the binding {name} did not start: {what}; {help}")
            }
            NoAnswer::Unsupported => format!("the binding {name} did not start; {help}"),
        })?;
        let machines = hello["machines"].as_array().into_iter().flatten();
        process.machines = machines.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        let is = |name: &str| hello[name].as_bool().unwrap_or(false);
        (process.views, process.isolates) = (is("views"), is("isolates"));
        Ok(process)
    }

    /// Whether the host has this machine itself.
    fn plays(&self, machine: Machine) -> bool {
        self.machines.iter().any(|name| name == machine.name())
    }

    /// Sends one line and waits for the one that answers it.
    fn ask(&mut self, question: &Value) -> Result<Value, NoAnswer> {
        let sent = self.send(core::slice::from_ref(question));
        self.hear(sent)
    }

    /// Sends all lines at once, so that they cost one turn, and waits for all answers. They come
    /// meanwhile, by the thread that reads: neither side can wait for the other.
    fn ask_all(&mut self, questions: &[Value]) -> Result<Vec<Value>, NoAnswer> {
        let mut sent = self.send(questions);
        let (mut answers, mut wrong) = (Vec::with_capacity(questions.len()), None);
        for _ in questions {
            match self.hear(core::mem::replace(&mut sent, Ok(()))) {
                Ok(answer) => answers.push(answer),
                Err(broken @ NoAnswer::Broken(_)) => return Err(broken),
                // The rest is heard as well: it is not to answer the next question.
                Err(no) => wrong = wrong.or(Some(no)),
            }
        }
        wrong.map_or(Ok(answers), Err)
    }

    fn send(&mut self, questions: &[Value]) -> io::Result<()> {
        let mut lines = Vec::new();
        for question in questions {
            writeln!(lines, "{question}")?;
        }
        self.input.write_all(&lines).and_then(|()| self.input.flush())
    }

    /// The next answer. What became of the sending is the reason where there is none.
    fn hear(&mut self, sent: io::Result<()>) -> Result<Value, NoAnswer> {
        let line = match self.output.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => {
                return Err(NoAnswer::Broken(format!("no answer within {} s", PATIENCE.as_secs())));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let how = sent.err().map_or_else(String::new, |error| format!(" ({error})"));
                return Err(NoAnswer::Broken(format!("its process ended{how}")));
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

impl Binding for Process {
    fn name(&self) -> &'static str {
        self.name
    }

    fn takes(&self, _signal: &Signal) -> bool {
        true
    }

    fn has(&self, machine: Machine) -> bool {
        self.plays(machine) || self.views && matches!(machine, Machine::Budget | Machine::Breaker)
    }

    fn signal(&mut self, signal: &Signal) -> Result<Answers, NoAnswer> {
        let wall = signal.now.map(|now| now.0.get());
        let question = json!({"op": "signal", "input": signal.raw, "wall": wall});
        Ok(answers(self.ask(&question)?))
    }

    fn open(&mut self, trace: &Trace) -> Result<(), NoAnswer> {
        let by_hand = |step: &Step| self.plays(step.op.machine) || !Through::is_needed_for(step);
        let whole = trace.steps.iter().all(by_hand);
        self.through = if whole { None } else { Some(Through::open(self, trace)?) };
        if whole { Port::open(self, &trace.policy, trace.seed) } else { Ok(()) }
    }

    fn step(&mut self, step: &Step, rng: Option<u64>) -> Result<Reply, NoAnswer> {
        if let Some(mut through) = self.through.take() {
            let answers = through.step(self, step)?;
            self.through = Some(through);
            return Ok(Reply { answers, rng: None });
        }
        if through::is_look(step) && !self.plays(step.op.machine) {
            let answers = through::look(self, step, step.at.as_millis())?;
            return Ok(Reply { answers, rng: None });
        }
        let answer = self.ask(&asked(step, rng))?;
        let rng = answer.get("rng").and_then(Value::as_str).and_then(|state| state.parse().ok());
        Ok(Reply { answers: answers(answer), rng })
    }

    fn repeat(&mut self, step: &Step, nth: RangeInclusive<u64>) -> Result<Vec<Answers>, NoAnswer> {
        if let Some(mut through) = self.through.take() {
            let answers = through.repeat(self, step, nth)?;
            self.through = Some(through);
            return Ok(answers);
        }
        if through::is_look(step) && !self.plays(step.op.machine) {
            return nth.map(|n| self.step(&step.nth(n), None).map(|reply| reply.answers)).collect();
        }
        let questions: Vec<_> = nth.map(|n| asked(&step.nth(n), None)).collect();
        Ok(self.ask_all(&questions)?.into_iter().map(answers).collect())
    }
}

impl Port for Process {
    fn open(&mut self, policy: &Value, seed: u64) -> Result<(), NoAnswer> {
        let question = json!({"op": "open", "policy": policy, "seed": seed.to_string()});
        self.ask(&question).map(|_| ())
    }

    fn play(&mut self, op: &str, args: Value, at: u64) -> Result<Answers, NoAnswer> {
        if matches!(op, "isolate" | "reset") && !self.isolates {
            return Err(NoAnswer::Unsupported);
        }
        self.ask(&event(op, &args, at)).map(answers)
    }

    fn play_all(&mut self, op: &str, args: Vec<Value>, at: u64) -> Result<Vec<Answers>, NoAnswer> {
        let questions: Vec<_> = args.iter().map(|args| event(op, args, at)).collect();
        Ok(self.ask_all(&questions)?.into_iter().map(answers).collect())
    }

    fn state(
        &mut self,
        op: &str,
        args: Value,
        at: u64,
        wall: Option<Wall>,
    ) -> Result<(), NoAnswer> {
        let (step, wall) = (json!({"op": op, "args": args}), wall.map(|wall| wall.0.get()));
        let question = json!({"op": "step", "step": step, "at": at, "wall": wall, "rng": null});
        self.ask(&question).map(|_| ())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process is only asked, never waited for: it holds nothing that could be lost.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The line that plays a step of a trace.
fn asked(step: &Step, rng: Option<u64>) -> Value {
    json!({
        "op": "step",
        "step": {"op": step.op.name, "args": step.args},
        "at": step.at.as_millis(),
        "wall": step.wall.map(|wall| wall.0.get()),
        "rng": rng.map(|state| state.to_string()),
    })
}

/// The line that plays an event in place of a step.
fn event(op: &str, args: &Value, at: u64) -> Value {
    let step = json!({"op": op, "args": args});
    json!({"op": "step", "step": step, "at": at, "wall": Value::Null, "rng": Value::Null})
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
