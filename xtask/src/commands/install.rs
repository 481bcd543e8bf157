//! `cargo xtask install`: the npm packages of `js/`, of its lab page and of every suite in `tests/`.

use std::process::ExitCode;

use anyhow::Result;

use crate::{npm::Package, workspace::Workspace};

/// Installs what is missing or out of date.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let js = Package::open(workspace, "js")?;
    let lab = Package::open(workspace, "js/lab")?;
    for package in js.into_iter().chain(lab).chain(Package::suites(workspace)?) {
        package.install()?;
    }
    Ok(ExitCode::SUCCESS)
}
