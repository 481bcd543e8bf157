//! `cargo xtask demo`: the main job, on a real client against a real faulty server.

use std::{
    ffi::OsString,
    process::{Command, ExitCode},
};

use anyhow::{Result, ensure};

use super::build;
use crate::{process, workspace::Workspace};

const SCRIPT: &str = "js/demo/demo.mjs";

/// Handed to the demo as they are.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Options of the demo itself
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

/// Builds what is missing, runs the demo on this terminal, and ends with its exit code.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    build::all(workspace)?;
    ensure!(workspace.path(SCRIPT).is_file(), "{SCRIPT} is not there");
    process::hand_over(
        Command::new("node").arg(SCRIPT).args(&args.rest).current_dir(workspace.root()),
    )
}
