//! `cargo xtask build`: the artefacts in `js/wasm`, then the npm package around them.

use std::process::ExitCode;

use anyhow::Result;

use crate::{artefacts, npm, workspace::Workspace};

/// Builds what is missing or out of date.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    all(workspace)?;
    Ok(ExitCode::SUCCESS)
}

/// The same, for commands that need the result.
pub(crate) fn all(workspace: &Workspace) -> Result<()> {
    artefacts::build(workspace)?;
    if let Some(js) = npm::Package::open(workspace, "js")? {
        js.build(workspace)?;
    }
    Ok(())
}
