//! Policy documents: valid or not, and why.

use alloc::sync::Arc;

use retrywise::Policy;
use serde_json::{Value, json};

use super::{Answers, NoAnswer};
use crate::trace::Step;

/// The policy of a trace.
pub(super) fn read(document: &Value) -> Result<Arc<Policy>, NoAnswer> {
    let policy = Policy::from_json(&document.to_string());
    policy
        .map(Arc::new)
        .map_err(|issues| NoAnswer::Refused(format!("the policy is invalid: {issues}")))
}

pub(super) fn step(step: &Step) -> Answers {
    let document = step.value("document").unwrap_or(&Value::Null).to_string();
    let issues: Vec<_> = Policy::validate_json(&document)
        .iter()
        .map(|issue| json!({"field": issue.field, "kind": issue.kind.name()}))
        .collect();
    let mut answers = Answers::new();
    answers.insert("valid".into(), issues.is_empty().into());
    answers.insert("issues".into(), issues.into());
    answers
}
