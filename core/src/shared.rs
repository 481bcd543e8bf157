//! Budgets by name: several upstreams that draw on one (`budget.shared`).

use alloc::{boxed::Box, collections::BTreeMap};

use crate::{budget::Budget, upstream::Upstream};

/// The named budgets of a host. An upstream whose policy names one takes part for the length of
/// one event: [`SharedBudgets::with`] lends it the budget and takes it back.
///
/// ```
/// # #[cfg(feature = "json")] {
/// # extern crate alloc;
/// use retrywise::{Instant, Policy, Request, SharedBudgets, Upstream};
/// let policy = Policy::from_json(r#"{"budget":{"shared":"payments"}}"#).unwrap();
/// let policy = alloc::sync::Arc::new(policy);
/// let mut budgets = SharedBudgets::default();
/// let (mut cards, mut banks) = (Upstream::new(policy.clone(), 1), Upstream::new(policy, 2));
/// let request = Request::default();
/// let call = budgets.with(&mut cards, |u| u.begin(&request, Instant::ORIGIN, None));
/// let other = budgets.with(&mut banks, |u| u.begin(&request, Instant::ORIGIN, None));
/// # assert!(call.is_ok() && other.is_ok());
/// # }
/// ```
#[derive(Debug, Default)]
pub struct SharedBudgets {
    by_name: BTreeMap<Box<str>, Budget>,
}

impl SharedBudgets {
    /// No budget has a name yet.
    pub const fn new() -> Self {
        Self { by_name: BTreeMap::new() }
    }

    /// Lets `event` happen with the budget that the upstream's policy names, or with its own. The
    /// first upstream that names a budget brings it; its options hold.
    pub fn with<T>(
        &mut self,
        upstream: &mut Upstream,
        event: impl FnOnce(&mut Upstream) -> T,
    ) -> T {
        self.swap(upstream);
        let result = event(upstream);
        self.swap(upstream);
        result
    }

    /// Exchanges the upstream's own budget for the named one, and back.
    fn swap(&mut self, upstream: &mut Upstream) {
        let Some(name) = upstream.policy().budget_shared() else { return };
        if let Some(shared) = self.by_name.get_mut(name) {
            if let Some(own) = upstream.budget_mut() {
                core::mem::swap(shared, own);
            }
            return;
        }
        let name = Box::from(name);
        if let Some(own) = upstream.budget() {
            self.by_name.insert(name, own.clone());
        }
    }

    /// The budget of this name, once an upstream has brought it.
    pub fn get(&self, name: &str) -> Option<&Budget> {
        self.by_name.get(name)
    }
}
