//! Experiments as JSON documents, for hosts that hold no types: one question, one answer.

mod bands;
mod single;

use alloc::{string::String, sync::Arc, vec::Vec};

use self::{
    bands::{run_bands, run_documents},
    single::run_single,
};
use super::{
    Contest, Layers, OccSummary, Second, Spread, Storm, StormReport, Strategy, Tactic,
    ask::{run_envelope, run_explain},
    effective::run_effective,
    layers, occ_summary, storm,
};
use crate::{
    document::{Fields, parse},
    json::{
        Value,
        write::{Out, Writer},
    },
    policy::{BudgetKind, Policy},
    text::number,
};

/// Runs the experiment that a JSON document describes.
///
/// | `experiment` | fields, all optional | answer |
/// |---|---|---|
/// | `occ` | `clients` (100), `hopUs`, `deviationUs`, `runs` (100), `strategy` (all) | `rows` of `strategy, clients, runs, calls, timeMs`, the last two with `mean` and `sd` |
/// | `storm` | `clients, rate, seconds, capacity, queue, latencyMs, downFromMs, downForMs, tells`; `tactic` with `retries` (3), or `policy` (its JSON text) | `calls … seconds`, see [`StormReport`]; ratios in thousandths |
/// | `layers` | `depth, tries, calls, budget` (ten-thousandths)`, told` | `sent`, by layer |
/// | `explain` | `outcome`, `policy` (its JSON text), `method`, `key`, `attempt` (1), `lang` | the verdict, and its `steps` ([`Step`](crate::steps::Step)) |
/// | `envelope` | `failures`, a list of outcomes, `policy`, `keySent` | `waits`, `total`, `ends` ([`Envelope`](crate::envelope::Envelope)) |
/// | `bands` | `policy, retries` (50)`, draws` (1000)`, class` (transient) | `bands`, retry by retry, see [`Band`](super::Band) |
/// | `call` | `policy, method` (GET)`, key, latencyMs, timeoutMs, wallMs`; `script`, a list of `status, headers, delayMs, fault` | `attempts`, each with its verdict, the reason in English (`en`) and Arabic (`ar`), and the `steps` of the decision; see [`SingleReport`](super::SingleReport) |
/// | `effective` | `policy, clients` (10)`, rate` (1000) | `policy`, every field with the value that holds; `allowed`, the load in thousandths that a ratio budget allows, `windowMs`, and whether that `doubles` the calls |
/// | `documents` | `retries` (3) of the tactics | `presets` and `tactics`, each a `name` and the text of its `policy` |
///
/// An outcome has `status`, `headers` (pairs), `error` (a code) with its `family`, `tookMs`, `wall`.
///
/// `seed` (0) belongs to all of them. In a storm of the tactic `hint` the server tells, unless
/// `tells` says otherwise.
///
/// # Errors
/// A sentence that says what of the question cannot be used.
///
/// ```
/// let answer = retrywise::simulate::run(r#"{ "experiment": "layers", "calls": 1 }"#)?;
/// assert_eq!(answer, r#"{"sent":[3,9]}"#);
/// # Ok::<(), String>(())
/// ```
pub fn run(question: &str) -> Result<String, String> {
    let tree = parse(question)?;
    let mut fields = Fields::of(&tree, "question")?;
    let experiment = fields.text("experiment")?;
    let experiment = fields.given("experiment", experiment)?;
    let seed = fields.count::<u64>("seed")?.unwrap_or(0);
    match experiment {
        "occ" => run_occ(fields, seed),
        "storm" => run_storm(fields, seed),
        "layers" => run_layers(fields, seed),
        "explain" => run_explain(fields, seed),
        "envelope" => run_envelope(fields),
        "bands" => run_bands(fields, seed),
        "call" => run_single(fields, seed),
        "documents" => run_documents(fields),
        "effective" => run_effective(fields),
        other => Err(fields.unknown("experiment", other).into()),
    }
}

fn run_occ(mut fields: Fields<'_>, seed: u64) -> Result<String, String> {
    let mut contest = Contest::default();
    set(&mut contest.clients, fields.count("clients")?);
    set(&mut contest.hop_us, fields.count("hopUs")?);
    set(&mut contest.deviation_us, fields.count("deviationUs")?);
    let runs = fields.count("runs")?.unwrap_or(100);
    let strategy = fields.name("strategy", Strategy::from_name)?;
    fields.end()?;
    let wanted = Strategy::ALL.iter().filter(|&&one| strategy.is_none_or(|wanted| wanted == one));
    let mut answer = Writer::new();
    answer.list("rows", wanted.map(|&one| row(&occ_summary(&contest, one, runs, seed))));
    Ok(answer.end())
}

