//! `cargo xtask fuzz TARGET`: a target function under libFuzzer, for as long as asked.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};

use crate::{process, progress, workspace::Workspace};

/// Where the targets, and beside them their corpora, lie.
const FOLDER: &str = "tests/fuzz";

/// What cargo-fuzz passes as well, sanitizers apart: the core has no unsafe code for them to look
/// at, and without one a stable compiler does.
const FLAGS: [&str; 7] = [
    "--cfg=fuzzing",
    "-Ccodegen-units=1",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// The fewest inputs that reach all the code that any of them reaches.
const FEWEST: [&str; 2] = ["-set_cover_merge=1", "-use_counters=0"];

/// What to run, and for how long.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The targets; none: all of them
    targets: Vec<String>,
    /// For how long each one runs
    #[arg(long, default_value_t = 60, value_name = "N")]
    seconds: u32,
    /// Adds to the corpus in the tree the fewest inputs that reach what was not reached before
    #[arg(long)]
    keep: bool,
}

/// Runs the targets one after the other; an input that breaks one ends it all, and is named.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let corpora = workspace.path(FOLDER).join("corpus");
    let known = targets(&corpora)?;
    if let Some(unknown) = args.targets.iter().find(|name| !known.contains(name)) {
        anyhow::bail!("there is no target `{unknown}`; there are: {}", known.join(", "));
    }
    let place = workspace.target().join("fuzz");
    let programs = build(workspace, &place)?;
    for name in known.iter().filter(|name| args.targets.is_empty() || args.targets.contains(name)) {
        let (own, kept) = (place.join("corpus").join(name), corpora.join(name));
        fs::create_dir_all(&own).context("the folder for new inputs cannot be made")?;
        let fuzzer = || {
            let mut fuzzer = Command::new(programs.join(name));
            fuzzer.arg("-max_len=4096").current_dir(&place);
            fuzzer
        };
        let seconds = format!("-max_total_time={}", args.seconds);
        let artefacts = format!("-artifact_prefix={}/{name}-", place.display());
        progress::note(&format!("{name}, for {} s", args.seconds));
        process::show(
            fuzzer().args([&seconds, &artefacts, "-print_final_stats=1"]).arg(&own).arg(&kept),
        )
        .with_context(|| format!("an input breaks {name}: the one that is named above"))?;
        if args.keep {
            process::show(fuzzer().args(FEWEST).arg(&kept).arg(&own))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The names of the corpora are those of the targets.
fn targets(corpora: &Path) -> Result<Vec<String>> {
    let entries =
        fs::read_dir(corpora).with_context(|| format!("{} cannot be listed", corpora.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    Ok(names)
}

/// Compiles all targets; returns the folder of the programs. For a named machine, so that the flags
/// reach the code under test alone and no build script.
fn build(workspace: &Workspace, place: &Path) -> Result<PathBuf> {
    let rustc = || Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let host = process::capture(rustc().arg("-vV"))?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc named no host")?;
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--release", "--locked", "--target", host, "--manifest-path"]);
    cargo.arg(workspace.path(FOLDER).join("fuzz/Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", place).env("RUSTFLAGS", FLAGS.join(" "));
    progress::step("cargo build of the fuzz targets", || process::show(&mut cargo))?;
    Ok(place.join(host).join("release"))
}
