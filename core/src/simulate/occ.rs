//! The experiment behind the AWS Architecture Blog's "Exponential Backoff And Jitter" (2015):
//! writers that compete for one row with optimistic concurrency control.
//!
//! Each client reads the version, then writes on condition that it is still the same; a write that
//! comes too late fails and starts again after a backoff. Every hop on the network takes a time of
//! its own. The unit here is the microsecond: the core's backoff is arithmetic on whole numbers,
//! and does not ask of what.

use alloc::{vec, vec::Vec};

use super::{
    agenda::Agenda,
    spread::{Spread, Tally},
};
use crate::{
    backoff::{Ask, BackoffState, backoff},
    classify::Class,
    codes::codes,
    policy::{BackoffOptions, Curve, Jitter},
    rng::{Draw, Rng},
    time::Millis,
};

codes! {
    /// The strategies of the experiment.
    pub enum Strategy {
        /// Again at once.
        None = 0 => "none",
        /// Exponential, without jitter.
        Exponential = 1 => "exponential",
        /// Half of it certain, half of it by chance.
        Equal = 2 => "equal",
        /// All of it by chance.
        Full = 3 => "full",
        /// Between the base and three times the last one.
        Decorrelated = 4 => "decorrelated",
    }
}

/// The terms of the experiment. The default is the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contest {
    /// Clients, each with one write to bring through: 0 to 1 000, default 100.
    pub clients: u32,
    /// The mean time of a hop in µs, default 10 ms.
    pub hop_us: u64,
    /// The standard deviation of that in µs, default 2 ms. With 0 the result is exact.
    pub deviation_us: u64,
}

impl Default for Contest {
    fn default() -> Self {
        Self { clients: 100, hop_us: 10_000, deviation_us: 2_000 }
    }
}

/// How one run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OccRun {
    /// Writes that reached the server.
    pub calls: u64,
    /// Writes that succeeded: one for each client.
    pub successes: u64,
    /// When the last client knew that it had succeeded, in µs.
    pub time_us: u64,
}

/// What several runs had in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OccSummary {
    /// The strategy.
    pub strategy: Strategy,
    /// Clients in each run.
    pub clients: u32,
    /// Runs.
    pub runs: u32,
    /// Writes that reached the server.
    pub calls: Spread,
    /// The time to the end, in ms.
    pub time_ms: Spread,
}

/// The most clients in one run: their work grows with the square.
const MOST_CLIENTS: u32 = 1_000;
/// The most runs in one summary.
const MOST_RUNS: u32 = 1_000;

/// One run.
///
/// ```
/// use retrywise::simulate::{Contest, Strategy, occ};
///
/// let mut contest = Contest::default();
/// contest.clients = 10;
/// contest.deviation_us = 0;
/// let run = occ(&contest, Strategy::Exponential, 1);
/// assert_eq!((run.calls, run.time_us), (55, 4_950_000));
/// ```
pub fn occ(contest: &Contest, strategy: Strategy, seed: u64) -> OccRun {
    let options = options(strategy);
    let mut chance = Rng::new(seed);
    let clients = contest.clients.min(MOST_CLIENTS);
    let fresh = Client { version: 0, retries: 0, state: BackoffState::default() };
    let mut all: Vec<Client> = vec![fresh; clients as usize];
    let mut agenda = Agenda::new();
    for id in 0..all.len() {
        agenda.plan(hop(contest, &mut chance), Event { id, write: false });
    }
    let mut version = 0_u64;
    let mut run = OccRun::default();
    while let Some((at, Event { id, write })) = agenda.next() {
        let Some(client) = all.get_mut(id) else { continue };
        // The answer travels back, and what follows it travels there.
        let answered = at.saturating_add(hop(contest, &mut chance));
        if !write {
            client.version = version;
            let there = answered.saturating_add(hop(contest, &mut chance));
            agenda.plan(there, Event { id, write: true });
            continue;
        }
        run.calls += 1;
        run.time_us = run.time_us.max(answered);
        if client.version == version {
            version += 1;
            run.successes += 1;
            continue;
        }
        client.retries = client.retries.saturating_add(1);
        let ask = Ask::new(client.retries, Class::Transient);
        let wait = backoff(&options, &ask, &mut client.state, chance.draw()).delay.get();
        let there = answered.saturating_add(hop(contest, &mut chance)).saturating_add(wait);
        agenda.plan(there, Event { id, write: false });
    }
    run
}

/// Several runs, at most 1 000, each with a seed of its own drawn from `seed`.
pub fn occ_summary(contest: &Contest, strategy: Strategy, runs: u32, seed: u64) -> OccSummary {
    let runs = runs.min(MOST_RUNS);
    let mut seeds = Rng::new(seed);
    let (mut calls, mut time) = (Tally::default(), Tally::default());
    for _ in 0..runs {
        let run = occ(contest, strategy, seeds.draw().bits());
        calls.add(run.calls);
        time.add(run.time_us / 1_000);
    }
    let clients = contest.clients.min(MOST_CLIENTS);
    OccSummary { strategy, clients, runs, calls: calls.spread(), time_ms: time.spread() }
}

/// A request that arrives at the server.
struct Event {
    id: usize,
    write: bool,
}

#[derive(Clone)]
struct Client {
    /// The version it read.
    version: u64,
    retries: u32,
    state: BackoffState,
}

/// Base 5 ms, cap 2 s. The published formula doubles before the first retry already, but for the
/// decorrelated one.
fn options(strategy: Strategy) -> BackoffOptions {
    let (curve, jitter, base) = match strategy {
        Strategy::None => (Curve::None, Jitter::None, 10_000),
        Strategy::Exponential => (Curve::Exponential, Jitter::None, 10_000),
        Strategy::Equal => (Curve::Exponential, Jitter::Equal, 10_000),
        Strategy::Full => (Curve::Exponential, Jitter::Full, 10_000),
        Strategy::Decorrelated => (Curve::Exponential, Jitter::Decorrelated, 5_000),
    };
    let (base, cap) = (Millis::new(base), Millis::new(2_000_000));
    BackoffOptions { curve, base, cap, jitter, ..BackoffOptions::default() }
}

fn hop(contest: &Contest, chance: &mut Rng) -> u64 {
    match contest.deviation_us {
        0 => contest.hop_us,
        deviation => normal(contest.hop_us, deviation, chance.draw(), chance.draw()),
    }
}

/// |Normal(mean, deviation)| by Box and Muller (1958), from two draws; the mathematics come from
/// `libm`, so that every machine computes the same.
#[allow(clippy::float_arithmetic)] // a distribution of nature, not a decision
fn normal(mean: u64, deviation: u64, first: Draw, second: Draw) -> u64 {
    const STEPS: f64 = (1_u64 << 53) as f64;
    // In (0, 1]: the logarithm of zero is none.
    let radius = ((first.bits() >> 11) as f64 + 1.0) / STEPS;
    let turn = (second.bits() >> 11) as f64 / STEPS;
    let standard = libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(core::f64::consts::TAU * turn);
    libm::fabs(mean as f64 + deviation as f64 * standard) as u64
}

#[cfg(test)]
mod tests;
