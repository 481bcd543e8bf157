//! Reads how many tests a runner ran from the lines it closes with.

use core::ops::AddAssign;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl Counts {
    pub(super) const fn total(self) -> u64 {
        self.passed + self.failed
    }
}

/// The sum over every closing line in a runner's stdout; nothing when there is none.
///
/// A plain `N passed, N failed` counts only as the very last line: anything may print that on the
/// way.
pub(super) fn read(stdout: &[String]) -> Option<Counts> {
    let lines: Vec<&str> = stdout.iter().map(|line| line.trim()).collect();
    let last = lines.iter().rposition(|line| !line.is_empty());
    let mut sum: Option<Counts> = None;
    for (index, line) in lines.iter().enumerate() {
        let own = || (Some(index) == last).then(|| closing(line)).flatten();
        if let Some(counts) =
            cargo(line).or_else(|| node(line)).or_else(|| vitest(line)).or_else(own)
        {
            *sum.get_or_insert_default() += counts;
        }
    }
    sum
}

/// `test result: ok. 5 passed; 0 failed; 0 ignored; …`, and nextest's `Summary … 5 passed, 1 failed`.
fn cargo(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("test result:").or_else(|| line.strip_prefix("Summary ["))?;
    let number = |word| before(rest, word).unwrap_or(0);
    Some(Counts { passed: before(rest, "passed")?, failed: number("failed") + number("timed out") })
}

/// `# pass 5` and `ℹ fail 0`, a line each; a cancelled test did not pass.
fn node(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?;
    let (word, number) = rest.split_once(' ')?;
    let number = number.parse().ok()?;
    match word {
        "pass" => Some(Counts { passed: number, failed: 0 }),
        "fail" | "cancelled" => Some(Counts { passed: 0, failed: number }),
        _ => None,
    }
}

/// `Tests  1 failed | 4 passed (5)`.
fn vitest(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("Tests ")?;
    let counts = Counts {
        passed: before(rest, "passed").unwrap_or(0),
        failed: before(rest, "failed").unwrap_or(0),
    };
    (counts.total() > 0).then_some(counts)
}

/// `12 passed, 0 failed`, with or without one word and a colon before it and `, N skipped` after it.
fn closing(line: &str) -> Option<Counts> {
    let line = match line.split_once(": ") {
        Some((word, rest)) if !word.contains(' ') => rest,
        _ => line,
    };
    let mut parts = line.split(", ");
    let mut number = |word| parts.next()?.strip_suffix(word)?.parse().ok();
    let counts = Counts { passed: number(" passed")?, failed: number(" failed")? };
    parts.next().is_none_or(|rest| rest.ends_with(" skipped")).then_some(counts)
}

/// The number right before `word`.
fn before(text: &str, word: &str) -> Option<u64> {
    let (head, _) = text.split_once(&format!(" {word}"))?;
    head.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str) -> Option<(u64, u64)> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        read(&lines).map(|counts| (counts.passed, counts.failed))
    }

    #[test]
    fn cargo_prints_a_line_for_each_binary_and_they_add_up() {
        let text = "test a ... ok\ntest result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
                    test result: FAILED. 2 passed; 3 failed; 0 ignored\n";
        assert_eq!(counted(text), Some((7, 3)));
    }

    #[test]
    fn nextest_closes_with_a_summary() {
        assert_eq!(
            counted("  Summary [   0.012s] 6 tests run: 5 passed, 1 failed, 2 skipped"),
            Some((5, 1))
        );
    }

    #[test]
    fn node_closes_in_either_reporter_and_cancelled_is_not_passed() {
        assert_eq!(
            counted("# tests 6\n# pass 5\n# fail 0\n# cancelled 1\n# skipped 2\n"),
            Some((5, 1))
        );
        assert_eq!(counted("ℹ tests 3\nℹ pass 3\nℹ fail 0\nℹ duration_ms 12.5\n"), Some((3, 0)));
    }

    #[test]
    fn vitest_closes_with_tests() {
        assert_eq!(
            counted(" Test Files  1 failed (1)\n      Tests  1 failed | 4 passed (5)"),
            Some((4, 1))
        );
    }

    #[test]
    fn the_plain_line_counts_only_as_the_last_one() {
        assert_eq!(counted("native: 3 passed, 0 failed\n12 passed, 1 failed\n\n"), Some((12, 1)));
        assert_eq!(counted("vectors: 12 passed, 0 failed, 4 skipped"), Some((12, 0)));
        assert_eq!(counted("12 passed, 1 failed\ngood bye"), None);
    }

    #[test]
    fn output_without_a_closing_line_has_no_count() {
        assert_eq!(counted("all good\n# a comment\n"), None);
        assert_eq!(counted(""), None);
    }
}
