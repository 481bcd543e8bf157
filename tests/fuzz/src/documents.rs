//! Policy documents.

use retrywise::{Policy, Upstream, policy::PolicySet};

/// A document that is accepted has no issue and makes an upstream; one that is refused has some.
///
/// # Panics
/// When that is broken.
pub fn policies(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let issues = Policy::validate_json(&text);
    match Policy::from_json(&text) {
        Ok(policy) => {
            assert!(issues.is_empty(), "accepted with issues: {issues:?}");
            let options = policy.options().clone();
            assert!(options.validate().is_ok(), "what was accepted once is accepted again");
            drop(Upstream::new(policy.into(), 0));
        }
        Err(refused) => {
            assert!(!issues.is_empty() && refused.iter().count() == issues.len());
            assert!(issues.iter().all(|issue| issue.message.len() < 2_000), "a long message");
        }
    }
    let issues = PolicySet::validate_json(&text);
    assert_eq!(PolicySet::from_json(&text).is_ok(), issues.is_empty());
}
