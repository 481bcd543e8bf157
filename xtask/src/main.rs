//! `cargo xtask …`: the one entrance for building, testing and measuring retrywise.
//!
//! A command is a file in [`commands`]; everything else here is what commands share:
//!
//! | module | what it knows |
//! |---|---|
//! | [`workspace`] | where things lie, which crates, features and scripts exist |
//! | [`process`] | running a program, and an error that says what failed and how to go on |
//! | [`progress`] | one line before a long step, the seconds after it |
//! | [`fingerprint`] | whether an output still matches its inputs |
//! | [`wasm_std`] | where the standard library for WebAssembly comes from on this machine |
//! | [`coverage`] | which lines of the core its tests run |
//! | [`mutants`] | which change of the core no test sees |
//! | [`artefacts`] | from the wasm crate to the files in `js/wasm` |
//! | [`profiles`] | from the data files of the vendors to the table in the core |
//! | [`parts`] | what an artefact is made of, and what it would be without a part of it |
//! | [`npm`] | packages and scripts of the JavaScript side |
//! | [`apt`] | the only place that installs system packages |
//! | [`suite`] | the table of test steps, how they run, how their tests are counted |

#![allow(clippy::std_instead_of_alloc, reason = "a program that always has std")]

mod apt;
mod artefacts;
mod commands;
mod coverage;
mod fingerprint;
mod hosts;
mod mutants;
mod npm;
mod parts;
mod process;
mod profiles;
mod progress;
mod suite;
mod wasm_std;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let command = commands::Cli::parse().command;
    let result = workspace::Workspace::open().and_then(|workspace| command.run(&workspace));
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
