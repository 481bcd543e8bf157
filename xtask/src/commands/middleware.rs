//! `cargo xtask middleware`: the two components in `middleware/dist`.

use std::process::{Command, ExitCode};

use anyhow::Result;

use super::build;
use crate::{artefacts, hosts, process, workspace::Workspace};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Then runs its test, with what that needs: guests, and a host that runs them
    #[arg(long)]
    test: bool,
}

/// Builds what is missing or out of date.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let _alone = build::alone(workspace)?;
    let middleware = artefacts::middleware(workspace)?;
    if !args.test {
        return Ok(ExitCode::SUCCESS);
    }
    let guests = artefacts::guests(workspace)?;
    hosts::build(workspace)?;
    let mut test = Command::new(hosts::program(workspace, "retrywise-host-middleware"));
    test.env("RETRYWISE_MIDDLEWARE", middleware).env("RETRYWISE_GUESTS", guests);
    process::hand_over(&mut test)
}
