//! The steps, in the order they run: what later ones need comes first.

use std::{env, process::Command};

use anyhow::{Context, Result};

use super::{Need, Step, Tally, Work};
use crate::{
    npm::Package,
    process,
    workspace::{Package as Member, WASM_PACKAGE, Workspace},
};

/// The compiler the artefacts were made with, and how large they are.
const BUILD_FACTS: &[&str] = &["rustc ", " bytes", "passed over", "as the compiler made them"];

/// Every step there is, for this state of the work tree.
pub(crate) fn table(workspace: &Workspace) -> Result<Vec<Step>> {
    let mut steps = vec![
        step("install", Tally::One, vec![xtask(workspace, &["install"])?]),
        Step {
            echo: BUILD_FACTS,
            ..step("build", Tally::One, vec![xtask(workspace, &["build"])?])
        },
        step("fmt", Tally::One, vec![cargo(workspace, &["fmt", "--all", "--check"])]),
        step("clippy", Tally::One, clippy(workspace)),
        step("profiles", Tally::One, vec![xtask(workspace, &["profiles", "--check"])?]),
        step("schema", Tally::One, vec![xtask(workspace, &["schema", "--check"])?]),
        step(
            "rust",
            Tally::Tests,
            vec![cargo(
                workspace,
                &["test", "--workspace", "--features", "retrywise/simulate", "--no-fail-fast"],
            )],
        ),
        step("doc", Tally::One, vec![doc(workspace)]),
        step("no-std", Tally::One, vec![xtask(workspace, &["no-std"])?]),
    ];
    steps.push(vectors(workspace)?);
    steps.extend(js(workspace)?);
    steps.extend(hosts(workspace));
    let middleware = xtask(workspace, &["middleware", "--test"])?;
    steps.push(Step {
        echo: BUILD_FACTS,
        ..step("host-middleware", Tally::Tests, vec![middleware])
    });
    for suite in Package::suites(workspace)?.iter().filter(|suite| suite.has_script("test")) {
        let needs: Result<Vec<_>> = suite.needs().map(Need::named).collect();
        let needs = needs.with_context(|| format!("{}/package.json", suite.name))?;
        steps.push(Step { needs, ..step(&suite.name, Tally::Tests, vec![suite.script("test")]) });
    }
    Ok(steps)
}

fn step(name: &str, tally: Tally, commands: Vec<Command>) -> Step {
    Step { name: name.to_owned(), needs: Vec::new(), tally, echo: &[], work: Work::Run(commands) }
}

/// The core bare and with all it can have; features of the wasm crate exclude each other, so each is
/// looked at alone. All on this machine's own target, where the wasm crate compiles as well.
fn clippy(workspace: &Workspace) -> Vec<Command> {
    let strict = |which: &[&str]| {
        let strict = ["--all-targets", "--", "-D", "warnings"];
        cargo(workspace, &[&["clippy"], which, &strict].concat())
    };
    let alone =
        |package, feature| ["--package", package, "--no-default-features", "--features", feature];
    let mut commands = vec![
        strict(&["--workspace", "--exclude", WASM_PACKAGE]),
        strict(&alone("retrywise-middleware", "handler")),
        strict(&alone("retrywise-guest", "service")),
        strict(&["--package", "retrywise", "--no-default-features"]),
        strict(&["--package", "retrywise", "--all-features"]),
    ];
    let wasm = ["--package", WASM_PACKAGE, "--no-default-features", "--features"];
    let features = wasm_features(workspace);
    commands.extend(features.map(|feature| strict(&[&wasm[..], &[feature]].concat())));
    commands
}

fn wasm_features(workspace: &Workspace) -> impl Iterator<Item = &str> {
    let package = workspace.package(WASM_PACKAGE).into_iter();
    package.flat_map(Member::features).filter(|feature| *feature != "default")
}

/// The documentation that users read: the core's, with every feature.
fn doc(workspace: &Workspace) -> Command {
    let mut doc =
        cargo(workspace, &["doc", "--package", "retrywise", "--no-deps", "--all-features"]);
    doc.env("RUSTDOCFLAGS", "-Dwarnings");
    doc
}

fn vectors(workspace: &Workspace) -> Result<Step> {
    const NOT_SUPPORTED: &[&str] = &["not supported"];
    let files = workspace.files("tests/vectors", ".jsonl");
    let runner = workspace.package("retrywise-vectors");
    if files.is_empty() || runner.is_none() {
        return Ok(absent("vectors", "tests/vectors has no runner or no file yet"));
    }
    let replay = |file: &std::path::PathBuf| {
        let mut command = xtask(workspace, &["vectors"])?;
        command.arg(file.strip_prefix(workspace.root()).unwrap_or(file));
        Ok(command)
    };
    let commands = files.iter().map(replay).collect::<Result<_>>()?;
    Ok(Step { echo: NOT_SUPPORTED, ..step("vectors", Tally::TestsOrNone, commands) })
}

/// The scripts of `js/`, each a step.
fn js(workspace: &Workspace) -> Result<Vec<Step>> {
    const SCRIPTS: [(&str, &str, Tally); 3] = [
        ("js", "test", Tally::Tests),
        ("js-lint", "lint", Tally::One),
        ("js-types", "typecheck", Tally::One),
    ];
    let package = Package::open(workspace, "js")?;
    let one = |(name, script, tally): (&str, &str, Tally)| match &package {
        None => absent(name, "js/package.json is not there yet"),
        Some(js) if js.has_script(script) => step(name, tally, vec![js.script(script)]),
        Some(_) => absent(name, &format!("js/package.json has no script `{script}` yet")),
    };
    Ok(SCRIPTS.map(one).into())
}

/// Programs in other languages, or on other runtimes, that send real requests to the faulty server:
/// each a step, so that each has its line.
fn hosts(workspace: &Workspace) -> Vec<Step> {
    const HOSTS: [(&str, &str); 6] = [
        ("rust-native", "cargo"),
        ("rust-wasmtime", "cargo"),
        ("python-httpx", "python3"),
        ("python-requests", "python3"),
        ("go", "go"),
        ("java", "mvn"),
    ];
    let one = |(name, needs): (&str, &str)| {
        let shown = format!("host-{name}");
        if !process::on_path(needs) {
            return absent(&shown, &format!("it needs {needs}, which is not on the search path"));
        }
        let mut run = Command::new("node");
        run.arg("tests/hosts/run.mjs").arg(name).current_dir(workspace.root());
        run.env("CARGO_TARGET_DIR", workspace.target());
        step(&shown, Tally::Tests, vec![run])
    };
    HOSTS.map(one).into()
}

fn absent(name: &str, why: &str) -> Step {
    Step { work: Work::Nothing(why.to_owned()), ..step(name, Tally::One, Vec::new()) }
}

fn cargo(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut cargo = workspace.cargo();
    cargo.args(arguments);
    cargo
}

/// A command of this program, so that a person can run the very same step alone.
fn xtask(workspace: &Workspace, arguments: &[&str]) -> Result<Command> {
    let itself = env::current_exe().context("this program does not know where it lies")?;
    let mut command = Command::new(itself);
    command.args(arguments).current_dir(workspace.root());
    Ok(command)
}
