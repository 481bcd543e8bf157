//! Whether an output still matches its inputs: by content, so that a checkout or a touched file
//! builds nothing anew.

use core::hash::{Hash, Hasher};
use std::{
    collections::BTreeMap,
    fs,
    hash::DefaultHasher,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{process, workspace::Workspace};

/// Everything that determines an output. The hash guards a cache, nothing more: it may differ
/// between two builds of this program, and then the output is made once more.
#[derive(Clone, Default)]
pub(crate) struct Inputs(DefaultHasher);

impl Inputs {
    /// Adds bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        bytes.hash(&mut self.0);
    }

    /// The same with some more bytes.
    pub(crate) fn with(&self, bytes: &[u8]) -> Self {
        let mut more = self.clone();
        more.add(bytes);
        more
    }

    /// Adds a file, or every file below a folder with its name, except folders called as in `but`.
    /// What does not exist counts as that.
    pub(crate) fn add_tree(&mut self, path: &Path, but: &[&str]) -> Result<()> {
        let mut files = BTreeMap::new();
        collect(path, Path::new(""), but, &mut files)?;
        self.add(&files.len().to_le_bytes());
        for (name, path) in files {
            self.add(name.to_string_lossy().as_bytes());
            self.add(&process::read(&path)?);
        }
        Ok(())
    }

    pub(crate) fn digest(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// The record of what an output was made from, kept beside cargo's own.
pub(crate) struct Fingerprint {
    record: PathBuf,
    inputs: String,
}

impl Fingerprint {
    pub(crate) fn new(workspace: &Workspace, name: &str, inputs: &Inputs) -> Self {
        let record = workspace.scratch().join(format!("{name}.fingerprint"));
        Self { record, inputs: inputs.digest() }
    }

    /// Whether the outputs are there, unchanged, and were made from these inputs.
    pub(crate) fn is_fresh(&self, outputs: &[PathBuf]) -> bool {
        let stored = fs::read_to_string(&self.record);
        matches!((stored, self.text(outputs)), (Ok(stored), Ok(now)) if stored == now)
    }

    /// Remembers that the outputs were made from these inputs.
    pub(crate) fn store(&self, outputs: &[PathBuf]) -> Result<()> {
        let text = self.text(outputs)?;
        fs::create_dir_all(self.record.parent().unwrap_or(Path::new(".")))
            .and_then(|()| fs::write(&self.record, text))
            .with_context(|| format!("{} could not be written", self.record.display()))
    }

    fn text(&self, outputs: &[PathBuf]) -> Result<String> {
        let mut made = Inputs::default();
        for output in outputs {
            anyhow::ensure!(output.exists(), "{} is missing", output.display());
            made.add_tree(output, &[])?;
        }
        Ok(format!("{} {}\n", self.inputs, made.digest()))
    }
}

fn collect(
    path: &Path,
    name: &Path,
    but: &[&str],
    files: &mut BTreeMap<PathBuf, PathBuf>,
) -> Result<()> {
    if path.is_file() {
        files.insert(name.to_path_buf(), path.to_path_buf());
        return Ok(());
    }
    if !path.is_dir() {
        return Ok(());
    }
    for entry in
        fs::read_dir(path).with_context(|| format!("{} could not be read", path.display()))?
    {
        let entry = entry?;
        let file = entry.file_name();
        if !but.iter().any(|but| *but == file) {
            collect(&entry.path(), &name.join(&file), but, files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("retrywise-xtask-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("inside")).unwrap();
        folder
    }

    fn digest(folder: &Path) -> String {
        let mut inputs = Inputs::default();
        inputs.add_tree(folder, &["ignored"]).unwrap();
        inputs.digest()
    }

    #[test]
    fn content_and_names_count_and_ignored_folders_do_not() {
        let folder = folder("tree");
        fs::write(folder.join("inside/a"), "1").unwrap();
        let first = digest(&folder);
        assert_eq!(digest(&folder), first);

        fs::create_dir(folder.join("ignored")).unwrap();
        fs::write(folder.join("ignored/b"), "1").unwrap();
        assert_eq!(digest(&folder), first);

        fs::rename(folder.join("inside/a"), folder.join("inside/b")).unwrap();
        assert_ne!(digest(&folder), first);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_output_that_is_gone_or_changed_is_not_fresh() {
        let folder = folder("output");
        let output = folder.join("out");
        let fingerprint = Fingerprint { record: folder.join("record"), inputs: "0".to_owned() };
        let fresh = || fingerprint.is_fresh(core::slice::from_ref(&output));
        assert!(!fresh());

        fs::write(&output, "made").unwrap();
        assert!(!fresh());
        fingerprint.store(core::slice::from_ref(&output)).unwrap();
        assert!(fresh());

        fs::write(&output, "changed").unwrap();
        assert!(!fresh());
        fs::remove_file(&output).unwrap();
        assert!(!fresh());
        fs::remove_dir_all(&folder).unwrap();
    }
}
