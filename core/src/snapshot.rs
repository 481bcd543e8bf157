//! The state of an upstream as plain data: to be kept while a process or an isolate is not there.
//!
//! Times are remaining durations and ages, never points on a clock: a new process has another one.
//! Where both sides know the wall clock, the time between saving and loading passes as well.
//!
//! | kept | not kept |
//! |---|---|
//! | both generators | calls: whoever sent them is gone |
//! | the budget's level, slot by slot | places in a concurrency budget |
//! | the breaker's state, samples and open time | probes: half-open is saved as open, over at once |
//! | what the limiter learned, less the calls on their way | who waits, a scout |
//! | the throttle's counts, the last rate limits | |
//!
//! A snapshot never mints keys: two processes that load one snapshot draw the same delays and
//! nothing else.

mod fields;
#[cfg(feature = "json")]
mod json;

use alloc::{boxed::Box, vec::Vec};

use crate::{
    breaker::BreakerState,
    policy::BudgetKind,
    time::{Millis, UnixMillis},
};
pub(crate) use fields::state;

/// The layout that this version writes, and the only one that it reads.
pub const SNAPSHOT_VERSION: u32 = 1;

/// The state of one upstream, made by [`Upstream::save`](crate::Upstream::save).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// When it was made, by the wall clock; as a duration since 1970.
    pub saved_at: Option<Millis>,
    /// The generator of the decisions, a decimal number of 64 bits.
    pub generator: Option<Box<str>>,
    /// The generator of the shared state, a decimal number of 64 bits.
    pub state_generator: Option<Box<str>>,
    /// The budget, if there is one.
    pub budget: Option<BudgetState>,
    /// The breaker, if there is one.
    pub breaker: Option<BreakerMemory>,
    /// The limiter, if there is one.
    pub limiter: Option<LimiterState>,
    /// The client-side throttle, if there is one.
    pub client_throttle: Option<SlotsState>,
    /// The last rate limits, newest first.
    pub rate_limits: Vec<Age>,
    pub(crate) version: u32,
}

/// The level of a budget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetState {
    /// Another kind in the policy starts full.
    pub kind: BudgetKind,
    /// Tokens: what is in the bucket. Throttle: the same, in thousandths.
    pub level: u32,
    /// Ratio: what was deposited and withdrawn, in ten-thousandths of a retry.
    pub window: SlotsState,
}

/// What a breaker remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BreakerMemory {
    /// The state; never half-open.
    pub state: BreakerState,
    /// Open: how long still.
    pub remaining: Millis,
    /// How often it has opened in a row.
    pub opened: u32,
    /// The number of changes of state.
    pub generation: u32,
    /// Consecutive: failures in a row.
    pub failures: u32,
    /// Time window: calls, failures, slow calls.
    pub window: SlotsState,
    /// Count window: the last calls, oldest first, each a digit: 1 failed, 2 slow, 3 both.
    pub calls: Vec<alloc::string::String>,
}

/// What a limiter has learned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimiterState {
    /// Calls that a full bucket allows.
    pub limit: Option<Millis>,
    /// The least that an answer told was left; `None`: nothing is known.
    pub least: Option<Millis>,
    /// Calls that the least may be without.
    pub unseen: Millis,
    /// What is certainly left; the larger of this and the other two holds.
    pub sure: Millis,
    /// A single call has to find out.
    pub scouting: bool,
    /// How long until there is more.
    pub reset: Option<Millis>,
    /// The reset was told, not guessed.
    pub reset_told: bool,
    /// How long a bucket lasts.
    pub span: Option<Millis>,
    /// How long no call passes.
    pub blocked: Option<Millis>,
}

/// The slots of a sliding window that hold something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlotsState {
    /// How long a slot lasts; another one in the policy starts empty.
    pub width: Millis,
    /// The time since the newest one began.
    pub phase: Millis,
    /// The slots.
    pub slots: Vec<SlotState>,
}

/// One slot of a sliding window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlotState {
    /// 0 is the newest.
    pub age: u32,
    /// Budget: deposited. Breaker: calls. Throttle: requests.
    pub a: u32,
    /// Budget: withdrawn. Breaker: failures. Throttle: accepts.
    pub b: u32,
    /// Breaker: slow calls.
    pub c: u32,
}

/// How long ago something was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // a number in an object
pub struct Age {
    /// How long ago.
    pub ago: Millis,
}

impl Snapshot {
    /// An empty one, of the layout that is written.
    pub(crate) fn new(wall: Option<UnixMillis>) -> Self {
        let saved_at = wall.map(|wall| wall.since(UnixMillis::new(0)));
        Self { saved_at, version: SNAPSHOT_VERSION, ..Self::default() }
    }

    /// How long ago it was made, as far as both clocks tell.
    pub(crate) fn elapsed(&self, wall: Option<UnixMillis>) -> Millis {
        let saved_at = self.saved_at.map(|at| UnixMillis::new(0).after(at));
        wall.zip(saved_at).map_or(Millis::ZERO, |(wall, saved_at)| wall.since(saved_at))
    }
}
