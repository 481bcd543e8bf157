//! `cargo xtask install`: the npm packages of `js/`, of its lab page, of every suite in `tests/` and of
//! the host that runs the component in JavaScript.

use std::process::ExitCode;

use anyhow::Result;

use crate::{npm::Package, workspace::Workspace};

/// Installs what is missing or out of date.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let js = Package::open(workspace, "js")?;
    let lab = Package::open(workspace, "js/lab")?;
    let host = Package::open(workspace, "tests/hosts/js-jco")?;
    for package in js.into_iter().chain(lab).chain(Package::suites(workspace)?).chain(host) {
        package.install()?;
    }
    Ok(ExitCode::SUCCESS)
}
