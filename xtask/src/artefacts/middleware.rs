//! The middleware, from `middleware/` to `middleware/dist`; and the guests that its test puts it in
//! front of.
//!
//! Apart from `js/wasm`: whoever works on the core or on the npm package does not wait for it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::{Optimiser, compile, encode, imports, inputs, place, smaller};
use crate::{fingerprint::Fingerprint, progress, wasm_std, workspace::Workspace};

/// A component: one crate with one feature.
pub(super) struct Part {
    pub(super) package: &'static str,
    pub(super) feature: &'static str,
    pub(super) file: &'static str,
    /// All that it may ask of its host.
    pub(super) imports: &'static [&'static str],
    /// Whether bytes count for more than speed.
    pub(super) smallest: bool,
}

const MIDDLEWARE: [Part; 2] = [
    Part {
        package: "retrywise-middleware",
        feature: "client",
        file: "retrywise-client.wasm",
        imports: &[
            "wasi:http/types",
            "wasi:http/client",
            "wasi:clocks/types",
            "wasi:clocks/monotonic-clock",
            "wasi:clocks/system-clock",
            "wasi:random/random",
            "wasi:cli/environment",
        ],
        smallest: false,
    },
    Part {
        package: "retrywise-middleware",
        feature: "handler",
        file: "retrywise-handler.wasm",
        imports: &[
            "wasi:http/types",
            "wasi:http/handler",
            "wasi:clocks/types",
            "wasi:clocks/monotonic-clock",
            "wasi:clocks/system-clock",
            "wasi:random/random",
            "wasi:cli/environment",
        ],
        smallest: false,
    },
];

const GUESTS: [Part; 2] = [
    Part {
        package: "retrywise-guest",
        feature: "caller",
        file: "caller.wasm",
        imports: &[
            "wasi:http/types",
            "wasi:http/client",
            "wasi:clocks/types",
            "wasi:clocks/monotonic-clock",
        ],
        smallest: false,
    },
    Part {
        package: "retrywise-guest",
        feature: "service",
        file: "service.wasm",
        imports: &["wasi:http/types", "wasi:clocks/types"],
        smallest: false,
    },
];

/// Brings `middleware/dist` up to date: where it is.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.path("middleware/dist");
    of_crate(workspace, &MIDDLEWARE, "middleware", &folder)?;
    Ok(folder)
}

/// The same for the guests of the test.
pub(crate) fn guests(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target().join("middleware-guests");
    of_crate(workspace, &GUESTS, "tests/middleware/guest", &folder)?;
    Ok(folder)
}

fn of_crate(
    workspace: &Workspace,
    parts: &[Part],
    crate_folder: &str,
    folder: &Path,
) -> Result<()> {
    let sources = ["src", "wit", "Cargo.toml"].map(|part| format!("{crate_folder}/{part}"));
    all(workspace, parts, &sources, folder)
}

/// Brings components in `folder` up to date that are made from these `sources`.
pub(super) fn all(
    workspace: &Workspace,
    parts: &[Part],
    sources: &[impl AsRef<str>],
    folder: &Path,
) -> Result<()> {
    let toolchain = wasm_std::find(workspace)?;
    progress::note(&toolchain.to_string());
    let optimiser = Optimiser::find(workspace)?;
    let inputs = inputs(workspace, &toolchain, optimiser.as_ref(), sources)?;
    fs::create_dir_all(folder).with_context(|| format!("{} was not made", folder.display()))?;
    for &Part { package, feature, file, imports, smallest } in parts {
        let outputs = [folder.join(file)];
        let fingerprint = Fingerprint::new(workspace, file, &inputs.with(file.as_bytes()));
        if fingerprint.is_fresh(&outputs) {
            progress::note(&format!("{file}: up to date"));
            continue;
        }
        let module = progress::step(&format!("{file}: compiling {package}"), || {
            compile::module(workspace, &toolchain, package, feature, &[], smallest)
        })?;
        let scratch = workspace.scratch().join(file);
        let component = progress::step(&format!("{file}: optimising, encoding"), || {
            let component = encode::component(&smaller(module, optimiser.as_ref(), &scratch)?)?;
            imports::among(&component, imports)?;
            Ok(component)
        })
        .with_context(|| format!("{file} was not made"))?;
        place(&outputs[0], &component)?;
        progress::note(&format!("{file}: {} bytes", component.len()));
        fingerprint.store(&outputs)?;
    }
    Ok(())
}
