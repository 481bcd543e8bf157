//! What is not repeated, and who repeats.

use super::{Checked, POLICY, Stage, get, post, same, with};
use crate::components::Which;
use crate::server::Reply::{Reset, Status};

/// Keys count, and the waits are short.
const HONOURED: &str = r#"{"backoff":{"baseMs":1,"capMs":2},"idempotency":{"honoured":true}}"#;

pub(super) async fn no_key(stage: Stage<'_>) -> Checked {
    let script = [Reset, Status(201)];
    let retrying = &stage.get(Which::Retrying)?;
    let run = stage.run(retrying, HONOURED, &script, &[post(10)]).await?;
    same("a POST", (run.statuses(), run.seen.len()), (vec![0], 1))?;
    // The same reset is repeated where that is harmless.
    let run = stage.run(retrying, HONOURED, &script, &[get()]).await?;
    same("a GET", (run.statuses(), run.seen.len()), (vec![201], 2))
}

pub(super) async fn honoured_key(stage: Stage<'_>) -> Checked {
    let script = [Reset, Status(201)];
    let call = with(post(10), "idempotency-key", "order-4711");
    let alone = stage.run(&stage.get(Which::Caller)?, HONOURED, &script, &[call.clone()]).await?;
    same("alone", (alone.statuses(), alone.seen.len()), (vec![0], 1))?;
    let run = stage.run(&stage.get(Which::Retrying)?, HONOURED, &script, &[call.clone()]).await?;
    same("with it", run.statuses(), vec![201])?;
    let keys: Vec<_> = run.seen.iter().map(|seen| seen.header("idempotency-key")).collect();
    same("keys", keys, vec![Some("order-4711"); 2])?;
    // A key is worth nothing where nobody says that the server honours it.
    let run = stage.run(&stage.get(Which::Retrying)?, POLICY, &script, &[call]).await?;
    same("not honoured", (run.statuses(), run.seen.len()), (vec![0], 1))
}

pub(super) async fn generated_key(stage: Stage<'_>) -> Checked {
    let policy = r#"{"backoff":{"baseMs":1,"capMs":2},
        "idempotency":{"honoured":true,"generate":true}}"#;
    let script = [Reset, Status(503), Status(201), Status(201)];
    let retrying = &stage.get(Which::Retrying)?;
    let run = stage.run(retrying, policy, &script, &[post(10)]).await?;
    same("statuses", (run.statuses(), run.seen.len()), (vec![201], 3))?;
    let keys: Vec<_> = run.seen.iter().filter_map(|seen| seen.header("idempotency-key")).collect();
    same("keys", keys.len(), 3)?;
    same("one key", keys.windows(2).all(|pair| pair[0] == pair[1]), true)?;
    let other = stage.run(retrying, policy, &[Status(201)], &[post(10)]).await?;
    same("another call's", other.seen[0].header("idempotency-key") == Some(keys[0]), false)
}

pub(super) async fn stacked(stage: Stage<'_>) -> Checked {
    let run = stage.one(&stage.get(Which::Stacked)?, &[Status(503)], get()).await?;
    same("always 503", (run.statuses(), run.seen.len()), (vec![503], 6))?;
    let script = [Status(503), Status(503), Status(200)];
    let run = stage.one(&stage.get(Which::Stacked)?, &script, post(0)).await?;
    same("a POST", (run.statuses(), run.seen.len()), (vec![503], 1))?;
    let run = stage.one(&stage.get(Which::Stacked)?, &script, get()).await?;
    same("a GET", (run.statuses(), run.seen.len()), (vec![200], 3))
}

pub(super) async fn bad_policy(stage: Stage<'_>) -> Checked {
    let policy = r#"{"maxRetrys":3}"#;
    let run = stage.run(&stage.get(Which::Retrying)?, policy, &[Status(200)], &[get()]).await?;
    same("requests", run.seen.len(), 0)?;
    let told = run.ended[0].as_ref().err().cloned().unwrap_or_default();
    let said = told.contains("RETRYWISE_POLICY") && told.contains("maxRetries");
    same("the error names the variable and the field", (said, told.as_str()), (true, told.as_str()))
}

pub(super) async fn policy_set(stage: Stage<'_>) -> Checked {
    let set = r#"{"policies":{
            "reads":{"maxRetries":1,"backoff":{"baseMs":1,"capMs":2}},
            "none":{"maxRetries":0}},
        "match":[{"origin":"http://127.0.0.1:*","path":"/orders","method":"GET","use":"reads"}],
        "default":"none"}"#;
    let retrying = &stage.get(Which::Retrying)?;
    let run = stage.run(retrying, set, &[Status(503)], &[get()]).await?;
    same("a GET", (run.statuses(), run.seen.len()), (vec![503], 2))?;
    let put = super::Call { method: "PUT".to_owned(), ..get() };
    let run = stage.run(retrying, set, &[Status(503)], &[put]).await?;
    same("a PUT", (run.statuses(), run.seen.len()), (vec![503], 1))
}
