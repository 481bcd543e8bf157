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
mod tests;
