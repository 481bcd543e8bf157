//! How long a storm takes: ten thousand clients for a minute of virtual time.

use std::{hint::black_box, thread, time::Instant};

use retrywise::simulate::{Storm, StormReport, Tactic, storm};

use crate::report::{Report, Row};

/// A minute of ten thousand clients is to pass within a second.
const TARGET_S: f64 = 1.0;

/// Every tactic by itself, then all of them side by side, each on a core while there are cores.
pub fn storms(quick: bool, report: &mut Report) {
    const NAME: &str = "10 000 clients for 60 simulated seconds";
    println!("\n{NAME}");
    let mut row = |what: &str, figure, target| {
        report.row(NAME, &Row { what, figure, spread: None, unit: "s", target });
    };
    let started = Instant::now();
    for &tactic in Tactic::ALL {
        let (report, seconds) = timed(tactic, quick);
        row(&format!("{}, {} attempts", tactic.name(), report.attempts), seconds, Some(TARGET_S));
    }
    row("one after the other", started.elapsed().as_secs_f64(), None);
    let started = Instant::now();
    thread::scope(|scope| {
        for &tactic in Tactic::ALL {
            scope.spawn(move || black_box(timed(tactic, quick)));
        }
    });
    row("in threads of their own", started.elapsed().as_secs_f64(), None);
}

/// One storm, for a profiler.
pub fn one() {
    black_box(timed(Tactic::Hint, false));
}

fn timed(tactic: Tactic, quick: bool) -> (StormReport, f64) {
    let mut terms = Storm::default();
    (terms.clients, terms.rate, terms.capacity) = (10_000, 10_000, 12_000);
    terms.queue = 6_000;
    terms.tells = tactic == Tactic::Hint;
    if quick {
        terms.seconds = 2;
    }
    let policy = tactic.policy(3);
    let started = Instant::now();
    let report = storm(&terms, &policy, 1);
    (report, started.elapsed().as_secs_f64())
}
