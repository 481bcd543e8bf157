//! `cargo xtask vectors FILE…`: replays vector files on every binding.

use std::{ffi::OsString, process::ExitCode};

use anyhow::Result;

use super::build;
use crate::{process, workspace::Workspace};

/// Handed to the runner as they are.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// JSON-lines files, and options of the runner
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    rest: Vec<OsString>,
}

/// Builds what is missing; the runner's output and exit code are this command's.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    build::all(workspace)?;
    let mut cargo = workspace.cargo();
    // File names are the caller's: they count from the folder the caller stands in.
    cargo.current_dir(std::env::current_dir()?);
    cargo.args(["run", "--quiet", "--manifest-path"]).arg(workspace.path("Cargo.toml"));
    cargo.args(["--package", "retrywise-vectors", "--"]).args(&args.rest);
    process::hand_over(&mut cargo)
}
