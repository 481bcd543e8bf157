//! `cargo xtask build`: the artefacts in `js/wasm`, then the npm package around them.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::{artefacts, npm, workspace::Workspace};

/// Builds what is missing or out of date.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    all(workspace)?;
    Ok(ExitCode::SUCCESS)
}

/// The same, for commands that need the result.
pub(crate) fn all(workspace: &Workspace) -> Result<()> {
    // Two builds at once would write the same files; the second waits and finds nothing to do.
    let path = workspace.scratch().join("build.lock");
    std::fs::create_dir_all(workspace.scratch())?;
    let lock =
        std::fs::File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    lock.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    artefacts::build(workspace)?;
    if let Some(js) = npm::Package::open(workspace, "js")? {
        js.build(workspace)?;
    }
    Ok(())
}
