//! Budgets by name: several upstreams that draw on one (`budget.shared`).

use alloc::{boxed::Box, vec::Vec};

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
    // Few, and a map of its own is a kilobyte.
    by_name: Vec<(Box<str>, Budget)>,
}

impl SharedBudgets {
    /// No budget has a name yet.
    pub const fn new() -> Self {
        Self { by_name: Vec::new() }
    }

    /// Lets `event` happen with the budget that the upstream's policy names, or with its own. The
    /// first upstream that names a budget brings it; its options hold.
    pub fn with<T>(
        &mut self,
        upstream: &mut Upstream,
        event: impl FnOnce(&mut Upstream) -> T,
    ) -> T {
        let shares = upstream.policy().budget_shared().is_some();
        if shares {
            self.swap(upstream);
        }
        let result = event(upstream);
        if shares {
            self.swap(upstream);
        }
        result
    }

    /// Exchanges the upstream's own budget for the named one, and back.
    fn swap(&mut self, upstream: &mut Upstream) {
        let Some(name) = upstream.policy().budget_shared() else { return };
        if let Some((_, shared)) = self.by_name.iter_mut().find(|(known, _)| **known == *name) {
            if let Some(own) = upstream.budget_mut() {
                core::mem::swap(shared, own);
            }
            return;
        }
        let name = Box::from(name);
        if let Some(own) = upstream.budget() {
            self.by_name.push((name, own.clone()));
        }
    }

    /// The budget of this name, once an upstream has brought it.
    pub fn get(&self, name: &str) -> Option<&Budget> {
        self.by_name.iter().find(|(known, _)| **known == *name).map(|(_, budget)| budget)
    }
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;

    use super::*;
    use crate::{
        Class, Instant,
        budget::Hold,
        policy::{BudgetOptions, Options},
    };

    /// An upstream with so many tokens, of the budget of this name if there is one.
    fn upstream(capacity: u32, name: Option<&str>) -> Upstream {
        let tokens =
            BudgetOptions::Tokens { capacity, transient_cost: 1, throttled_cost: 1, credit: 0 };
        let budget_shared = name.map(Box::from);
        let options = Options { budget: Some(tokens), budget_shared, ..Options::default() };
        Upstream::new(Arc::new(options.validate().unwrap()), 0)
    }

    fn left(upstream: &Upstream) -> Option<u64> {
        upstream.budget().map(|budget| budget.balance_thousandths(Instant::ORIGIN) / 1_000)
    }

    /// Takes a token, and says what is left then.
    fn take(budgets: &mut SharedBudgets, upstream: &mut Upstream) -> Option<u64> {
        budgets.with(upstream, |upstream| {
            let budget = upstream.budget_mut().as_mut()?;
            let taken = budget.withdraw(&mut Hold::default(), Class::Transient, Instant::ORIGIN);
            taken.then(|| left(upstream))?
        })
    }

    #[test]
    fn upstreams_that_name_one_budget_draw_on_one() {
        let mut budgets = SharedBudgets::new();
        let [mut cards, mut banks] = [upstream(3, Some("pay")), upstream(3, Some("pay"))];
        assert_eq!(take(&mut budgets, &mut cards), Some(2));
        assert_eq!(take(&mut budgets, &mut banks), Some(1));
        assert_eq!(take(&mut budgets, &mut cards), Some(0));
        assert_eq!(take(&mut budgets, &mut banks), None, "it is used up for both");
        let shared = budgets.get("pay").map(|budget| budget.balance_thousandths(Instant::ORIGIN));
        assert_eq!(shared, Some(0));
        assert_eq!((left(&cards), left(&banks)), (Some(3), Some(3)), "their own stay untouched");
    }

    #[test]
    fn the_first_that_names_a_budget_brings_it() {
        let mut budgets = SharedBudgets::new();
        assert!(budgets.get("pay").is_none());
        assert_eq!(take(&mut budgets, &mut upstream(9, Some("pay"))), Some(8));
        assert_eq!(take(&mut budgets, &mut upstream(2, Some("pay"))), Some(7));
        assert_eq!(take(&mut budgets, &mut upstream(2, Some("mail"))), Some(1));
    }

    #[test]
    fn who_names_none_keeps_its_own() {
        let mut budgets = SharedBudgets::default();
        let mut alone = upstream(3, None);
        assert_eq!((take(&mut budgets, &mut alone), left(&alone)), (Some(2), Some(2)));
    }
}
