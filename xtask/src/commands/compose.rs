//! `cargo xtask compose GUEST`: puts the middleware in front of a component.

use std::{env, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};

use super::build;
use crate::{artefacts, process, workspace::Workspace};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The component: a guest that sends requests, or, with `--handler`, a service
    guest: PathBuf,
    /// Bakes this policy in; without it the environment's `RETRYWISE_POLICY` holds
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Bakes in how many bytes of a request body are kept to be sent again
    #[arg(long, value_name = "N")]
    body_bytes: Option<u32>,
    /// In front of what the component answers, not behind what it sends
    #[arg(long)]
    handler: bool,
    /// Where the result goes [default: GUEST with `.retrying.wasm` in place of its ending]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

/// Builds the middleware where it is missing, then composes. The tool is a crate of its own:
/// compiling it with this program would make everybody wait.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let folder = {
        let _alone = build::alone(workspace)?;
        artefacts::middleware(workspace)?
    };
    let here = env::current_dir().context("the current folder is gone")?;
    let name = if args.handler { "retrywise-handler.wasm" } else { "retrywise-client.wasm" };
    let mut tool = workspace.cargo();
    tool.args(["run", "--quiet", "--package", "retrywise-compose", "--"]);
    tool.arg(here.join(&args.guest)).arg("--middleware").arg(folder.join(name));
    if let Some(policy) = &args.policy {
        tool.arg("--policy").arg(here.join(policy));
    }
    if let Some(bytes) = args.body_bytes {
        tool.arg("--body-bytes").arg(bytes.to_string());
    }
    if args.handler {
        tool.arg("--handler");
    }
    if let Some(output) = &args.output {
        tool.arg("--output").arg(here.join(output));
    }
    process::hand_over(&mut tool)
}
