//! Step 8 of a decision by itself: curve → cap → jitter → ceiling → hint.

use alloc::collections::BTreeMap;

use retrywise::{
    Class, Hint, HintSource, Millis, Policy, Reason, Upstream,
    backoff::{Ask, BackoffState, backoff},
    hint::rule::{Heard, hear, is_heard},
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
        let hinted = hint.is_some_and(|hint| is_heard(policy.hint(), hint));
        let ask = Ask::new(retry, class).hinted(hinted);
        let computed = backoff(policy.backoff(), &ask, state, draw);
        let heard = hear(policy.hint(), hint, computed.delay, policy.backoff().cap, None, draw);
        let (delay, reason) = match heard {
            Heard::Backoff(delay) if computed.immediate => (delay, Reason::Immediate),
            Heard::Backoff(delay) => (delay, Reason::Backoff),
            Heard::Hint(delay) => (delay, Reason::ServerHint),
            Heard::TooLong => (Millis::ZERO, Reason::HintTooLong),
        };
        let mut answers = Answers::new();
        answers.insert("delayMs".into(), delay.get().into());
        answers.insert("reason".into(), reason.name().into());
        Ok(answers)
    }
}
