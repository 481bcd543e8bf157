//! An upstream's state, saved and loaded.

use super::Upstream;
use crate::{
    policy::Issues,
    rng::Rng,
    snapshot::{Snapshot, state},
    text::number,
    throttling::Throttling,
    time::{Instant, UnixMillis},
};

impl Upstream {
    /// Its state as plain data, to be loaded by another process. `wall`, where the host has it,
    /// lets the time pass that lies between. Pure: saving changes nothing.
    ///
    /// ```
    /// # #[cfg(feature = "json")] {
    /// # extern crate alloc;
    /// use alloc::sync::Arc;
    /// use retrywise::{Instant, Policy, Snapshot, UnixMillis, Upstream};
    ///
    /// let policy = Arc::new(Policy::standard());
    /// let wall = Some(UnixMillis::new(1_768_478_400_000));
    /// let saved = Upstream::new(policy.clone(), 7).save(Instant::from_millis(123), wall).to_json();
    ///
    /// let mut upstream = Upstream::new(policy, 0);
    /// let snapshot = Snapshot::from_json(&saved).unwrap();
    /// upstream.load(&snapshot, Instant::ORIGIN, wall).unwrap();
    /// # }
    /// ```
    pub fn save(&self, now: Instant, wall: Option<UnixMillis>) -> Snapshot {
        let mut snapshot = Snapshot::new(wall);
        snapshot.generator = Some(number(self.rng.state()).into());
        snapshot.state_generator = Some(number(self.state_rng.state()).into());
        snapshot.budget = self.budget.as_ref().map(|budget| budget.save(now));
        snapshot.breaker = self.breaker.as_ref().map(|breaker| breaker.save(now));
        snapshot.limiter = self.limiter.as_ref().map(|limiter| limiter.save(now));
        let throttle = self.client_throttle.as_ref();
        snapshot.client_throttle = throttle.map(|throttle| throttle.save(now));
        snapshot.rate_limits = self.throttling.save(now);
        snapshot
    }

    /// Continues from a snapshot, under the policy that it has: what the policy turns off, or
    /// counts in another way than the one that was saved under, is not taken over. Calls that are
    /// on their way are those of the upstream as it was before.
    ///
    /// # Errors
    /// Everything that is wrong with the snapshot, at once, each with its field; nothing is loaded
    /// then.
    pub fn load(
        &mut self,
        snapshot: &Snapshot,
        now: Instant,
        wall: Option<UnixMillis>,
    ) -> Result<(), Issues> {
        let mut issues = Issues::none();
        snapshot.clone().check(&mut issues);
        issues.or(())?;
        let elapsed = snapshot.elapsed(wall);
        // Checked above: both are numbers.
        self.rng = Rng::new(state(snapshot.generator.as_deref()).unwrap_or_default());
        self.state_rng = Rng::new(state(snapshot.state_generator.as_deref()).unwrap_or_default());
        if let (Some(budget), Some(state)) = (&mut self.budget, &snapshot.budget) {
            budget.load(state, elapsed, now);
        }
        if let (Some(breaker), Some(memory)) = (&mut self.breaker, &snapshot.breaker) {
            breaker.load(memory, elapsed, now);
        }
        if let (Some(limiter), Some(state)) = (&mut self.limiter, &snapshot.limiter) {
            limiter.load(state, elapsed, now);
        }
        if let (Some(throttle), Some(state)) =
            (&mut self.client_throttle, &snapshot.client_throttle)
        {
            throttle.load(state, elapsed, now);
        }
        self.throttling = Throttling::load(&snapshot.rate_limits, elapsed, now);
        Ok(())
    }
}

#[cfg(all(test, feature = "json"))]
mod tests;
