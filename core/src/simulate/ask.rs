//! What one policy makes of outcomes, as JSON documents: a decision step by step, and the envelope
//! of a call's waits.

use alloc::{string::String, vec::Vec};

use super::json::{policy_of, standard};
use crate::{
    document::Fields,
    envelope::{Bounds, Envelope, Failure, envelope},
    explain::{self, Lang},
    headers,
    json::{
        Value,
        write::{Out, Writer, text},
    },
    outcome::{Family, Header, Outcome, Response, TransportError},
    request::Request,
    steps::{self, Fact, Step},
    text::join,
    time::{Instant, UnixMillis},
    upstream::Upstream,
    verdict::{Reason, Verdict, VerdictKind},
};

/// The most failures, and attempts before one, that a question may have.
const MOST: usize = 10_000;

/// What is decided about one outcome, step by step; see [`run`](super::run).
pub(super) fn run_explain(mut fields: Fields<'_>, seed: u64) -> Result<String, String> {
    let policy = policy_of(&mut fields)?.unwrap_or_else(standard);
    let lang = fields.name("lang", Lang::from_name)?.unwrap_or(Lang::English);
    let method = fields.text("method")?.unwrap_or("GET");
    let key = fields.text("key")?;
    let attempt = fields.count::<u32>("attempt")?.unwrap_or(1).max(1);
    let outcome = fields.any("outcome");
    let given = Given::read(fields.given("outcome", outcome)?)?;
    fields.end()?;

    let mut upstream = Upstream::new(policy, seed);
    let mut request = Request::new(crate::Method::from_token(method));
    request.token = Some(method);
    request.key = key;
    let mut now = Instant::ORIGIN;
    let mut call = upstream
        .begin(&request, now, given.wall)
        .map_err(|refusal| join(&["the call is refused: ", refusal.reason.name()]))?;
    for number in 2..=attempt {
        // Attempts before the one asked about fail like this: a plain, retryable answer.
        let verdict =
            upstream.settle(&mut call, &Outcome::from_response(503, &[]), now, given.wall);
        now = now.after(verdict.delay);
        if verdict.kind != VerdictKind::Retry || upstream.resume(&mut call, now).is_err() {
            let number = crate::text::number(number.into());
            let reason = call.last.map_or(verdict.reason, |last| last.reason).name();
            return Err(join(&["attempt ", &number, " is never sent: ", reason]));
        }
    }
    let headers = given.headers();
    let outcome = given.outcome(&headers);
    let (verdict, steps) = upstream.settle_stepwise(&mut call, &outcome, now, given.wall);
    let mut answer = Writer::new();
    put_verdict(&mut answer, &verdict, lang);
    let read =
        given.headers.iter().filter(|(name, _)| headers::is_read(&name.to_ascii_lowercase()));
    answer.list("headersRead", read.map(|(name, value)| text(&join(&[name, ": ", value]))));
    answer.list("steps", steps.iter().map(|step| step_json(step, verdict.kind, lang)));
    Ok(answer.end())
}

/// How long a call may wait; see [`run`](super::run).
pub(super) fn run_envelope(mut fields: Fields<'_>) -> Result<String, String> {
    let policy = policy_of(&mut fields)?.unwrap_or_else(standard);
    let key_sent = fields.flag("keySent")?;
    let failures = fields.any("failures");
    fields.end()?;
    let failures = match failures {
        None => &[],
        Some(list) => list.as_array().ok_or("question.failures must be a list")?,
    };
    if failures.len() > MOST {
        return Err("question.failures has more than 10000 members".into());
    }
    let given = failures.iter().map(Given::read).collect::<Result<Vec<_>, _>>()?;
    let headers: Vec<_> = given.iter().map(Given::headers).collect();
    let outcomes: Vec<_> =
        given.iter().zip(&headers).map(|(given, headers)| given.outcome(headers)).collect();
    let failures: Vec<_> = given
        .iter()
        .zip(&outcomes)
        .map(|(given, outcome)| Failure::of(outcome, &policy, key_sent, given.wall))
        .collect();
    let Envelope { waits, total, ends } = envelope(&policy, &failures);
    let mut answer = Writer::new();
    answer.list("waits", waits.into_iter().map(bounds));
    answer.put("total", Out::Json(&bounds(total)));
    answer.nullable("ends", ends.map(Reason::name));
    Ok(answer.end())
}

/// An outcome as a document says it.
struct Given<'a> {
    status: Option<u16>,
    headers: Vec<(&'a str, &'a str)>,
    error: Option<(Family, &'a str)>,
    took: Option<u64>,
    wall: Option<UnixMillis>,
}

impl<'a> Given<'a> {
    fn read(value: &'a Value<'a>) -> Result<Self, String> {
        let mut fields = Fields::of(value, "outcome")?;
        let status = fields.count("status")?;
        const PAIRS: &str = "outcome.headers must be a list of pairs: [[name, value], …]";
        let headers = match fields.any("headers") {
            None => Vec::new(),
            Some(list) => {
                let lines = list.as_array().ok_or(PAIRS)?.iter();
                lines.map(pair).collect::<Option<_>>().ok_or(PAIRS)?
            }
        };
        let code = fields.text("error")?;
        let family = fields.name("family", Family::from_name)?.unwrap_or_default();
        let took = fields.count("tookMs")?;
        let wall = fields.time("wall")?;
        fields.end()?;
        Ok(Self { status, headers, error: code.map(|code| (family, code)), took, wall })
    }

    fn headers(&self) -> Vec<Header<'a>> {
        self.headers.iter().map(|(name, value)| Header::new(name, value.as_bytes())).collect()
    }

    fn outcome<'h>(&'h self, headers: &'h [Header<'h>]) -> Outcome<'h> {
        Outcome {
            response: self.status.map(|status| Response::new(status, headers)),
            error: self.error.map(|(family, code)| TransportError::new(family, code)),
            committed: false,
            duration_ms: self.took,
        }
    }
}

