//! From the wasm crate to the files in `js/wasm`.
//!
//! One crate, eight artefacts, each from a feature of its own; the last is the whole one, in
//! JavaScript. A feature the manifest does not have yet is passed over with a line; when it appears,
//! its artefact does too.

mod compile;
mod encode;
mod floor;
mod imports;
mod middleware;
mod optimise;
mod translate;
mod workshop;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{
    fingerprint::{Fingerprint, Inputs},
    progress,
    wasm_std::{self, Toolchain},
    workspace::{Package, WASM_PACKAGE, Workspace},
};

use optimise::Optimiser;

pub(crate) use compile::no_std;
pub(crate) use floor::build as floor;
pub(crate) use middleware::{build as middleware, guests};
pub(crate) use workshop::Workshop;

/// A file's name and its bytes, not yet written.
pub(crate) type File = (String, Vec<u8>);

/// What is made, by the feature it is made from.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum Artefact {
    /// The module and its JavaScript glue, for every JavaScript runtime.
    Bindgen,
    /// One file for every host that loads WebAssembly components.
    Component,
    /// The same file with the experiments of `retrywise::simulate`, for tools.
    Lab,
    /// A module of numbers and a scratch buffer, for runtimes without components.
    Raw,
    /// The same, and only what needs no policy and no call.
    Slim,
    /// Ledger, trail and reviews, for who keeps one.
    Ledger,
    /// All of it, and the experiments of `retrywise::simulate`.
    Simulate,
    /// All of it in JavaScript, for hosts that have no WebAssembly or forbid it.
    NoWasm,
}

/// Each, in the order they are made.
pub(crate) const ALL: [Artefact; 8] = [
    Artefact::Bindgen,
    Artefact::Component,
    Artefact::Lab,
    Artefact::Raw,
    Artefact::Slim,
    Artefact::Ledger,
    Artefact::Simulate,
    Artefact::NoWasm,
];

impl Artefact {
    /// What it is called in what this program says and keeps.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NoWasm => "nowasm",
            _ => self.feature(),
        }
    }

    /// Where the build keeps what the linker made: names and all, for who asks what it is made of.
    fn linked(self) -> String {
        format!("{}.linked.wasm", self.name())
    }

    const fn feature(self) -> &'static str {
        match self {
            Self::Bindgen => "bindgen",
            Self::Component => "component",
            Self::Lab => "lab",
            Self::Raw => "raw",
            Self::NoWasm => "whole",
            Self::Slim => "slim",
            Self::Ledger => "ledger",
            Self::Simulate => "simulate",
        }
    }

    /// Whether bytes count for more than speed: what decides inside JavaScript is called often, what
    /// other hosts load is called through a boundary that costs more than the decision.
    const fn smallest(self) -> bool {
        !matches!(self, Self::Bindgen)
    }

    /// What the compiler is told beside that.
    const fn flags(self) -> &'static [&'static str] {
        match self {
            Self::NoWasm => &[translate::PLAIN],
            _ => &[],
        }
    }

    /// What is done with the compiler's module.
    const fn work(self) -> &'static str {
        match self {
            Self::NoWasm => "optimising, putting it into JavaScript, loading in Node",
            _ => "encoding, optimising, loading in Node",
        }
    }

    /// Its files in `js/wasm`; the first one is the WebAssembly, where there is one.
    const fn files(self) -> &'static [&'static str] {
        match self {
            Self::Bindgen => {
                &["retrywise_bg.wasm", "retrywise.js", "retrywise.d.ts", "retrywise_bg.wasm.d.ts"]
            }
            Self::Component => &["retrywise.component.wasm"],
            Self::Lab => &["retrywise-lab.component.wasm"],
            Self::Raw => &["retrywise_raw.wasm"],
            Self::Slim => &["retrywise_slim.wasm"],
            Self::Ledger => &["retrywise_ledger.wasm"],
            Self::Simulate => &["retrywise_simulate.wasm"],
            Self::NoWasm => &["retrywise_nowasm.js"],
        }
    }

    /// The files' bytes, from the module the compiler made.
    fn make(
        self,
        module: Vec<u8>,
        optimiser: Option<&Optimiser>,
        scratch: &Path,
    ) -> Result<Vec<File>> {
        let smaller = |module| smaller(module, optimiser, &scratch.join(self.name()));
        match self {
            Self::Bindgen => {
                let mut files = encode::bindgen(&module, &scratch.join("bindgen-glue"))?;
                for (name, bytes) in &mut files {
                    if is_wasm(name) {
                        imports::only_from(bytes, "./retrywise_bg.js")?;
                        *bytes = smaller(core::mem::take(bytes))?;
                    }
                }
                Ok(files)
            }
            Self::Component | Self::Lab => {
                let component = encode::component(&smaller(module)?)?;
                imports::none(&component)?;
                Ok(vec![(self.files()[0].to_owned(), component)])
            }
            Self::Raw | Self::Slim | Self::Ledger | Self::Simulate => {
                let module = smaller(module)?;
                imports::none(&module)?;
                Ok(vec![(self.files()[0].to_owned(), module)])
            }
            Self::NoWasm => {
                let optimiser = optimiser.context("wasm2js is among the packages of js/")?;
                let code = translate::run(optimiser, &module, &scratch.join(self.name()))?;
                Ok(vec![(self.files()[0].to_owned(), code)])
            }
        }
    }
}

