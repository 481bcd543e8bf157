//! Which requests and outcomes a policy sees differently.

use alloc::{string::String, vec::Vec};

use crate::{
    classify::RetryOn,
    method::Method,
    policy::{
        fields::{Place, What, fields},
        text_rule::TextRule,
    },
};

/// The policy's `retryOn.methods`: what a service says about its own methods.
///
/// Tokens are case-sensitive (RFC 9110 §9.1). Default: empty, the registry holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdempotentMethods {
    /// Idempotent here, although the registry does not say so.
    pub add: Vec<String>,
    /// Not idempotent here, whatever the registry and [`IdempotentMethods::add`] say.
    pub remove: Vec<String>,
}

impl IdempotentMethods {
    /// Whether sending a request with this method twice means the same as once.
    pub fn is_idempotent(&self, token: &str) -> bool {
        let has = |list: &[String]| list.iter().any(|method| method == token);
        !has(&self.remove) && (has(&self.add) || Method::from_token(token).is_idempotent())
    }

    /// The same of a method whose token is given only where it is [`Method::Other`].
    pub(super) fn is_idempotent_as(&self, method: Method, token: Option<&str>) -> bool {
        if token.is_none() && self.add.is_empty() && self.remove.is_empty() {
            // Nearly every call: no name has to be looked up.
            return method.is_idempotent();
        }
        self.is_idempotent(token.unwrap_or(method.name()))
    }
}

/// The whole `retryOn` object of a document.
pub(crate) struct RetryOnSlot<'a> {
    pub(crate) retry_on: &'a mut RetryOn,
    pub(crate) methods: &'a mut IdempotentMethods,
}

fields! { RetryOnSlot<'_> {
    "statuses": What::Object => view |r| Place::Object(&mut Statuses(r.retry_on)),
    "errors": What::Object => view |r| Place::Object(&mut Errors(r.retry_on)),
    "methods": What::Object => |r| Place::Object(r.methods),
} }

struct Statuses<'a>(&'a mut RetryOn);

fields! { Statuses<'_> {
    "add": What::Statuses => |s| Place::Statuses(&mut s.0.statuses_add),
    "remove": What::Statuses => |s| Place::Statuses(&mut s.0.statuses_remove),
} }

struct Errors<'a>(&'a mut RetryOn);

fields! { Errors<'_> {
    "add": What::Texts(TextRule::Text) => |e| Place::Texts(&mut e.0.errors_add),
    "remove": What::Texts(TextRule::Text) => |e| Place::Texts(&mut e.0.errors_remove),
} }

fields! { IdempotentMethods {
    "add": What::Texts(TextRule::Token) => |m| Place::Texts(&mut m.add),
    "remove": What::Texts(TextRule::Token) => |m| Place::Texts(&mut m.remove),
} }

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn a_service_knows_its_methods_better_than_the_registry_and_remove_wins() {
        let methods = IdempotentMethods {
            add: vec!["POST".into(), "PURGE".into(), "PUT".into()],
            remove: vec!["GET".into(), "PUT".into()],
        };
        for (token, idempotent) in [
            ("POST", true),
            ("PURGE", true),
            ("post", false),
            ("GET", false),
            ("PUT", false),
            ("DELETE", true),
            ("PATCH", false),
        ] {
            assert_eq!(methods.is_idempotent(token), idempotent, "{token}");
        }
    }
    #[test]
    fn a_known_method_needs_no_token_whichever_list_names_it() {
        let none = IdempotentMethods::default();
        let add = IdempotentMethods { add: vec!["POST".into()], ..IdempotentMethods::default() };
        let remove =
            IdempotentMethods { remove: vec!["GET".into()], ..IdempotentMethods::default() };
        for (methods, get, post) in
            [(&none, true, false), (&add, true, true), (&remove, false, false)]
        {
            assert_eq!(methods.is_idempotent_as(Method::Get, None), get, "{methods:?}");
            assert_eq!(methods.is_idempotent_as(Method::Post, None), post, "{methods:?}");
        }
        assert!(none.is_idempotent_as(Method::Other, Some("PROPFIND")));
        assert!(!none.is_idempotent_as(Method::Other, Some("PURGE")));
    }
}
