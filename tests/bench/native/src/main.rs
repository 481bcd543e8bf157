//! Native figures against the peers: interleaved rounds, the ratio of each round, medians and
//! quartiles.
//!
//! `--quick` is a smoke run; `--results FILE` leaves what was found in a file; `--callgrind NAME`
//! runs one figure alone, a thousand times, for counting instructions.

mod contests;
mod flat;
mod heap;
mod measure;
mod report;
mod simulated;

use std::io;

#[global_allocator]
static HEAP: heap::Counting = heap::Counting;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(at + 1).map(String::as_str)
    };
    if let Some(name) = after("--callgrind") {
        counted(name);
        return Ok(());
    }
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let mut report = report::Report::default();
    for contest in contests::all() {
        contest.run(quick, &mut report);
    }
    flat::upstreams(quick, &mut report);
    flat::rates(quick, &mut report);
    simulated::storms(quick, &mut report);
    report.end(after("--results"))
}

/// One figure, a thousand times.
fn counted(name: &str) {
    const TIMES: u32 = 1_000;
    match name {
        "storm" => simulated::one(),
        "nothing" => drop(contests::every()),
        _ => match contests::every().into_iter().find(|contestant| contestant.name() == name) {
            Some(mut contestant) => contestant.repeat(TIMES),
            None => panic!("no figure is called {name}"),
        },
    }
}
