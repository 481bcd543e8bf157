//! `cargo xtask chaos`: workers that are killed, a vendor that fails, and its log as the judge.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use super::build;
use crate::{npm::Package, process, suite, workspace::Workspace};

const FOLDER: &str = "tests/chaos";
/// It starts the servers.
const SERVERS: &str = "tests/stores";

/// How much of it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Calls for each store: half to a vendor that honours keys, half to one that ignores them
    #[arg(long, default_value_t = 10_000)]
    calls: u32,
    /// Where the ledger is kept
    #[arg(long, default_value = "all", value_parser = ["sqlite", "postgres", "all"])]
    store: String,
    /// What goes wrong, and when; default: another one each time, which is printed
    #[arg(long)]
    seed: Option<u64>,
    /// Worker processes
    #[arg(long, default_value_t = 4)]
    workers: u32,
}

/// Builds and installs what is missing, runs, and ends with the run's exit code.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    build::all(workspace)?;
    for folder in [SERVERS, FOLDER] {
        let package = Package::open(workspace, folder)?;
        package.with_context(|| format!("{folder} has no package.json"))?.install()?;
    }
    if args.store != "sqlite" {
        suite::provide("postgres")?;
    }
    let mut node = Command::new("node");
    node.arg("src/main.mjs").current_dir(workspace.path(FOLDER));
    node.args(["--store", &args.store]);
    node.arg("--calls").arg(args.calls.to_string());
    node.arg("--workers").arg(args.workers.to_string());
    if let Some(seed) = args.seed {
        node.arg("--seed").arg(seed.to_string());
    }
    process::hand_over(&mut node)
}
