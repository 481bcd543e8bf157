//! Prints what a library answers as lines of our vector format: `retrywise-differential NAME`.

mod backoffs;
mod lines;
mod smithy;
mod tower_budget;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("backon") => backoffs::backon(),
        Some("smithy") => smithy::all(),
        Some("tower") => {
            tower_budget::all();
            backoffs::tower();
        }
        other => {
            eprintln!("`{}` is not one of backon, smithy, tower", other.unwrap_or_default());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
