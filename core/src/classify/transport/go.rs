//! Go `net/http`: error types, operations, and the texts that stand for errors without a type
//! (`net/http` `transport.go`, `client.go`, `h2_bundle.go`).

use super::{
    fact::Fact,
    message::{Texts, texts},
    table::{Table, table},
};

/// Types, as `%T` prints them without the `*`.
pub(super) const CODES: Table = table![
    ("context.deadlineExceededError", Fact::TimedOut),
    ("http.MaxBytesError", Fact::OverLimit),
    ("http.ProtocolError", Fact::Cut),
    ("http2.ConnectionError", Fact::Cut),
    ("http2.GoAwayError", Fact::Cut),
    ("http2.StreamError", Fact::Cut),
    ("net.AddrError", Fact::BadRequest),
    ("net.DNSError", Fact::NeverLeft),
    ("net.InvalidAddrError", Fact::BadRequest),
    ("net.OpError", Fact::Vague),
    ("net.ParseError", Fact::BadRequest),
    ("net.UnknownNetworkError", Fact::BadRequest),
    ("os.SyscallError", Fact::Vague),
    ("poll.DeadlineExceededError", Fact::TimedOut),
    ("syscall.Errno", Fact::Vague),
    ("textproto.ProtocolError", Fact::Cut),
    ("tls.AlertError", Fact::Broken),
    ("tls.CertificateVerificationError", Fact::Barred),
    ("tls.RecordHeaderError", Fact::Barred),
    ("url.Error", Fact::Vague),
    ("url.EscapeError", Fact::BadRequest),
    ("url.InvalidHostError", Fact::BadRequest),
];

/// Every error of `crypto/x509` is about the certificate.
pub(super) fn by_prefix(kind: &str) -> Option<Fact> {
    kind.starts_with("x509.").then_some(Fact::Barred)
}

/// Whether the operation of a `net.OpError` comes before the request.
pub(super) fn is_dialling(op: &str) -> bool {
    matches!(op, "dial" | "proxyconnect" | "socks connect")
}

/// What any other operation says. A "remote error" is a TLS alert, which can come after the
/// request.
pub(super) fn by_op(op: &str) -> Option<Fact> {
    match op {
        "read" | "write" | "readfrom" | "writev" => Some(Fact::Cut),
        "remote error" | "local error" => Some(Fact::Broken),
        _ => None,
    }
}

/// The texts, first match wins: `url.Error` puts the method and the URL before each.
pub(super) const TEXTS: Texts = texts![
    (Has("x509: "), Fact::Barred),
    (Has("server gave http response to https client"), Fact::Barred),
    (Has("first record does not look like a tls handshake"), Fact::Barred),
    (Has("tls: handshake failure"), Fact::Barred),
    (Has("tls: protocol version not supported"), Fact::Barred),
    (Has("remote error: tls"), Fact::Broken),
    (Has("unsupported protocol scheme"), Fact::BadRequest),
    (Has("missing protocol scheme"), Fact::BadRequest),
    (Has("no host in request url"), Fact::BadRequest),
    (Has("nil request.url"), Fact::BadRequest),
    (Has("invalid header field"), Fact::BadRequest),
    (Has("net/http: invalid method"), Fact::BadRequest),
    (Has("invalid control character in url"), Fact::BadRequest),
    (Has("stopped after "), Fact::OverLimit),
    (Has("http: contentlength="), Fact::Misused),
    // The wait was for a connection: nothing was written yet.
    (Has("request canceled while waiting for connection"), Fact::NeverLeft),
    (Has("tls handshake timeout"), Fact::NeverLeft),
    (Has("no cached connection was available"), Fact::NeverLeft),
    (Has("server misbehaving"), Fact::NeverLeft),
    (Has("graceful shutdown goaway"), Fact::Refused),
    (Has("client connection not usable"), Fact::Refused),
    (Has("client conn not usable"), Fact::Refused),
    (Has("client.timeout"), Fact::TimedOut),
    (Has("context deadline exceeded"), Fact::TimedOut),
    (Has("timeout awaiting response headers"), Fact::TimedOut),
    (Has("i/o timeout"), Fact::TimedOut),
    (Has("context canceled"), Fact::Cancelled),
    (Has("operation was canceled"), Fact::Cancelled),
    (Is("net/http: request canceled"), Fact::Cancelled),
    (Ends(": net/http: request canceled"), Fact::Cancelled),
    (Has("server closed idle connection"), Fact::Cut),
    (Has("transport connection broken"), Fact::Cut),
    (Has("server sent goaway and closed the connection"), Fact::Cut),
    (Has("use of closed network connection"), Fact::Cut),
    (Has("malformed http response"), Fact::Cut),
    (Has("http2: client connection lost"), Fact::Cut),
];
