//! Which change of the core does no test see?
//!
//! cargo-mutants says what the changes are, thousands of them, and can build the core anew for each
//! one: hours. So all of them are compiled into one copy of the core, a function's changed bodies
//! beside its own, and a variable of the environment says which one a run is about ([`switch`],
//! [`build`]). A run of each test by itself says which functions it enters; a change is then judged
//! by the tests that enter its function, the quickest first ([`judge`]). What cannot be chosen while
//! the program runs, a constant or an opaque return type, is left to cargo-mutants ([`tool`]).

mod build;
mod judge;
mod switch;
mod tool;

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use crate::{process, progress, workspace::Workspace};

/// The unit tests judge first; what they let live, the properties and the vectors judge.
const STAGES: [Stage; 2] = [
    Stage { of: "unit tests", packages: &["retrywise"], only_lib: true },
    Stage {
        of: "properties and vectors",
        packages: &["retrywise-properties", "retrywise-vectors"],
        only_lib: false,
    },
];

/// What became of the changes.
pub(crate) struct Verdicts {
    /// How many there are, and how many of them do not compile.
    pub(crate) total: usize,
    pub(crate) unviable: usize,
    /// How many were noticed because a test no longer ended.
    pub(crate) endless: usize,
    /// How many cannot be switched, and were built one by one.
    pub(crate) alone: usize,
    /// The names of those that no test sees.
    pub(crate) alive: Vec<String>,
}

/// Which changes.
pub(crate) struct Wanted<'a> {
    /// Those in the files that match one of these, or in all files.
    pub(crate) globs: &'a [String],
    /// Those alone that lived in the last run.
    pub(crate) again: bool,
}

/// Judges them, `jobs` at once.
pub(crate) fn run(workspace: &Workspace, wanted: &Wanted<'_>, jobs: usize) -> Result<Verdicts> {
    let place = workspace.target().join("mutants");
    let lived = place.join("lived.txt");
    let tool = tool::provide(workspace)?;
    let mut changes = tool.list(workspace, wanted.globs)?;
    if wanted.again {
        let names = fs::read_to_string(&lived).context("no run has ended yet")?;
        let names: Vec<_> = names.lines().map(unplaced).collect();
        changes.retain(|change| names.contains(&unplaced(&change.name)));
    }
    anyhow::ensure!(!changes.is_empty(), "no change can be made: nothing in the core matches");
    let copy = copy(workspace, place.join("tree"))?;
    let mut build = build::Build::new(workspace, copy, place.join("build"), &changes)?;

    let mut verdicts =
        Verdicts { total: changes.len(), unviable: 0, endless: 0, alone: 0, alive: Vec::new() };
    let mut left: Option<Vec<usize>> = None;
    for stage in &STAGES {
        if left.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
        let programs = progress::step(&format!("{}: build", stage.of), || build.programs(stage))?;
        let mut asked = build.switched();
        asked.retain(|number| left.as_ref().is_none_or(|left| left.contains(number)));
        let judged = progress::step(&format!("{}: {} changes", stage.of, asked.len()), || {
            let tell = |number: usize, what: &str| {
                progress::note(&format!("{what} {}: {}", stage.of, changes[number].name));
            };
            judge::all(&programs, &build, (&asked, jobs), &tell)
        })?;
        verdicts.endless += judged.endless;
        left = Some(judged.alive);
    }
    verdicts.alive = left.iter().flatten().map(|&at| changes[at].name.clone()).collect();
    verdicts.unviable = build.unviable();
    // What follows takes long, and this much is known.
    fs::write(&lived, verdicts.alive.join("\n")).context("what lives cannot be kept")?;

    let mut alone: Vec<_> = build.alone().iter().map(|&at| changes[at].name.clone()).collect();
    verdicts.alone = alone.len();
    for stage in &STAGES {
        if alone.is_empty() {
            break;
        }
        let what = format!("{}: {} changes, each built by itself", stage.of, alone.len());
        let output = place.join("alone");
        let judged =
            progress::step(&what, || tool.judge(workspace, &output, (stage, &alone), jobs))?;
        verdicts.unviable += judged.unviable;
        alone = judged.missed;
    }
    verdicts.alive.extend(alone);
    fs::write(&lived, verdicts.alive.join("\n")).context("what lives cannot be kept")?;
    Ok(verdicts)
}

/// `core/src/a.rs:12:3: replace …` as `core/src/a.rs: replace …`: lines move, names stay.
pub(crate) fn unplaced(name: &str) -> String {
    let mut parts = name.splitn(4, ':');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(file), Some(_), Some(_), Some(change)) => format!("{file}:{change}"),
        _ => name.to_owned(),
    }
}

/// Tests that judge together.
struct Stage {
    of: &'static str,
    packages: &'static [&'static str],
    /// Whether the library's own tests are meant, with all features.
    only_lib: bool,
}

/// The tree as it is, changes that are not committed included, so that the tests find their files.
fn copy(workspace: &Workspace, tree: PathBuf) -> Result<PathBuf> {
    let mut list = std::process::Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let files = process::capture(list.current_dir(workspace.root()))?;
    if tree.exists() {
        fs::remove_dir_all(&tree).context("the old copy of the tree cannot be removed")?;
    }
    for file in files.split('\0').filter(|file| workspace.path(file).is_file()) {
        let to = tree.join(file);
        fs::create_dir_all(to.parent().unwrap_or(&tree)).context("a folder cannot be made")?;
        fs::copy(workspace.path(file), &to).with_context(|| format!("{file} cannot be copied"))?;
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use super::unplaced;

    #[test]
    fn a_name_is_kept_without_its_line_and_column() {
        let name = "core/src/queue.rs:81:9: replace Queue::len -> usize with 0";
        assert_eq!(unplaced(name), "core/src/queue.rs: replace Queue::len -> usize with 0");
        assert_eq!(unplaced("no place at all"), "no place at all");
    }
}
