//! Step 8 of a decision by itself: curve → cap → jitter → ceiling → hint.

use alloc::collections::BTreeMap;

use retrywise::{
    Ask, BackoffState, Class, Hint, HintSource, Millis, Policy, Reason, Upstream,
    delay::{Delay, delay},
};

use super::{Answers, NoAnswer};
use crate::trace::Step;

/// What the delays of each call remember.
#[derive(Default)]
pub(super) struct Delays(BTreeMap<String, BackoffState>);

impl Delays {
    pub(super) fn step(
        &mut self,
        policy: &Policy,
        upstream: &mut Upstream,
        step: &Step,
    ) -> Result<Answers, NoAnswer> {
        let retry = step.whole("retry").and_then(|retry| u32::try_from(retry).ok());
        let retry =
            retry.ok_or_else(|| NoAnswer::Refused("`retry` does not fit 32 bits".into()))?;
        let class = Class::from_name(step.text("class")).unwrap_or(Class::Transient);
        let hint =
            step.whole("hintMs").map(|ms| Hint::new(Millis::new(ms), HintSource::RetryAfter));
        let state = self.0.entry(step.text("call").to_owned()).or_default();

        let mut rng = upstream.rng();
        let draw = rng.draw();
        upstream.set_rng(rng);
        let (wait, reason) = match delay(policy, Ask::new(retry, class), hint, state, draw) {
            Delay::Wait(wait, reason) => (Some(wait), reason),
            Delay::TooLong => (None, Reason::HintTooLong),
        };
        let mut answers = Answers::new();
        answers.insert("delayMs".into(), wait.map(Millis::get).into());
        answers.insert("reason".into(), reason.name().into());
        Ok(answers)
    }
}
