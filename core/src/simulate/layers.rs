//! Layers: what retries multiply to when each layer of a system retries for itself, and the last
//! one always fails.

use alloc::{sync::Arc, vec, vec::Vec};

use crate::{
    outcome::Outcome,
    policy::{BudgetOptions, Options, Policy},
    request::Request,
    rng::Rng,
    time::{Instant, Millis},
    upstream::Upstream,
    verdict::VerdictKind,
};

/// The terms. The default is Microsoft's example: 3 tries in each of two layers are 9 calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layers {
    /// Layers that retry, 1 to 6, default 2.
    pub depth: u32,
    /// Tries in each layer, the first included, 1 to 10, default 3.
    pub tries: u32,
    /// Calls from above, 1 to 10 000, default 1 000, one each millisecond.
    pub calls: u32,
    /// A ratio budget in each layer without a reserve, in ten-thousandths. Default `None`.
    pub budget: Option<u32>,
    /// Each layer tells the one below that it retries already. Default `false`.
    pub told: bool,
}

impl Default for Layers {
    fn default() -> Self {
        Self { depth: 2, tries: 3, calls: 1_000, budget: None, told: false }
    }
}

/// How many requests each layer sent, the topmost first; the last number is what the bottom saw.
pub fn layers(terms: &Layers, seed: u64) -> Vec<u64> {
    let depth = terms.depth.clamp(1, 6) as usize;
    let policy = policy(terms);
    let mut seeds = Rng::new(seed);
    let mut tower = Tower {
        told: terms.told,
        upstreams: (0..depth)
            .map(|_| Upstream::new(Arc::clone(&policy), seeds.draw().bits()))
            .collect(),
        sent: vec![0; depth],
    };
    for call in 0..terms.calls.clamp(1, 10_000) {
        tower.call(0, Instant::from_millis(call.into()));
    }
    tower.sent
}

struct Tower {
    told: bool,
    upstreams: Vec<Upstream>,
    sent: Vec<u64>,
}

/// No tower sends more; above it, calls fail without being sent.
const MOST: u64 = 20_000_000;

impl Tower {
    /// A call at this layer, which fails. At most six deep.
    fn call(&mut self, layer: usize, now: Instant) {
        let request = Request { nested: self.told && layer > 0, ..Request::default() };
        let Some(upstream) = self.upstreams.get_mut(layer) else { return };
        let Ok(mut call) = upstream.begin(&request, now, None) else { return };
        let outcome = Outcome::from_response(503, &[]);
        loop {
            let Some(sent) = self.sent.get_mut(layer) else { return };
            *sent += 1;
            let enough = *sent >= MOST;
            self.call(layer + 1, now);
            let Some(upstream) = self.upstreams.get_mut(layer) else { return };
            let verdict = upstream.settle(&mut call, &outcome, now, None);
            if enough || verdict.kind != VerdictKind::Retry {
                return;
            }
            if upstream.resume(&mut call, now).is_err() {
                return;
            }
        }
    }
}

fn policy(terms: &Layers) -> Arc<Policy> {
    let budget = terms.budget.map(|ratio| BudgetOptions::Ratio {
        ratio: ratio.min(10_000_000),
        min_per_second: 0,
        window: Millis::new(60_000),
    });
    let max_retries = terms.tries.clamp(1, 10) - 1;
    let options = Options { max_retries, budget, breaker: None, ..Options::default() };
    Arc::new(options.validate().unwrap_or_else(|_| Policy::standard()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bottom(terms: Layers) -> u64 {
        layers(&terms, 1).last().copied().unwrap_or(0)
    }

    #[test]
    fn tries_multiply_from_layer_to_layer() {
        assert_eq!(layers(&Layers { calls: 1, ..Layers::default() }, 1), [3, 9]);
        for (depth, tries, calls) in [(3, 3, 27), (3, 4, 64), (5, 3, 243), (1, 1, 1)] {
            assert_eq!(bottom(Layers { depth, tries, calls: 1, ..Layers::default() }), calls);
        }
    }

    #[test]
    fn with_a_budget_of_a_fifth_each_layer_adds_a_fifth() {
        for (depth, most) in [(1, 1_200), (2, 1_440), (3, 1_728)] {
            let sent = bottom(Layers { depth, budget: Some(2_000), ..Layers::default() });
            assert!((most - 10..=most).contains(&sent), "{depth} layers: {sent}");
        }
    }

    #[test]
    fn layers_that_are_told_leave_the_retrying_to_the_topmost() {
        for depth in 1..=6 {
            let told = Layers { depth, told: true, calls: 10, ..Layers::default() };
            assert_eq!(bottom(told), 30);
        }
    }

    #[test]
    fn odd_terms_end_too() {
        let odd = Layers { depth: u32::MAX, tries: 6, calls: 0, budget: None, told: false };
        assert_eq!(bottom(odd), 46_656);
        assert_eq!(layers(&Layers { depth: 0, tries: 0, ..odd }, 1), [1]);
        let many = Layers { depth: 1, tries: u32::MAX, ..odd };
        assert_eq!(layers(&many, 1), [10]);
    }
}
