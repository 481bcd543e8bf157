//! Calls cargo for the WebAssembly target.

use std::process::Command;

use anyhow::{Context, Result};

use crate::{
    process, progress,
    wasm_std::{TARGET, Toolchain},
    workspace::Workspace,
};

/// Compiles a crate with one feature and these flags for the compiler, and returns the module
/// as the linker made it; `smallest` spends a tenth of the speed on another twentieth of the bytes.
pub(super) fn module(
    workspace: &Workspace,
    toolchain: &Toolchain,
    package: &str,
    feature: &str,
    flags: &[&str],
    smallest: bool,
) -> Result<Vec<u8>> {
    let mut cargo = toolchain.cargo_with(workspace, "rustc", flags);
    // Without the library that native tests use: no library can be optimised across crates, and cargo
    // then does it for neither. That costs a twentieth of a module's bytes, of the ledger's a third.
    cargo.args(["--lib", "--crate-type", "cdylib"]);
    cargo.args(["--package", package, "--no-default-features", "--features", feature]);
    if smallest {
        // The project's own crates: std stays as it is, or it would be compiled once more.
        for package in ["retrywise", package] {
            cargo.arg("--config").arg(format!("profile.wasm.package.{package}.opt-level='z'"));
        }
    }
    run(&mut cargo)?;
    let name = format!("{}.wasm", package.replace('-', "_"));
    process::read(&toolchain.target_dir(workspace, flags).join(TARGET).join("wasm").join(name))
}

/// Checks the core alone where only `core` and `alloc` are to be had. Whether a name can be found is
/// settled by then: code is generated when the wasm crate is built.
pub(crate) fn no_std(
    workspace: &Workspace,
    toolchain: &Toolchain,
    features: &[&str],
) -> Result<()> {
    let mut cargo = toolchain.cargo(workspace, "check");
    cargo.args(["--package", "retrywise", "--no-default-features"]);
    if !features.is_empty() {
        cargo.arg("--features").arg(features.join(","));
    }
    let with = if features.is_empty() { "no feature".to_owned() } else { features.join(", ") };
    progress::step(&format!("retrywise with {with}, core and alloc only"), || run(&mut cargo))
}

/// Runs cargo with its own progress where somebody watches, and with the whole output in the error.
fn run(cargo: &mut Command) -> Result<()> {
    process::show(cargo).context("the compiler's own words are above")
}
