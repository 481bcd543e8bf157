//! How long a call may take under a policy: the shortest and the longest sum of its waits, for the
//! failures that it met. For tests that assert on time without typing a number by hand.
//!
//! Every wait grows with its draw, so the ends are found by asking the deciding functions with the
//! smallest and the largest draw: nothing about delays is said twice.

use alloc::vec::Vec;

use crate::{
    backoff::{Ask, BackoffState, Terms},
    classify::Class,
    decide::read,
    delay::{Delay, delay, exponent_after},
    hint::{Hint, rule},
    jitter,
    outcome::Outcome,
    policy::{Jitter, Policy},
    rng::Draw,
    time::{Millis, UnixMillis},
    verdict::Reason,
};

/// An attempt that failed, after which a wait may follow.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Failure<'a> {
    /// What it was taken for.
    pub class: Class,
    /// The wait that the server asked for.
    pub hint: Option<Hint>,
    /// The outcome, where overrides look at status and error code.
    pub outcome: Option<&'a Outcome<'a>>,
    /// How long the attempt took: it uses up the deadline. Default: no time.
    pub took: Millis,
}

/// A shortest and a longest span, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // two ends, for ever
pub struct Bounds {
    /// The shortest.
    pub min: Millis,
    /// The longest.
    pub max: Millis,
}

/// What a policy makes of a row of failures.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Envelope {
    /// The wait after each failure, in order, as long as another attempt may follow.
    pub waits: Vec<Bounds>,
    /// The sum of these waits. Both ends are reached by some draws; with the jitter `polly-v2`,
    /// whose waits lean on one another, they are outer bounds, within a millisecond a wait where
    /// neither cap, ceiling nor hint cuts in.
    pub total: Bounds,
    /// Why no attempt follows the last of these waits, where the failures went on: retries are
    /// used up, the server asks for too long a wait, or even the shortest waits pass the deadline.
    pub ends: Option<Reason>,
}

impl Failure<'_> {
    /// A failure of this class, of which nothing else is known.
    pub const fn new(class: Class) -> Self {
        Self { class, hint: None, outcome: None, took: Millis::ZERO }
    }
}

impl<'a> Failure<'a> {
    /// What `outcome` means under `policy`. `key_sent` and `wall` are as for a settle.
    pub fn of(
        outcome: &'a Outcome<'a>,
        policy: &Policy,
        key_sent: bool,
        wall: Option<UnixMillis>,
    ) -> Self {
        let (classification, hint) = read(policy, key_sent, outcome, wall);
        let took = outcome.duration_ms.map_or(Millis::ZERO, Millis::new);
        Self { class: classification.class, hint, outcome: Some(outcome), took }
    }
}

/// The envelope of a call that meets these failures. Whether a failure may be repeated at all is
/// not asked here: the numbers are, and they alone (retries, waits, hints, the deadline).
///
/// ```
/// use retrywise::{Class, Policy, envelope::{Failure, envelope}};
///
/// let twice = [Failure::new(Class::Transient); 2];
/// let found = envelope(&Policy::standard(), &twice);
/// assert_eq!((found.total.min.get(), found.total.max.get()), (0, 500 + 1_000));
/// ```
pub fn envelope(policy: &Policy, failures: &[Failure<'_>]) -> Envelope {
    let mut walk = Walk::new(policy);
    let mut ends = None;
    for (made, failure) in (0..).zip(failures) {
        ends = if made >= policy.max_retries() {
            Some(Reason::RetriesExhausted)
        } else {
            walk.step(failure)
        };
        if ends.is_some() {
            break;
        }
    }
    let (waits, total) = walk.end();
    Envelope { waits, total, ends }
}

/// A call at one of two ends: what its delays remember, and the sums that lead there.
#[derive(Clone, Copy, Default)]
struct End {
    state: BackoffState,
    least: u64,
    most: u64,
}

struct Walk<'p> {
    policy: &'p Policy,
    waits: Vec<Bounds>,
    /// After the smallest draw, and after the largest.
    ends: [End; 2],
    exponent: u32,
    /// What the attempts took so far.
    took: u64,
    /// polly-v2: the sum can be no more than this.
    telescoped: Telescoped,
    heard: bool,
}

impl<'p> Walk<'p> {
    fn new(policy: &'p Policy) -> Self {
        Self {
            policy,
            waits: Vec::new(),
            ends: [End::default(); 2],
            exponent: 0,
            took: 0,
            telescoped: Telescoped::default(),
            heard: false,
        }
    }

