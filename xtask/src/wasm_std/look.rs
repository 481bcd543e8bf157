//! Gathers the facts: asks compilers, reads folders, changes nothing.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    TARGET, Version, offer,
    plan::{Apt, Compiler, Facts, Rustup},
    toolchain::{BARE_PANICS, DISTRIBUTION_CARGO, DISTRIBUTION_RUSTC, Home},
};
use crate::{apt, process, workspace::Workspace};

/// What this machine has.
pub(crate) fn facts(workspace: &Workspace) -> Facts {
    let ordinary = compiler(Home::Ordinary, workspace.root());
    let complete =
        [DISTRIBUTION_RUSTC, DISTRIBUTION_CARGO].iter().all(|path| Path::new(path).is_file());
    // Without rustup the ordinary compiler often is the distribution's: then it is one fact, not two.
    let other = ordinary.as_ref().is_none_or(|ordinary| ordinary.sysroot != Path::new("/usr"));
    let distribution =
        (complete && other).then(|| compiler(Home::Distribution, workspace.root())).flatten();
    let linker = linker_on_path().or_else(|| own_linker(&ordinary.as_ref()?.sysroot));
    Facts {
        msrv: workspace.msrv(),
        ordinary,
        distribution,
        linker,
        rustup: rustup(),
        apt: if apt::usable() { Apt::Unasked } else { Apt::Unusable },
    }
}

fn compiler(home: Home, folder: &Path) -> Option<Compiler> {
    let name = print(home, folder, &["-V"])?;
    let sysroot = PathBuf::from(print(home, folder, &["--print", "sysroot"])?);
    let libraries = print(home, folder, &["--print", "target-libdir", "--target", TARGET]);
    Some(Compiler {
        version: Version::find(&name)?,
        name,
        has_wasm_std: libraries.is_some_and(|libraries| holds_core(Path::new(&libraries))),
        has_source: sysroot.join("lib/rustlib/src/rust/library/core/Cargo.toml").is_file(),
        has_bare_panics: knows_bare_panics(home, folder),
        has_linker: own_linker(&sysroot).is_some(),
        sysroot,
    })
}

/// Whether the compiler takes the flags; they came with a release, and may change with one.
fn knows_bare_panics(home: Home, folder: &Path) -> bool {
    let mut rustc = rustc(home, folder);
    rustc.args(BARE_PANICS).args(["--print", "cfg", "--target", TARGET]);
    process::capture(rustc.env("RUSTC_BOOTSTRAP", "1")).is_ok()
}

/// A folder can exist and be empty; what counts is a compiled `core` inside.
fn holds_core(libraries: &Path) -> bool {
    let entries = fs::read_dir(libraries).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name())
        .any(|name| name.to_string_lossy().starts_with("libcore-"))
}

/// The `rust-lld` a rustup toolchain brings. A distribution's may be a link to nowhere: `is_file`
/// follows it.
fn own_linker(sysroot: &Path) -> Option<PathBuf> {
    let hosts = fs::read_dir(sysroot.join("lib/rustlib")).ok()?.flatten();
    let name = format!("bin/rust-lld{}", env::consts::EXE_SUFFIX);
    hosts.map(|host| host.path().join(&name)).find(|path| path.is_file())
}

/// A linker by its usual names that is new enough, the measured one first.
fn linker_on_path() -> Option<PathBuf> {
    let names = ["wasm-ld-19", "wasm-ld-20", "wasm-ld-21", "wasm-ld-22", "wasm-ld"];
    let version = |name: &&str| process::probe(Command::new(name).arg("--version"));
    let new =
        |line: String| Version::find(&line).is_some_and(|v| v.major() >= offer::OLDEST_LINKER);
    names.iter().find(|name| version(name).is_some_and(new)).map(PathBuf::from)
}

fn rustup() -> Rustup {
    if env::var_os("RUSTUP_AUTO_INSTALL").is_some_and(|value| value == "0") {
        return Rustup::Forbidden;
    }
    if process::on_path("rustup") { Rustup::Usable } else { Rustup::Absent }
}

fn print(home: Home, folder: &Path, arguments: &[&str]) -> Option<String> {
    process::probe(rustc(home, folder).args(arguments))
}

fn rustc(home: Home, folder: &Path) -> Command {
    let mut rustc = Command::new(home.rustc());
    if home == Home::Distribution {
        rustc.env_remove("RUSTUP_TOOLCHAIN");
    }
    rustc.current_dir(folder);
    rustc
}
