//! Sends one request as it is told, once.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use generated::{
    exports::retrywise::guest::calls::{Answer, Call, Guest},
    wasi::{
        clocks::monotonic_clock,
        http::{
            client,
            types::{ErrorCode, Fields, Method, Request, RequestOptions, Response, Scheme},
        },
    },
    wit_future, wit_stream,
};
use wit_bindgen::spawn_local;

#[allow(missing_docs, unreachable_pub, unnameable_types, clippy::all, clippy::pedantic)]
#[allow(clippy::std_instead_of_core, clippy::alloc_instead_of_core, clippy::exhaustive_enums)]
#[allow(clippy::use_self, unused_qualifications, rust_2018_idioms, dead_code)]
mod generated {
    use super::Caller;

    wit_bindgen::generate!({ path: "wit", world: "caller", generate_all });

    #[cfg(target_family = "wasm")]
    export!(Caller);
    #[cfg(not(target_family = "wasm"))]
    const _: Option<Caller> = None;
}

struct Caller;

/// Written at once.
const CHUNK: u64 = 10_000;

impl Guest for Caller {
    async fn send(call: Call) -> Result<Answer, String> {
        let (body, contents) = call.body.map(|_| wit_stream::new()).unzip();
        let (end, trailers) = wit_future::new(|| Ok(None));
        let options = call.first_byte_timeout.map(|timeout| {
            let options = RequestOptions::new();
            let _ = options.set_first_byte_timeout(Some(timeout));
            options
        });
        let headers = fields(&call.headers);
        let (request, _sent) = Request::new(headers, contents, trailers, options);
        request.set_method(&method(&call.method)).map_err(|()| "method")?;
        request.set_scheme(Some(&Scheme::Http)).map_err(|()| "scheme")?;
        request.set_authority(Some(&call.authority)).map_err(|()| "authority")?;
        request.set_path_with_query(Some("/orders?page=2")).map_err(|()| "path")?;

        spawn_local(async move {
            if let Some(late) = call.late {
                monotonic_clock::wait_for(late * 1_000_000).await;
            }
            if let Some(mut body) = body {
                let length = call.body.unwrap_or_default();
                let mut at = 0;
                while at < length {
                    let chunk: Vec<u8> = (at..length.min(at + CHUNK)).map(byte).collect();
                    at += CHUNK;
                    if !body.write_all(chunk).await.is_empty() {
                        break;
                    }
                }
            }
            let some = (!call.trailers.is_empty()).then(|| fields(&call.trailers));
            let _ = end.write(Ok(some)).await;
        });
        match client::send(request).await {
            Ok(response) => Ok(read(response).await),
            Err(error) => Err(format!("{error:?}")),
        }
    }
}

async fn read(response: Response) -> Answer {
    let status = response.get_status_code();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).to_string();
    let headers = response.get_headers().copy_all();
    let headers = headers.into_iter().map(|(name, value)| (name, text(value))).collect();
    let (_done, read) = wit_future::new::<Result<(), ErrorCode>>(|| Ok(()));
    let (body, _trailers) = Response::consume_body(response, read);
    Answer { status, headers, body: text(body.collect().await) }
}

fn fields(lines: &[(String, String)]) -> Fields {
    let fields = Fields::new();
    for (name, value) in lines {
        let _ = fields.append(name, value.as_bytes());
    }
    fields
}

fn method(token: &str) -> Method {
    match token {
        "GET" => Method::Get,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        other => Method::Other(other.to_string()),
    }
}

const fn byte(index: u64) -> u8 {
    (index % 251) as u8
}