fn run_storm(mut fields: Fields<'_>, seed: u64) -> Result<String, String> {
    let mut terms = Storm::default();
    set(&mut terms.clients, fields.count("clients")?);
    set(&mut terms.rate, fields.count("rate")?);
    set(&mut terms.seconds, fields.count("seconds")?);
    set(&mut terms.capacity, fields.count("capacity")?);
    set(&mut terms.queue, fields.count("queue")?);
    set(&mut terms.latency, fields.millis("latencyMs")?);
    set(&mut terms.down_from, fields.millis("downFromMs")?);
    set(&mut terms.down_for, fields.millis("downForMs")?);
    let tactic = fields.name("tactic", Tactic::from_name)?;
    let retries = fields.count("retries")?.unwrap_or(3);
    let policy = policy_of(&mut fields)?;
    terms.tells = match fields.any("tells") {
        None => tactic == Some(Tactic::Hint),
        Some(Value::Bool(tells)) => *tells,
        Some(_) => return Err("question.tells must be true or false".into()),
    };
    fields.end()?;
    let policy = match (policy, tactic) {
        (Some(_), Some(_)) => return Err("question has a tactic and a policy: choose one".into()),
        (Some(policy), None) => policy,
        (None, tactic) => tactic.unwrap_or(Tactic::FullJitter).policy(retries),
    };
    Ok(report(&storm(&terms, &policy, seed)))
}

fn run_layers(mut fields: Fields<'_>, seed: u64) -> Result<String, String> {
    let mut terms = Layers::default();
    set(&mut terms.depth, fields.count("depth")?);
    set(&mut terms.tries, fields.count("tries")?);
    set(&mut terms.calls, fields.count("calls")?);
    terms.budget = fields.count("budget")?;
    terms.told = fields.flag("told")?;
    fields.end()?;
    let mut answer = Writer::new();
    answer.list("sent", layers(&terms, seed).into_iter().map(number));
    Ok(answer.end())
}

/// The policy whose document the question holds.
pub(super) fn policy_of(fields: &mut Fields<'_>) -> Result<Option<Arc<Policy>>, String> {
    let Some(document) = fields.text("policy")? else { return Ok(None) };
    let policy = Policy::from_json(document).map_err(|issues| alloc::format!("{issues}"))?;
    Ok(Some(Arc::new(policy)))
}

