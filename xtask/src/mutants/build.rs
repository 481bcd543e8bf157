//! The copy with the changes inside, compiled: what does not compile is found out, and left out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{
    Stage,
    switch::{self, Switched},
    tool::Change,
};
use crate::{process, workspace::Workspace};

/// A compiler reports the errors of one of its passes at a time, so a few rounds are needed.
const ROUNDS: usize = 12;

/// The changed copy of the tree.
pub(super) struct Build<'a> {
    workspace: &'a Workspace,
    changes: &'a [Change],
    tree: PathBuf,
    target: PathBuf,
    /// The files that have changes, as they are without: somebody may be working on the tree.
    sources: BTreeMap<&'a str, String>,
    /// Changes that do not compile.
    unviable: BTreeSet<usize>,
    /// Changes that cannot be chosen at run time.
    alone: BTreeSet<usize>,
    files: Vec<(String, Switched)>,
    /// The function that each change is in.
    functions: Vec<usize>,
}

/// A test program and the folder it expects to run in.
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) folder: PathBuf,
}

impl<'a> Build<'a> {
    pub(super) fn new(
        workspace: &'a Workspace,
        tree: PathBuf,
        target: PathBuf,
        changes: &'a [Change],
    ) -> Result<Self> {
        let alone = changes.iter().enumerate();
        let alone = alone.filter(|(_, change)| change.function.is_none() || change.is_opaque);
        let alone = alone.map(|(number, _)| number).collect();
        let unviable = BTreeSet::new();
        let (files, functions) = (Vec::new(), vec![usize::MAX; changes.len()]);
        let mut sources = BTreeMap::new();
        for name in changes.iter().map(|change| &*change.file) {
            if !sources.contains_key(name) {
                let text = fs::read_to_string(tree.join(name)).context(name.to_owned())?;
                sources.insert(name, text);
            }
        }
        let mut build =
            Self { workspace, changes, tree, target, sources, unviable, alone, files, functions };
        // The crate's root, which has no functions of its own, names the module.
        let root = build.tree.join("core/src/lib.rs");
        let text = fs::read_to_string(&root).context("the core's lib.rs")?;
        fs::write(root, text + "\n#[doc(hidden)]\npub mod mutant;\n")
            .context("the copy's lib.rs")?;
        build.write()?;
        Ok(build)
    }

    /// Compiles the tests of a stage.
    pub(super) fn programs(&mut self, stage: &Stage) -> Result<Vec<Program>> {
        let mut tests: Vec<_> =
            stage.packages.iter().flat_map(|package| ["--package", package]).collect();
        if stage.only_lib {
            tests.extend(["--lib", "--all-features"]);
        }
        // A check is the quicker way to most of the errors; the others only a build finds.
        self.settle(&[&["check", "--tests"], &*tests].concat())?;
        let messages = self.settle(&[&["test", "--no-run"], &*tests].concat())?;
        let programs: Vec<_> = messages.iter().filter_map(Program::read).collect();
        anyhow::ensure!(!programs.is_empty(), "cargo named no test program");
        Ok(programs)
    }

    /// Where each test says which functions it enters.
    pub(super) fn scratch(&self) -> PathBuf {
        self.target.join("entered")
    }

    /// The numbers of the changes that can be switched on.
    pub(super) fn switched(&self) -> Vec<usize> {
        let is_in =
            |number: &usize| !self.unviable.contains(number) && !self.alone.contains(number);
        (0..self.changes.len()).filter(is_in).collect()
    }

    pub(super) fn unviable(&self) -> usize {
        self.unviable.len()
    }

    /// The numbers of the changes that need a build of their own.
    pub(super) fn alone(&self) -> Vec<usize> {
        self.alone.iter().copied().collect()
    }

    /// The function that a change is in, as the program counts them.
    pub(super) fn function(&self, number: usize) -> usize {
        self.functions[number]
    }

