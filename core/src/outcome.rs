//! How one attempt ended, as the host saw it: borrowed, never copied, nothing validated twice.

use crate::{classify::Classification, codes::codes, text::same};

/// How many links of a cause chain are looked at; real ones have two or three.
pub const MAX_CAUSES: usize = 8;

/// How one attempt ended.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Outcome<'a> {
    /// The answer that came back, if one came back.
    pub response: Option<Response<'a>>,
    /// The transport error, if there was one. With a [`Response`] beside it, the status decides.
    pub error: Option<TransportError<'a>>,
    /// The answer is already streaming to the caller: it cannot be taken back.
    pub committed: bool,
    /// How long the attempt took, in milliseconds, where the host measured it itself; otherwise
    /// the time between `begin` or `resume` and `settle` counts.
    pub duration_ms: Option<u64>,
}

/// The head of an HTTP answer, and the machine-readable facts of its body.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Response<'a> {
    /// The status code as it came; anything outside 100..=599 is [`Class::Permanent`].
    ///
    /// [`Class::Permanent`]: crate::Class::Permanent
    pub status: u16,
    /// Headers in order of arrival; a name may come more than once.
    pub headers: &'a [Header<'a>],
    /// What the host took from the body.
    pub body: Body<'a>,
}

/// One header line.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs)] // a name and a value, for ever
pub struct Header<'a> {
    /// The name, in any case.
    pub name: &'a str,
    /// The raw value, any bytes, not trimmed.
    pub value: &'a [u8],
}

/// The machine codes of an error body. The host finds them by the profile's JSON pointers and
/// passes these few strings, never the body.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Body<'a> {
    /// The error code (`insufficient_quota`, `ThrottlingException`, `RESOURCE_EXHAUSTED` …).
    pub code: Option<&'a str>,
    /// The limit that was hit (`HubSpot`'s `policyName`).
    pub policy: Option<&'a str>,
    /// The problem type (RFC 9457), a URI.
    pub problem_type: Option<&'a str>,
    /// A protobuf JSON duration (`RetryInfo.retry_delay`), for example `26s`.
    pub retry_delay: Option<&'a str>,
    /// Seconds to wait, as written in the body, decimals allowed (Discord).
    pub retry_after_s: Option<&'a str>,
}

codes! {
    /// Which client reported a transport error: the same word means different things in different
    /// families.
    #[derive(Default)]
    pub enum Family {
        /// Any other client.
        #[default]
        Unknown = 0 => "unknown",
        /// Node.js system, TLS and HTTP codes.
        Node = 1 => "node",
        /// undici (`UND_ERR_*`).
        Undici = 2 => "undici",
        /// axios.
        Axios = 3 => "axios",
        /// `fetch` rejections, by their message.
        Fetch = 4 => "fetch",
        /// `DOMException`, by its name.
        Dom = 5 => "dom",
        /// HTTP/2 error codes.
        Http2 = 6 => "http2",
        /// HTTP/3 error codes.
        Http3 = 7 => "http3",
        /// `wasi:http` error codes.
        WasiHttp = 8 => "wasi-http",
        /// Python `urllib3`.
        Urllib3 = 9 => "python-urllib3",
        /// Python `requests`.
        Requests = 10 => "python-requests",
        /// Python `httpx`.
        Httpx = 11 => "python-httpx",
        /// Python `aiohttp`.
        Aiohttp = 12 => "python-aiohttp",
        /// Go `net/http`.
        Go = 13 => "go",
        /// Java and Apache `HttpClient`.
        Java = 14 => "java",
        /// Rust `reqwest` and `hyper`.
        Reqwest = 15 => "reqwest",
        /// .NET `HttpRequestError`.
        Dotnet = 16 => "dotnet",
        /// libcurl.
        Curl = 17 => "curl",
        /// gRPC attempt progress.
        Grpc = 18 => "grpc",
    }
}

/// A failure without an HTTP answer. Every field is optional: the more the host knows, the more
/// certain the delivery.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TransportError<'a> {
    /// Who reported it.
    pub family: Family,
    /// The code (`ECONNRESET`, `UND_ERR_SOCKET`, an exception's class name …).
    pub code: Option<&'a str>,
    /// The error's name (`TypeError`, `AbortError`, `TimeoutError`).
    pub name: Option<&'a str>,
    /// The error's message.
    pub message: Option<&'a str>,
    /// The system call that failed (Node: `connect`, `read`, `write`, `getaddrinfo`).
    pub syscall: Option<&'a str>,
    /// Where it failed, as the host knows it (`connect`, `tls-handshake`, `read`, `refused-stream` …).
    pub phase: Option<&'a str>,
    /// Go: the operation (`dial`, `read`, `write`).
    pub op: Option<&'a str>,
    /// Go: the error's type (`net.OpError`, `net.DNSError`).
    pub kind: Option<&'a str>,
    /// DNS: the response code (`NXDOMAIN`, `SERVFAIL`).
    pub rcode: Option<&'a str>,
    /// HTTP/2: the frame that carried the code (`RST_STREAM`, `GOAWAY`).
    pub frame: Option<&'a str>,
    /// gRPC: `not_started`, `refused` or `processed`.
    pub progress: Option<&'a str>,
    /// HTTP/2: the stream of the request.
    pub stream_id: Option<u64>,
    /// HTTP/2: the last stream that a GOAWAY lets live.
    pub last_stream_id: Option<u64>,
    /// Go `net.DNSError`: the failure is temporary.
    pub temporary: bool,
    /// Go `net.DNSError`: the name does not exist.
    pub not_found: bool,
    /// The request went out on a connection that had been used before.
    pub reused: bool,
    /// What caused it; followed to a bounded depth.
    pub cause: Option<&'a Self>,
    /// What [`classify`](crate::classify()) said of this error and its causes, policy apart. A host
    /// that keeps errors which come again spares it the look-up. Default: none, it is looked up.
    pub known: Option<Classification>,
}

