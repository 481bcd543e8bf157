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

/// Builds those with wasmtime. Together: one that is built alone would have wasmtime compiled once
/// more, with what it needs of it itself.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    let packages =
        ["--package", "retrywise-host-wasmtime", "--package", "retrywise-host-middleware"];
    let mut build = cargo(workspace, &[&["build", "--locked"], &packages[..]].concat());
    progress::step("the hosts with wasmtime", || process::show(&mut build))
}

/// Where one of them lies.
pub(crate) fn program(workspace: &Workspace, name: &str) -> PathBuf {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    workspace.target().join("debug").join(name)
}
