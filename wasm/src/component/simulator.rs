//! The interface `simulator`.

use alloc::sync::Arc;

use retrywise::{
    Millis, Policy,
    simulate::{self, Contest as Terms, Spread as Figure, Storm as Weather},
};

use crate::{
    component::{
        Component,
        policy::Held,
        wit::exports::retrywise::policy::simulator::{
            Contest, ContestSummary, Guest, PolicyBorrow, Second, Spread, Storm, StormSummary,
            Strategy,
        },
    },
    state::with,
};

impl Guest for Component {
    fn run_contest(given: Contest, strategy: Strategy, runs: u32, seed: u64) -> ContestSummary {
        let mut terms = Terms::default();
        terms.clients = given.clients;
        terms.hop_us = given.hop_us;
        terms.deviation_us = given.deviation_us;
        let strategy = match strategy {
            Strategy::None => simulate::Strategy::None,
            Strategy::Exponential => simulate::Strategy::Exponential,
            Strategy::Equal => simulate::Strategy::Equal,
            Strategy::Full => simulate::Strategy::Full,
            Strategy::Decorrelated => simulate::Strategy::Decorrelated,
        };
        let summary = simulate::occ_summary(&terms, strategy, runs, Millis::new(seed).get());
        ContestSummary {
            clients: summary.clients,
            runs: summary.runs,
            calls: spread(summary.calls),
            time: spread(summary.time_ms),
        }
    }

    fn run_storm(given: Storm, policy: PolicyBorrow<'_>, seed: u64) -> StormSummary {
        let mut terms = Weather::default();
        terms.clients = given.clients;
        terms.rate = given.rate;
        terms.seconds = given.seconds;
        terms.capacity = given.capacity;
        terms.queue = given.queue;
        terms.latency = Millis::new(given.latency);
        terms.down_from = Millis::new(given.down_from);
        terms.down_for = Millis::new(given.down_for);
        terms.tells = given.tells;
        let policy = with(|engine| engine.shared_policy(policy.get::<Held>().0));
        let policy = policy.unwrap_or_else(|| Arc::new(Policy::standard()));
        let report = simulate::storm(&terms, &policy, Millis::new(seed).get());
        StormSummary {
            calls: report.calls,
            attempts: report.attempts,
            succeeded: report.succeeded,
            failed: report.failed,
            refused: report.refused,
            success: report.success,
            outage: report.outage,
            peak: report.peak,
            window: report.window,
            bound: report.bound,
            within_budget: report.within_budget,
            recovery: report.recovery_ms,
            cut_off: report.cut_off,
            seconds: report.seconds.iter().map(second).collect(),
        }
    }
}

fn spread(figure: Figure) -> Spread {
    Spread { mean: figure.mean, deviation: figure.sd }
}

fn second(second: &simulate::Second) -> Second {
    Second {
        asked: second.asked,
        sent: second.sent,
        granted: second.granted,
        succeeded: second.succeeded,
        failed: second.failed,
        refused: second.refused,
    }
}
