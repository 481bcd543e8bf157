//! `cargo xtask bench`: figures against the peers, in one run.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use super::{build, size};
use crate::{process, progress, workspace::Workspace};

/// What may be asked for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A smoke run: every contestant once, figures without meaning
    #[arg(long)]
    quick: bool,
    /// Leaves the native figures and Python's out
    #[arg(long)]
    js_only: bool,
    /// Keeps today's instruction counts
    #[arg(long)]
    write: bool,
}

/// Builds what is missing, then runs the native figures, Python's and those of JavaScript.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    build::all(workspace)?;
    size::package(workspace)?;
    let quick = args.quick.then_some("--quick");
    let native = !args.js_only && workspace.path("tests/bench/native/Cargo.toml").is_file();
    if native {
        let mut cargo = workspace.cargo();
        cargo.args(["run", "--release", "--quiet", "--manifest-path"]);
        cargo
            .arg(workspace.path("tests/bench/native/Cargo.toml"))
            .args(quick.map(|quick| ["--", quick]).into_iter().flatten());
        // As other programs in `target/`; the workspace is another one.
        cargo.env("CARGO_TARGET_DIR", workspace.target());
        process::show(&mut cargo)?;
    }
    if !args.js_only {
        python(workspace, quick)?;
    }
    let mut node = Command::new("node");
    node.arg("src/main.mjs").args(quick).current_dir(workspace.path(size::FOLDER));
    let ended = process::hand_over(&mut node)?;
    if native {
        // Last, since it alone can fail.
        let mut count = Command::new("node");
        count.arg("src/instructions.mjs").arg(workspace.target().join("release/retrywise-bench"));
        if args.write {
            count.arg("--write");
        }
        process::show(count.current_dir(workspace.path(size::FOLDER)))
            .context("instructions changed by more than 5 %: `--write` keeps the new ones")?;
    }
    Ok(ended)
}

/// What a decision costs in Python, where the package of the hosts is installed.
fn python(workspace: &Workspace, quick: Option<&str>) -> Result<()> {
    let python = workspace.target().join("hosts/python/bin/python");
    if !python.is_file() {
        progress::note(
            "Python is left out: `cargo xtask test --only host-python-httpx` installs it",
        );
        return Ok(());
    }
    let mut decisions = Command::new(python);
    decisions.arg("decisions.py").args(quick).current_dir(workspace.path(size::FOLDER));
    process::show(&mut decisions)
}
