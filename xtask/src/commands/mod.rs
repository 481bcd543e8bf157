//! The commands, a file each. A new one is a module, a variant and a line in [`Command::run`].

mod bench;
mod build;
mod chaos;
mod compose;
mod coverage;
mod demo;
mod fuzz;
mod hosts;
mod install;
mod lab;
mod lint;
mod middleware;
mod mutants;
mod no_std;
mod profiles;
mod schema;
mod size;
mod test;
mod vectors;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// What the command line says.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", about = "Builds, tests and measures retrywise")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Measures against the peers, side by side
    Bench(bench::Args),
    /// Makes the WebAssembly artefacts in js/wasm and puts the npm package together
    Build(build::Args),
    /// Kills workers while a vendor fails, and counts what was done twice or lost
    Chaos(chaos::Args),
    /// Measures which lines of the core its tests run
    Coverage(coverage::Args),
    /// Puts the middleware in front of a WASI 0.3 component
    Compose(compose::Args),
    /// Runs the main job on a real client against a real faulty server
    Demo(demo::Args),
    /// Runs target functions under libFuzzer
    Fuzz(fuzz::Args),
    /// Builds the hosts in Rust that run the component in wasmtime
    Hosts,
    /// Installs the npm packages of js/ and of the suites in tests/
    Install,
    /// Serves the lab page: what a retry policy does to a server, seen in the browser
    Lab(lab::Args),
    /// Checks format, clippy and the JavaScript linters
    Lint,
    /// Makes the WASI 0.3 middleware in middleware/dist
    Middleware(middleware::Args),
    /// Changes the core, one thing at a time, and names what no test sees
    Mutants(mutants::Args),
    /// Checks the core for a target where it gets core and alloc only
    NoStd,
    /// Writes the table of vendor profiles from its data files
    Profiles(profiles::Args),
    /// Writes the JSON Schema of policies from the lists of their fields
    Schema(schema::Args),
    /// Prints what ships in bytes, against its budget
    Size(size::Args),
    /// Runs every check, installing what it needs
    Test(test::Args),
    /// Replays vector files on every binding
    Vectors(vectors::Args),
}

impl Command {
    /// Runs the command; the exit code is the program's own.
    pub(crate) fn run(self, workspace: &Workspace) -> Result<ExitCode> {
        match self {
            Self::Bench(args) => bench::run(workspace, &args),
            Self::Build(args) => build::run(workspace, &args),
            Self::Chaos(args) => chaos::run(workspace, &args),
            Self::Coverage(args) => coverage::run(workspace, &args),
            Self::Compose(args) => compose::run(workspace, &args),
            Self::Demo(args) => demo::run(workspace, &args),
            Self::Fuzz(args) => fuzz::run(workspace, &args),
            Self::Hosts => hosts::run(workspace),
            Self::Install => install::run(workspace),
            Self::Lab(args) => lab::run(workspace, &args),
            Self::Lint => lint::run(workspace),
            Self::Middleware(args) => middleware::run(workspace, &args),
            Self::Mutants(args) => mutants::run(workspace, &args),
            Self::NoStd => no_std::run(workspace),
            Self::Profiles(args) => profiles::run(workspace, &args),
            Self::Schema(args) => schema::run(workspace, &args),
            Self::Size(args) => size::run(workspace, &args),
            Self::Test(args) => test::run(workspace, &args),
            Self::Vectors(args) => vectors::run(workspace, &args),
        }
    }
}