    /// Waits after a failure; or why nothing can follow it.
    fn step(&mut self, failure: &Failure<'_>) -> Option<Reason> {
        let mut ask = Ask::new(self.exponent.saturating_add(1), failure.class);
        ask.outcome = failure.outcome;
        let mut bounds: Option<Bounds> = None;
        let mut next = [End::default(); 2];
        let mut reason = Reason::Backoff;
        for (to, draw) in [Draw::MIN, Draw::MAX].into_iter().enumerate() {
            let mut found: Option<End> = None;
            for (from, end) in self.ends.iter().enumerate() {
                let mut state = end.state;
                let wait = match delay(self.policy, ask, failure.hint, &mut state, draw) {
                    Delay::TooLong => return Some(Reason::HintTooLong),
                    Delay::Wait(wait, why) => {
                        reason = why;
                        wait
                    }
                };
                let known = bounds.get_or_insert(Bounds { min: wait, max: wait });
                (known.min, known.max) = (known.min.min(wait), known.max.max(wait));
                let here = End {
                    state,
                    least: end.least.saturating_add(wait.get()),
                    most: end.most.saturating_add(wait.get()),
                };
                found = Some(match found {
                    None => here,
                    Some(other) => End {
                        // What is remembered belongs to the end that the draw itself leads to.
                        state: if from == to { here.state } else { other.state },
                        least: other.least.min(here.least),
                        most: other.most.max(here.most),
                    },
                });
            }
            if let (Some(place), Some(end)) = (next.get_mut(to), found) {
                *place = end;
            }
        }
        let mut bounds = bounds.unwrap_or_default();
        self.took = self.took.saturating_add(failure.took.get());
        // Reached when now + delay ≥ deadline: the last wait that counts ends a millisecond before.
        if let Some(deadline) = self.policy.deadline() {
            let least = self.least().saturating_add(self.took);
            let Some(left) = deadline.get().checked_sub(least.saturating_add(1)) else {
                return Some(Reason::Deadline);
            };
            if bounds.min.get() > left {
                return Some(Reason::Deadline);
            }
            bounds.max = bounds.max.min(Millis::new(left));
        }
        self.telescoped.step(self.policy, ask, failure.hint, bounds.max);
        self.heard |= failure.hint.is_some_and(|hint| rule::is_heard(self.policy.hint(), hint));
        self.ends = next;
        self.exponent = exponent_after(self.exponent.saturating_add(1), failure.hint, reason);
        self.waits.push(bounds);
        None
    }

    fn end(self) -> (Vec<Bounds>, Bounds) {
        let min = Millis::new(self.least());
        let mut max = self.ends.iter().map(|end| end.most).max().unwrap_or(0);
        if self.is_polly() {
            max = self.telescoped.most;
        }
        if let Some(deadline) = self.policy.deadline() {
            max = max.min(deadline.get().saturating_sub(1).saturating_sub(self.took));
        }
        let total = Bounds { min, max: Millis::new(max).max(min) };
        (self.waits, total)
    }

    /// The smallest sum of the waits so far.
    fn least(&self) -> u64 {
        let least = self.ends.iter().map(|end| end.least).min().unwrap_or(0);
        if !self.is_polly() {
            return least;
        }
        let each: u64 = self.waits.iter().map(|wait| wait.min.get()).sum();
        if self.heard {
            return each;
        }
        // Each wait is rounded down by itself.
        least.saturating_sub(self.waits.len() as u64).max(each)
    }

    fn is_polly(&self) -> bool {
        self.policy.backoff().jitter == Jitter::PollyV2
    }
}

/// A wait of polly-v2 is what the formula grew by since the wait before, so the sum from the start
/// is what it grew to, whatever the draws in between.
#[derive(Default)]
struct Telescoped {
    most: u64,
    /// The one base so far.
    base: Option<Millis>,
    /// There were two, or a hint came between: nothing telescopes any more.
    broken: bool,
}

impl Telescoped {
    fn step(&mut self, policy: &Policy, ask: Ask<'_>, hint: Option<Hint>, longest: Millis) {
        self.most = self.most.saturating_add(longest.get());
        let heard = hint.is_some_and(|hint| rule::is_heard(policy.hint(), hint));
        let terms = Terms::of(policy.backoff(), &ask.hinted(heard));
        let base = *self.base.get_or_insert(terms.base);
        self.broken |= heard || base != terms.base;
        if !self.broken {
            let grown = jitter::polly_v2(base, ask.retry, &mut 0, Millis::MAX, Draw::MAX);
            self.most = self.most.min(grown.get());
        }
    }
}

#[cfg(all(test, feature = "json"))]
mod tests;
