//! `cargo xtask bench`: figures against the peers, in one run.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use super::{build, size};
use crate::{process, workspace::Workspace};

/// What may be asked for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A smoke run: every contestant once, figures without meaning
    #[arg(long)]
    quick: bool,
    /// Leaves the native figures out
    #[arg(long)]
    js_only: bool,
    /// Keeps today's instruction counts
    #[arg(long)]
    write: bool,
}

/// Builds what is missing, then runs the native figures and those of JavaScript.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    build::all(workspace)?;
    size::package(workspace)?;
    let quick = args.quick.then_some("--quick");
    if !args.js_only && workspace.path("tests/bench/native/Cargo.toml").is_file() {
        let mut cargo = workspace.cargo();
        cargo.args(["run", "--release", "--quiet", "--manifest-path"]);
        cargo
            .arg(workspace.path("tests/bench/native/Cargo.toml"))
            .args(quick.map(|quick| ["--", quick]).into_iter().flatten());
        // As other programs in `target/`; the workspace is another one.
        cargo.env("CARGO_TARGET_DIR", workspace.target());
        process::show(&mut cargo)?;
        let mut count = Command::new("node");
        count.arg("src/instructions.mjs").arg(workspace.target().join("release/retrywise-bench"));
        if args.write {
            count.arg("--write");
        }
        process::show(count.current_dir(workspace.path(size::FOLDER)))
            .context("instructions changed by more than 5 %: `--write` keeps the new ones")?;
    }
    let mut node = Command::new("node");
    node.args(["--expose-gc", "src/main.mjs"])
        .args(quick)
        .current_dir(workspace.path(size::FOLDER));
    process::hand_over(&mut node)
}
