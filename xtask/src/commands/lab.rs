//! `cargo xtask lab`: the lab page, from this checkout to this machine.

use std::process::{Command, ExitCode};

use anyhow::Result;

use super::build;
use crate::{process, workspace::Workspace};

const CLI: &str = "js/dist/cli/main.js";

/// Where it is served.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The port on 127.0.0.1; default: a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
}

/// Builds what is missing, prints the address, and serves until it is interrupted.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    build::all(workspace)?;
    let mut node = Command::new("node");
    node.args([CLI, "lab", "--port"]).arg(args.port.to_string()).current_dir(workspace.root());
    process::hand_over(&mut node)
}
