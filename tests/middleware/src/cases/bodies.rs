//! What is sent, each time.

use core::time::Duration;

use super::{Call, Checked, POLICY, Stage, get, post, same, sum, with};
use crate::components::Which;
use crate::server::{
    Reply::{Early, Status},
    Server,
};

pub(super) async fn early(stage: Stage<'_>) -> Checked {
    let script = [Early(503), Status(200)];
    // The answer is there long before the body has been written.
    for bytes in [100, 900_000] {
        let alone = stage.one(&stage.get(Which::Caller)?, &script, post(bytes)).await?;
        same("alone", (alone.statuses(), alone.sums()), (vec![503], vec![None]))?;
        // A 503 leaves open whether the request was processed: for a PUT that does not matter.
        let put = Call { method: "PUT".to_owned(), ..post(bytes) };
        let run = stage.one(&stage.get(Which::Retrying)?, &script, put).await?;
        same("statuses", run.statuses(), vec![200])?;
        same("sums", run.sums(), vec![None, sum(bytes)])?;
    }
    Ok(())
}

pub(super) async fn large(stage: Stage<'_>) -> Checked {
    let mut call = with(post(1_000_000), "idempotency-key", "order-4711");
    // HTTP/1.1 clients send only those trailers that they announced.
    call = with(call, "trailer", "x-check");
    call.trailers.push(("x-check".to_owned(), "c0ffee".to_owned()));
    let policy = r#"{"backoff":{"baseMs":1,"capMs":2},"idempotency":{"honoured":true}}"#;
    let script = [Status(503), Status(503), Status(201)];
    let alone = stage.run(&stage.get(Which::Caller)?, policy, &script, &[call.clone()]).await?;
    same("alone", (alone.statuses(), alone.sums()), (vec![503], vec![sum(1_000_000)]))?;
    let run = stage.run(&stage.get(Which::Retrying)?, policy, &script, &[call]).await?;
    same("statuses", (run.statuses(), run.methods()), (vec![201], vec!["POST"; 3]))?;
    same("sums", run.sums(), vec![sum(1_000_000); 3])?;
    let trailers: Vec<_> = run.seen.iter().map(|seen| seen.trailers.clone()).collect();
    same("trailers", trailers, vec![vec![("x-check".to_owned(), "c0ffee".to_owned())]; 3])
}

pub(super) async fn over_the_bound(stage: Stage<'_>) -> Checked {
    let put = |bytes| Call { method: "PUT".to_owned(), ..post(bytes) };
    let retrying = &stage.get(Which::Retrying)?;
    let script = [Status(503), Status(200)];
    let run = stage.one(retrying, &script, put(1_048_577)).await?;
    same("one more", (run.statuses(), run.sums()), (vec![503], vec![sum(1_048_577)]))?;
    let run = stage.one(retrying, &script, put(1_048_576)).await?;
    same("as much", (run.statuses(), run.sums()), (vec![200], vec![sum(1_048_576); 2]))?;
    let run = stage.one(retrying, &[Status(200)], put(5_000_000)).await?;
    same("much more", (run.statuses(), run.sums()), (vec![200], vec![sum(5_000_000)]))?;

    // The bound is the user's: nothing is kept at 0.
    let server = Server::start(&script).await.map_err(|error| error.to_string())?;
    let variables = [("RETRYWISE_POLICY", POLICY), ("RETRYWISE_BODY_BYTES", "0")];
    let mut instance = stage.host.instance(retrying, &variables);
    let call = Call { authority: server.authority(), ..put(1) };
    stage.host.send(&mut instance, &[call]).await.map_err(|error| format!("{error:?}"))?;
    same("requests", server.seen().len(), 1)
}

pub(super) async fn streams(stage: Stage<'_>) -> Checked {
    // The server answers before the guest has written a byte: a middleware that collects the body
    // first would have asked nothing yet.
    let call = Call { late: Some(400), ..post(10) };
    let run = stage.one(&stage.get(Which::Retrying)?, &[Early(204)], call).await?;
    same("with it", (run.statuses(), run.seen.len()), (vec![204], 1))?;
    let call = Call { late: Some(50), method: "PUT".to_owned(), ..post(70_000) };
    let run = stage.one(&stage.get(Which::Retrying)?, &[Early(503), Status(200)], call).await?;
    same("repeated", (run.statuses(), run.sums()), (vec![200], vec![None, sum(70_000)]))
}

pub(super) async fn none(stage: Stage<'_>) -> Checked {
    let run = stage.one(&stage.get(Which::Retrying)?, &[Status(503), Status(200)], get()).await?;
    let alone = stage.one(&stage.get(Which::Caller)?, &[Status(200)], get()).await?;
    same("bodies", run.sums(), vec![sum(0); 2])?;
    let framed: Vec<_> = run.seen.iter().map(super::Seen::has_body).collect();
    same("framing", framed, vec![alone.seen[0].has_body(); 2])
}

pub(super) async fn parts(stage: Stage<'_>) -> Checked {
    let call = with(with(post(3), "x-tenant", "a"), "x-tenant", "b");
    let call = Call {
        method: "QUERY".to_owned(),
        first_byte_timeout: Some(1_234_000_000),
        ..with(call, "content-length", "3")
    };
    let server = Server::start(&[Status(503), Status(200)]).await.map_err(|e| e.to_string())?;
    let component = &stage.get(Which::Retrying)?;
    let mut instance = stage.host.instance(component, &[("RETRYWISE_POLICY", POLICY)]);
    let call = Call { authority: server.authority(), ..call };
    stage.host.send(&mut instance, &[call]).await.map_err(|error| format!("{error:?}"))?;
    same("options", instance.sent(), vec![Some(Duration::from_millis(1_234)); 2])?;
    let seen = server.seen();
    same("requests", seen.len(), 2)?;
    for (number, seen) in seen.iter().enumerate() {
        same("path", seen.path.as_str(), "/orders?page=2")?;
        same("method", seen.method.as_str(), "QUERY")?;
        same("length", seen.header("content-length"), Some("3"))?;
        let all = |name: &str| -> Vec<&str> {
            let lines = seen.headers.iter().filter(|(known, _)| known == name);
            lines.map(|(_, value)| value.as_str()).collect()
        };
        same("headers", all("x-tenant"), vec!["a", "b"])?;
        same("layer", all("x-retry-layer"), vec![(number + 1).to_string().as_str()])?;
    }
    Ok(())
}
