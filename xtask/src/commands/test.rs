//! `cargo xtask test`: every check, one line each, going on after a failure.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::{suite, workspace::Workspace};

/// Which steps.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run this step only (may be repeated)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Print the names of the steps and run none
    #[arg(long)]
    list: bool,
}

/// Runs all steps, or those asked for.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let mut steps = suite::table(workspace)?;
    if args.list {
        for step in &steps {
            println!("{}", step.name);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(unknown) =
        args.only.iter().find(|name| !steps.iter().any(|step| step.name == **name))
    {
        let names: Vec<_> = steps.iter().map(|step| step.name.as_str()).collect();
        bail!("there is no step `{unknown}`; there are: {}", names.join(", "));
    }
    if !args.only.is_empty() {
        steps.retain(|step| args.only.contains(&step.name));
    }
    suite::run(workspace, steps)
}
