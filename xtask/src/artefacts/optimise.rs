//! Makes a module smaller with binaryen's `wasm-opt`, and proves that Node still takes it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{npm, process, progress, workspace::Workspace};

/// Proposals the compiler uses by default and the oldest supported Node runs. Named one by one:
/// `--all-features` lets the optimiser emit types that Node refuses.
const FEATURES: [&str; 8] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-multivalue",
    "--enable-call-indirect-overlong",
];

/// What holds of our modules' memory: they make it themselves, so it begins as zeros, and its first
/// kilobyte is the far end of the stack, where no address points.
const MEMORY: [&str; 2] = ["--zero-filled-memory", "--low-memory-unused"];

pub(super) struct Optimiser {
    tool: PathBuf,
    version: String,
}

impl Optimiser {
    /// The `wasm-opt` among the development packages of `js/`, installed when it is missing there.
    pub(super) fn find(workspace: &Workspace) -> Result<Option<Self>> {
        let Some(js) = npm::Package::open(workspace, "js")? else {
            progress::note(
                "js/package.json is not there yet: artefacts stay as the compiler made them",
            );
            return Ok(None);
        };
        if !js.develops_with("binaryen") {
            progress::note(
                "js/package.json does not list binaryen: artefacts stay as the compiler made them",
            );
            return Ok(None);
        }
        js.install()?;
        let tool = js.tool("wasm-opt");
        let version = process::capture(Command::new(&tool).arg("--version"))
            .context("wasm-opt was installed with the packages of js/ and does not run")?;
        Ok(Some(Self { tool, version: version.trim().to_owned() }))
    }

    /// Another program of the same package.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.tool.with_file_name(name).with_extension(self.tool.extension().unwrap_or_default())
    }

    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// The module, optimised for size. `scratch` is a path whose neighbours may be written.
    pub(super) fn run(&self, module: &[u8], scratch: &Path) -> Result<Vec<u8>> {
        let (before, after) =
            (scratch.with_extension("before.wasm"), scratch.with_extension("after.wasm"));
        write(&before, module)?;
        let mut command = Command::new(&self.tool);
        command.arg("-Oz").args(MEMORY).args(FEATURES).args([
            "--strip-debug",
            "--strip-producers",
            "--strip-target-features",
        ]);
        process::capture(command.arg(&before).arg("-o").arg(&after))
            .context("wasm-opt refused the module")?;
        process::read(&after)
    }
}

/// Compiles the module in the installed Node: what does not load there is not good.
pub(super) fn loads_in_node(module: &[u8], scratch: &Path) -> Result<()> {
    const SCRIPT: &str = "WebAssembly.compile(require('node:fs').readFileSync(process.argv[1]))\
                          .catch((error) => { console.error(String(error)); process.exit(1); })";
    let file = scratch.with_extension("loaded.wasm");
    write(&file, module)?;
    let mut node = Command::new("node");
    process::capture(node.args(["-e", SCRIPT]).arg(&file))
        .context("the installed Node does not load the module")?;
    Ok(())
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, bytes))
        .with_context(|| format!("{} could not be written", path.display()))
}
