//! `cargo xtask test`: every check, going on after a failure.

use std::{process::ExitCode, thread};

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
    /// How many steps run side by side; 1 takes them one by one [default: 2, on one core 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    lanes: Option<u8>,
}

/// Runs all steps, or those asked for.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let mut steps = suite::table(workspace)?;
    if args.list {
        for step in &steps {
            match step.holds_up() {
                None => println!("{}", step.name),
                Some(why) => println!("{} ({why})", step.name),
            }
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
    suite::run(workspace, steps, args.lanes.map_or_else(default_lanes, usize::from))
}

/// Most steps keep one core busy, and compiling all of them.
fn default_lanes() -> usize {
    thread::available_parallelism().map_or(1, |cores| cores.get().min(2))
}
