//! The steps, in the order they run: what later ones need comes first.

use std::{env, process::Command};

use anyhow::{Context, Result};

use super::{Company, Need, Step, Tally, Work};
use crate::{
    npm::Package,
    process,
    workspace::{Package as Member, WASM_PACKAGE, Workspace},
};

/// The compiler the artefacts were made with, and how large they are.
const BUILD_FACTS: &[&str] = &["rustc ", " bytes", "passed over", "as the compiler made them"];

/// Every step there is, for this state of the work tree.
pub(crate) fn table(workspace: &Workspace) -> Result<Vec<Step>> {
    let first = |name, why: &str| {
        let command = xtask(workspace, &[name])?;
        let company = Company::First(why.to_owned());
        Ok::<_, anyhow::Error>(Step { company, ..step(name, Tally::One, vec![command]) })
    };
    let mut steps = vec![
        // It takes minutes, and nothing of what the next two make: they need not wait for it.
        compiles(step("hosts", Tally::One, vec![xtask(workspace, &["hosts"])?])),
        first("install", "every other step runs with what it installs")?,
        Step {
            echo: BUILD_FACTS,
            ..first(
                "build",
                "every other step tests what it builds, and its files must stand still",
            )?
        },
        step("fmt", Tally::One, vec![cargo(workspace, &["fmt", "--all", "--check"])]),
        compiles(step("clippy", Tally::One, clippy(workspace))),
        step("profiles", Tally::One, vec![xtask(workspace, &["profiles", "--check"])?]),
        compiles(step("schema", Tally::One, vec![xtask(workspace, &["schema", "--check"])?])),
        compiles(step(
            "rust",
            Tally::Tests,
            vec![cargo(
                workspace,
                &["test", "--workspace", "--features", "retrywise/simulate", "--no-fail-fast"],
            )],
        )),
        compiles(step("doc", Tally::One, vec![doc(workspace)])),
        compiles(step("no-std", Tally::One, vec![xtask(workspace, &["no-std"])?])),
    ];
    steps.push(vectors(workspace)?);
    steps.extend(js(workspace)?);
    steps.extend(hosts(workspace));
    let middleware = xtask(workspace, &["middleware", "--test"])?;
    steps.push(compiles(Step {
        echo: BUILD_FACTS,
        ..step("host-middleware", Tally::Tests, vec![middleware])
    }));
    for package in Package::suites(workspace)?.iter().filter(|suite| suite.has_script("test")) {
        steps.push(suite(package).with_context(|| format!("{}/package.json", package.name))?);
    }
    Ok(steps)
}

/// A suite in `tests/`, with what its manifest says it needs and what it can stand beside it.
fn suite(package: &Package) -> Result<Step> {
    let needs = package.needs().map(Need::named).collect::<Result<_>>()?;
    let wants = package.wants().map(Need::named).collect::<Result<_>>()?;
    let step = step(&package.name, Tally::Tests, vec![package.script("test")]);
    let step = Step { needs, wants, ..step };
    Ok(match package.alone() {
        Some(why) => alone(step, why),
        None => match package.shares() {
            Some(what) => sharing(step, what),
            None => step,
        },
    })
}

fn step(name: &str, tally: Tally, commands: Vec<Command>) -> Step {
    Step {
        name: name.to_owned(),
        needs: Vec::new(),
        wants: Vec::new(),
        company: Company::Any,
        tally,
        echo: &[],
        work: Work::Run(commands),
    }
}

fn alone(step: Step, why: &str) -> Step {
    Step { company: Company::Alone(why.to_owned()), ..step }
}

/// It runs cargo, which locks its folder; or it looks at whether the package's folder is as it was
/// built.
fn compiles(step: Step) -> Step {
    sharing(step, "cargo")
}

fn sharing(step: Step, what: &str) -> Step {
    Step { company: Company::Sharing(what.to_owned()), ..step }
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
    // All files in one go: each binding is a process that starts once.
    let mut command = xtask(workspace, &["vectors"])?;
    command.args(files.iter().map(|file| file.strip_prefix(workspace.root()).unwrap_or(file)));
    Ok(compiles(Step { echo: NOT_SUPPORTED, ..step("vectors", Tally::Tests, vec![command]) }))
}

/// The scripts of `js/`, each a step.
fn js(workspace: &Workspace) -> Result<Vec<Step>> {
    const SCRIPTS: [(&str, &str, Tally); 3] = [
        ("js", "test", Tally::Tests),
        ("js-lint", "lint", Tally::One),
        ("js-types", "typecheck", Tally::One),
    ];
    // What its tests of the command judge as somebody's program.
    let programs: Vec<_> =
        ["python", "curl"].into_iter().map(Need::named).collect::<Result<_>>()?;
    let package = Package::open(workspace, "js")?;
    let one = |(name, script, tally): (&str, &str, Tally)| match &package {
        None => absent(name, "js/package.json is not there yet"),
        // The check of the package packs it, which for a moment puts an archive into its folder.
        Some(js) if script == "lint" && js.has_script(script) => {
            compiles(step(name, tally, vec![js.script(script)]))
        }
        Some(js) if js.has_script(script) => {
            let needs = if script == "test" { programs.clone() } else { Vec::new() };
            Step { needs, ..step(name, tally, vec![js.script(script)]) }
        }
        Some(_) => absent(name, &format!("js/package.json has no script `{script}` yet")),
    };
    Ok(SCRIPTS.map(one).into())
}

/// Programs in other languages, or on other runtimes, that send real requests to the faulty server:
/// each a step, so that each has its line.
fn hosts(workspace: &Workspace) -> Vec<Step> {
    // The program, and what only one of them uses at a time: cargo, for the host or for the runner
    // of its vectors, or an environment that is installed first.
    const HOSTS: [(&str, &str, &str); 7] = [
        ("rust-native", "cargo", "cargo"),
        ("rust-wasmtime", "cargo", "cargo"),
        ("js-jco", "node", "cargo"),
        ("python-httpx", "python3", "target/hosts/python"),
        ("python-requests", "python3", "target/hosts/python"),
        ("go", "go", "cargo"),
        ("java", "mvn", "cargo"),
    ];
    let one = |(name, needs, shares): (&str, &str, &str)| {
        let shown = format!("host-{name}");
        if !process::on_path(needs) {
            return absent(&shown, &format!("it needs {needs}, which is not on the search path"));
        }
        let mut run = Command::new("node");
        run.arg("tests/hosts/run.mjs").arg(name).current_dir(workspace.root());
        run.env("CARGO_TARGET_DIR", workspace.target());
        sharing(step(&shown, Tally::Tests, vec![run]), shares)
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
