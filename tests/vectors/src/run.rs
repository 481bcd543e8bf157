//! Replays one vector on one binding.

use serde_json::Value;

use crate::{
    binding::{Binding, NoAnswer, Reply},
    draws,
    expect::{Counts, Mismatch, mismatches},
    fields::Invalid,
    signal::Signal,
    trace::{Step, Trace},
};

/// One line of a vector file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Vector {
    /// One outcome, one answer.
    Signal(Box<Signal>),
    /// A policy, and steps on a virtual clock.
    Trace(Trace),
}

/// What became of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fate {
    /// Every answer was the expected one.
    Passed,
    /// Sentences that say what was not.
    Failed(Vec<String>),
    /// The binding has not got this area yet; it is named.
    Unsupported(String),
}

impl Vector {
    /// The vector in `value`: a signal or a trace, told apart by its fields.
    ///
    /// # Errors
    /// See [`Signal::read`] and [`Trace::read`].
    pub fn read(value: &Value) -> Result<Self, Invalid> {
        if Signal::is_one(value) {
            return Signal::read(value).map(Box::new).map(Self::Signal);
        }
        if value.get("steps").is_some() {
            return Trace::read(value).map(Self::Trace);
        }
        Err(Invalid("neither a signal (`input`) nor a trace (`steps`)".to_owned()))
    }

    /// The name of the line.
    pub fn id(&self) -> &str {
        match self {
            Self::Signal(signal) => &signal.id,
            Self::Trace(trace) => &trace.id,
        }
    }

    /// The area under which it is counted.
    pub fn area(&self) -> &str {
        match self {
            Self::Signal(signal) => &signal.area,
            Self::Trace(trace) => trace.area().name(),
        }
    }
}

/// Replays `vector` on `binding`.
///
/// # Errors
/// The binding is broken: it died, hung or answered nonsense.
pub fn run(binding: &mut dyn Binding, vector: &Vector) -> Result<Fate, String> {
    let result = match vector {
        Vector::Signal(signal) => run_signal(binding, signal),
        Vector::Trace(trace) => run_trace(binding, trace),
    };
    match result {
        Ok(wrong) if wrong.is_empty() => Ok(Fate::Passed),
        Ok(wrong) => Ok(Fate::Failed(wrong)),
        Err(Halt::Unsupported(area)) => Ok(Fate::Unsupported(area)),
        Err(Halt::Failed(wrong)) => Ok(Fate::Failed(wrong)),
        Err(Halt::Broken(what)) => Err(what),
    }
}

/// Why a replay ended early.
enum Halt {
    Unsupported(String),
    Failed(Vec<String>),
    Broken(String),
}

impl Halt {
    /// With what was wrong before it: that is often why.
    fn after(self, mut wrong: Vec<String>) -> Self {
        let Self::Failed(now) = self else { return self };
        wrong.extend(now);
        Self::Failed(wrong)
    }
}

fn run_signal(binding: &mut dyn Binding, signal: &Signal) -> Result<Vec<String>, Halt> {
    if !binding.takes(signal) {
        return Err(Halt::Unsupported(signal.area.clone()));
    }
    let answers = binding.signal(signal).map_err(|no| halt(no, &signal.area, ""))?;
    Ok(sentences(mismatches("", &signal.expect, &answers)))
}

fn run_trace(binding: &mut dyn Binding, trace: &Trace) -> Result<Vec<String>, Halt> {
    if let Some(missing) = trace.machines().into_iter().find(|machine| !binding.has(*machine)) {
        return Err(Halt::Unsupported(missing.name().to_owned()));
    }
    binding.open(trace).map_err(|no| halt(no, trace.area().name(), ""))?;
    let mut source = Source::new(trace);
    let mut wrong = Vec::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let at = format!("step {} ({} at {})", index + 1, step.op.name, step.at.as_millis());
        let played = match step.times {
            None => source
                .play(binding, step)
                .map(|reply| mismatches(&at, &step.expect, &reply.answers)),
            Some(times) => {
                let mut counts = Counts::default();
                source
                    .repeat(binding, step, times, &mut counts)
                    .map(|()| mismatches(&at, &step.expect, counts.answers()))
            }
        };
        match played {
            Ok(found) => wrong.extend(sentences(found)),
            Err(no) => return Err(halt(no, step.op.machine.name(), &at).after(wrong)),
        }
    }
    Ok(wrong)
}

/// Where the generator's next draw comes from: the trace's list first, then its seed.
struct Source<'a> {
    left: &'a [u64],
    seed: u64,
    /// The generator still stands where the last listed draw put it.
    displaced: bool,
}

impl<'a> Source<'a> {
    fn new(trace: &'a Trace) -> Self {
        Self { left: &trace.draws, seed: trace.seed, displaced: false }
    }

    /// Plays a step with the next listed draw in place, and takes that draw off the list when the
    /// step spent it.
    fn play(&mut self, binding: &mut dyn Binding, step: &Step) -> Result<Reply, NoAnswer> {
        let Some((&draw, rest)) = self.left.split_first() else {
            let rng = self.displaced.then_some(self.seed);
            self.displaced = false;
            return binding.step(step, rng);
        };
        let before = draws::state_before(draw);
        self.displaced = true;
        let reply = binding.step(step, Some(before))?;
        match reply.rng.map_or(0, |after| draws::spent(before, after)) {
            0 => {}
            1 => self.left = rest,
            n => {
                let what = format!("the step spent {n} draws where a decision takes one");
                return Err(NoAnswer::Refused(what));
            }
        }
        Ok(reply)
    }

    /// Plays a step `times` times: one by one while its draws are listed, then many at a time.
    fn repeat(
        &mut self,
        binding: &mut dyn Binding,
        step: &Step,
        times: u64,
        counts: &mut Counts,
    ) -> Result<(), NoAnswer> {
        let mut done = 0;
        while done < times {
            if self.left.is_empty() && !self.displaced {
                let until = times.min(done + AT_ONCE);
                for answers in binding.repeat(step, done + 1..=until)? {
                    counts.add(&answers);
                }
                done = until;
            } else {
                done += 1;
                counts.add(&self.play(binding, &step.nth(done))?.answers);
            }
        }
        Ok(())
    }
}

/// How many repetitions of a step a binding is given at a time.
const AT_ONCE: u64 = 5_000;

fn halt(no: NoAnswer, area: &str, at: &str) -> Halt {
    let separator = if at.is_empty() { "" } else { ": " };
    match no {
        NoAnswer::Unsupported => Halt::Unsupported(area.to_owned()),
        NoAnswer::Refused(what) => Halt::Failed(vec![format!("{at}{separator}{what}")]),
        NoAnswer::Broken(what) => Halt::Broken(what),
    }
}

fn sentences(found: Vec<Mismatch>) -> Vec<String> {
    found.into_iter().map(|mismatch| mismatch.to_string()).collect()
}

#[cfg(test)]
mod tests;
