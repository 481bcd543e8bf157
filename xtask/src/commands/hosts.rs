//! `cargo xtask hosts`: the programs with wasmtime, which takes minutes to compile the first time.

use std::process::ExitCode;

use anyhow::Result;

use crate::{hosts, workspace::Workspace};

/// Builds what is missing or out of date.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    hosts::build(workspace)?;
    Ok(ExitCode::SUCCESS)
}
