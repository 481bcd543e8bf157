//! `cargo xtask bench`: figures against the peers, in one run.

use std::{
    fs,
    path::PathBuf,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};

use super::{build, size};
use crate::{
    artefacts::{self, Artefact},
    hosts, process, progress,
    workspace::Workspace,
};

/// What may be asked for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A smoke run: every contestant once, figures without meaning
    #[arg(long)]
    quick: bool,
    /// Leave the other parts out (may be repeated); the component's takes minutes to compile
    #[arg(long)]
    only: Vec<Part>,
    /// Keeps today's instruction counts
    #[arg(long)]
    write: bool,
}

/// What is measured, in the order in which it runs.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "lower")]
enum Part {
    /// The core and its peers in Rust.
    Native,
    /// The component in wasmtime.
    Component,
    /// The component in Python, where the package of the hosts is installed.
    Python,
    /// The package and its peers in JavaScript; writes `results.json` with all of them.
    Js,
}

/// Builds what is missing, then runs the parts.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let asked = |part| args.only.is_empty() || args.only.contains(&part);
    let quick = args.quick.then_some("--quick");
    if asked(Part::Js) {
        build::all(workspace)?;
        size::package(workspace)?;
    } else if asked(Part::Component) || asked(Part::Python) {
        let _alone = build::alone(workspace)?;
        artefacts::build(workspace, &[Artefact::Component])?;
    }
    let mut parts = Vec::new();
    if asked(Part::Native) {
        parts.push(native(workspace, quick)?);
    }
    if asked(Part::Component) {
        parts.push(component(workspace, quick)?);
    }
    if asked(Part::Python) {
        parts.extend(python(workspace, quick)?);
    }
    let mut ended = ExitCode::SUCCESS;
    if asked(Part::Js) {
        let mut node = Command::new("node");
        node.arg("src/main.mjs").args(quick).current_dir(workspace.path(size::FOLDER));
        for part in parts {
            node.arg("--with").arg(part);
        }
        ended = process::hand_over(&mut node)?;
    }
    if asked(Part::Native) {
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

/// Runs the native figures; the file that has them.
fn native(workspace: &Workspace, quick: Option<&str>) -> Result<PathBuf> {
    let results = results(workspace, "native")?;
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--release", "--quiet", "--locked", "--manifest-path"]);
    cargo.arg(workspace.path("tests/bench/native/Cargo.toml")).arg("--").args(quick);
    cargo.arg("--results").arg(&results);
    // As other programs in `target/`; the workspace is another one.
    cargo.env("CARGO_TARGET_DIR", workspace.target());
    process::show(&mut cargo)?;
    Ok(results)
}

/// Runs the component beside its floor; the file that has the figures.
fn component(workspace: &Workspace, quick: Option<&str>) -> Result<PathBuf> {
    let floor = artefacts::floor(workspace)?;
    let program = hosts::bench(workspace, quick.is_some())?;
    let results = results(workspace, "component")?;
    let mut bench = Command::new(program);
    bench.arg(workspace.path("js/wasm/retrywise.component.wasm")).arg(floor).args(quick);
    bench.arg("--results").arg(&results);
    process::show(&mut bench)?;
    Ok(results)
}

/// Where a part leaves what it found.
fn results(workspace: &Workspace, part: &str) -> Result<PathBuf> {
    let folder = workspace.target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("{} was not made", folder.display()))?;
    Ok(folder.join(part).with_extension("json"))
}

/// Runs what a decision costs in Python, where the package of the hosts is installed; the file that
/// has the figures.
fn python(workspace: &Workspace, quick: Option<&str>) -> Result<Option<PathBuf>> {
    let python = workspace.target().join("hosts/python/bin/python");
    if !python.is_file() {
        progress::note(
            "Python is left out: `cargo xtask test --only host-python-httpx` installs it",
        );
        return Ok(None);
    }
    let floor = artefacts::floor(workspace)?;
    let results = results(workspace, "python")?;
    let mut decisions = Command::new(python);
    decisions.arg("decisions.py").arg(floor).args(quick).arg("--results").arg(&results);
    process::show(decisions.current_dir(workspace.path(size::FOLDER)))?;
    Ok(Some(results))
}
