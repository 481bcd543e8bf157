//! `cargo xtask middleware`: the two components in `middleware/dist`.

use std::process::ExitCode;

use anyhow::Result;

use super::build;
use crate::{artefacts, hosts, workspace::Workspace};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What its test needs as well: the guests, and the host that runs them
    #[arg(long)]
    test: bool,
}

/// Builds what is missing or out of date.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let _alone = build::alone(workspace)?;
    artefacts::middleware(workspace)?;
    if args.test {
        artefacts::guests(workspace)?;
        hosts::build(workspace)?;
    }
    Ok(ExitCode::SUCCESS)
}
