//! The hosts in `tests/hosts` that are written in Rust: a workspace of their own, in the same
//! target folder.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result};

use crate::{process, progress, workspace::Workspace};

/// `cargo` for the workspace of the hosts.
fn cargo(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut cargo = workspace.cargo();
    cargo.args(arguments).arg("--manifest-path").arg(workspace.path("tests/hosts/Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", workspace.target());
    cargo
}

/// Builds the program that carries the component in the vectors: where it lies.
pub(crate) fn component(workspace: &Workspace) -> Result<PathBuf> {
    build(workspace)
        .context("`--binding native,js` leaves the component out; wasmtime needs Rust 1.95")?;
    Ok(program(workspace, "retrywise-component-host"))
}

/// Those with wasmtime.
const WITH_WASMTIME: [&str; 4] =
    ["--package", "retrywise-host-wasmtime", "--package", "retrywise-host-middleware"];
const BENCH: &str = "retrywise-bench-component";

/// Builds those with wasmtime. Together: one that is built alone would have wasmtime compiled once
/// more, with what it needs of it itself.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    let mut build = cargo(workspace, &[&["build", "--locked"], &WITH_WASMTIME[..]].concat());
    progress::step("the hosts with wasmtime", || process::show(&mut build))
}

/// Builds the bench of the component: where it lies. A quick one is built with the others, as they
/// are; one whose figures count is optimised, with no more of wasmtime than it needs.
pub(crate) fn bench(workspace: &Workspace, quick: bool) -> Result<PathBuf> {
    let package = ["--package", BENCH];
    let (profile, more) =
        if quick { ("debug", &WITH_WASMTIME[..]) } else { ("release", &["--release"][..]) };
    let mut build = cargo(workspace, &[&["build", "--locked"], more, &package[..]].concat());
    progress::step("the bench of the component, with wasmtime", || process::show(&mut build))?;
    Ok(in_profile(workspace, profile, BENCH))
}

/// Where one of them lies.
pub(crate) fn program(workspace: &Workspace, name: &str) -> PathBuf {
    in_profile(workspace, "debug", name)
}

fn in_profile(workspace: &Workspace, profile: &str, name: &str) -> PathBuf {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    workspace.target().join(profile).join(name)
}
