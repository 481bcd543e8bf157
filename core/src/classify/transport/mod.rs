//! Failures without an answer: what is certain about them, whatever client reported them.
//!
//! Certainty comes from four places (RFC 9110 §9.2.2 asks for it before a repetition): nothing was
//! sent; the protocol says that the application did not act; a gateway says so; anything after the
//! first byte leaves the delivery open. A word is looked up in its family's table, then in all
//! others, then the message is compared with the texts that runtimes keep fixed, and the causes
//! underneath are asked the same, to a bounded depth. Whatever says most stands.

mod axios;
mod curl;
mod dom;
mod dotnet;
mod fact;
mod fetch;
mod go;
mod grpc;
mod http2;
mod java;
mod message;
mod node;
mod os;
mod packed;
mod python;
mod reqwest;
mod table;
mod tls;
mod undici;
mod wasi;

use super::class::{Basis, Class, Classification, Delivery, Signal};
use crate::outcome::{Family, TransportError};
use fact::Fact;
use table::{Table, same_name};

pub(super) use wasi::{by_rcode as dns_fact, find as proxy_fact};

/// How many errors of a chain of causes are looked at, the outermost included.
pub(super) const MAX_DEPTH: usize = 8;

/// What a failure without an answer means. An error that no table knows is transient, and the
/// request may have been processed.
pub(super) fn classify(error: &TransportError<'_>) -> Classification {
    match chain(error).filter_map(of_link).reduce(Fact::explained_by) {
        Some(fact) => fact.classification(),
        None => unknown(),
    }
}

/// An outcome that says nothing.
pub(super) const fn unknown() -> Classification {
    Classification::new(Class::Transient, Delivery::MaybeProcessed, Basis::None, Signal::Unknown)
}

/// The error and its causes, outermost first.
pub(super) fn chain<'e, 'a>(
    error: &'e TransportError<'a>,
) -> impl Iterator<Item = &'e TransportError<'a>> {
    core::iter::successors(Some(error), |link| link.cause).take(MAX_DEPTH)
}

/// What one error of the chain says by itself.
fn of_link(error: &TransportError<'_>) -> Option<Fact> {
    let words = [error.code, error.kind, error.name].into_iter().flatten();
    let mut fact = words.filter_map(|word| of_words(error.family, word)).reduce(Fact::explained_by);
    // A gRPC message is written by the server: it may quote any failure of its own.
    // Some clients have no code but a sentence; a host may hand it on as one.
    let sentence = error.code.filter(|code| code.bytes().any(|byte| byte == b' '));
    if error.family != Family::Grpc {
        for said in [error.message, sentence].into_iter().flatten() {
            fact = explained(fact, message::read(said, fact));
        }
    }
    fact = explained(fact, error.op.and_then(go::by_op));

    let so_far = fact.unwrap_or(Fact::Vague);
    if is_untouched(error) {
        fact = Some(so_far.untouched());
    } else if is_before_sending(error) {
        fact = Some(so_far.before_sending());
    }
    fact = explained(fact, error.rcode.map(wasi::by_rcode));
    match error.progress {
        Some(progress) => Some(grpc::by_progress(progress, fact.unwrap_or(Fact::Cut))),
        None => fact,
    }
}

/// The stronger of what was known and what a further look adds.
fn explained(known: Option<Fact>, added: Option<Fact>) -> Option<Fact> {
    match (known, added) {
        (Some(known), Some(added)) => Some(known.explained_by(added)),
        (known, added) => known.or(added),
    }
}

/// Several words joined by `+` hold together: the one that says most stands.
fn of_words(family: Family, words: &str) -> Option<Fact> {
    words
        .as_bytes()
        .split(|&byte| byte == b'+')
        .filter_map(|word| core::str::from_utf8(word).ok())
        .take(MAX_DEPTH)
        .filter_map(|word| of_word(family, word))
        .reduce(Fact::explained_by)
}

fn of_word(family: Family, word: &str) -> Option<Fact> {
    // `%T` in Go, `net::` in Chromium, `WSA` in Windows, `NGHTTP2_` in Node.
    let word = word.trim_ascii();
    let start = word.bytes().position(|b| !matches!(b, b'*' | b'&')).unwrap_or(word.len());
    let word = word.get(start..).unwrap_or_default();
    let word = word.strip_prefix("net::").unwrap_or(word);
    if let Some(fact) = own(family, word) {
        return Some(fact);
    }
    if word.bytes().all(|b| b.is_ascii_digit()) {
        return None; // a number means something in its own family only
    }
    anywhere(word)
        .or_else(|| anywhere(word.strip_prefix("WSA")?))
        .or_else(|| http2::HTTP2.exact(word.strip_prefix("NGHTTP2_")?))
}

