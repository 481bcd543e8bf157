//! Rust: reqwest's predicates, hyper and h2 errors, and the names of `std::io::ErrorKind`, which
//! Deno's error classes share.

use super::{
    fact::Fact,
    message::{Texts, texts},
    table::{Table, table},
};

/// Predicates that hold (several joined by `+`), and `hyper.…`, `h2.…` kinds.
pub(super) const CODES: Table = table![
    ("AddrInUse", Fact::Starved),
    ("AddrNotAvailable", Fact::Starved),
    ("BrokenPipe", Fact::Cut),
    ("ConnectionAborted", Fact::Cut),
    ("ConnectionRefused", Fact::NeverLeft),
    ("ConnectionReset", Fact::Cut),
    ("HostUnreachable", Fact::Cut),
    ("NetworkDown", Fact::Cut),
    ("NetworkUnreachable", Fact::Cut),
    ("NotConnected", Fact::Cut),
    ("TimedOut", Fact::TimedOut),
    ("UnexpectedEof", Fact::Cut),
    ("h2.GO_AWAY.NO_ERROR", Fact::Cut),
    ("h2.REFUSED_STREAM", Fact::Refused),
    ("hyper.BodyWriteAborted", Fact::Misused),
    // The request came back from a connection that closed before it was written.
    ("hyper.Canceled", Fact::NeverLeft),
    ("hyper.ChannelClosed", Fact::Cut),
    ("hyper.Connect", Fact::NeverLeft),
    ("hyper.IncompleteMessage", Fact::Cut),
    ("hyper.Parse", Fact::Cut),
    ("hyper.Timeout", Fact::TimedOut),
    ("hyper.User", Fact::Misused),
    ("is_body", Fact::Cut),
    ("is_builder", Fact::BadRequest),
    ("is_connect", Fact::NeverLeft),
    ("is_decode", Fact::Undecodable),
    ("is_redirect", Fact::OverLimit),
    ("is_request", Fact::Vague),
    ("is_status", Fact::Vague),
    ("is_timeout", Fact::TimedOut),
    ("is_upgrade", Fact::Vague),
];

/// Texts, first match wins.
pub(super) const TEXTS: Texts = texts![
    (Starts("builder error"), Fact::BadRequest),
    (Starts("relative url without a base"), Fact::BadRequest),
    (Has("error trying to connect"), Fact::NeverLeft),
    (Has("client error (connect)"), Fact::NeverLeft),
    (Has("tcp connect error"), Fact::NeverLeft),
    (Has("dns error"), Fact::NeverLeft),
    (Has("refused stream before processing"), Fact::Refused),
    // hyper's `Canceled`, before Go's cancelled operation of the same words.
    (Has("operation was canceled: connection"), Fact::NeverLeft),
    (Has("connection closed before message completed"), Fact::Cut),
    (Starts("error following redirect"), Fact::OverLimit),
];
