//! A service that fails as often as it is told, and counts what it was asked.

use alloc::{format, string::String};
use core::sync::atomic::{AtomicU32, Ordering};

use generated::{
    exports::wasi::http::handler::Guest,
    wasi::http::types::{ErrorCode, Fields, Request, Response},
    wit_future, wit_stream,
};
use wit_bindgen::spawn_local;

#[allow(missing_docs, unreachable_pub, unnameable_types, clippy::all, clippy::pedantic)]
#[allow(clippy::std_instead_of_core, clippy::alloc_instead_of_core, clippy::exhaustive_enums)]
#[allow(clippy::use_self, unused_qualifications, rust_2018_idioms, dead_code)]
mod generated {
    use super::Service;

    wit_bindgen::generate!({ path: "wit", world: "service", generate_all });

    #[cfg(target_family = "wasm")]
    export!(Service);
    #[cfg(not(target_family = "wasm"))]
    const _: Option<Service> = None;
}

struct Service;

/// How many requests this instance has answered.
static SEEN: AtomicU32 = AtomicU32::new(0);

impl Guest for Service {
    async fn handle(request: Request) -> Result<Response, ErrorCode> {
        let path = request.get_path_with_query().unwrap_or_default();
        let failures: u32 = path.trim_start_matches('/').parse().unwrap_or_default();
        let (_done, read) = wit_future::new::<Result<(), ErrorCode>>(|| Ok(()));
        let (body, _trailers) = Request::consume_body(request, read);
        let sum: u64 = body.collect().await.into_iter().map(u64::from).sum();

        let seen = SEEN.fetch_add(1, Ordering::Relaxed) + 1;
        let status = if seen <= failures { 503 } else { 200 };
        Ok(answer(status, format!("request {seen}, sum {sum}")))
    }
}

fn answer(status: u16, text: String) -> Response {
    let (mut body, contents) = wit_stream::new();
    let (end, trailers) = wit_future::new(|| Ok(None));
    let (response, _sent) = Response::new(Fields::new(), Some(contents), trailers);
    let _ = response.set_status_code(status);
    spawn_local(async move {
        let _ = body.write_all(text.into_bytes()).await;
        drop(body);
        let _ = end.write(Ok(None)).await;
    });
    response
}
