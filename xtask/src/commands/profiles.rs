//! `cargo xtask profiles`: the table of vendor profiles, from its data files.

use std::{fs, process::ExitCode};

use anyhow::{Context, Result, bail};

use crate::{profiles, workspace::Workspace};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only say whether the committed table is current
    #[arg(long)]
    check: bool,
}

/// Writes the table, or compares it.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let path = profiles::table(workspace.root());
    let current = profiles::generate(&profiles::folder(workspace.root()))?;
    let committed = fs::read_to_string(&path).unwrap_or_default();
    if committed == current {
        eprintln!("{} is current", path.display());
        return Ok(ExitCode::SUCCESS);
    }
    if args.check {
        bail!("{} is old: run `cargo xtask profiles`", path.display());
    }
    fs::write(&path, current).with_context(|| path.display().to_string())?;
    eprintln!("wrote {}", path.display());
    Ok(ExitCode::SUCCESS)
}
