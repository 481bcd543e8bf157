//! Which requests and outcomes a policy sees differently.

use alloc::{string::String, vec::Vec};

use crate::{
    classify::RetryOn,
    method::Method,
    policy::fields::{Fields, TextRule, Visitor},
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
}

/// The whole `retryOn` object of a document.
pub(crate) struct RetryOnSlot<'a> {
    pub(crate) retry_on: &'a mut RetryOn,
    pub(crate) methods: &'a mut IdempotentMethods,
}

impl Fields for RetryOnSlot<'_> {
    fn fields(&mut self, v: &mut dyn Visitor) {
        let RetryOn { statuses_add, statuses_remove, errors_add, errors_remove, .. } =
            &mut *self.retry_on;
        v.object("statuses", &mut Statuses { add: statuses_add, remove: statuses_remove });
        let rule = TextRule::Text;
        v.object("errors", &mut Texts { rule, add: errors_add, remove: errors_remove });
        let IdempotentMethods { add, remove } = &mut *self.methods;
        v.object("methods", &mut Texts { rule: TextRule::Token, add, remove });
    }
}

struct Statuses<'a> {
    add: &'a mut Vec<u16>,
    remove: &'a mut Vec<u16>,
}

impl Fields for Statuses<'_> {
    fn fields(&mut self, v: &mut dyn Visitor) {
        v.statuses("add", self.add);
        v.statuses("remove", self.remove);
    }
}

struct Texts<'a> {
    rule: TextRule,
    add: &'a mut Vec<String>,
    remove: &'a mut Vec<String>,
}

impl Fields for Texts<'_> {
    fn fields(&mut self, v: &mut dyn Visitor) {
        v.texts("add", self.rule, self.add);
        v.texts("remove", self.rule, self.remove);
    }
}

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
}
