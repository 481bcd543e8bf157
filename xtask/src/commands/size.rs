//! `cargo xtask size`: what ships, in bytes, against its budget and the project's targets.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use super::build;
use crate::{
    artefacts::{self, Artefact},
    npm::Package,
    parts, process,
    workspace::Workspace,
};

/// What may be asked for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Makes today's sizes the budget
    #[arg(long)]
    write: bool,
    /// Prints what artefacts are made of, and what they would be without a part (default: those
    /// with a target; some minutes)
    #[arg(long, num_args = 0.., conflicts_with = "write")]
    parts: Option<Vec<Artefact>>,
}

/// Builds what is missing; the exit code is 1 when something outgrew its budget.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    if let Some(chosen) = &args.parts {
        let chosen = if chosen.is_empty() { &parts::MEASURED[..] } else { chosen };
        let _alone = build::alone(workspace)?;
        artefacts::build(workspace, chosen)?;
        parts::print(workspace, chosen)?;
        return Ok(ExitCode::SUCCESS);
    }
    build::all(workspace)?;
    package(workspace)?;
    let mut node = Command::new("node");
    node.arg("src/size.mjs").current_dir(workspace.path(FOLDER));
    if args.write {
        node.arg("--write");
    }
    process::hand_over(&mut node)
}

/// Where benchmarks and budgets lie.
pub(super) const FOLDER: &str = "tests/bench";

/// The package with the peers, installed.
pub(super) fn package(workspace: &Workspace) -> Result<()> {
    let package = Package::open(workspace, FOLDER)?;
    package.with_context(|| format!("{FOLDER} has no package.json"))?.install()
}
