//! cargo-mutants: what the changes are, and a judgement of those that need a build of their own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Stage;
use crate::{process, progress, workspace::Workspace};

/// Installed beside the build where it is missing.
const TOOL: (&str, &str) = ("cargo-mutants", "27.1.0");

/// The first is written by a command, which is checked against its sources; the others are tests.
const EXCLUDED: [&str; 3] =
    ["core/src/profile/table.rs", "core/src/**/tests.rs", "core/src/**/tests/**"];

/// Its exit codes that are about changes: none lives, some live, some never end.
const FINISHED: [i32; 3] = [0, 2, 3];

/// One thing that is different.
pub(crate) struct Change {
    /// As `core/src/a.rs:12:3: replace < with <= in f`.
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) from: Spot,
    pub(crate) to: Spot,
    pub(crate) replacement: String,
    /// Where the function it is in ends; none for a constant.
    pub(crate) function: Option<Spot>,
    /// Whether that function's return type is `impl Trait`.
    pub(crate) is_opaque: bool,
}

/// A line and a column, both from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// The program.
pub(crate) struct Tool(PathBuf);

/// What became of the changes it was given.
pub(crate) struct Judged {
    pub(crate) unviable: usize,
    pub(crate) missed: Vec<String>,
}

pub(crate) fn provide(workspace: &Workspace) -> Result<Tool> {
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

impl Tool {
    /// All changes in the files that match one of `globs`, or in all files of the core.
    pub(crate) fn list(&self, workspace: &Workspace, globs: &[String]) -> Result<Vec<Change>> {
        let mut command = self.command(workspace);
        command.args(["--list", "--json"]);
        for glob in globs {
            command.args(["--file", glob]);
        }
        let text = process::capture(&mut command)?;
        let list: Vec<Value> = serde_json::from_str(&text).context("its list is not JSON")?;
        list.iter().map(|entry| Change::read(entry).context("an entry of its list")).collect()
    }

    /// Builds these changes one after the other and runs the tests of a stage.
    pub(crate) fn judge(
        &self,
        workspace: &Workspace,
        output: &Path,
        (stage, names): (&Stage, &[String]),
        jobs: usize,
    ) -> Result<Judged> {
        fs::create_dir_all(output).context("the folder of the report cannot be made")?;
        let mut command = self.command(workspace);
        command.args(["--all-features", "--profile", "mutants", "--cap-lints", "true"]);
        command.args(["--minimum-test-timeout", "20", "--colors", "never", "--output"]);
        command.arg(output).arg("--jobs").arg(jobs.to_string());
        for package in stage.packages {
            command.args(["--test-package", package]);
        }
        if stage.only_lib {
            command.arg("--cargo-arg=--lib");
        }
        for name in names {
            command.args(["--re", &format!("^{}$", literally(name))]);
        }
        let ended =
            command.output().map_err(|error| process::cannot_start(&command, &error))?.status;
        if !ended.code().is_some_and(|code| FINISHED.contains(&code)) {
            bail!("{}\n  {}", process::ended(ended), process::display(&command));
        }
        let list = |name: &str| -> Result<Vec<String>> {
            let text = process::read(&output.join("mutants.out").join(name))?;
            Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
        };
        Ok(Judged { unviable: list("unviable.txt")?.len(), missed: list("missed.txt")? })
    }

    fn command(&self, workspace: &Workspace) -> Command {
        let mut command = Command::new(&self.0);
        command.args(["mutants", "--package", "retrywise"]);
        for glob in EXCLUDED {
            command.args(["--exclude", glob]);
        }
        command.current_dir(workspace.root());
        command
    }
}

impl Change {
    fn read(entry: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let function = &entry["function"];
        Some(Self {
            name: text(&entry["name"])?,
            file: text(&entry["file"])?,
            from: Spot::read(&entry["span"]["start"])?,
            to: Spot::read(&entry["span"]["end"])?,
            replacement: text(&entry["replacement"])?,
            function: Spot::read(&function["span"]["end"]),
            is_opaque: function["return_type"].as_str().is_some_and(|kind| kind.contains("impl ")),
        })
    }
}

impl Spot {
    fn read(spot: &Value) -> Option<Self> {
        let number = |name: &str| usize::try_from(spot[name].as_u64()?).ok();
        Some(Self { line: number("line")?, column: number("column")? })
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
    use super::literally;

    #[test]
    fn a_pattern_takes_no_sign_of_a_name_for_its_own() {
        assert_eq!(
            literally("a.rs:1: replace * with + in f"),
            r"a\.rs\:1\: replace \* with \+ in f"
        );
        assert_eq!(literally("Option<u64>"), "Option<u64>");
    }
}
