//! `cargo xtask no-std`: checks the core where `core` and `alloc` are all there is.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::{artefacts, progress, wasm_std, workspace::Workspace};

/// Once with no feature, once with all that do not ask for std.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let core = workspace.package("retrywise").context("the workspace has no package retrywise")?;
    let toolchain = wasm_std::find(workspace)?;
    progress::note(&toolchain.to_string());
    artefacts::no_std(workspace, &toolchain, &[])?;
    let needs_std = ["default", "std"];
    let features: Vec<&str> = core.features().filter(|name| !needs_std.contains(name)).collect();
    if !features.is_empty() {
        artefacts::no_std(workspace, &toolchain, &features)?;
    }
    Ok(ExitCode::SUCCESS)
}
