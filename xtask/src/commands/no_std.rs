//! `cargo xtask no-std`: compiles the core where `core` and `alloc` are all there is.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::{artefacts, progress, wasm_std, workspace::Workspace};

/// Once with nothing, once with what needs `alloc`.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let core = workspace.package("retrywise").context("the workspace has no package retrywise")?;
    let toolchain = wasm_std::find(workspace)?;
    progress::note(&toolchain.to_string());
    artefacts::no_std(workspace, &toolchain, &[])?;
    if core.has_feature("serde") {
        artefacts::no_std(workspace, &toolchain, &["serde"])?;
    }
    Ok(ExitCode::SUCCESS)
}
