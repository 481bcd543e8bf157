//! What the runner prints: each mismatch at once, then a line a binding, then the closing line.

use alloc::collections::BTreeMap;

use crate::run::Fate;

/// How many vectors passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Passed.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
    /// Neither: the binding has not got the area.
    pub unsupported: u64,
}

/// The counts of a run, by binding and area.
#[derive(Debug, Default)]
pub struct Report {
    bindings: Vec<(&'static str, BTreeMap<String, Count>)>,
    unreadable: u64,
}

impl Report {
    /// Counts one vector and returns the lines to print about it.
    pub fn add(
        &mut self,
        binding: &'static str,
        place: &str,
        area: &str,
        fate: &Fate,
    ) -> Vec<String> {
        let (area, lines) = match fate {
            Fate::Unsupported(missing) => (missing.as_str(), Vec::new()),
            Fate::Passed => (area, Vec::new()),
            Fate::Failed(wrong) => {
                (area, wrong.iter().map(|what| format!("FAIL {binding} {place}: {what}")).collect())
            }
        };
        let count = self.areas(binding).entry(area.to_owned()).or_default();
        match fate {
            Fate::Passed => count.passed += 1,
            Fate::Failed(_) => count.failed += 1,
            Fate::Unsupported(_) => count.unsupported += 1,
        }
        lines
    }

    /// Counts a line that cannot be read and returns the line to print about it.
    pub fn unreadable(&mut self, place: &str, why: &str) -> String {
        self.unreadable += 1;
        format!("FAIL {place}: {why}")
    }

    /// Everything together.
    pub fn total(&self) -> Count {
        let mut total = Count { failed: self.unreadable, ..Count::default() };
        for count in self.bindings.iter().flat_map(|(_, areas)| areas.values()) {
            total.passed += count.passed;
            total.failed += count.failed;
            total.unsupported += count.unsupported;
        }
        total
    }

    /// The summary; its last line is `N passed, N failed`.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (binding, areas) in &self.bindings {
            let list = |text: &dyn Fn(&str, &Count) -> Option<String>| {
                let parts: Vec<_> =
                    areas.iter().filter_map(|(name, count)| text(name, count)).collect();
                parts.join(", ")
            };
            let ran = list(&|name, count| {
                let all = count.passed + count.failed;
                (all > 0).then(|| format!("{name} {}/{all}", count.passed))
            });
            let missing = list(&|name, count| {
                (count.unsupported > 0).then(|| format!("{name} {}", count.unsupported))
            });
            if !ran.is_empty() {
                lines.push(format!("{binding}: {ran}"));
            }
            if !missing.is_empty() {
                lines.push(format!("{binding}: not supported: {missing}"));
            }
        }
        if self.unreadable > 0 {
            lines.push(format!("unreadable lines: {}", self.unreadable));
        }
        let total = self.total();
        lines.push(format!("{} passed, {} failed", total.passed, total.failed));
        lines
    }

    fn areas(&mut self, binding: &'static str) -> &mut BTreeMap<String, Count> {
        let index = self.bindings.iter().position(|(name, _)| *name == binding);
        let index = index.unwrap_or_else(|| {
            self.bindings.push((binding, BTreeMap::new()));
            self.bindings.len() - 1
        });
        &mut self.bindings[index].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_supported_is_listed_and_never_passed() {
        let mut report = Report::default();
        assert!(report.add("native", "a", "status", &Fate::Passed).is_empty());
        let lines = report.add("native", "f.jsonl:2 b", "status", &Fate::Failed(vec!["x".into()]));
        assert_eq!(lines, ["FAIL native f.jsonl:2 b: x"]);
        let _ = report.add("native", "c", "engine", &Fate::Unsupported("budget".into()));
        let _ = report.add("js", "a", "status", &Fate::Passed);
        let _ = report.unreadable("f.jsonl:3", "no JSON");
        assert_eq!(
            report.summary(),
            [
                "native: status 1/2",
                "native: not supported: budget 1",
                "js: status 1/1",
                "unreadable lines: 1",
                "2 passed, 2 failed"
            ]
        );
        assert_eq!(report.total(), Count { passed: 2, failed: 2, unsupported: 1 });
    }
}