    /// Runs cargo until it succeeds, each time without the changes that were to blame.
    fn settle(&mut self, arguments: &[&str]) -> Result<Vec<Value>> {
        for _ in 0..ROUNDS {
            let mut cargo = self.cargo(arguments);
            let output = cargo.output().map_err(|error| process::cannot_start(&cargo, &error))?;
            let messages = String::from_utf8_lossy(&output.stdout);
            let messages: Vec<Value> =
                messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            if output.status.success() {
                return Ok(messages);
            }
            let before = self.unviable.len() + self.alone.len();
            let errors = messages.iter().map(|message| &message["message"]);
            let errors: Vec<_> = errors.filter(|message| message["level"] == "error").collect();
            for error in &errors {
                self.blame(error);
            }
            if self.unviable.len() + self.alone.len() == before {
                let said = errors.iter().find_map(|error| error["rendered"].as_str());
                let said = said.map_or_else(
                    || String::from_utf8_lossy(&output.stderr).into_owned(),
                    str::to_owned,
                );
                bail!("no change is to blame:\n{}\n{said}", process::display(&cargo));
            }
            self.write()?;
        }
        bail!("the changed core still does not compile after {ROUNDS} rounds")
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = self.workspace.cargo();
        cargo.current_dir(&self.tree).args(arguments);
        cargo.args(["--profile", "mutants", "--quiet", "--message-format", "json"]);
        // A change may break a lint; that is not what it is judged by.
        cargo.env("RUSTFLAGS", "--cap-lints=allow").env("CARGO_TARGET_DIR", &self.target);
        cargo
    }

    /// An error inside a changed body is the change's; one that names a whole function, as the
    /// evaluation of a constant does, says that its body cannot be chosen at run time.
    fn blame(&mut self, error: &Value) {
        let mut spans = Vec::new();
        collect(error, &mut spans);
        spans.sort_by_key(|span| span["is_primary"] != true);
        let within = |span: &Value, file: &str, at: &core::ops::Range<usize>| {
            let offset = |name: &str| span[name].as_u64().and_then(|at| usize::try_from(at).ok());
            span["file_name"].as_str().is_some_and(|name| name.ends_with(file))
                && offset("byte_start").is_some_and(|start| at.start <= start)
                && offset("byte_end").is_some_and(|end| end <= at.end)
        };
        for span in &spans {
            for (file, switched) in &self.files {
                for (at, number) in &switched.bodies {
                    if within(span, file, at) {
                        self.unviable.insert(*number);
                        return;
                    }
                }
            }
        }
        for (file, switched) in &self.files {
            for (at, numbers) in &switched.functions {
                if spans.iter().any(|span| within(span, file, at)) {
                    self.alone.extend(numbers);
                }
            }
        }
    }

    /// Writes the sources anew, with the changes that are left.
    fn write(&mut self) -> Result<()> {
        let left: BTreeSet<_> = self.switched().into_iter().collect();
        let mut first = 0;
        self.files.clear();
        for (&name, source) in &self.sources {
            let changes = self.changes.iter().enumerate();
            let changes: Vec<_> = changes
                .filter(|(number, change)| change.file == name && left.contains(number))
                .collect();
            let switched = switch::switch(source, &changes, first).context(name.to_owned())?;
            for (at, (_, numbers)) in switched.functions.iter().enumerate() {
                for &number in numbers {
                    self.functions[number] = first + at;
                }
            }
            first += switched.functions.len();
            update(&self.tree.join(name), &switched.text)?;
            self.files.push((name.to_owned(), switched));
        }
        update(&self.tree.join("core/src/mutant.rs"), &switch::module(first))
    }
}

impl Program {
    fn read(message: &Value) -> Option<Self> {
        let path = message["executable"].as_str()?.into();
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf();
        (message["profile"]["test"] == true).then_some(Self { path, folder })
    }
}

/// Leaves a file alone that is already right, so that cargo does too.
fn update(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

/// All places that an error points at, in its notes and behind its macros too.
fn collect<'a>(error: &'a Value, spans: &mut Vec<&'a Value>) {
    for span in error["spans"].as_array().into_iter().flatten() {
        let mut span = Some(span);
        while let Some(at) = span.filter(|at| at.is_object()) {
            spans.push(at);
            span = at["expansion"].get("span");
        }
    }
    for child in error["children"].as_array().into_iter().flatten() {
        collect(child, spans);
    }
}
