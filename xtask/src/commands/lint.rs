//! `cargo xtask lint`: the steps of the test that read and run nothing.

use std::process::ExitCode;

use anyhow::Result;

use crate::{suite, workspace::Workspace};

const STEPS: [&str; 5] = ["install", "fmt", "clippy", "js-lint", "js-types"];

/// Runs them as `test` does.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let mut steps = suite::table(workspace)?;
    steps.retain(|step| STEPS.contains(&step.name.as_str()));
    suite::run(workspace, steps, 1)
}
