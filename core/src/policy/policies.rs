//! What one document can be: a policy, or a set of them.

use crate::{
    json::Value,
    policy::{Issues, Policy, PolicySet, json},
};

/// The policies of one document, for hosts that take either.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // a document is one or the other
#[allow(clippy::large_enum_variant)] // read once, kept once
pub enum Policies {
    /// One policy, for every request.
    One(Policy),
    /// Named policies, and which request gets which.
    Set(PolicySet),
}

impl Policies {
    /// What a JSON document describes: with a field `policies` it is a set, else a policy.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the document, at once.
    ///
    /// # Examples
    ///
    /// ```
    /// use retrywise::policy::Policies;
    ///
    /// assert!(matches!(Policies::from_json("{}")?, Policies::One(_)));
    /// let set = r#"{ "policies": { "usual": {} }, "default": "usual" }"#;
    /// assert!(matches!(Policies::from_json(set)?, Policies::Set(_)));
    /// let issues = Policies::from_json(r#"{ "policies": { "usual": {} } }"#).unwrap_err();
    /// assert_eq!(issues.to_string(), "default is missing");
    /// # Ok::<(), retrywise::policy::Issues>(())
    /// ```
    pub fn from_json(document: &str) -> Result<Self, Issues> {
        let (tree, issues) = json::parse(document)?;
        let is_set = matches!(&tree, Value::Object(fields) if fields.get("policies").is_some());
        if is_set {
            PolicySet::from_tree(&tree, issues).map(Self::Set)
        } else {
            Policy::from_tree(&tree, issues).map(Self::One)
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_field_policies_makes_it_a_set_whatever_is_wrong_with_it() {
        let fields = |document: &str| {
            let issues = Policies::from_json(document).unwrap_err().into_vec();
            issues.into_iter().map(|issue| issue.field).collect::<Vec<_>>()
        };
        assert_eq!(fields(r#"{"policies":3}"#), ["policies", "default"]);
        assert_eq!(
            fields(r#"{"policies":{"a":{"maxRetrys":1}},"default":"a"}"#),
            ["policies.a.maxRetrys"]
        );
        assert_eq!(fields(r#"{"default":"a","maxRetries":-1}"#), ["maxRetries", "default"]);
        assert_eq!(fields("[]"), [""]);
    }

    #[test]
    fn either_is_what_its_own_reader_makes_of_it() {
        let one = r#"{"maxRetries":7}"#;
        assert_eq!(Policies::from_json(one), Policy::from_json(one).map(Policies::One));
        let set = r#"{"policies":{"a":{},"b":{"maxRetries":7}},"match":[{"method":"GET","use":"b"}],"default":"a"}"#;
        assert_eq!(Policies::from_json(set), PolicySet::from_json(set).map(Policies::Set));
    }
}
