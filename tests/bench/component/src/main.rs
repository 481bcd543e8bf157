//! What a decision costs in wasmtime: the engine's component beside one with the same functions that
//! answers at once (`guest/`). One host, one binding, in turn.
//!
//! `retrywise-bench-component COMPONENT FLOOR [--quick] [--results FILE]`

mod brain;
// As in the native bench, which uses more of it.
#[allow(dead_code)]
#[path = "../../native/src/measure.rs"]
mod measure;
#[path = "../../native/src/report.rs"]
mod report;

use std::{cell::RefCell, error::Error, path::Path, rc::Rc};

use brain::{Brain, Settle};
use measure::{Contest, Contestant};

/// How many attempts are settled between two looks at the clock, or in one crossing.
const MANY: u32 = 64;
/// What a decision may take, as a multiple of the call that decides nothing.
const TWICE: f64 = 2.0;
/// What one of a batch may take, as a multiple of one by itself.
const NO_MORE: f64 = 1.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [component, floor, rest @ ..] = &arguments[..] else {
        return Err("usage: COMPONENT FLOOR [--quick] [--results FILE]".into());
    };
    let quick = rest.iter().any(|argument| argument == "--quick");
    let results = rest.iter().skip_while(|argument| *argument != "--results").nth(1);
    let (ours, floor) = (loaded(component)?, loaded(floor)?);
    let mut report = report::Report::default();
    for (name, headers) in [
        ("in wasmtime, settle: 503 on GET, no headers", &[][..]),
        ("in wasmtime, settle: 503 on GET, nine headers", &HEADERS),
    ] {
        let one_by_one = |name, brain| settling(name, brain, headers, Brain::one_by_one);
        let at_once = |name, brain| settling(name, brain, headers, Brain::at_once);
        let ours_one_by_one = || one_by_one("one crossing each", &ours);
        let contestants = vec![ours_one_by_one(), one_by_one("floor: nothing decided", &floor)];
        Contest::new(name, contestants, &[TWICE]).run(quick, &mut report);
        let contestants = vec![
            at_once("settle-all", &ours),
            at_once("floor: nothing decided", &floor),
            ours_one_by_one(),
        ];
        let name = name.replace("settle:", &format!("settle-all of {MANY}, for each:"));
        Contest::new(name.leak(), contestants, &[TWICE, NO_MORE]).run(quick, &mut report);
    }
    report.end(results.map(String::as_str))?;
    Ok(())
}

/// What an answer of a usual server carries; a host that asks `reads-header` passes one of them.
const HEADERS: [(&str, &str); 9] = [
    ("content-type", "application/json"),
    ("content-length", "2"),
    ("connection", "keep-alive"),
    ("date", "Thu, 15 Jan 2026 12:00:00 GMT"),
    ("server", "nginx"),
    ("vary", "accept-encoding"),
    ("cache-control", "no-store"),
    ("x-request-id", "4711"),
    ("retry-after", "2"),
];

fn loaded(file: &str) -> Result<Rc<RefCell<Brain>>, Box<dyn Error>> {
    let brain = Brain::load(Path::new(file)).map_err(|error| format!("{file}: {error}"))?;
    Ok(Rc::new(RefCell::new(brain)))
}

/// Settles attempts as it is told to.
fn settling(
    name: &'static str,
    brain: &Rc<RefCell<Brain>>,
    headers: &'static [(&str, &str)],
    settle: Settle,
) -> Contestant {
    let brain = Rc::clone(brain);
    Contestant::timed(name, move |count| brain.borrow_mut().settles(count, MANY, headers, settle))
}
