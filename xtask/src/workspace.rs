//! Where things lie, and what exists so far: crates, features and scripts are read, not assumed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{process, wasm_std::Version};

/// The package that becomes WebAssembly.
pub(crate) const WASM_PACKAGE: &str = "retrywise-wasm";

pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    packages: Vec<Package>,
}

/// A member of the workspace, as its manifest says.
pub(crate) struct Package {
    pub(crate) name: String,
    features: Vec<String>,
    msrv: Option<Version>,
}

impl Workspace {
    /// Reads the workspace this program was started in.
    pub(crate) fn open() -> Result<Self> {
        // Cargo says at run time where the crate lies; a binary started by hand knows where it was built.
        let here = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = here.parent().context("the xtask crate has no folder above it")?.to_path_buf();
        let metadata = process::capture(
            cargo().args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(&root),
        )?;
        let metadata: Value =
            serde_json::from_str(&metadata).context("cargo metadata is not JSON")?;
        let target =
            metadata["target_directory"].as_str().context("cargo named no target folder")?;
        let packages = metadata["packages"].as_array().into_iter().flatten();
        Ok(Self { root, target: target.into(), packages: packages.map(Package::read).collect() })
    }

    /// A path inside the work tree.
    pub(crate) fn path(&self, inside: impl AsRef<Path>) -> PathBuf {
        self.root.join(inside)
    }

    /// The folder above `core`, `wasm`, `js`.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's output folder.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Where this program keeps fingerprints, logs and intermediate files.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.target.join("xtask")
    }

    /// A member by its package name.
    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// The oldest compiler that the WebAssembly crates accept.
    pub(crate) fn msrv(&self) -> Version {
        self.package(WASM_PACKAGE).and_then(|package| package.msrv).unwrap_or_default()
    }

    /// `cargo`, run at the top of the work tree.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root);
        command
    }

    /// Files straight inside `folder` whose name ends in `suffix`, sorted.
    pub(crate) fn files(&self, folder: &str, suffix: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
        let named = |path: &PathBuf| {
            path.file_name().is_some_and(|n| n.to_string_lossy().ends_with(suffix))
        };
        let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(named).collect();
        files.sort();
        files
    }

    /// A path as seen from the top, for messages.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }
}

impl Package {
    fn read(value: &Value) -> Self {
        let features =
            value["features"].as_object().into_iter().flat_map(|map| map.keys().cloned());
        Self {
            name: value["name"].as_str().unwrap_or_default().to_owned(),
            features: features.collect(),
            msrv: value["rust_version"].as_str().and_then(Version::parse),
        }
    }

    /// The features the manifest has.
    pub(crate) fn features(&self) -> impl Iterator<Item = &str> {
        self.features.iter().map(String::as_str)
    }

    /// Whether the manifest has this feature already.
    pub(crate) fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|feature| feature == name)
    }
}

/// The cargo that started this program, else the one on the search path.
fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
