//! Where the middleware stands, and what it asks for.

use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use retrywise_compose::Slot;
use wasmtime::component::Component;

use super::{Checked, POLICY, Stage, get, same, sum};
use crate::components::Which;
use crate::server::Reply::Status;

pub(super) async fn baked(stage: Stage<'_>) -> Checked {
    // The environment allows five retries, what was baked in one.
    let run = stage.one(&stage.get(Which::Baked)?, &[Status(503)], get()).await?;
    same("with it", (run.statuses(), run.seen.len()), (vec![503], 2))
}

pub(super) async fn newer(stage: Stage<'_>) -> Checked {
    let script = [Status(503), Status(503), Status(200)];
    let run = stage.one(&stage.get(Which::Newer)?, &script, get()).await?;
    same("with it", (run.statuses(), run.seen.len()), (vec![200], 3))
}

pub(super) async fn service(stage: Stage<'_>) -> Checked {
    let body: Bytes = (0..70_000_u64).map(|index| (index % 251) as u8).collect();
    let ask = async |component: &Component, method: &str| {
        let request = Request::builder()
            .method(method)
            .uri("http://service.example/2")
            .body(Full::new(body.clone()))
            .map_err(|error| error.to_string())?;
        let mut instance = stage.host.instance(component, &[("RETRYWISE_POLICY", POLICY)]);
        let answer = stage.host.ask(&mut instance, request).await;
        answer.map_err(|error| format!("{error:?}"))
    };
    let sum = sum(70_000).unwrap_or_default();
    let alone = ask(&stage.get(Which::Service)?, "PUT").await?;
    same("alone", alone, (503, format!("request 1, sum {sum}")))?;
    let with = ask(&stage.get(Which::RetryingService)?, "PUT").await?;
    same("with it", with, (200, format!("request 3, sum {sum}")))?;
    let post = ask(&stage.get(Which::RetryingService)?, "POST").await?;
    same("a POST", post, (503, format!("request 1, sum {sum}")))
}

pub(super) async fn imports(stage: Stage<'_>) -> Checked {
    const ALLOWED: [&str; 7] = [
        "wasi:cli/environment",
        "wasi:clocks/monotonic-clock",
        "wasi:clocks/system-clock",
        "wasi:clocks/types",
        "wasi:http/client",
        "wasi:http/types",
        "wasi:random/random",
    ];
    let name = |full: String| full.split('@').next().unwrap_or_default().to_owned();
    let of = |component: &Component| -> Vec<String> {
        let mut names: Vec<_> = stage.host.imports(component).into_iter().map(name).collect();
        names.sort();
        names
    };
    same("with it", of(&stage.get(Which::Retrying)?), ALLOWED.map(str::to_owned).to_vec())?;
    let own = of(&stage.get(Which::Caller)?);
    same("the guest alone sends", own.contains(&"wasi:http/client".to_owned()), true)
}

pub(super) async fn refusals(stage: Stage<'_>) -> Checked {
    let misplaced = stage.components.refusal(Slot::Handler, "{}");
    let said = misplaced.contains("does not export `wasi:http/handler@0.3.0`");
    same("a caller is no service", (said, &misplaced), (true, &misplaced))?;
    let refused = stage.components.refusal(Slot::Client, r#"{"maxRetrys":1}"#);
    let said = refused.contains("maxRetries");
    same("a policy that is none", (said, &refused), (true, &refused))
}
