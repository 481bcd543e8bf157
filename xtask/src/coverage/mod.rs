//! Which lines of the core its tests run: the unit tests, the vectors on the native binding and the
//! property tests, counted together.

mod lines;
mod llvm;

use std::{env, ffi::OsString, fs, path::PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{process, progress, workspace::Workspace};

pub(crate) use lines::{File, Lines};

/// Where the measured code lies.
const SOURCES: &str = "core/src";

/// What runs: each with the features of a full build. The vector runner's own tests replay all the
/// files, but stop on the way where an answer is altered; so the command replays them as well.
const TESTS: [&[&str]; 2] = [
    &["--package", "retrywise", "--lib", "--all-features"],
    &["--package", "retrywise-properties", "--package", "retrywise-vectors"],
];

/// Builds everything anew with counters in it, runs it, and reads the counters.
pub(crate) fn measure(workspace: &Workspace) -> Result<Lines> {
    let tools = llvm::find()?;
    let place = Place::new(workspace)?;
    let mut objects = Vec::new();
    for tests in TESTS {
        progress::step(&format!("cargo test {}", tests.join(" ")), || {
            process::capture(place.cargo(workspace, "test").args(tests))
        })?;
        let built = process::capture(
            place.cargo(workspace, "test").args(tests).args(["--no-run", "--message-format=json"]),
        )?;
        objects.extend(built.lines().filter_map(executable));
    }
    progress::step("vectors on the native binding", || {
        let mut runner = place.cargo(workspace, "run");
        runner.args(["--quiet", "--package", "retrywise-vectors", "--", "--binding", "native"]);
        process::capture(runner.args(workspace.files("tests/vectors", ".jsonl")))
    })?;
    objects.sort();
    objects.dedup();
    anyhow::ensure!(!objects.is_empty(), "cargo named no test program");
    let report = tools.lcov(&place.raw, &place.folder.join("all.profdata"), &objects)?;
    let sources = workspace.path(SOURCES);
    let lines = Lines::read(&report, &sources)?;
    anyhow::ensure!(lines.total() > 0, "no line of {SOURCES} was counted");
    Ok(lines)
}

/// Where the build and its counters go: apart, so that the ordinary build stays as it is.
struct Place {
    folder: PathBuf,
    raw: PathBuf,
}

impl Place {
    /// An empty folder for the counters; the build is kept for the next time.
    fn new(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.target().join("coverage");
        let raw = folder.join("raw");
        if raw.exists() {
            fs::remove_dir_all(&raw).context("old counters cannot be removed")?;
        }
        fs::create_dir_all(&raw).context("the folder for the counters cannot be made")?;
        Ok(Self { folder, raw })
    }

    fn cargo(&self, workspace: &Workspace, what: &str) -> std::process::Command {
        let mut cargo = workspace.cargo();
        cargo.arg(what);
        let flags = env::var_os("RUSTFLAGS").unwrap_or_default();
        let flags = [flags, OsString::from("-Cinstrument-coverage")];
        cargo.env("RUSTFLAGS", flags.join(" ".as_ref()));
        cargo.env("CARGO_TARGET_DIR", self.folder.join("target"));
        // A name for each process, since test programs run side by side.
        cargo.env("LLVM_PROFILE_FILE", self.raw.join("%p-%m.profraw"));
        cargo
    }
}

/// The program that a line of cargo's JSON says it made, if it made one.
fn executable(line: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(line).ok()?;
    Some(message["executable"].as_str()?.into())
}
