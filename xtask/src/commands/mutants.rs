//! `cargo xtask mutants`: the core with one thing changed at a time; which change does no test see?

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use anyhow::{Context, Result};

use crate::{
    mutants::{self, Wanted, unplaced},
    process,
    workspace::Workspace,
};

/// Changes that may live, a line each: the name, without lines and columns, a tab, and the reason.
const KNOWN: &str = "tests/mutants/survivors.tsv";

/// How much of it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only changes in files whose path matches, as `core/src/breaker*`
    #[arg(long, value_name = "GLOB")]
    file: Vec<String>,
    /// Only changes that lived in the last run
    #[arg(long)]
    again: bool,
    /// How many are tested at once
    #[arg(long, default_value_t = 2, value_name = "N")]
    jobs: usize,
}

/// Prints what lives and is not on the list; the exit code is 1 when there is any, or when the list
/// of a whole run names what no longer lives.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let mut known = known(&workspace.path(KNOWN))?;
    let wanted = Wanted { globs: &args.file, again: args.again };
    let judged = mutants::run(workspace, &wanted, args.jobs)?;
    let mut failed = 0;
    for name in &judged.alive {
        if let Some(times @ 1..) = known.get_mut(&unplaced(name)) {
            *times -= 1;
        } else {
            println!("lives: {name}");
            failed += 1;
        }
    }
    let expected = judged.alive.len() - failed;
    if args.file.is_empty() && !args.again {
        for (name, _) in known.iter().filter(|(_, times)| **times > 0) {
            println!("is seen by a test, and need not be in {KNOWN}: {name}");
            failed += 1;
        }
    }
    println!(
        "{} changes: {} do not compile, {} are seen by a test ({} of them since it has no end), \
         {expected} live for a reason in {KNOWN}; {} were built one by one",
        judged.total,
        judged.unviable,
        judged.total - judged.unviable - judged.alive.len(),
        judged.endless,
        judged.alone,
    );
    println!("{} passed, {failed} failed", judged.total - judged.alive.len() + expected);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The list of what may live: the names, and how often each stands there.
fn known(path: &Path) -> Result<BTreeMap<String, usize>> {
    let text = process::read(path)?;
    let text = String::from_utf8_lossy(&text);
    let mut known = BTreeMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        let pair = line.split_once('\t').filter(|(_, reason)| !reason.trim().is_empty());
        let (name, _) =
            pair.with_context(|| format!("{KNOWN}:{}: a name, a tab and a reason", number + 1))?;
        *known.entry(name.to_owned()).or_default() += 1;
    }
    Ok(known)
}
