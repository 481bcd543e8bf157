//! Reads a policy set document.

use alloc::{string::String, vec::Vec};

use crate::{
    json::{Object, Value},
    policy::{
        PolicySet, PolicySetOptions,
        fields::{Place, What, fields},
        issue::{Issue, IssueKind, Issues},
        json, layers,
        text_rule::TextRule,
    },
    text::{join, number},
};

impl PolicySet {
    /// The policy set that a JSON document describes.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the document and its policies, at once.
    ///
    /// # Examples
    ///
    /// ```
    /// use retrywise::policy::PolicySet;
    ///
    /// let set = PolicySet::from_json(
    ///     r#"{
    ///         "policies": { "usual": {}, "money": { "extends": "payments" } },
    ///         "match": [{ "path": "/v1/charges*", "method": "POST", "use": "money" }],
    ///         "default": "usual"
    ///     }"#,
    /// )?;
    /// let policy = set.select("https://api.example.com", "/v1/charges", "POST");
    /// assert!(policy.idempotency().generate);
    /// # Ok::<(), retrywise::policy::Issues>(())
    /// ```
    pub fn from_json(document: &str) -> Result<Self, Issues> {
        let (tree, issues) = json::parse(document)?;
        Self::from_tree(&tree, issues)
    }

    /// The same, of a document that was read.
    pub(crate) fn from_tree(tree: &Value<'_>, mut issues: Issues) -> Result<Self, Issues> {
        let mut options = read(tree, &mut issues);
        options.check(&mut issues);
        options.build(issues)
    }

    /// What is wrong with a JSON document; nothing, if [`PolicySet::from_json`] takes it.
    pub fn validate_json(document: &str) -> Vec<Issue> {
        Self::from_json(document).err().map(Issues::into_vec).unwrap_or_default()
    }
}

fn read(tree: &Value<'_>, issues: &mut Issues) -> PolicySetOptions {
    let mut set = PolicySetOptions::default();
    let Value::Object(document) = tree else {
        json::refuse(String::new(), IssueKind::WrongType, "an object", tree, issues);
        return set;
    };
    match document.get("policies") {
        Some(Value::Object(policies)) => {
            set.policies = policies
                .iter()
                .map(|(name, policy)| {
                    let prefix = join(&["policies.", name, "."]);
                    (name.into(), layers::read(policy, &prefix, issues))
                })
                .collect();
        }
        Some(other) => {
            let allowed = "an object of named policies";
            json::refuse("policies".into(), IssueKind::WrongType, allowed, other, issues);
        }
        None => {}
    }
    json::read(document, &mut set, &["policies"], "", issues);
    missing(document, &["policies", "default"], "", issues);
    let entries = document.get("match").and_then(Value::as_array);
    for (index, entry) in entries.into_iter().flatten().enumerate() {
        if let Value::Object(entry) = entry {
            missing(entry, &["use"], &join(&["match[", &number(index as u64), "]."]), issues);
        }
    }
    set
}

/// Reports the fields that must be there and are not.
fn missing(object: &Object<'_>, names: &[&str], prefix: &str, issues: &mut Issues) {
    for name in names.iter().filter(|&&name| object.get(name).is_none()) {
        let field = join(&[prefix, name]);
        let message = join(&[&field, " is missing"]);
        issues.push(field, IssueKind::WrongType, message);
    }
}

// The fields of the document, but for the policies.
fields! { PolicySetOptions {
    "match": What::Objects => |s| Place::Objects(&mut s.rules),
    "default": What::Text(TextRule::Text) => |s| Place::Text(&mut s.default),
} }

#[cfg(test)]
mod tests;
