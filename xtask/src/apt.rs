//! The only place that installs system packages: as root on a Debian-like system, and aloud.

use std::{path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{process, progress};

/// Whether packages can be installed here without asking anybody.
pub(crate) fn usable() -> bool {
    let debian = Path::new("/etc/debian_version").is_file() && process::on_path("apt-get");
    debian && process::probe(Command::new("id").arg("-u")).as_deref() == Some("0")
}

/// Reads the package lists anew: on a fresh machine they are empty.
pub(crate) fn update() -> Result<()> {
    progress::step("apt-get update", || {
        process::capture(&mut get(&["update", "-qq"]))
            .context("the package lists could not be read")
            .map(drop)
    })
}

/// Installs packages, saying what for. `update` comes first, once, by whoever asks for several.
pub(crate) fn install(what_for: &str, packages: &[String]) -> Result<()> {
    let names = packages.join(" ");
    progress::step(&format!("apt-get install {names} ({what_for})"), || {
        let mut command = get(&["install", "-qq", "--no-install-recommends"]);
        process::capture(command.args(packages))
            .with_context(|| format!("{what_for} could not be installed"))
            .map(drop)
    })
}

fn get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    // A machine that was just started may still hold the lock for its own updates.
    command.args(["-y", "-o", "DPkg::Lock::Timeout=120"]).args(arguments);
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}
