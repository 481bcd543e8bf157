//! `cargo xtask mutants`: the core with one thing changed at a time; which change does no test see?

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail};

use crate::{process, progress, workspace::Workspace};

/// What makes the changes; installed beside the build where it is missing.
const TOOL: (&str, &str) = ("cargo-mutants", "27.1.0");

/// Changes that may live, a line each: the name, without lines and columns, a tab, and the reason.
const KNOWN: &str = "tests/mutants/survivors.tsv";

/// Written by a command, which is checked against its sources.
const GENERATED: &str = "core/src/profile/table.rs";

/// The unit tests judge first, since they are quick to build; what they let live, these judge.
const SLOWER: [&str; 2] = ["retrywise-vectors", "retrywise-properties"];

/// The tool's exit codes that are about mutants: none lives, some live, some never end.
const FINISHED: [i32; 3] = [0, 2, 3];

/// How much of it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// One part of the work: every Nth change, from the Kth on (0 is the first)
    #[arg(long, value_name = "K/N")]
    shard: Option<String>,
    /// Only changes in files whose path matches, as `core/src/breaker*`
    #[arg(long, value_name = "GLOB")]
    file: Vec<String>,
    /// How many are tested at once
    #[arg(long, default_value_t = 2, value_name = "N")]
    jobs: u32,
}

/// Prints what lives and is not on the list; the exit code is 1 when there is any.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let tool = provide(workspace)?;
    let place = workspace.target().join("mutants");
    let known = known(&workspace.path(KNOWN))?;

    let mut first = tool.command(workspace, &place.join("unit"), args.jobs)?;
    for glob in &args.file {
        first.args(["--file", glob]);
    }
    if let Some(shard) = &args.shard {
        first.args(["--sharding", "round-robin", "--shard", shard]);
    }
    first.args(["--test-package", "retrywise", "--cargo-arg=--lib"]);
    let unit = judge(&mut first, &place.join("unit"))?;

    let mut alive = Vec::new();
    if !unit.missed.is_empty() {
        progress::note(&format!("{} live; vectors and properties judge them", unit.missed.len()));
        let mut second = tool.command(workspace, &place.join("slower"), args.jobs)?;
        for name in &unit.missed {
            second.args(["--re", &format!("^{}$", literally(name))]);
        }
        for package in SLOWER {
            second.args(["--test-package", package]);
        }
        alive = judge(&mut second, &place.join("slower"))?.missed;
    }

    let is_known = |name: &&String| known.contains_key(unplaced(name).as_str());
    let (expected, unexpected): (Vec<_>, Vec<_>) = alive.iter().partition(is_known);
    for name in &unexpected {
        println!("lives: {name}");
    }
    println!(
        "{} changes: {} seen by a test, {} do not compile, {} live for a reason in {KNOWN}",
        unit.total,
        unit.total - unit.unviable - alive.len(),
        unit.unviable,
        expected.len(),
    );
    println!("{} passed, {} failed", unit.total - unexpected.len(), unexpected.len());
    Ok(if unexpected.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The tool, where it was found.
struct Tool(PathBuf);

impl Tool {
    /// Each run reports into a folder of its own, and works on copies of the tree.
    fn command(&self, workspace: &Workspace, output: &Path, jobs: u32) -> Result<Command> {
        fs::create_dir_all(output).context("the folder of the report cannot be made")?;
        let mut command = Command::new(&self.0);
        command.args(["mutants", "--package", "retrywise", "--all-features"]);
        command.args(["--no-shuffle", "--colors", "never"]);
        command.args(["--profile", "mutants", "--exclude", GENERATED]);
        command.args(["--minimum-test-timeout", "60", "--cap-lints", "true", "--output"]);
        command.arg(output).arg("--jobs").arg(jobs.to_string());
        command.current_dir(workspace.root());
        Ok(command)
    }
}

/// What became of the changes.
struct Judged {
    total: usize,
    unviable: usize,
    missed: Vec<String>,
}

fn judge(command: &mut Command, output: &Path) -> Result<Judged> {
    let status = command.status().map_err(|error| process::cannot_start(command, &error))?;
    if !status.code().is_some_and(|code| FINISHED.contains(&code)) {
        bail!("{}\n  {}", process::ended(status), process::display(command));
    }
    let report = output.join("mutants.out");
    let list = |name: &str| -> Result<Vec<String>> {
        let text = process::read(&report.join(name))?;
        Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
    };
    let (missed, unviable) = (list("missed.txt")?, list("unviable.txt")?.len());
    let total = list("caught.txt")?.len() + list("timeout.txt")?.len() + missed.len() + unviable;
    anyhow::ensure!(total > 0, "no change was made: nothing in the core matches");
    Ok(Judged { total, unviable, missed })
}

fn provide(workspace: &Workspace) -> Result<Tool> {
    let (name, version) = TOOL;
    let root = workspace.target().join("tools");
    let program = root.join("bin").join(name);
    let says = process::probe(Command::new(&program).args(["mutants", "--version"]));
    if says.is_none_or(|says| !says.ends_with(version)) {
        progress::step(&format!("cargo install {name} {version}"), || {
            let mut cargo = workspace.cargo();
            cargo.args(["install", "--locked", name, "--version", version, "--root"]).arg(&root);
            process::show(&mut cargo)
        })?;
    }
    Ok(Tool(program))
}

/// The list of what may live: names and reasons.
fn known(path: &Path) -> Result<BTreeMap<String, String>> {
    let text = process::read(path)?;
    let text = String::from_utf8_lossy(&text);
    let entry = |(number, line): (usize, &str)| {
        let pair = line.split_once('\t').filter(|(_, reason)| !reason.trim().is_empty());
        let (name, reason) =
            pair.with_context(|| format!("{KNOWN}:{}: a name, a tab and a reason", number + 1))?;
        Ok((name.to_owned(), reason.to_owned()))
    };
    text.lines().enumerate().filter(|(_, line)| !line.is_empty()).map(entry).collect()
}

/// `core/src/a.rs:12:3: replace …` as `core/src/a.rs: replace …`: lines move, names stay.
fn unplaced(name: &str) -> String {
    let mut parts = name.splitn(4, ':');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(file), Some(_), Some(_), Some(change)) => format!("{file}:{change}"),
        _ => name.to_owned(),
    }
}

/// A pattern that matches this text alone.
fn literally(text: &str) -> String {
    let escape = |letter: char| {
        let special = letter.is_ascii_punctuation() && !matches!(letter, '_' | '<' | '>');
        special.then_some('\\').into_iter().chain([letter])
    };
    text.chars().flat_map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::{literally, unplaced};

    #[test]
    fn a_name_is_kept_without_its_line_and_column() {
        let name = "core/src/queue.rs:81:9: replace Queue::len -> usize with 0";
        assert_eq!(unplaced(name), "core/src/queue.rs: replace Queue::len -> usize with 0");
        assert_eq!(unplaced("no place at all"), "no place at all");
    }

    #[test]
    fn a_pattern_takes_no_sign_of_a_name_for_its_own() {
        assert_eq!(
            literally("a.rs:1: replace * with + in f"),
            r"a\.rs\:1\: replace \* with \+ in f"
        );
        assert_eq!(literally("Option<u64>"), "Option<u64>");
    }
}
