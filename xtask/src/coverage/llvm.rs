//! LLVM's tools for counters. They read what a compiler of the same LLVM wrote, and often nothing
//! else: so the compiler is asked for its version first.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{apt, process};

/// `llvm-profdata` and `llvm-cov` of one version.
pub(super) struct Tools {
    profdata: PathBuf,
    cov: PathBuf,
}

/// The compiler, as far as its tools depend on it.
struct Compiler {
    sysroot: PathBuf,
    host: String,
    /// The major version of its LLVM.
    llvm: String,
}

/// The tools that fit the compiler of this workspace; installs them where that is allowed.
pub(super) fn find() -> Result<Tools> {
    let compiler = Compiler::ask()?;
    if let Some(tools) = compiler.tools() {
        return Ok(tools);
    }
    let package = format!("llvm-{}", compiler.llvm);
    anyhow::ensure!(
        apt::usable(),
        "coverage needs llvm-profdata and llvm-cov of LLVM {}, which are not here (rustup component \
         add llvm-tools; Debian and alike: apt-get install {package})",
        compiler.llvm
    );
    apt::update()?;
    apt::install("coverage", &[package])?;
    compiler.tools().context("the package brought no llvm-profdata and llvm-cov")
}

impl Compiler {
    fn ask() -> Result<Self> {
        let rustc = || Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        let verbose = process::capture(rustc().arg("-vV"))?;
        let sysroot = process::capture(rustc().args(["--print", "sysroot"]))?;
        let host = field(&verbose, "host: ").context("rustc named no host")?;
        let llvm = field(&verbose, "LLVM version: ").context("rustc named no version of LLVM")?;
        let llvm = llvm.split('.').next().unwrap_or_default();
        Ok(Self { sysroot: sysroot.trim().into(), host: host.into(), llvm: llvm.into() })
    }

    /// Beside the compiler (rustup's `llvm-tools`), in a version's folder (Debian), else on the
    /// search path under a name with the version in it, else there under the plain one.
    fn tools(&self) -> Option<Tools> {
        let folders = [
            self.sysroot.join("lib/rustlib").join(&self.host).join("bin"),
            PathBuf::from(format!("/usr/lib/llvm-{}/bin", self.llvm)),
        ];
        let here = |folder: &Path| Tools {
            profdata: folder.join(format!("llvm-profdata{}", env::consts::EXE_SUFFIX)),
            cov: folder.join(format!("llvm-cov{}", env::consts::EXE_SUFFIX)),
        };
        let named = |suffix: &str| Tools {
            profdata: format!("llvm-profdata{suffix}").into(),
            cov: format!("llvm-cov{suffix}").into(),
        };
        let mut found = folders.iter().map(|folder| here(folder)).collect::<Vec<_>>();
        found.push(named(&format!("-{}", self.llvm)));
        found.push(named(""));
        found.into_iter().find(|tools| tools.is_of(&self.llvm))
    }
}

impl Tools {
    fn is_of(&self, llvm: &str) -> bool {
        [&self.profdata, &self.cov].into_iter().all(|tool| {
            let said = process::capture(Command::new(tool).arg("--version")).unwrap_or_default();
            said.contains(&format!("LLVM version {llvm}."))
        })
    }

    /// The counters of all runs, as lines of the LCOV format.
    pub(super) fn lcov(&self, raw: &Path, merged: &Path, objects: &[PathBuf]) -> Result<String> {
        let entries = fs::read_dir(raw).context("the counters cannot be listed")?;
        let counters: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        anyhow::ensure!(!counters.is_empty(), "the tests wrote no counters");
        let mut merge = Command::new(&self.profdata);
        merge.args(["merge", "-sparse", "-o"]).arg(merged).args(&counters);
        process::capture(&mut merge)?;
        let mut export = Command::new(&self.cov);
        export.args(["export", "--format=lcov", "--instr-profile"]).arg(merged);
        for object in objects {
            export.arg("--object").arg(object);
        }
        process::capture(&mut export)
    }
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}
