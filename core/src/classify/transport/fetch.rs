//! `fetch` rejections: one `TypeError` for everything, told apart by texts that each engine keeps
//! fixed, and the codes that Bun, Deno and Chromium add.
//!
//! A browser's text also covers CORS, CSP and mixed content: they cannot be told from a network
//! failure, so they stay transient with an open delivery.

use super::{
    fact::Fact,
    message::{Texts, texts},
    table::{Table, table},
};

/// Bun's `error.code`, Deno's class names that are not Rust's (those stand with reqwest), and
/// Chromium's `net::ERR_*` without the prefix.
pub(super) const CODES: Table = table![
    ("BadResource", Fact::Cut),
    ("ConnectionClosed", Fact::Cut),
    ("DNSLookupFailed", Fact::NeverLeft),
    ("ERR_ABORTED", Fact::Cancelled),
    ("ERR_ADDRESS_UNREACHABLE", Fact::NeverLeft),
    ("ERR_BLOCKED_BY_ADMINISTRATOR", Fact::BadRequest),
    ("ERR_BLOCKED_BY_CLIENT", Fact::BadRequest),
    ("ERR_CONNECTION_CLOSED", Fact::Cut),
    ("ERR_CONNECTION_FAILED", Fact::NeverLeft),
    ("ERR_CONNECTION_REFUSED", Fact::NeverLeft),
    ("ERR_CONNECTION_RESET", Fact::Cut),
    ("ERR_CONNECTION_TIMED_OUT", Fact::NeverLeft),
    ("ERR_CONTENT_DECODING_FAILED", Fact::Undecodable),
    ("ERR_CONTENT_LENGTH_MISMATCH", Fact::Cut),
    ("ERR_DISALLOWED_URL_SCHEME", Fact::BadRequest),
    ("ERR_EMPTY_RESPONSE", Fact::Cut),
    ("ERR_FAILED", Fact::Vague),
    ("ERR_HTTP2_PROTOCOL_ERROR", Fact::Cut),
    ("ERR_HTTP2_SERVER_REFUSED_STREAM", Fact::Refused),
    ("ERR_INCOMPLETE_CHUNKED_ENCODING", Fact::Cut),
    ("ERR_INTERNET_DISCONNECTED", Fact::NeverLeft),
    ("ERR_NAME_NOT_RESOLVED", Fact::NeverLeft),
    ("ERR_NAME_RESOLUTION_FAILED", Fact::NeverLeft),
    ("ERR_NETWORK_CHANGED", Fact::Cut),
    ("ERR_NETWORK_IO_SUSPENDED", Fact::Cut),
    ("ERR_PROXY_CONNECTION_FAILED", Fact::NeverLeft),
    ("ERR_QUIC_PROTOCOL_ERROR", Fact::Cut),
    ("ERR_TIMED_OUT", Fact::TimedOut),
    ("ERR_TOO_MANY_REDIRECTS", Fact::OverLimit),
    ("ERR_TUNNEL_CONNECTION_FAILED", Fact::NeverLeft),
    ("ERR_UNKNOWN_URL_SCHEME", Fact::BadRequest),
    ("ERR_UNSAFE_PORT", Fact::BadRequest),
    ("FailedToOpenSocket", Fact::NeverLeft),
    // `response.json()` on a body that is not JSON.
    ("SyntaxError", Fact::Undecodable),
    ("TooManyRedirects", Fact::OverLimit),
    ("UnexpectedRedirect", Fact::OverLimit),
    ("UnsupportedRedirectProtocol", Fact::OverLimit),
];

/// The texts, first match wins.
pub(super) const TEXTS: Texts = texts![
    // Aborts and timeouts whose name was lost on the way.
    (Starts("the operation was aborted due to timeout"), Fact::TimedOut),
    (Starts("the operation timed out"), Fact::TimedOut),
    (Starts("the request timed out"), Fact::TimedOut),
    (Starts("network request timed out"), Fact::TimedOut),
    (Starts("this operation was aborted"), Fact::Cancelled),
    (Starts("the operation was aborted"), Fact::Cancelled),
    (Has("the user aborted a request"), Fact::Cancelled),
    (Starts("signal is aborted"), Fact::Cancelled),
    (Starts("the signal has been aborted"), Fact::Cancelled),
    (Starts("fetch is aborted"), Fact::Cancelled),
    (Is("canceled"), Fact::Cancelled),
    (Is("cancelled"), Fact::Cancelled),
    // The request was never built.
    (Starts("failed to parse url"), Fact::BadRequest),
    (Starts("invalid url"), Fact::BadRequest),
    (Is("bad port"), Fact::BadRequest),
    (Is("invalid method"), Fact::BadRequest),
    (Is("unknown scheme"), Fact::BadRequest),
    (Is("about scheme is not supported"), Fact::BadRequest),
    (Starts("url scheme must be"), Fact::BadRequest),
    (Starts("url cannot contain credentials"), Fact::BadRequest),
    (Starts("request with get/head method cannot have body"), Fact::BadRequest),
    (Starts("requestinit: duplex option is required"), Fact::BadRequest),
    (Starts("failed to execute 'fetch'"), Fact::BadRequest),
    (Starts("failed to construct 'request'"), Fact::BadRequest),
    (Starts("cannot construct a request"), Fact::BadRequest),
    (Starts("body is unusable"), Fact::BadRequest),
    (Starts("unsupported protocol"), Fact::BadRequest),
    (Starts("request body larger than maxbodylength"), Fact::BadRequest),
    (Starts("too many subrequests"), Fact::BadRequest),
    // An answer came, and broke a limit of this side.
    (Starts("maxcontentlength size of"), Fact::OverLimit),
    (Is("redirect count exceeded"), Fact::OverLimit),
    (Is("unexpected redirect"), Fact::OverLimit),
    (Starts("the response redirected too many times"), Fact::OverLimit),
    // No connection: Bun, and WebKit's localised-in-English system texts.
    (Starts("was there a typo in the url or port"), Fact::NeverLeft),
    (Starts("a server with the specified hostname could not be found"), Fact::NeverLeft),
    // The connection broke, before or after sending.
    (Starts("the socket connection was closed unexpectedly"), Fact::Cut),
    (Is("other side closed"), Fact::Cut),
    (Is("terminated"), Fact::Cut),
    (Is("error in input stream"), Fact::Cut),
];

/// Everything that an engine says and means "no answer": asked last, since runtimes append the
/// reason to these.
pub(super) const VAGUE: Texts = texts![
    (Starts("failed to fetch"), Fact::Vague),
    (Starts("fetch failed"), Fact::Vague),
    (Starts("load failed"), Fact::Vague),
    (Starts("network error"), Fact::Vague),
    (Starts("networkerror when attempting"), Fact::Vague),
    (Starts("network request failed"), Fact::Vague),
    (Starts("network connection lost"), Fact::Vague),
    (Starts("a network error occurred"), Fact::Vague),
    (Starts("the internet connection appears to be offline"), Fact::Vague),
    (Starts("error sending request"), Fact::Vague),
];
