//! What is wrong with a policy: every finding, each with its field, its kind and a sentence.

use alloc::{string::String, vec, vec::Vec};
use core::fmt;

use crate::codes::codes;

codes! {
    /// What is wrong with a field.
    pub enum IssueKind {
        /// No such field here.
        UnknownField = 0 => "unknown-field",
        /// A value of another JSON type; strings are never read as numbers, nor numbers as strings.
        WrongType = 1 => "wrong-type",
        /// The right type, but outside the allowed range, or with too many decimals.
        OutOfRange = 2 => "out-of-range",
        /// Allowed by itself, but not beside another field.
        Contradiction = 3 => "contradiction",
        /// A name that nothing bears.
        UnknownName = 4 => "unknown-name",
        /// The text is not JSON.
        Syntax = 5 => "syntax",
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Issue {
    /// The path of the field (`backoff.overrides[0].baseMs`); empty for the document itself.
    pub field: String,
    /// What is wrong, for programs.
    pub kind: IssueKind,
    /// What is wrong, for people: the field, the value and what is allowed; lower case, no full
    /// stop.
    pub message: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Everything that is wrong with a policy, in one go: the only error of this crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issues(Vec<Issue>);

impl Issues {
    /// The findings, in the order of the fields; never empty in an `Err`.
    pub fn as_slice(&self) -> &[Issue] {
        &self.0
    }

    /// Each finding.
    pub fn iter(&self) -> core::slice::Iter<'_, Issue> {
        self.0.iter()
    }

    /// The findings, in the order of the fields.
    pub fn into_vec(self) -> Vec<Issue> {
        self.0
    }

    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    #[cfg(feature = "json")]
    pub(crate) fn one(field: String, kind: IssueKind, message: String) -> Self {
        Self(vec![Issue { field, kind, message }])
    }

    pub(crate) fn push(&mut self, field: String, kind: IssueKind, message: String) {
        self.0.push(Issue { field, kind, message });
    }

    /// Whether there is a finding at this field. Rules between fields leave such a field alone: what
    /// was meant there is unknown.
    pub(crate) fn touches(&self, field: &str) -> bool {
        self.0.iter().any(|issue| issue.field == field)
    }

    /// `value`, unless something was found.
    pub(crate) fn or<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl fmt::Display for Issues {
    /// One finding a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, issue) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{issue}")?;
        }
        Ok(())
    }
}

impl core::error::Error for Issues {}

impl IntoIterator for Issues {
    type Item = Issue;
    type IntoIter = vec::IntoIter<Issue>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Issues {
    type Item = &'a Issue;
    type IntoIter = core::slice::Iter<'a, Issue>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn findings_stand_one_a_line_and_can_be_gone_through() {
        let mut issues = Issues::none();
        for field in ["a", "b", "c"] {
            issues.push(field.into(), IssueKind::OutOfRange, field.to_string() + " is wrong");
        }
        assert_eq!(issues.to_string(), "a is wrong\nb is wrong\nc is wrong");
        let seen: Vec<_> = (&issues).into_iter().map(|issue| &*issue.field).collect();
        assert_eq!(seen, ["a", "b", "c"]);
        let kept: Vec<_> = issues.into_iter().map(|issue| issue.field).collect();
        assert_eq!(kept, ["a", "b", "c"]);
    }
}
