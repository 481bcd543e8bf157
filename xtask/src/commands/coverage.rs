//! `cargo xtask coverage`: how much of the core its tests run, by file, against the least allowed.

use std::process::ExitCode;

use anyhow::Result;

use crate::{
    coverage::{self, File},
    workspace::Workspace,
};

/// What must be run, in hundredths of the lines.
const LEAST: usize = 95;

/// What may be asked for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Prints the numbers of the lines that no test runs
    #[arg(long)]
    missed: bool,
}

/// Prints a table and the total; the exit code is 1 when the total is too low.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let lines = coverage::measure(workspace)?;
    let width = lines.files.iter().map(|file| file.name.len()).max().unwrap_or_default();
    for file in &lines.files {
        let File { name, run, .. } = file;
        let (total, share) = (file.total(), percent(*run, file.total()));
        let gaps = if args.missed { format!("  {}", file.gaps()) } else { String::new() };
        println!("{}", format!("{name:<width$}  {run:>5}/{total:<5} {share}{gaps}").trim_end());
    }
    let (run, total) = (lines.run(), lines.total());
    println!("{:<width$}  {run:>5}/{total:<5} {}", "total", percent(run, total));
    let is_enough = run * 100 >= total * LEAST;
    if !is_enough {
        println!("less than {LEAST} %: `cargo xtask coverage --missed` shows the lines");
    }
    println!("{} passed, {} failed", u8::from(is_enough), u8::from(!is_enough));
    Ok(if is_enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Rounded down, so that nothing looks complete that is not.
fn percent(part: usize, whole: usize) -> String {
    let hundredths = (part * 10_000).checked_div(whole).unwrap_or(10_000);
    format!("{:>3}.{:02} %", hundredths / 100, hundredths % 100)
}
