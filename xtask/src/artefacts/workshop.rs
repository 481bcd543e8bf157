//! An artefact made once more, from the linker's module or from a changed one.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::{Artefact, Optimiser};
use crate::{process, workspace::Workspace};

pub(crate) struct Workshop {
    optimiser: Option<Optimiser>,
    /// Where the build keeps what the linker made.
    kept: PathBuf,
    scratch: PathBuf,
}

impl Workshop {
    /// A workshop with its intermediate files in a folder of this name.
    pub(crate) fn open(workspace: &Workspace, name: &str) -> Result<Self> {
        let kept = workspace.scratch();
        let scratch = kept.join(name);
        Ok(Self { optimiser: Optimiser::find(workspace)?, kept, scratch })
    }

    /// What the linker made for an artefact that was built, with the names of its functions.
    pub(crate) fn linked(&self, artefact: Artefact) -> Result<Vec<u8>> {
        process::read(&self.kept.join(artefact.linked()))
    }

    /// The artefact's first file, made from this module as the build makes it.
    pub(crate) fn make(&self, artefact: Artefact, module: Vec<u8>) -> Result<Vec<u8>> {
        let files = artefact.make(module, self.optimiser.as_ref(), &self.scratch)?;
        let first = files.into_iter().find(|(name, _)| name == artefact.files()[0]);
        Ok(first.context("an artefact came without its first file")?.1)
    }
}
