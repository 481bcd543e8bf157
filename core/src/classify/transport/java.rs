//! Java: `java.net`, `java.net.http`, `javax.net.ssl`, Apache `HttpClient` 4 and 5, okhttp. Class
//! names without their package.

use super::{
    fact::Fact,
    message::{Texts, texts},
    table::{Table, table},
};

/// Exceptions.
pub(super) const CODES: Table = table![
    ("BindException", Fact::Starved),
    ("CancellationException", Fact::Cancelled),
    ("CertPathBuilderException", Fact::Barred),
    ("CertPathValidatorException", Fact::Barred),
    ("CertificateException", Fact::Barred),
    ("CertificateExpiredException", Fact::Barred),
    ("CertificateNotYetValidException", Fact::Barred),
    ("CircularRedirectException", Fact::OverLimit),
    ("ClientProtocolException", Fact::Vague),
    ("ClosedByInterruptException", Fact::Cancelled),
    ("ClosedChannelException", Fact::Cut),
    ("CompletionException", Fact::Vague),
    ("ConnectException", Fact::NeverLeft),
    ("ConnectTimeoutException", Fact::NeverLeft),
    ("ConnectionClosedException", Fact::Cut),
    ("ConnectionPoolTimeoutException", Fact::Starved),
    ("ConnectionRequestTimeoutException", Fact::Starved),
    ("EOFException", Fact::Cut),
    ("ExecutionException", Fact::Vague),
    ("HttpConnectTimeoutException", Fact::NeverLeft),
    ("HttpHostConnectException", Fact::NeverLeft),
    ("HttpTimeoutException", Fact::TimedOut),
    ("IOException", Fact::Vague),
    ("InterruptedException", Fact::Cancelled),
    // Also the base of SocketTimeoutException; okhttp throws it when a call's time is over.
    ("InterruptedIOException", Fact::TimedOut),
    ("MalformedChunkCodingException", Fact::Cut),
    ("MalformedURLException", Fact::BadRequest),
    ("NoHttpResponseException", Fact::Cut),
    ("NoRouteToHostException", Fact::NeverLeft),
    ("PortUnreachableException", Fact::NeverLeft),
    ("RedirectException", Fact::OverLimit),
    ("RequestFailedException", Fact::Vague),
    ("SSLException", Fact::Tls),
    ("SSLHandshakeException", Fact::Barred),
    ("SSLKeyException", Fact::Barred),
    ("SSLPeerUnverifiedException", Fact::Barred),
    ("SSLProtocolException", Fact::Broken),
    ("SocketException", Fact::Cut),
    ("SocketTimeoutException", Fact::TimedOut),
    ("StreamResetException", Fact::Cut),
    ("TimeoutException", Fact::TimedOut),
    ("TruncatedChunkException", Fact::Cut),
    ("URISyntaxException", Fact::BadRequest),
    ("UnknownHostException", Fact::NeverLeft),
    ("UnknownServiceException", Fact::BadRequest),
    ("UnresolvedAddressException", Fact::NeverLeft),
    ("UnsupportedSchemeException", Fact::BadRequest),
    ("ZipException", Fact::Undecodable),
];

/// Texts, first match wins. (Those of the operating system stand with it.)
pub(super) const TEXTS: Texts = texts![
    (Has("unexpected end of file from server"), Fact::Cut),
    (Has("too many follow-up requests"), Fact::OverLimit),
    (Has("redirected too many times"), Fact::OverLimit),
];
