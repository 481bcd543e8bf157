//! `cargo xtask build`: the artefacts in `js/wasm`, then the npm package and the lab page around them.

use std::{
    fs::{self, File, TryLockError},
    process::ExitCode,
};

use anyhow::{Context, Result};

use crate::{
    artefacts::{self, Artefact},
    npm, progress,
    workspace::Workspace,
};

/// How much of it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave the other modules as they are: quicker while one is worked on (may be repeated)
    #[arg(long)]
    only: Vec<Artefact>,
}

/// Builds what is missing or out of date.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    let chosen = if args.only.is_empty() { &artefacts::ALL[..] } else { &args.only };
    these(workspace, chosen)?;
    Ok(ExitCode::SUCCESS)
}

/// All of it, for commands that need the result.
pub(crate) fn all(workspace: &Workspace) -> Result<()> {
    these(workspace, &artefacts::ALL)
}

fn these(workspace: &Workspace, chosen: &[Artefact]) -> Result<()> {
    let _alone = alone(workspace)?;
    artefacts::build(workspace, chosen)?;
    for name in ["js", "js/lab"] {
        if let Some(package) = npm::Package::open(workspace, name)? {
            package.build(workspace)?;
        }
    }
    Ok(())
}

/// Two builds at once would write the same files: the second waits, and finds nothing to do. The
/// lock goes with the file that is returned.
pub(super) fn alone(workspace: &Workspace) -> Result<File> {
    let path = workspace.scratch().join("build.lock");
    let blocked = || format!("{} could not be locked", path.display());
    fs::create_dir_all(workspace.scratch()).with_context(blocked)?;
    let lock = File::create(&path).with_context(blocked)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            progress::note("waiting for another build …");
            lock.lock().with_context(blocked)?;
        }
        Err(TryLockError::Error(error)) => return Err(error).with_context(blocked),
    }
    Ok(lock)
}
