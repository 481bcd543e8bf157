//! Where the standard library for WebAssembly comes from: decided by looking, never by a name.
//!
//! Nobody should need to prepare anything, and nothing should be fetched where that is not wanted:
//!
//! 1. the compiler in use has it: take it;
//! 2. rustup may install (`RUSTUP_AUTO_INSTALL` is not `0`): `rustup target add`;
//! 3. the distribution's compiler has it: take that one, for the WebAssembly crates only;
//! 4. some compiler here has std's source: build `core` and `alloc` from it;
//! 5. root on a Debian-like system: install the distribution's packages, then look again;
//! 6. say exactly what to type.
//!
//! [`look`] gathers facts, [`plan`] is a function of them, and this file carries the plan out and
//! looks again until it is [`Plan::Use`].

mod look;
mod offer;
mod plan;
mod toolchain;
mod version;

use std::process::Command;

use anyhow::{Result, bail};

use crate::{apt, process, progress, workspace::Workspace};

pub(crate) use toolchain::Toolchain;
pub(crate) use version::Version;

use plan::{Apt, Plan, Rustup};

/// The target every artefact is compiled for.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Finds a toolchain that compiles for WebAssembly, installing what is allowed to be installed.
pub(crate) fn find(workspace: &Workspace) -> Result<Toolchain> {
    let mut facts = look::facts(workspace);
    loop {
        match plan::plan(&facts) {
            Plan::Use(toolchain) => return Ok(toolchain),
            Plan::RustupAdd => {
                let add = ["target", "add", TARGET];
                let added = progress::step("rustup target add wasm32-unknown-unknown", || {
                    process::show(Command::new("rustup").args(add).current_dir(workspace.root()))
                });
                if let Err(error) = added {
                    progress::note(&format!("{error:#}"));
                    progress::note("going on without rustup");
                }
                facts = look::facts(workspace);
                facts.rustup = Rustup::Tried;
            }
            Plan::AskApt => {
                apt::update()?;
                facts.apt = Apt::Offers(offer::ask()?);
            }
            Plan::AptInstall(packages) => {
                apt::install("the Rust standard library for WebAssembly", &packages)?;
                let rustup = facts.rustup;
                facts = look::facts(workspace);
                facts.rustup = rustup;
                facts.apt = Apt::Tried;
            }
            Plan::Explain(what) => bail!(what),
        }
    }
}
