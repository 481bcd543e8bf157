//! What a policy adds to, and removes from, the outcomes that are retried (`retryOn`).

use alloc::{string::String, vec::Vec};

use super::{
    class::{Class, Classification, Signal},
    transport,
};
use crate::outcome::{Outcome, TransportError};

/// The policy's own word about statuses and errors. Empty by default: nothing changes.
///
/// An error is named by its code, its name or its type, exactly as the client reports it, wherever
/// in the chain of causes it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryOn {
    /// Statuses that count as transient, a success among them if wanted.
    pub statuses_add: Vec<u16>,
    /// Statuses that are never retried; wins over everything added.
    pub statuses_remove: Vec<u16>,
    /// Errors that count as transient.
    pub errors_add: Vec<String>,
    /// Errors that are never retried; wins over everything added.
    pub errors_remove: Vec<String>,
}

impl RetryOn {
    /// Whether nothing is added and nothing removed.
    pub fn is_empty(&self) -> bool {
        self.statuses_add.is_empty()
            && self.statuses_remove.is_empty()
            && self.errors_add.is_empty()
            && self.errors_remove.is_empty()
    }

    /// What was found, as the policy wants it: removed is permanent, added is transient. The
    /// delivery is a fact, and a veto is the server's word: neither changes. What would not be
    /// retried anyway is not removed, and what is retried anyway is not added.
    pub(super) fn apply(&self, outcome: &Outcome<'_>, found: Classification) -> Classification {
        if self.is_empty() {
            return found;
        }
        let status = outcome.status();
        let named = |statuses: &[u16], errors: &[String]| {
            status.is_some_and(|status| statuses.contains(&status))
                || outcome.error.as_ref().is_some_and(|error| is_named(error, errors))
        };
        let retryable = matches!(found.class, Class::Transient | Class::Throttled);
        if named(&self.statuses_remove, &self.errors_remove) {
            if !retryable {
                return found;
            }
            return Classification {
                class: Class::Permanent,
                signal: Signal::PolicyRemove,
                ..found
            };
        }
        if !retryable && !found.veto && named(&self.statuses_add, &self.errors_add) {
            return Classification { class: Class::Transient, signal: Signal::PolicyAdd, ..found };
        }
        found
    }
}

/// Whether the error, or a cause of it, bears one of these names.
fn is_named(error: &TransportError<'_>, names: &[String]) -> bool {
    !names.is_empty()
        && transport::chain(error).any(|link| {
            [link.code, link.name, link.kind]
                .into_iter()
                .flatten()
                .any(|word| names.iter().any(|name| name == word))
        })
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec};

    use super::*;
    use crate::{
        classify::{Basis, Context, Delivery, classify},
        outcome::{Family, Header},
    };

    fn with(retry_on: &RetryOn, outcome: &Outcome<'_>) -> Classification {
        classify(outcome, &Context { retry_on: Some(retry_on), ..Context::default() })
    }

    fn status(status: u16, retry_on: &RetryOn) -> Classification {
        with(retry_on, &Outcome::from_response(status, &[]))
    }

    #[test]
    fn an_added_status_is_transient_and_its_delivery_stays() {
        let policy = RetryOn { statuses_add: vec![404, 200], ..RetryOn::default() };
        let found = status(404, &policy);
        assert_eq!(found.class, Class::Transient);
        assert_eq!(found.delivery, Delivery::Processed);
        assert_eq!(found.signal, Signal::PolicyAdd);
        assert_eq!(status(200, &policy).class, Class::Transient);
        assert_eq!(status(201, &policy).class, Class::Success);
    }

    #[test]
    fn a_removed_status_is_permanent_and_removing_wins() {
        let policy = RetryOn {
            statuses_add: vec![503, 404],
            statuses_remove: vec![503, 404, 200],
            ..RetryOn::default()
        };
        let found = status(503, &policy);
        assert_eq!((found.class, found.signal), (Class::Permanent, Signal::PolicyRemove));
        assert_eq!(found.delivery, Delivery::MaybeProcessed);
        assert_eq!(status(404, &policy), status(404, &RetryOn::default()));
        assert_eq!(status(200, &policy).class, Class::Success, "a success is nothing to give up");
    }

    #[test]
    fn adding_what_is_retried_anyway_changes_nothing() {
        let policy = RetryOn { statuses_add: vec![429], ..RetryOn::default() };
        assert_eq!(status(429, &policy), status(429, &RetryOn::default()));
    }

    #[test]
    fn an_error_is_named_by_code_name_or_type_anywhere_in_the_chain() {
        let inner = TransportError {
            name: Some("Inner"),
            kind: Some("x.Kind"),
            ..TransportError::new(Family::Unknown, "E_INNER")
        };
        let outer =
            TransportError { cause: Some(&inner), ..TransportError::new(Family::Node, "EACCES") };
        let outcome = Outcome::from_error(outer);
        assert_eq!(with(&RetryOn::default(), &outcome).class, Class::Permanent);
        for name in ["EACCES", "E_INNER", "Inner", "x.Kind"] {
            let policy = RetryOn { errors_add: vec![name.to_string()], ..RetryOn::default() };
            assert_eq!(with(&policy, &outcome).class, Class::Transient, "{name}");
        }
        let policy = RetryOn { errors_add: vec!["eacces".to_string()], ..RetryOn::default() };
        assert_eq!(with(&policy, &outcome).class, Class::Permanent, "names are exact");
    }

    #[test]
    fn a_removed_error_keeps_its_proof() {
        let policy =
            RetryOn { errors_remove: vec!["ECONNREFUSED".to_string()], ..RetryOn::default() };
        let outcome = Outcome::from_error(TransportError::new(Family::Node, "ECONNREFUSED"));
        let found = with(&policy, &outcome);
        assert_eq!(found.class, Class::Permanent);
        assert_eq!(found.basis, Basis::Transport);
    }

    #[test]
    fn a_veto_of_the_server_stays_a_veto() {
        let policy = RetryOn { statuses_add: vec![503], ..RetryOn::default() };
        let headers = [Header::new("x-should-retry", b"false")];
        let found = with(&policy, &Outcome::from_response(503, &headers));
        assert!(found.veto);
        assert_eq!(found.class, Class::Permanent);
    }

    #[test]
    fn an_empty_list_is_empty() {
        assert!(RetryOn::default().is_empty());
        assert!(!RetryOn { statuses_add: vec![1], ..RetryOn::default() }.is_empty());
    }
}
