//! How often is sent, and what the guest is told.

use tokio::net::TcpListener;

use super::{Call, Checked, POLICY, Stage, get, same};
use crate::components::Which;
use crate::server::{
    Reply::{After, Hang, Status, Together},
    Server,
};

pub(super) async fn two_failures(stage: Stage<'_>) -> Checked {
    let script = [Status(503), Status(503), Status(200)];
    let alone = stage.one(&stage.get(Which::Caller)?, &script, get()).await?;
    same("alone", (alone.statuses(), alone.seen.len()), (vec![503], 1))?;
    let run = stage.one(&stage.get(Which::Retrying)?, &script, get()).await?;
    same("with it", (run.statuses(), run.methods()), (vec![200], vec!["GET"; 3]))?;
    // The answer is the third one, untouched.
    same("body", run.answer()?.body.as_str(), "answer 3")
}

pub(super) async fn always(stage: Stage<'_>) -> Checked {
    let run = stage.one(&stage.get(Which::Retrying)?, &[Status(503)], get()).await?;
    same("with it", (run.statuses(), run.seen.len()), (vec![503], 6))?;
    same("body", run.answer()?.body.as_str(), "answer 6")?;
    let none = r#"{"maxRetries":0}"#;
    let run = stage.run(&stage.get(Which::Retrying)?, none, &[Status(503)], &[get()]).await?;
    same("without retries", (run.statuses(), run.seen.len()), (vec![503], 1))
}

pub(super) async fn not_found(stage: Stage<'_>) -> Checked {
    let run = stage.one(&stage.get(Which::Retrying)?, &[Status(404), Status(200)], get()).await?;
    same("with it", (run.statuses(), run.seen.len()), (vec![404], 1))
}

pub(super) async fn refused(stage: Stage<'_>) -> Checked {
    // A port that was just free: nobody listens there.
    let free = TcpListener::bind("127.0.0.1:0").await.and_then(|listener| listener.local_addr());
    let authority = free.map_err(|error| error.to_string())?.to_string();
    for (component, attempts) in
        [(&stage.get(Which::Caller)?, 1), (&stage.get(Which::Retrying)?, 6)]
    {
        let mut instance = stage.host.instance(component, &[("RETRYWISE_POLICY", POLICY)]);
        let call = Call { authority: authority.clone(), ..get() };
        let ended = stage.host.send(&mut instance, &[call]).await;
        let ended = ended.map_err(|error| format!("{error:?}"))?;
        let told = ended[0].as_ref().err().map(String::as_str);
        same("the error", told, Some("ErrorCode::ConnectionRefused"))?;
        same("what the host was asked", instance.sent().len(), attempts)?;
    }
    Ok(())
}

pub(super) async fn retry_after(stage: Stage<'_>) -> Checked {
    // A second is more than the longest wait of this policy: obeyed, since hints may go up to 2 s.
    let policy = r#"{"backoff":{"baseMs":1,"capMs":2},"hint":{"maxMs":2000,"beyond":"give-up"}}"#;
    let retrying = &stage.get(Which::Retrying)?;
    let run = stage.run(retrying, policy, &[After(429, 1), Status(200)], &[get()]).await?;
    same("a second", (run.statuses(), run.seen.len()), (vec![200], 2))?;
    let run = stage.run(retrying, policy, &[After(429, 60), Status(200)], &[get()]).await?;
    same("a minute", (run.statuses(), run.seen.len()), (vec![429], 1))
}

pub(super) async fn two_at_once(stage: Stage<'_>) -> Checked {
    // The server answers no first attempt before it has both, and no second one before it has
    // both: a wait, or an attempt, that kept the other call from going on would never end.
    let (first, second) = (Together(503, 2), Together(503, 4));
    let script = [first, first, second, second, Status(200)];
    let retrying = &stage.get(Which::Retrying)?;
    let run = stage.run(retrying, POLICY, &script, &[get(), get()]).await?;
    same("both", (run.statuses(), run.seen.len()), (vec![200, 200], 6))
}

pub(super) async fn timeout(stage: Stage<'_>) -> Checked {
    let policy = r#"{"attemptTimeoutMs":300,"backoff":{"baseMs":1,"capMs":2}}"#;
    let retrying = &stage.get(Which::Retrying)?;
    let run = stage.run(retrying, policy, &[Hang, Status(200)], &[get()]).await?;
    same("with it", (run.statuses(), run.seen.len()), (vec![200], 2))?;
    let once = r#"{"attemptTimeoutMs":300,"maxRetries":0}"#;
    let run = stage.run(retrying, once, &[Hang], &[get()]).await?;
    let told = run.ended[0].as_ref().err().map(String::as_str);
    same("the error", told, Some("ErrorCode::HttpResponseTimeout"))
}

pub(super) async fn breaker(stage: Stage<'_>) -> Checked {
    let policy = r#"{"maxRetries":0,"breaker":{"kind":"consecutive","failures":2}}"#;
    let server = Server::start(&[Status(503)]).await.map_err(|error| error.to_string())?;
    let component = &stage.get(Which::Retrying)?;
    let mut instance = stage.host.instance(component, &[("RETRYWISE_POLICY", policy)]);
    let mut told = Vec::new();
    for _ in 0..3 {
        let call = Call { authority: server.authority(), ..get() };
        let ended = stage.host.send(&mut instance, &[call]).await;
        told.extend(ended.map_err(|error| format!("{error:?}"))?);
    }
    let refused = told[2].as_ref().err().map(String::as_str);
    same("the third", refused, Some("ErrorCode::DestinationUnavailable"))?;
    same("requests", server.seen().len(), 2)
}
