//! From LCOV to counts by file: lines of the code itself, its tests left out.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

/// Every measured file.
pub(crate) struct Lines {
    pub(crate) files: Vec<File>,
}

/// The lines of one file.
pub(crate) struct File {
    /// As seen from the measured folder.
    pub(crate) name: String,
    pub(crate) run: usize,
    /// The numbers of lines that no test runs.
    pub(crate) missed: Vec<u32>,
}

impl Lines {
    /// Reads a report; files outside `sources` and files of tests count for nothing.
    pub(super) fn read(report: &str, sources: &Path) -> Result<Self> {
        let mut files = Vec::new();
        for (path, counts) in records(report) {
            let Ok(inside) = path.strip_prefix(sources) else { continue };
            let name = inside.to_string_lossy().replace('\\', "/");
            if is_test(&name) {
                continue;
            }
            let text = fs::read_to_string(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            let end = first_test_line(&text);
            let own = || counts.iter().filter(|(line, _)| **line < end);
            let run = own().filter(|(_, count)| **count > 0).count();
            let missed = own().filter(|(_, count)| **count == 0).map(|(line, _)| *line).collect();
            files.push(File { name, run, missed });
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { files })
    }

    /// Lines with code on them.
    pub(crate) fn total(&self) -> usize {
        self.files.iter().map(File::total).sum()
    }

    /// Lines that a test runs.
    pub(crate) fn run(&self) -> usize {
        self.files.iter().map(|file| file.run).sum()
    }
}

impl File {
    pub(crate) const fn total(&self) -> usize {
        self.run + self.missed.len()
    }

    /// The missed lines, as `12-14 20`.
    pub(crate) fn gaps(&self) -> String {
        let mut gaps: Vec<(u32, u32)> = Vec::new();
        for &line in &self.missed {
            match gaps.last_mut() {
                Some((_, last)) if *last + 1 == line => *last = line,
                _ => gaps.push((line, line)),
            }
        }
        let shown = gaps.iter().map(|&(first, last)| match last - first {
            0 => first.to_string(),
            _ => format!("{first}-{last}"),
        });
        shown.collect::<Vec<_>>().join(" ")
    }
}

/// Each file's lines with the number of their runs; a file named twice counts its runs together.
fn records(report: &str) -> BTreeMap<PathBuf, BTreeMap<u32, u64>> {
    let mut files: BTreeMap<PathBuf, BTreeMap<u32, u64>> = BTreeMap::new();
    let mut current = PathBuf::new();
    for line in report.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            current = path.into();
        } else if let Some((number, count)) = line.strip_prefix("DA:").and_then(two_numbers) {
            *files.entry(current.clone()).or_default().entry(number).or_default() += count;
        }
    }
    files
}

fn two_numbers(text: &str) -> Option<(u32, u64)> {
    let mut numbers = text.split(',');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn is_test(name: &str) -> bool {
    name.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// Tests stand last in a file: everything from here on is theirs.
fn first_test_line(text: &str) -> u32 {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod tests");
    let before = lines.windows(2).position(begins).unwrap_or(lines.len());
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_follow_each_other_are_one_gap() {
        let file = |missed: &[u32]| File { name: String::new(), run: 1, missed: missed.to_vec() };
        assert_eq!(file(&[3, 4, 5, 9, 11, 12]).gaps(), "3-5 9 11-12");
        assert_eq!(file(&[]).gaps(), "");
        assert_eq!(file(&[3, 4]).total(), 3);
    }

    #[test]
    fn a_line_that_any_program_ran_was_run() {
        let report = "SF:/c/a.rs\nDA:1,0\nDA:2,7\nend_of_record\nSF:/c/a.rs\nDA:1,2\nDA:3,0\n";
        let lines = &records(report)[Path::new("/c/a.rs")];
        assert_eq!(
            lines.iter().map(|(line, count)| (*line, *count)).collect::<Vec<_>>(),
            [(1, 2), (2, 7), (3, 0)]
        );
    }

    #[test]
    fn tests_are_not_what_is_tested() {
        assert!(is_test("limiter/tests.rs") && is_test("ledger/tests/json.rs"));
        assert!(!is_test("attests.rs") && !is_test("limiter.rs"));
        let text = "fn a() {}\n#[cfg(test)]\nextern crate std;\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(first_test_line(text), 4);
        assert_eq!(first_test_line("fn a() {}\n"), 2);
    }
}
