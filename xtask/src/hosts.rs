//! The hosts in `tests/hosts` that are written in Rust: a workspace of their own, in the same
//! target folder.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result};

use crate::{process, progress, workspace::Workspace};

/// `cargo` for the workspace of the hosts.
pub(crate) fn cargo(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut cargo = workspace.cargo();
    cargo.args(arguments).arg("--manifest-path").arg(workspace.path("tests/hosts/Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", workspace.target());
    cargo
}

/// Builds the program that carries the component in the vectors: where it lies.
pub(crate) fn component(workspace: &Workspace) -> Result<PathBuf> {
    let mut build =
        cargo(workspace, &["build", "--locked", "--package", "retrywise-host-wasmtime"]);
    progress::step("the component's host, with wasmtime", || process::show(&mut build))
        .context("`--binding native,js` leaves the component out; wasmtime needs Rust 1.95")?;
    let name = format!("retrywise-component-host{}", std::env::consts::EXE_SUFFIX);
    Ok(workspace.target().join("debug").join(name))
}
