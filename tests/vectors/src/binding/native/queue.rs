//! The queue of waiting calls.

use retrywise::{Instant, Queue, queue::DEFAULT_STEP};
use serde_json::Value;

use super::{Answers, NoAnswer};
use crate::trace::Step;

/// How many entries a trace may have waiting.
const CAPACITY: usize = 1_000_000;

/// The queue, whose ids are places in the list of names.
pub(super) struct Line {
    queue: Queue,
    names: Vec<String>,
}

impl Default for Line {
    fn default() -> Self {
        Self { queue: Queue::new(CAPACITY, DEFAULT_STEP), names: Vec::new() }
    }
}

impl Line {
    pub(super) fn step(&mut self, step: &Step) -> Result<Answers, NoAnswer> {
        let mut answers = Answers::new();
        if step.op.name == "pop" {
            let id = self.queue.pop().and_then(|id| self.names.get(id as usize));
            answers.insert("id".into(), id.map_or(Value::Null, |name| name.as_str().into()));
            return Ok(answers);
        }
        let priority = step.priority().map_err(NoAnswer::Refused)?;
        let due = step.whole("dueAt").map(Instant::from_millis);
        self.queue
            .push(self.names.len() as u64, priority, due, step.at)
            .map_err(|_| NoAnswer::Refused("the queue is full".into()))?;
        self.names.push(step.text("id").to_owned());
        Ok(answers)
    }
}