/// The module, optimised where there is an optimiser, and proven to load.
fn smaller(module: Vec<u8>, optimiser: Option<&Optimiser>, scratch: &Path) -> Result<Vec<u8>> {
    let module = match optimiser {
        Some(optimiser) => optimiser.run(&module, scratch)?,
        None => module,
    };
    optimise::loads_in_node(&module, scratch)?;
    Ok(module)
}

/// Brings these in `js/wasm` up to date; what is up to date already is left alone.
pub(crate) fn build(workspace: &Workspace, artefacts: &[Artefact]) -> Result<()> {
    let package = workspace
        .package(WASM_PACKAGE)
        .with_context(|| format!("the workspace has no package {WASM_PACKAGE}"))?;
    let toolchain = wasm_std::find(workspace)?;
    progress::note(&toolchain.to_string());
    let optimiser = Optimiser::find(workspace)?;
    let inputs = inputs(workspace, &toolchain, optimiser.as_ref(), &["wasm", "wit"])?;
    for &artefact in artefacts {
        one(workspace, package, &toolchain, optimiser.as_ref(), &inputs, artefact)
            .with_context(|| format!("the `{}` artefact was not made", artefact.name()))?;
    }
    Ok(())
}

fn one(
    workspace: &Workspace,
    package: &Package,
    toolchain: &Toolchain,
    optimiser: Option<&Optimiser>,
    inputs: &Inputs,
    artefact: Artefact,
) -> Result<()> {
    let (name, feature) = (artefact.name(), artefact.feature());
    if !package.has_feature(feature) {
        progress::note(&format!(
            "{name}: passed over, {WASM_PACKAGE} has no feature {feature} yet"
        ));
        return Ok(());
    }
    let folder = workspace.path("js/wasm");
    let linked = workspace.scratch().join(artefact.linked());
    let mut outputs: Vec<PathBuf> = artefact.files().iter().map(|name| folder.join(name)).collect();
    outputs.push(linked.clone());
    let fingerprint = Fingerprint::new(workspace, name, &inputs.with(name.as_bytes()));
    if fingerprint.is_fresh(&outputs) {
        progress::note(&format!("{name}: up to date"));
        return Ok(());
    }
    let module = progress::step(&format!("{name}: compiling {WASM_PACKAGE}"), || {
        compile::module(
            workspace,
            toolchain,
            WASM_PACKAGE,
            feature,
            artefact.flags(),
            artefact.smallest(),
        )
    })?;
    optimise::write(&linked, &module)?;
    let files = progress::step(&format!("{name}: {}", artefact.work()), || {
        artefact.make(module, optimiser, &workspace.scratch())
    })?;
    fs::create_dir_all(&folder).context("js/wasm could not be made")?;
    for (name, bytes) in &files {
        place(&folder.join(name), bytes)?;
        if is_wasm(name) || artefact == Artefact::NoWasm {
            progress::note(&format!("js/wasm/{name}: {} bytes", bytes.len()));
        }
    }
    fingerprint.store(&outputs)
}

/// Everything an artefact's bytes depend on, beside its own `sources`.
fn inputs(
    workspace: &Workspace,
    toolchain: &Toolchain,
    optimiser: Option<&Optimiser>,
    sources: &[impl AsRef<str>],
) -> Result<Inputs> {
    let mut inputs = Inputs::default();
    let shared = ["core/src", "core/Cargo.toml", "Cargo.toml", "Cargo.lock"];
    // How this program builds is an input too.
    let own = ["xtask/src/artefacts", "xtask/src/wasm_std"];
    let sources = sources.iter().map(AsRef::as_ref);
    for path in shared.into_iter().chain(own).chain(sources) {
        inputs.add_tree(&workspace.path(path), &[])?;
    }
    inputs.add(format!("{toolchain:?}").as_bytes());
    inputs.add(optimiser.map_or("", Optimiser::version).as_bytes());
    Ok(inputs)
}

fn is_wasm(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "wasm")
}

/// Puts a file in place at once: somebody may be reading the old one.
fn place(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = path.with_extension("new");
    fs::write(&beside, bytes)
        .and_then(|()| fs::rename(&beside, path))
        .with_context(|| format!("{} could not be written", path.display()))
}
