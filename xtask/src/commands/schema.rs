//! `cargo xtask schema`: the JSON Schema of policies, from the lists of their fields in core.

use std::{fs, process::ExitCode};

use anyhow::{Context, Result, bail};

use crate::{process, workspace::Workspace};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only say whether the committed schema is current
    #[arg(long)]
    check: bool,
}

/// Writes the schema, or compares it.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let mut print = workspace.cargo();
    print.args(["run", "--quiet", "--package", "retrywise", "--features", "serde"]);
    let current = process::capture(print.args(["--example", "policy_schema"]))?;
    let path = workspace.path("js/schema/policy.schema.json");
    let committed = fs::read_to_string(&path).unwrap_or_default();
    if committed.trim_end() == current.trim_end() {
        eprintln!("{} is current", path.display());
        return Ok(ExitCode::SUCCESS);
    }
    if args.check {
        bail!("{} is old: run `cargo xtask schema`", path.display());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let text = format!("{}\n", current.trim_end());
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    eprintln!("wrote {}", path.display());
    Ok(ExitCode::SUCCESS)
}
