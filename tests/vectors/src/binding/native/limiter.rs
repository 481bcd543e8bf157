//! The rate limiter of the trace's upstream.
//!
//! An answer is the one to the call that was sent first and is still on its way; with none on its
//! way it is an answer to nobody's call, from which only the numbers are taken.

use alloc::collections::{BTreeMap, VecDeque};

use retrywise::{
    Outcome, Upstream,
    classify::{self, Context},
    hint,
    limiter::{News, Pass, Ticket},
};

use super::{Answers, NoAnswer};
use crate::{documents::Headers, fields::Read, trace::Step};

/// The calls of a trace that wait or are on their way.
#[derive(Default)]
pub(super) struct Sent {
    passes: VecDeque<Pass>,
    tickets: BTreeMap<String, u64>,
}

impl Sent {
    pub(super) fn step(
        &mut self,
        upstream: &mut Upstream,
        step: &Step,
    ) -> Result<Answers, NoAnswer> {
        let profile = upstream.policy().profile();
        let Some(limiter) = upstream.limiter_mut() else {
            return Err(NoAnswer::Refused("the policy has no limiter".into()));
        };
        let mut answers = Answers::new();
        match step.op.name {
            "acquire" => {
                let priority = step.priority().map_err(NoAnswer::Refused)?;
                let wait = match limiter.acquire(self.ticket(step), priority, step.at) {
                    Ok(pass) => {
                        self.passes.push_back(pass);
                        0
                    }
                    Err(wait) => wait.retry_in.get(),
                };
                answers.insert("waitMs".into(), wait.into());
            }
            "observe" => {
                let status = step.whole("status").and_then(|status| u16::try_from(status).ok());
                let headers = step.value("headers").and_then(Headers::read).unwrap_or_default();
                let wall = step.wall.map(|wall| wall.0);
                let news = headers.with(|headers| {
                    let outcome = Outcome::from_response(status.unwrap_or(0), headers);
                    let mut context = Context::default();
                    context.profile = profile;
                    context.hint = outcome.response.and_then(|r| hint::read(&r, wall, profile));
                    let facts = classify::classify(&outcome, &context);
                    News::of(&outcome, &facts, context.hint, wall, profile)
                });
                limiter.observe(self.passes.pop_front(), news, step.at);
            }
            _ => return Err(NoAnswer::Unsupported),
        }
        Ok(answers)
    }

    /// By what the call of this step is known when it asks again.
    fn ticket(&mut self, step: &Step) -> Ticket {
        let (name, next) = (step.text("call"), self.tickets.len() as u64);
        if name.is_empty() {
            return Ticket::Nobody;
        }
        Ticket::Host(*self.tickets.entry(name.to_owned()).or_insert(next))
    }
}