fn pair<'a>(line: &'a Value<'a>) -> Option<(&'a str, &'a str)> {
    match line.as_array()? {
        [name, value] => Some((name.as_str()?, value.as_str()?)),
        _ => None,
    }
}

fn put_verdict(answer: &mut Writer, verdict: &Verdict, lang: Lang) {
    let found = &verdict.classification;
    answer.put("verdict", verdict.kind.name());
    answer.put("attempt", verdict.attempt);
    answer.put("delayMs", verdict.delay);
    answer.put("reason", verdict.reason.name());
    answer.put("class", found.class.name());
    answer.put("delivery", found.delivery.name());
    answer.put("basis", found.basis.name());
    answer.put("signal", found.signal.name());
    answer.nullable("hintMs", verdict.hint.map(|hint| hint.delay));
    answer.nullable("hintSource", verdict.hint.map(|hint| hint.source.name()));
    let mut sentence = String::new();
    // Writing to memory does not fail.
    let _ = explain::sentence(&mut sentence, &explain::Facts::from(verdict), lang);
    answer.put("sentence", &*sentence);
    answer.put("forUsers", explain::for_users(verdict.kind, lang));
}

fn step_json(step: &Step, kind: VerdictKind, lang: Lang) -> String {
    let mut object = Writer::new();
    object.put("number", u32::from(step.name.number()));
    object.put("step", step.name.name());
    object.put("question", step.name.question(lang));
    object.put("result", if step.end.is_some() { kind.name() } else { "pass" });
    object.nullable("reason", step.end.map(Reason::name));
    object.put("facts", Out::Json(&facts(step)));
    let phrases = step.facts.iter().filter_map(|fact| fact.phrase(lang));
    object.list("told", phrases.map(|phrase| text(&phrase)));
    object.end()
}

/// What a step looked at.
pub(super) fn facts(step: &Step) -> String {
    let mut facts = Writer::new();
    for &Fact { name, value } in &step.facts {
        facts.put(
            name,
            match value {
                steps::Value::Count(count) => super::json::count(count),
                steps::Value::Flag(flag) => Out::Flag(flag),
                steps::Value::Name(name) => Out::Text(name),
                steps::Value::Span(span) => Out::from(span),
            },
        );
    }
    facts.end()
}

fn bounds(bounds: Bounds) -> String {
    let mut object = Writer::new();
    object.put("minMs", bounds.min);
    object.put("maxMs", bounds.max);
    object.end()
}

#[cfg(test)]
mod tests {
    use super::super::run;

    fn answer(question: &str) -> serde_json::Value {
        serde_json::from_str(&run(question).unwrap_or_else(|said| panic!("{question}: {said}")))
            .unwrap()
    }

    #[test]
    fn a_decision_is_told_step_by_step() {
        let found = answer(
            r#"{ "experiment": "explain", "lang": "ar", "outcome":
                { "status": 429, "headers": [["Retry-After", "5"], ["X-Other", "1"]] } }"#,
        );
        assert_eq!(found["verdict"], "retry");
        assert_eq!(found["hintSource"], "retry-after");
        assert_eq!(found["headersRead"], serde_json::json!(["Retry-After: 5"]));
        let steps = found["steps"].as_array().unwrap();
        assert_eq!(steps[0]["result"], "pass");
        let last = steps.last().unwrap();
        assert_eq!((&last["result"], &last["reason"]), (&"retry".into(), &found["reason"]));
        assert_eq!(last["facts"]["delayMs"], 5_000);
    }

    #[test]
    fn attempts_before_the_one_asked_about_are_played() {
        let last = r#"{ "experiment": "explain", "attempt": 6, "outcome": { "status": 503 } }"#;
        assert_eq!(answer(last)["reason"], "retries-exhausted");
        let beyond = r#"{ "experiment": "explain", "attempt": 7, "outcome": { "status": 503 } }"#;
        let said = run(beyond).unwrap_err();
        assert_eq!(said, "attempt 7 is never sent: retries-exhausted");
        let error = r#"{ "experiment": "explain", "method": "POST",
            "outcome": { "error": "ECONNREFUSED" } }"#;
        assert_eq!(answer(error)["reason"], "backoff");
    }

    #[test]
    fn an_envelope_is_told_wait_by_wait() {
        let found = answer(
            r#"{ "experiment": "envelope", "policy": "{\"maxRetries\":2}", "failures":
                [{ "status": 503 }, { "status": 429, "headers": [["retry-after", "3"]] },
                 { "error": "ECONNRESET" }] }"#,
        );
        let expected = serde_json::json!({
            "waits": [{ "minMs": 0, "maxMs": 500 }, { "minMs": 3000, "maxMs": 3000 }],
            "total": { "minMs": 3000, "maxMs": 3500 },
            "ends": "retries-exhausted",
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn what_a_question_gets_wrong_is_said() {
        for (question, problem) in [
            (r#"{ "experiment": "explain" }"#, "question.outcome is missing"),
            (r#"{ "experiment": "explain", "outcome": { "statsu": 1 } }"#, "statsu"),
            (
                r#"{ "experiment": "explain", "outcome": { "headers": { "a": "b" } } }"#,
                "list of pairs",
            ),
            (r#"{ "experiment": "envelope", "failures": 3 }"#, "must be a list"),
            (r#"{ "experiment": "envelope", "policy": "{\"tea\":1}" }"#, "tea"),
        ] {
            let said = run(question).unwrap_err();
            assert!(said.contains(problem), "{question}: {said}");
        }
    }
}
