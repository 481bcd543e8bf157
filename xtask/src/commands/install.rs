//! `cargo xtask install`: the npm packages of `js/` and of every suite in `tests/`.

use std::process::ExitCode;

use anyhow::Result;

use crate::{npm::Package, workspace::Workspace};

/// Installs what is missing or out of date.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let js = Package::open(workspace, "js")?;
    for package in js.into_iter().chain(Package::suites(workspace)?) {
        package.install()?;
    }
    Ok(ExitCode::SUCCESS)
}
