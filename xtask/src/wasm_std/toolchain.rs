//! A compiler that can make WebAssembly here, and how cargo is called with it.

use core::fmt;
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use super::{TARGET, Version};
use crate::workspace::Workspace;

/// What a plan settles on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Toolchain {
    pub(crate) home: Home,
    /// The line `rustc -V` prints.
    pub(crate) name: String,
    pub(crate) version: Version,
    /// Where it and its libraries lie.
    pub(crate) sysroot: PathBuf,
    pub(crate) std: Std,
    /// The linker to name; a rustup toolchain brings its own.
    pub(crate) linker: Option<PathBuf>,
}

/// Whose compiler it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// The one this program was started with.
    Ordinary,
    /// The distribution's, in `/usr/bin`: used for the WebAssembly crates only.
    Distribution,
}

/// Where its standard library for WebAssembly comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Std {
    /// It is installed.
    Installed,
    /// `core` and `alloc` are compiled with the crate.
    FromSource {
        /// The compiler can leave out everything a panic would print: a module that traps anyway
        /// gets 4 % smaller.
        bare_panics: bool,
    },
}

/// Panics that trap at once; std itself has to be compiled so, hence only where it is.
pub(crate) const BARE_PANICS: [&str; 2] = ["-Zunstable-options", "-Cpanic=immediate-abort"];

pub(crate) const DISTRIBUTION_RUSTC: &str = "/usr/bin/rustc";
pub(crate) const DISTRIBUTION_CARGO: &str = "/usr/bin/cargo";

impl Home {
    /// The compiler to ask.
    pub(crate) fn rustc(self) -> OsString {
        match self {
            Self::Ordinary => env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()),
            Self::Distribution => DISTRIBUTION_RUSTC.into(),
        }
    }
}

impl Toolchain {
    /// `cargo build` or `cargo check` for the WebAssembly target, ready for `--package` and features.
    pub(crate) fn cargo(&self, workspace: &Workspace, verb: &str) -> Command {
        self.cargo_with(workspace, verb, &[])
    }

    /// The same with more flags for the compiler; a std built from source is built with them too.
    pub(crate) fn cargo_with(&self, workspace: &Workspace, verb: &str, more: &[&str]) -> Command {
        let mut cargo = match self.home {
            Home::Ordinary => workspace.cargo(),
            Home::Distribution => {
                let mut cargo = Command::new(DISTRIBUTION_CARGO);
                cargo.current_dir(workspace.root());
                // A rustup proxy further up set these for another compiler.
                cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTDOC");
                cargo.env("RUSTC", DISTRIBUTION_RUSTC);
                cargo
            }
        };
        cargo.args([verb, "--profile", "wasm", "--target", TARGET]);
        cargo.arg("--target-dir").arg(self.target_dir(workspace, more));
        // The glue generator reads the `target_features` section, which a wholly stripped module has
        // lost. It removes names itself, as the optimiser does. One setting for all artefacts: std
        // is built from source once for each.
        cargo.args(["--config", "profile.wasm.strip='debuginfo'"]);
        if let Std::FromSource { .. } = self.std {
            // `-Z` on a released compiler: std is built with the very flags the crate is built with.
            cargo.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=core,alloc");
        }
        if let Some(linker) = &self.linker {
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        // Set as a whole: flags of the person who builds would make their artefact another one.
        let flags = self.flags(workspace, more).join("\u{1f}");
        cargo.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags);
        cargo
    }

    /// Where its output lies: a std built from source has a folder of its own, so that no other
    /// compiler ever throws it away. So has what is compiled with more flags: cargo keeps one output
    /// of a crate, whatever the flags, and would compile std again for each artefact in turn.
    pub(crate) fn target_dir(&self, workspace: &Workspace, more: &[&str]) -> PathBuf {
        match (self.home, self.std) {
            _ if !more.is_empty() => workspace.target().join("wasm-flags"),
            (Home::Ordinary, Std::Installed) => workspace.target().to_path_buf(),
            _ => workspace.target().join("wasm-std"),
        }
    }

    /// Compiler flags. Two machines must make the same bytes: no path of this one may stay in a panic
    /// location.
    fn flags(&self, workspace: &Workspace, more: &[&str]) -> Vec<String> {
        let mut flags: Vec<String> = more.iter().map(|flag| (*flag).to_owned()).collect();
        if self.std == (Std::FromSource { bare_panics: true }) {
            flags.extend(BARE_PANICS.map(str::to_owned));
        }
        let mut hide = |from: &Path, to: &str| {
            flags.push(format!("--remap-path-prefix={}={to}", from.display()));
        };
        hide(&cargo_home().join("registry/src"), "/cargo");
        hide(&self.sysroot.join("lib/rustlib/src/rust"), "/rust");
        hide(workspace.root(), "/retrywise");
        flags
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let std = match self.std {
            Std::Installed => "std as installed",
            Std::FromSource { .. } => "core and alloc from source",
        };
        write!(f, "{} for {TARGET}, {std}", self.name)?;
        match &self.linker {
            Some(linker) => {
                write!(f, ", linker {}", linker.file_name().unwrap_or_default().display())
            }
            None => Ok(()),
        }
    }
}

fn cargo_home() -> PathBuf {
    let home = || env::home_dir().unwrap_or_default().join(".cargo");
    env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from)
}