impl<'a> Outcome<'a> {
    /// An answer with this status and these headers.
    pub fn from_response(status: u16, headers: &'a [Header<'a>]) -> Self {
        Self {
            response: Some(Response { status, headers, ..Response::default() }),
            ..Self::default()
        }
    }

    /// A failure without an answer.
    pub fn from_error(error: TransportError<'a>) -> Self {
        Self { error: Some(error), ..Self::default() }
    }

    /// The status of the answer, if one came back.
    pub fn status(&self) -> Option<u16> {
        self.response.as_ref().map(|response| response.status)
    }

    /// The same outcome, with the answer already streaming to the caller.
    #[must_use]
    pub fn committed(mut self) -> Self {
        self.committed = true;
        self
    }
}

/// What an answer without special headers has.
#[derive(Clone, Copy, Default)]
pub(crate) struct Plain<'a> {
    /// As it came, blanks around it.
    pub(crate) retry_after: Option<&'a [u8]>,
    pub(crate) has_date: bool,
}

impl<'a> Response<'a> {
    /// An answer with this status and these headers, nothing known of its body.
    pub const fn new(status: u16, headers: &'a [Header<'a>]) -> Self {
        let body = Body {
            code: None,
            policy: None,
            problem_type: None,
            retry_delay: None,
            retry_after_s: None,
        };
        Self { status, headers, body }
    }

    /// The first value of the header `name`, trimmed of spaces and tabs (RFC 9110 §5.5); names
    /// compare without case (§5.1). `name` is given in lower case.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        if self.headers.is_empty() {
            return None;
        }
        self.header_values(name).next()
    }

    /// What there is to read where no header is but these, and a wait at most once: as in most
    /// answers, and then nothing has to be searched for.
    pub(crate) fn plain(&self) -> Option<Plain<'a>> {
        let mut plain = Plain::default();
        for header in self.headers {
            let name = header.name.as_bytes();
            if same(name, b"retry-after") {
                if plain.retry_after.replace(header.value).is_some() {
                    return None;
                }
            } else if same(name, b"date") {
                plain.has_date = true;
            } else if !same(name, b"content-type") {
                return None;
            }
        }
        Some(plain)
    }

    /// All values of the header `name`, in order, each trimmed of spaces and tabs.
    pub fn header_values<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        let mut rest = self.headers;
        core::iter::from_fn(move || next_value(&mut rest, name))
    }
}

impl<'a> TransportError<'a> {
    /// An error of this family and code.
    pub fn new(family: Family, code: &'a str) -> Self {
        Self { family, code: Some(code), ..Self::default() }
    }

    /// The error, then what caused it, and so on, to a depth of [`MAX_CAUSES`].
    pub fn chain(&self) -> impl Iterator<Item = &Self> {
        core::iter::successors(Some(self), |error| error.cause).take(MAX_CAUSES)
    }

    /// Whether a code or name in the chain is one of `names`.
    pub fn names_any(&self, names: &[impl AsRef<str>]) -> bool {
        self.chain().any(|error| {
            let is = |given: Option<&str>| {
                given.is_some_and(|given| names.iter().any(|name| name.as_ref() == given))
            };
            is(error.code) || is(error.name)
        })
    }
}

impl<'a> Header<'a> {
    /// A header line.
    pub const fn new(name: &'a str, value: &'a [u8]) -> Self {
        Self { name, value }
    }
}

/// The next line of this name, blanks around its value removed. Apart from its iterator, which each
/// reader has a copy of.
#[inline(never)]
fn next_value<'a>(rest: &mut &'a [Header<'a>], name: &str) -> Option<&'a [u8]> {
    loop {
        let (header, after) = rest.split_first()?;
        *rest = after;
        if same(header.name.as_bytes(), name.as_bytes()) {
            return Some(trim(header.value));
        }
    }
}

/// `value` without leading and trailing spaces and tabs, which are not part of a field value.
#[inline(never)]
pub(crate) fn trim(value: &[u8]) -> &[u8] {
    let blank = |b: &u8| matches!(b, b' ' | b'\t');
    let start = value.iter().position(|b| !blank(b)).unwrap_or(value.len());
    let end = value.iter().rposition(|b| !blank(b)).map_or(start, |i| i + 1);
    &value[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_named_by_any_code_or_name_in_its_chain() {
        let cause =
            TransportError { name: Some("Inner"), ..TransportError::new(Family::Go, "EOF") };
        let error =
            TransportError { cause: Some(&cause), ..TransportError::new(Family::Go, "OUTER") };
        for name in ["OUTER", "EOF", "Inner"] {
            assert!(error.names_any(&["other", name]), "{name}");
        }
        assert!(!error.names_any(&["outer", "E", ""]));
    }

    #[test]
    fn header_names_compare_without_case_and_values_are_trimmed() {
        let headers = [
            Header::new("Retry-After", b" \t120\t "),
            Header::new("retry-after", b"60"),
            Header::new("x", b"   "),
        ];
        let response = Outcome::from_response(503, &headers).response.unwrap();
        assert_eq!(response.header("retry-after"), Some(&b"120"[..]));
        assert_eq!(response.header_values("retry-after").count(), 2);
        assert_eq!(response.header("x"), Some(&b""[..]));
        assert_eq!(response.header("y"), None);
    }
}