/// The standard policy, where a question holds none.
pub(super) fn standard() -> Arc<Policy> {
    Arc::new(Policy::standard())
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn row(summary: &OccSummary) -> String {
    let mut row = Writer::new();
    row.put("strategy", summary.strategy.name());
    row.put("clients", summary.clients);
    row.put("runs", summary.runs);
    row.put("calls", Out::Json(&spread(summary.calls)));
    row.put("timeMs", Out::Json(&spread(summary.time_ms)));
    row.end()
}

/// In whole units with three decimals.
fn spread(spread: Spread) -> String {
    let mut object = Writer::new();
    object.put("mean", Out::Json(&decimal(spread.mean)));
    object.put("sd", Out::Json(&decimal(spread.sd)));
    object.end()
}

fn decimal(thousandths: u64) -> String {
    alloc::format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}

fn report(report: &StormReport) -> String {
    let mut object = Writer::new();
    for (name, value) in [
        ("calls", report.calls),
        ("attempts", report.attempts),
        ("succeeded", report.succeeded),
        ("failed", report.failed),
        ("refused", report.refused),
        ("success", report.success),
        ("outage", report.outage),
        ("peak", report.peak),
        ("window", report.window),
    ] {
        object.put(name, count(value));
    }
    object.put("windowMs", report.window_span);
    object.nullable("bound", report.bound.map(count));
    object.nullable("withinBudget", report.within_budget);
    object.nullable("budget", report.budget.map(BudgetKind::name));
    object.put("maxRetries", report.max_retries);
    object.nullable("recoveryMs", report.recovery_ms.map(count));
    object.put("cutOff", report.cut_off);
    let columns: [(&str, Column); 6] = [
        ("asked", |second| second.asked),
        ("sent", |second| second.sent),
        ("granted", |second| second.granted),
        ("succeeded", |second| second.succeeded),
        ("failed", |second| second.failed),
        ("refused", |second| second.refused),
    ];
    let mut series = Writer::new();
    for (name, of) in columns {
        let values: Vec<String> =
            report.seconds.iter().map(|second| number(of(second).into())).collect();
        series.list(name, values.into_iter());
    }
    object.put("seconds", Out::Json(&series.end()));
    object.end()
}

/// One figure of every second.
type Column = fn(&Second) -> u32;

pub(super) fn count(value: u64) -> Out<'static> {
    Out::Number(i64::try_from(value).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(question: &str) -> serde_json::Value {
        serde_json::from_str(&run(question).unwrap()).unwrap()
    }

    #[test]
    fn a_contest_answers_with_a_row_for_each_strategy() {
        let found =
            answer(r#"{ "experiment": "occ", "clients": 10, "deviationUs": 0, "runs": 2 }"#);
        let rows = found["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 5);
        assert_eq!(rows[1]["strategy"], "exponential");
        assert_eq!(rows[1]["calls"], serde_json::json!({ "mean": 55.0, "sd": 0.0 }));
        assert_eq!(rows[1]["timeMs"]["mean"], 4950.0);
    }

    #[test]
    fn a_storm_answers_with_its_report_and_its_seconds() {
        let found = answer(r#"{ "experiment": "storm", "tactic": "naive", "seconds": 20 }"#);
        assert_eq!(found["peak"], 4000);
        assert_eq!(found["bound"], serde_json::Value::Null);
        // The answers of the last calls come in the second after.
        assert_eq!(found["seconds"]["sent"].as_array().unwrap().len(), 21);
        let own = answer(
            r#"{ "experiment": "storm", "policy": "{\"maxRetries\":0,\"breaker\":null}", "seconds": 20 }"#,
        );
        assert_eq!(own["attempts"], own["calls"]);
    }

    #[test]
    fn bands_answer_retry_by_retry_and_a_deadline_shows() {
        let found = answer(
            r#"{ "experiment": "bands", "policy": "{\"maxRetries\":3,\"deadlineMs\":900}", "draws": 100 }"#,
        );
        let bands = found["bands"].as_array().unwrap();
        assert_eq!((bands.len(), &found["deadlineMs"]), (3, &serde_json::json!(900)));
        assert_eq!(bands[2]["curveMs"], 2000);
        assert!(bands[2]["inTime"].as_u64() < bands[0]["inTime"].as_u64());
        let own = answer(r#"{ "experiment": "bands", "class": "throttled" }"#);
        assert_eq!(own["maxRetries"], 5);
    }

    #[test]
    fn a_call_answers_with_its_attempts_and_a_reason_in_both_languages() {
        let found = answer(
            r#"{ "experiment": "call", "script": [
                { "status": 429, "headers": { "Retry-After": "3" } },
                { "fault": "hang", "delayMs": 5 }, {}
            ], "timeoutMs": 1000 }"#,
        );
        let attempts = found["attempts"].as_array().unwrap();
        let reasons: Vec<_> = attempts.iter().map(|attempt| &attempt["reason"]).collect();
        assert_eq!(reasons, ["server-hint", "backoff", "ok"]);
        assert_eq!(attempts[0]["delayMs"], 3000);
        assert_eq!(attempts[1]["timedOut"], true);
        let steps = attempts[0]["steps"].as_array().unwrap();
        assert_eq!(steps.last().unwrap()["reason"], "server-hint");
        assert!(steps.iter().any(|step| step["facts"]["delayMs"] == 3000), "{steps:?}");
        assert_eq!(attempts[2]["en"], "attempt 3 succeeded");
        assert_eq!(attempts[2]["ar"], "نجحت المحاولة 3");
        assert_eq!(found["refusal"], serde_json::Value::Null);
        let refused = answer(r#"{ "experiment": "call", "key": "" }"#);
        assert_eq!(refused["refusal"]["reason"], "key-invalid");
    }

    #[test]
    fn a_policy_is_told_whole_and_with_what_its_budget_allows() {
        let found = answer(
            r#"{ "experiment": "effective", "policy": "{\"extends\":\"interactive\",\"budget\":{\"ratio\":7}}" }"#,
        );
        assert_eq!(found["policy"]["maxRetries"], 2);
        assert_eq!(found["policy"]["backoff"]["capMs"], 1000);
        assert_eq!(found["policy"]["backoff"]["factor"], 2);
        assert_eq!(found["policy"]["breaker"]["threshold"], 0.5);
        assert_eq!(found["policy"]["limiter"], serde_json::Value::Null);
        assert_eq!((&found["allowed"], &found["doubles"]), (&8_010.into(), &true.into()));
        let usual = answer(r#"{ "experiment": "effective" }"#);
        assert_eq!((&usual["allowed"], &usual["doubles"]), (&1_110.into(), &false.into()));
        let document = serde_json::to_string(&usual["policy"]).unwrap();
        assert_eq!(Policy::from_json(&document).unwrap(), Policy::standard(), "{document}");
        let none = answer(r#"{ "experiment": "effective", "policy": "{\"budget\":null}" }"#);
        assert_eq!(none["allowed"], serde_json::Value::Null);
    }

    #[test]
    fn every_document_to_start_from_is_a_valid_policy() {
        let found = answer(r#"{ "experiment": "documents" }"#);
        for list in ["presets", "tactics"] {
            for document in found[list].as_array().unwrap() {
                let policy = document["policy"].as_str().unwrap();
                assert_eq!(Policy::validate_json(policy), [], "{policy}");
            }
        }
        assert_eq!(found["tactics"].as_array().unwrap().len(), Tactic::ALL.len());
    }

    #[test]
    fn what_a_question_gets_wrong_is_said() {
        for (question, problem) in [
            ("{}", "question.experiment is missing"),
            (r#"{ "experiment": "tea" }"#, r#"question.experiment has no value "tea""#),
            (
                r#"{ "experiment": "call", "script": [{ "fault": "tea" }] }"#,
                r#"step.fault has no value "tea""#,
            ),
            (r#"{ "experiment": "call", "script": {} }"#, "a list of at most 1000 steps"),
            (r#"{ "experiment": "occ", "client": 3 }"#, r#"question has no field "client""#),
            (r#"{ "experiment": "storm", "policy": "{\"maxRetries\":-1}" }"#, "maxRetries"),
        ] {
            let said = run(question).unwrap_err();
            assert!(said.contains(problem), "{question}: {said}");
        }
    }
}
