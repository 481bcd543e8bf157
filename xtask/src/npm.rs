//! Packages and scripts of the JavaScript side. Install scripts never run: everything used here
//! works without them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{
    fingerprint::{Fingerprint, Inputs},
    process, progress,
    workspace::Workspace,
};

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// A folder with a `package.json`.
pub(crate) struct Package {
    /// As seen from the top: `js`, `tests/axios`.
    pub(crate) name: String,
    folder: PathBuf,
    manifest: Value,
}

impl Package {
    /// The package in this folder, if there is one.
    pub(crate) fn open(workspace: &Workspace, name: &str) -> Result<Option<Self>> {
        let folder = workspace.path(name);
        let manifest = folder.join("package.json");
        if !manifest.is_file() {
            return Ok(None);
        }
        let manifest = serde_json::from_slice(&process::read(&manifest)?)
            .with_context(|| format!("{name}/package.json is not JSON"))?;
        Ok(Some(Self { name: name.to_owned(), folder, manifest }))
    }

    /// The packages straight inside `tests/`, each a suite, sorted by name.
    pub(crate) fn suites(workspace: &Workspace) -> Result<Vec<Self>> {
        let mut suites = Vec::new();
        for folder in workspace.files("tests", "") {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            suites.extend(Self::open(workspace, &format!("tests/{name}"))?);
        }
        Ok(suites)
    }

    pub(crate) fn has_script(&self, script: &str) -> bool {
        self.manifest["scripts"][script].is_string()
    }

    pub(crate) fn develops_with(&self, package: &str) -> bool {
        self.manifest["devDependencies"][package].is_string()
    }

    /// What a suite says it needs of the machine: `"xtask": { "needs": ["redis"] }`.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &str> {
        self.manifest["xtask"]["needs"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// What a suite uses where it is to be had: `"xtask": { "wants": ["valkey"] }`.
    pub(crate) fn wants(&self) -> impl Iterator<Item = &str> {
        self.manifest["xtask"]["wants"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// Why a suite cannot stand another step beside it: `"xtask": { "alone": "it measures memory" }`.
    pub(crate) fn alone(&self) -> Option<&str> {
        self.manifest["xtask"]["alone"].as_str()
    }

    /// What a suite uses that only one step may use at a time: `"xtask": { "shares": "cargo" }`.
    pub(crate) fn shares(&self) -> Option<&str> {
        self.manifest["xtask"]["shares"].as_str()
    }

    /// What lies outside the folder and goes into its build: `"xtask": { "inputs": ["../wasm"] }`.
    fn inputs(&self) -> impl Iterator<Item = PathBuf> {
        let inputs = self.manifest["xtask"]["inputs"].as_array().into_iter().flatten();
        inputs.filter_map(Value::as_str).map(|path| self.folder.join(path))
    }

    /// A program that one of the packages brought.
    pub(crate) fn tool(&self, name: &str) -> PathBuf {
        let file = if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() };
        self.folder.join("node_modules/.bin").join(file)
    }

    /// `npm run SCRIPT`, ready to be started.
    pub(crate) fn script(&self, script: &str) -> Command {
        self.npm(&["run", "--silent", script])
    }

    /// Installs what the manifest asks for, unless that was done already.
    pub(crate) fn install(&self) -> Result<()> {
        if self.is_installed()? {
            return Ok(());
        }
        let install =
            if self.folder.join("package-lock.json").is_file() { "ci" } else { "install" };
        progress::step(&format!("npm {install} in {}", self.name), || {
            process::capture(&mut self.npm(&[
                install,
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
            ]))
            .with_context(|| format!("the packages of {} were not installed", self.name))
        })?;
        fs::create_dir_all(self.folder.join("node_modules"))?;
        fs::write(self.stamp(), self.wanted()?)
            .with_context(|| format!("{}/node_modules cannot be written", self.name))
    }

    /// Puts the package together, when it has a script for that and something changed.
    pub(crate) fn build(&self, workspace: &Workspace) -> Result<()> {
        if !self.has_script("build") {
            return Ok(());
        }
        self.install()?;
        let mut inputs = Inputs::default();
        // The lab page is a package of its own.
        inputs.add_tree(&self.folder, &["node_modules", "dist", "coverage", "lab"])?;
        for path in self.inputs() {
            inputs.add_tree(&path, &[])?;
        }
        let fingerprint = Fingerprint::new(workspace, &self.name.replace('/', "-"), &inputs);
        let outputs = [self.folder.join("dist")];
        if fingerprint.is_fresh(&outputs) {
            progress::note(&format!("{}: up to date", self.name));
            return Ok(());
        }
        progress::step(&format!("npm run build in {}", self.name), || {
            process::capture(&mut self.script("build"))
                .with_context(|| format!("{} was not built", self.name))
        })?;
        if outputs[0].exists() { fingerprint.store(&outputs) } else { Ok(()) }
    }

    fn npm(&self, arguments: &[&str]) -> Command {
        let mut npm = Command::new(NPM);
        npm.args(arguments).current_dir(&self.folder);
        npm
    }

    /// By a stamp inside `node_modules`, so that it goes when that goes; else by npm's own record,
    /// when that is at least as new as the lock.
    fn is_installed(&self) -> Result<bool> {
        if let Ok(stamp) = fs::read_to_string(self.stamp()) {
            return Ok(stamp == self.wanted()?);
        }
        let changed =
            |path: &str| fs::metadata(self.folder.join(path)).and_then(|meta| meta.modified());
        let installed = changed("node_modules/.package-lock.json");
        Ok(
            matches!((installed, changed("package-lock.json")), (Ok(done), Ok(lock)) if done >= lock),
        )
    }

    fn stamp(&self) -> PathBuf {
        self.folder.join("node_modules/.installed-by-xtask")
    }

    /// What is asked for: the lock, or the manifest where there is none.
    fn wanted(&self) -> Result<String> {
        let lock = self.folder.join("package-lock.json");
        let asked: &Path = if lock.is_file() { &lock } else { &self.folder.join("package.json") };
        let mut inputs = Inputs::default();
        inputs.add_tree(asked, &[])?;
        Ok(inputs.digest())
    }
}
