//! Policy documents: valid or not, and why.

use retrywise::Policy;
use serde_json::{Value, json};

use super::Answers;
use crate::trace::Step;

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
