//! Makes a module usable by JavaScript, or a component out of it: with the libraries behind the
//! usual command-line tools, so that nobody has to install those in a matching version.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;
use wit_component::ComponentEncoder;

use super::File;

/// The module and its glue. The web target is the one glue every entry point shares: each hands it
/// the module in its own way, so the glue names no default path for bundlers to follow.
pub(super) fn bindgen(module: &[u8], folder: &Path) -> Result<Vec<File>> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_bytes("retrywise", module.to_vec())
        .web(true)?
        .omit_default_module_path(true)
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true);
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("{} is in the way", folder.display()))?;
    }
    bindgen.generate(folder).context("wasm-bindgen made no glue")?;
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        anyhow::ensure!(
            entry.file_type()?.is_file(),
            "the glue came with a folder `{name}`: snippets cannot be inlined, keep them out of the wasm crate"
        );
        files.push((name, fs::read(entry.path())?));
    }
    files.sort();
    Ok(files)
}

/// A component from a core module whose custom section describes its world.
pub(super) fn component(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .context("the module does not describe a component's world")?
        .encode()
        .context("the component could not be encoded")
}
