//! The component of the benches that answers at once, made as the engine's component is made.

use std::path::PathBuf;

use anyhow::Result;

use super::{
    Artefact,
    middleware::{Part, all},
};
use crate::workspace::Workspace;

const FLOOR: Part = Part {
    package: "retrywise-floor",
    feature: "floor",
    file: "floor.wasm",
    imports: &[],
    smallest: Artefact::Component.smallest(),
};

/// Brings it up to date: where it lies.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target().join("bench");
    let sources = ["wit", "tests/bench/component/wit", "tests/bench/component/guest"];
    all(workspace, &[FLOOR], &sources, &folder)?;
    Ok(folder.join(FLOOR.file))
}
