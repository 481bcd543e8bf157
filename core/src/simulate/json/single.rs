//! One call against a script.

use alloc::{string::String, vec::Vec};

use super::{policy_of, set, standard};
use crate::{
    breaker::BreakerState,
    document::Fields,
    explain::{Facts, Lang, sentence},
    json::{
        Value,
        write::{Out, Writer, text},
    },
    method::Method,
    outcome::Header,
    simulate::{Attempt, Fault, Single, SingleReport, Step, ask::facts, single},
    steps,
    time::UnixMillis,
    verdict::{Reason, Refusal},
};

/// No script is longer.
const MOST_STEPS: usize = 1_000;

pub(super) fn run_single(mut fields: Fields<'_>, seed: u64) -> Result<String, String> {
    let mut terms = Single::default();
    set(&mut terms.method, fields.name("method", Method::from_name)?);
    terms.key = fields.text("key")?;
    set(&mut terms.latency, fields.millis("latencyMs")?);
    set(&mut terms.timeout, fields.millis("timeoutMs")?);
    set(&mut terms.wall, fields.time("wallMs")?);
    let policy = policy_of(&mut fields)?.unwrap_or_else(standard);
    if let Some(script) = fields.any("script") {
        let steps = script.as_array().filter(|steps| steps.len() <= MOST_STEPS);
        let steps = steps.ok_or("question.script must be a list of at most 1000 steps")?;
        terms.script = steps.iter().map(step).collect::<Result<_, _>>()?;
    }
    fields.end()?;
    Ok(report(&single(&policy, &terms, seed), terms.wall))
}

fn step<'a>(value: &'a Value<'a>) -> Result<Step<'a>, String> {
    let mut fields = Fields::of(value, "step")?;
    let mut step = Step { status: fields.count("status")?, ..Step::default() };
    set(&mut step.delay, fields.millis("delayMs")?);
    step.fault = fields.name("fault", Fault::from_name)?;
    if let Some(headers) = fields.any("headers") {
        let members = headers.as_object().ok_or("step.headers must be an object")?;
        let header = |(name, value): (&'a str, &'a Value<'a>)| {
            let value = value.as_str().ok_or("a header of a step must be a text")?;
            Ok(Header { name, value: value.as_bytes() })
        };
        step.headers = members.iter().map(header).collect::<Result<Vec<_>, String>>()?;
    }
    fields.end()?;
    Ok(step)
}

fn report(report: &SingleReport, wall: UnixMillis) -> String {
    let mut object = Writer::new();
    object.list("attempts", report.attempts.iter().map(attempt));
    let refusal = report.refusal.as_ref().map(refusal);
    object.nullable("refusal", refusal.as_deref().map(Out::Json));
    object.put("endedMs", report.ended);
    object.put("startedWallMs", wall);
    object.nullable("breaker", report.breaker.map(BreakerState::name));
    object.end()
}

fn attempt(attempt: &Attempt) -> String {
    let Attempt { verdict, .. } = attempt;
    let found = verdict.classification;
    let mut object = Writer::new();
    object.put("attempt", attempt.attempt);
    object.put("sentMs", attempt.sent);
    object.put("endedMs", attempt.ended);
    object.nullable("status", attempt.status);
    object.nullable("fault", attempt.fault.map(Fault::name));
    object.put("timedOut", attempt.timed_out);
    object.put("class", found.class.name());
    object.put("delivery", found.delivery.name());
    object.put("signal", found.signal.name());
    object.nullable("hintMs", verdict.hint.map(|hint| hint.delay));
    object.nullable("hintSource", verdict.hint.map(|hint| hint.source.name()));
    object.put("verdict", verdict.kind.name());
    object.put("reason", verdict.reason.name());
    object.put("delayMs", verdict.delay);
    object.nullable("breaker", verdict.transition.map(|change| change.to.name()));
    sentences(&mut object, &Facts::from(verdict));
    object.list("steps", attempt.steps.iter().map(decided));
    object.end()
}

/// One step of the decision.
fn decided(step: &steps::Step) -> String {
    let mut object = Writer::new();
    object.put("number", u32::from(step.name.number()));
    object.put("step", step.name.name());
    object.nullable("reason", step.end.map(Reason::name));
    object.put("facts", Out::Json(&facts(step)));
    for &lang in Lang::ALL {
        object.put(lang.name(), step.name.question(lang));
    }
    let mut told = Writer::new();
    for &lang in Lang::ALL {
        let phrases = step.facts.iter().filter_map(|fact| fact.phrase(lang));
        told.list(lang.name(), phrases.map(|phrase| text(&phrase)));
    }
    object.put("told", Out::Json(&told.end()));
    object.end()
}

fn refusal(refusal: &Refusal) -> String {
    let mut object = Writer::new();
    object.put("reason", refusal.reason.name());
    object.nullable("retryInMs", refusal.retry_in);
    sentences(&mut object, &Facts::from(refusal));
    object.end()
}

/// Why, in every language that the core speaks.
fn sentences(object: &mut Writer, facts: &Facts) {
    for &lang in Lang::ALL {
        let mut text = String::new();
        // Writing to memory does not fail.
        let _ = sentence(&mut text, facts, lang);
        object.put(lang.name(), &*text);
    }
}
