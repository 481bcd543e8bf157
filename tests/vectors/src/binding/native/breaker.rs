//! The circuit breaker of the trace's upstream.

use alloc::collections::BTreeMap;

use retrywise::{
    Breaker, BreakerState, Instant, Millis, Sample, Upstream,
    breaker::{BreakerView, Permit},
};
use serde_json::Value;

use super::{Answers, NoAnswer};
use crate::trace::Step;

/// The permits of a trace by name.
#[derive(Default)]
pub(super) struct Permits(BTreeMap<String, Given>);

/// A permit, and when it was given; the permit is gone once it was recorded.
struct Given {
    permit: Option<Permit>,
    at: Instant,
}

impl Permits {
    pub(super) fn step(
        &mut self,
        upstream: &mut Upstream,
        step: &Step,
    ) -> Result<Answers, NoAnswer> {
        let mut rng = upstream.rng();
        let Some(breaker) = upstream.breaker_mut() else {
            return Err(NoAnswer::Refused("the policy has no breaker".into()));
        };
        let before = breaker.view(Instant::ORIGIN);
        let draw = rng.draw();
        let mut answers = Answers::new();
        let mut put = |name: &str, value: Value| answers.insert(name.to_owned(), value);
        match step.op.name {
            "admit" => match breaker.admit(step.at, draw) {
                Ok(permit) => {
                    put("admitted", true.into());
                    put("probe", permit.is_probe().into());
                    let given = Given { permit: Some(permit), at: step.at };
                    self.0.insert(step.text("permit").to_owned(), given);
                }
                Err(wait) => {
                    put("admitted", false.into());
                    put("probe", false.into());
                    put("retryInMs", millis(wait));
                }
            },
            "record" => {
                let (transition, stale) = self.record(breaker, step, draw)?;
                put("transition", transition);
                put("stale", stale.into());
            }
            "isolate" => drop(breaker.isolate()),
            "reset" => drop(breaker.reset()),
            "state" => {
                let view = breaker.view(step.at);
                put("state", view.state.name().into());
                put("retryInMs", millis(view.retry_in));
            }
            _ => return Err(NoAnswer::Unsupported),
        }
        if has_opened(breaker, &before) {
            upstream.set_rng(rng);
        }
        Ok(answers)
    }

    fn record(
        &mut self,
        breaker: &mut Breaker,
        step: &Step,
        draw: retrywise::Draw,
    ) -> Result<(Value, bool), NoAnswer> {
        let name = step.text("permit");
        let missing = || NoAnswer::Refused(format!("no permit `{name}` was given"));
        let given = self.0.get_mut(name).ok_or_else(missing)?;
        // Spent already: nothing is left that could count.
        let Some(permit) = given.permit.take() else { return Ok((Value::Null, true)) };
        let took = step.whole("durationMs").map_or_else(|| step.at.since(given.at), Millis::new);
        let sample = Sample::from_name(step.text("sample")).unwrap_or(Sample::Ignored);
        let recorded = breaker.record(permit, sample, took, None, step.at, draw);
        let transition = recorded.transition.map_or(Value::Null, |transition| {
            format!("{}->{}", transition.from, transition.to).into()
        });
        Ok((transition, recorded.stale))
    }
}

/// Whether the breaker opened, which is when the jitter of its open time takes a draw.
fn has_opened(breaker: &Breaker, before: &BreakerView) -> bool {
    let now = breaker.view(Instant::ORIGIN);
    breaker.options().open_jitter > 0
        && now.generation != before.generation
        && now.state == BreakerState::Open
}

fn millis(wait: Option<Millis>) -> Value {
    wait.map_or(Value::Null, |wait| wait.get().into())
}
