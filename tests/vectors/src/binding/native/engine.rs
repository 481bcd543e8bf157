//! The attempts of whole calls.

use alloc::collections::BTreeMap;

use retrywise::{Call, Refusal, Upstream, Verdict};
use serde_json::Value;

use super::{Answers, NoAnswer};
use crate::{
    documents::{OutcomeDoc, RequestDoc},
    trace::Step,
};

/// The calls of a trace by name.
#[derive(Default)]
pub(super) struct Calls {
    open: BTreeMap<String, Call>,
    latest: String,
}

impl Calls {
    pub(super) fn step(
        &mut self,
        upstream: &mut Upstream,
        step: &Step,
    ) -> Result<Answers, NoAnswer> {
        let wall = step.wall.map(|wall| wall.0);
        if step.op.name == "begin" {
            let request = RequestDoc::read(given(step, "request"), "request").map_err(refused)?;
            let begun = request.with(|request| upstream.begin(request, step.at, wall));
            return Ok(match begun {
                Ok(call) => {
                    step.text("call").clone_into(&mut self.latest);
                    self.open.insert(self.latest.clone(), call);
                    admission(Ok(()))
                }
                Err(refusal) => admission(Err(refusal)),
            });
        }
        let call = self.find(step.text("call"))?;
        Ok(match step.op.name {
            "settle" => {
                let outcome =
                    OutcomeDoc::read(given(step, "outcome"), "outcome").map_err(refused)?;
                verdict(&outcome.with(|outcome| upstream.settle(call, outcome, step.at, wall)))
            }
            "resume" => {
                let mut answers = admission(upstream.resume(call, step.at));
                answers.insert("over".into(), call.is_over().into());
                answers
            }
            "cancel" => verdict(&upstream.cancel(call, step.at)),
            "end" => {
                upstream.end(call, step.at);
                Answers::new()
            }
            _ => return Err(NoAnswer::Unsupported),
        })
    }

    /// The call of this name; without a name, the one begun last.
    fn find(&mut self, name: &str) -> Result<&mut Call, NoAnswer> {
        let name = if name.is_empty() { self.latest.as_str() } else { name };
        let missing = || NoAnswer::Refused(format!("no call `{name}` was admitted"));
        self.open.get_mut(name).ok_or_else(missing)
    }
}

fn given<'a>(step: &'a Step, name: &str) -> &'a Value {
    step.value(name).unwrap_or(&Value::Null)
}

fn refused(invalid: crate::fields::Invalid) -> NoAnswer {
    NoAnswer::Refused(invalid.0)
}

fn admission(result: Result<(), Refusal>) -> Answers {
    let refusal = result.err();
    let mut answers = Answers::new();
    answers.insert("admitted".into(), refusal.is_none().into());
    if let Some(refusal) = refusal {
        answers.insert("reason".into(), refusal.reason.name().into());
        if let Some(wait) = refusal.retry_in {
            answers.insert("retryInMs".into(), wait.get().into());
        }
    }
    answers
}

fn verdict(verdict: &Verdict) -> Answers {
    let mut answers = Answers::new();
    let mut put = |name: &str, value: Value| answers.insert(name.to_owned(), value);
    put("verdict", verdict.kind.name().into());
    put("attempt", verdict.attempt.into());
    put("delayMs", verdict.delay.get().into());
    put("reason", verdict.reason.name().into());
    put("class", verdict.classification.class.name().into());
    put("delivery", verdict.classification.delivery.name().into());
    put("stale", verdict.stale.into());
    if let Some(change) = verdict.transition {
        put("transition", format!("{}->{}", change.from, change.to).into());
    }
    if let Some(hint) = verdict.hint {
        put("hintMs", hint.delay.get().into());
        put("hintSource", hint.source.name().into());
    }
    answers
}