/// The meaning of a word in its own family.
fn own(family: Family, word: &str) -> Option<Fact> {
    let tables: &[Table] = match family {
        Family::Unknown | Family::WasiHttp | Family::Curl => &[],
        Family::Node => &[node::CODES, tls::CODES],
        Family::Undici => &[undici::CODES],
        Family::Axios => &[axios::CODES],
        Family::Fetch => &[fetch::CODES],
        Family::Dom => &[dom::CODES],
        Family::Http2 => &[http2::HTTP2],
        Family::Http3 => &[http2::HTTP3],
        Family::Urllib3 => &[python::URLLIB3],
        Family::Requests => &[python::REQUESTS],
        Family::Httpx => &[python::HTTPX],
        Family::Aiohttp => &[python::AIOHTTP],
        Family::Go => &[go::CODES],
        Family::Java => &[java::CODES],
        Family::Reqwest => &[reqwest::CODES],
        Family::Dotnet => &[dotnet::CODES],
        Family::Grpc => &[grpc::CODES],
    };
    tables.iter().find_map(|table| table.find(word)).or_else(|| match family {
        Family::WasiHttp => wasi::find(word),
        Family::Curl => curl::by_name(word).or_else(|| curl::by_number(word)),
        Family::Http2 => http2::http2_number(word),
        Family::Http3 => http2::http3_number(word),
        Family::Grpc => grpc::by_number(word),
        _ => None,
    })
}

/// Every table of exact words.
const TABLES: [Table; 18] = [
    node::CODES,
    tls::CODES,
    undici::CODES,
    axios::CODES,
    fetch::CODES,
    dom::CODES,
    http2::HTTP2,
    http2::HTTP3,
    python::URLLIB3,
    python::REQUESTS,
    python::HTTPX,
    python::AIOHTTP,
    python::BUILTIN,
    go::CODES,
    java::CODES,
    reqwest::CODES,
    dotnet::CODES,
    grpc::CODES,
];

/// The meaning of a word whose family does not know it, or is not known: where families differ,
/// the meaning that promises least.
fn anywhere(word: &str) -> Option<Fact> {
    TABLES
        .into_iter()
        .filter_map(|table| table.find(word))
        .reduce(Fact::weaker)
        .or_else(|| curl::by_name(word))
        .or_else(|| tls::by_prefix(word))
        .or_else(|| node::by_prefix(word))
        .or_else(|| go::by_prefix(word))
        .or_else(|| wasi::find(word))
}

/// Whether the other side declared that it did not touch this request.
fn is_untouched(error: &TransportError<'_>) -> bool {
    http2::is_above_last(error)
        || error.phase.is_some_and(|phase| same_name(phase, "refused-stream"))
}

/// Whether it failed before the first byte of the request was sent: in name lookup, connecting, the
/// TLS handshake, the tunnel through a proxy, or the wait for a place in the pool.
fn is_before_sending(error: &TransportError<'_>) -> bool {
    const PHASES: [&str; 14] = [
        "connect",
        "connecting",
        "dial",
        "dns",
        "handshake",
        "lookup",
        "pool",
        "proxy-connect",
        "queue",
        "resolve",
        "secure-connect",
        "tls",
        "tls-handshake",
        "tunnel",
    ];
    // `query…` are the calls of Node's own resolver.
    let by_call = error.syscall.is_some_and(|call| {
        matches!(call, "connect" | "getaddrinfo" | "getnameinfo" | "socket" | "bind")
            || call.starts_with("query")
    });
    let by_phase =
        error.phase.is_some_and(|phase| PHASES.iter().any(|known| same_name(phase, known)));
    // Node gives an aggregate a code only when every address of one host failed to connect.
    let by_name = error.name == Some("AggregateError") && error.code.is_some();
    let by_text =
        error.family != Family::Grpc && error.message.is_some_and(message::is_before_sending);
    let by_op = error.op.is_some_and(go::is_dialling);
    by_call || by_phase || by_op || by_name || by_text
}

#[cfg(test)]
mod tests;
