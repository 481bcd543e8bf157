//! Makes a module usable by JavaScript, or a component out of it: with the libraries behind the
//! usual command-line tools, so that nobody has to install those in a matching version.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;
use wasm_encoder::{Component, RawSection};
use wasmparser::{Parser, Payload};
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
    let component = ComponentEncoder::default()
        .validate(true)
        .module(module)
        .context("the module does not describe a component's world")?
        .encode()
        .context("the component could not be encoded")?;
    without_names(&component)
}

/// The component without its outermost custom sections: names for debuggers, which the encoder
/// always writes, 7 KB of them here.
fn without_names(component: &[u8]) -> Result<Vec<u8>> {
    let (mut depth, mut kept) = (0, Component::new());
    for payload in Parser::new(0).parse_all(component) {
        let payload = payload?;
        if depth == 1
            && let Some((id, range)) = payload.as_section()
            && id != 0
        {
            let data = &component[range.start as usize..range.end as usize];
            kept.section(&RawSection { id, data });
        }
        match payload {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            _ => {}
        }
    }
    Ok(kept.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{CustomSection, Module, ModuleSection};

    #[test]
    fn names_go_and_what_lies_inside_stays() {
        let note = CustomSection { name: "component-name".into(), data: b"a name".into() };
        let mut module = Module::new();
        module.section(&note);
        let mut named = Component::new();
        named.section(&ModuleSection(&module));
        let expected = named.clone().finish();
        named.section(&note);
        assert_eq!(without_names(&named.finish()).unwrap(), expected);
    }
}
