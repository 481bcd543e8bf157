//! What the runner asks of a binding. One binding is one implementation of [`Binding`], in a file of
//! its own; comparing, drawing and counting stay with the runner.

use core::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::{op::Machine, signal::Signal, trace::Step, trace::Trace};

mod native;
mod process;
mod through;

pub use native::Native;
pub use process::Process;

/// Answers by name.
pub type Answers = Map<String, Value>;

/// Why a binding gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoAnswer {
    /// The binding cannot do this yet: counted as not supported.
    Unsupported,
    /// The vector asks for something that has no answer: counted as failed.
    Refused(String),
    /// The binding itself is broken: the run ends.
    Broken(String),
}

/// What a step answered.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The answers by name; the runner looks at those that the vector expects.
    pub answers: Answers,
    /// The state of the generator after the step, where the machine has one.
    pub rng: Option<u64>,
}

/// One way to reach the core.
pub trait Binding {
    /// The name on the command line and in the output.
    fn name(&self) -> &'static str;

    /// Whether it can answer this signal.
    fn takes(&self, signal: &Signal) -> bool;

    /// Whether it has this machine.
    fn has(&self, machine: Machine) -> bool;

    /// Answers a signal.
    ///
    /// # Errors
    /// See [`NoAnswer`].
    fn signal(&mut self, signal: &Signal) -> Result<Answers, NoAnswer>;

    /// Begins a trace: everything of an earlier one is forgotten. `machines` are those that it uses.
    ///
    /// # Errors
    /// See [`NoAnswer`].
    fn open(&mut self, trace: &Trace) -> Result<(), NoAnswer>;

    /// Plays one step, with the generator in the state `rng` if one is given.
    ///
    /// # Errors
    /// See [`NoAnswer`].
    fn step(&mut self, step: &Step, rng: Option<u64>) -> Result<Reply, NoAnswer>;

    /// Plays a repeated step for these times, wherever the generator stands: as one by one, and in
    /// fewer turns where each would cost one.
    ///
    /// # Errors
    /// See [`NoAnswer`].
    fn repeat(&mut self, step: &Step, nth: RangeInclusive<u64>) -> Result<Vec<Answers>, NoAnswer> {
        nth.map(|n| self.step(&step.nth(n), None).map(|reply| reply.answers)).collect()
    }
}

/// The binding of this name.
///
/// # Errors
/// An unknown name, or a binding that cannot be started; the sentence says what to do.
pub fn find(name: &str) -> Result<Box<dyn Binding>, String> {
    match name {
        "native" => Ok(Box::new(Native::default())),
        "js" => Ok(Box::new(Process::js()?)),
        "nowasm" => Ok(Box::new(Process::nowasm()?)),
        "component" => Ok(Box::new(Process::component()?)),
        _ if name.starts_with(COMMAND) => Ok(Box::new(Process::foreign(&name[COMMAND.len()..])?)),
        _ => Err(format!("there is no binding `{name}` (known: {})", NAMES.join(", "))),
    }
}

/// Every binding there is.
pub const NAMES: &[&str] = &["native", "js", "nowasm", "component"];

/// What stands before the command line of a binding that is a program of its own.
const COMMAND: &str = "command:";
