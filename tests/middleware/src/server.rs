//! A server that answers by a script and writes down what it got.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Request, Response, StatusCode,
    body::Incoming,
    header::{CONTENT_LENGTH, RETRY_AFTER, TRANSFER_ENCODING},
    server::conn::http1,
    service::service_fn,
};
use tokio::net::TcpListener;

use crate::io::Io;

/// How long a body is kept that nobody reads; longer than any case.
const HELD: Duration = Duration::from_secs(300);

/// What the server does with one request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    /// Reads all of it, then answers with this status.
    Status(u16),
    /// The same, and asks for a wait of so many seconds.
    After(u16, u64),
    /// Reads all of it, and answers with this status once so many requests have come in.
    Together(u16, usize),
    /// Answers with this status before it reads the body, and reads none of it.
    Early(u16),
    /// Reads all of it, then closes the connection without an answer.
    Reset,
    /// Reads all of it and never answers.
    Hang,
}

/// What the server got with one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    /// The sum of the body's bytes; none when it was not read, or broke off.
    pub(crate) sum: Option<u64>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) trailers: Vec<(String, String)>,
}

/// The server, for as long as it is kept.
pub(crate) struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it came with a body, as its headers say.
    pub(crate) fn has_body(&self) -> bool {
        let length = self.header(CONTENT_LENGTH.as_str()).is_some_and(|length| length != "0");
        length || self.header(TRANSFER_ENCODING.as_str()).is_some()
    }
}

impl Server {
    /// Listens on this machine; the last reply of the script is given again and again.
    pub(crate) async fn start(script: &[Reply]) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, seen) = (listener.local_addr()?, Arc::new(Mutex::new(Vec::new())));
        let script = Arc::new(Mutex::new(script.iter().copied().collect::<VecDeque<_>>()));
        let log = seen.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, script) = (log.clone(), script.clone());
                tokio::spawn(async move {
                    let service = service_fn(|request| answer(request, &log, &script));
                    // A connection that breaks off is what some replies are about.
                    let _ = http1::Builder::new().serve_connection(Io(stream), service).await;
                });
            }
        });
        Ok(Self { address, seen, task })
    }

    pub(crate) fn authority(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    request: Request<Incoming>,
    log: &Mutex<Vec<Seen>>,
    script: &Mutex<VecDeque<Reply>>,
) -> Result<Response<Full<Bytes>>, &'static str> {
    let reply = {
        let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
        let next = script.front().copied().unwrap_or(Reply::Status(200));
        if script.len() > 1 {
            script.pop_front();
        }
        next
    };
    let (head, body) = request.into_parts();
    let mut seen = Seen {
        method: head.method.to_string(),
        path: head.uri.to_string(),
        headers: lines(&head.headers),
        ..Seen::default()
    };
    let number = {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.push(seen.clone());
        log.len() - 1
    };
    if matches!(reply, Reply::Early(_)) {
        // Held, not dropped: a connection that is closed with bytes unread may lose the answer.
        tokio::spawn(async move {
            let _body = body;
            tokio::time::sleep(HELD).await;
        });
    } else if let Ok(body) = body.collect().await {
        seen.trailers = body.trailers().map(lines).unwrap_or_default();
        seen.sum = Some(body.to_bytes().iter().map(|byte| u64::from(*byte)).sum());
        log.lock().unwrap_or_else(PoisonError::into_inner)[number] = seen;
    }
    let (status, after) = match reply {
        Reply::Status(status) | Reply::Early(status) => (status, None),
        Reply::Together(status, enough) => {
            while log.lock().unwrap_or_else(PoisonError::into_inner).len() < enough {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            (status, None)
        }
        Reply::After(status, seconds) => (status, Some(seconds)),
        Reply::Reset => return Err("the script says so"),
        Reply::Hang => core::future::pending().await,
    };
    let mut response = Response::new(Full::from(format!("answer {}", number + 1)));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    response.headers_mut().extend(after.map(|seconds| (RETRY_AFTER, seconds.into())));
    Ok(response)
}

fn lines(headers: &HeaderMap) -> Vec<(String, String)> {
    let text =
        |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
}
