//! Python: urllib3, requests, httpx, aiohttp (their exception modules), and the built-in exceptions
//! under all of them. Class names, qualified or not.

use super::{
    fact::Fact,
    message::{Texts, texts},
    table::{Table, table},
};

/// `urllib3.exceptions`.
pub(super) const URLLIB3: Table = table![
    ("ClosedPoolError", Fact::BadRequest),
    ("ConnectTimeoutError", Fact::NeverLeft),
    ("DecodeError", Fact::Undecodable),
    ("EmptyPoolError", Fact::Starved),
    ("FullPoolError", Fact::Starved),
    ("HTTPError", Fact::Vague),
    ("IncompleteRead", Fact::Cut),
    ("InvalidChunkLength", Fact::Cut),
    ("LocationParseError", Fact::BadRequest),
    ("LocationValueError", Fact::BadRequest),
    ("MaxRetryError", Fact::Vague),
    ("NameResolutionError", Fact::NeverLeft),
    ("NewConnectionError", Fact::NeverLeft),
    ("ProtocolError", Fact::Cut),
    ("ProxyError", Fact::NeverLeft),
    ("ProxySchemeUnknown", Fact::BadRequest),
    ("ProxySchemeUnsupported", Fact::BadRequest),
    ("ReadTimeoutError", Fact::TimedOut),
    ("SSLError", Fact::Tls),
    ("TimeoutError", Fact::TimedOut),
    ("URLSchemeUnknown", Fact::BadRequest),
    ("UnrewindableBodyError", Fact::Misused),
];

/// `requests.exceptions`.
pub(super) const REQUESTS: Table = table![
    ("ChunkedEncodingError", Fact::Cut),
    ("ConnectTimeout", Fact::NeverLeft),
    // Wraps everything that urllib3 raises: the cause knows more.
    ("ConnectionError", Fact::Vague),
    ("ContentDecodingError", Fact::Undecodable),
    ("HTTPError", Fact::Vague),
    ("InvalidHeader", Fact::BadRequest),
    ("InvalidJSONError", Fact::BadRequest),
    ("InvalidProxyURL", Fact::BadRequest),
    ("InvalidSchema", Fact::BadRequest),
    ("InvalidURL", Fact::BadRequest),
    ("JSONDecodeError", Fact::Undecodable),
    ("MissingSchema", Fact::BadRequest),
    ("ProxyError", Fact::NeverLeft),
    ("ReadTimeout", Fact::TimedOut),
    ("RequestException", Fact::Vague),
    ("RetryError", Fact::Vague),
    ("SSLError", Fact::Tls),
    ("StreamConsumedError", Fact::OverLimit),
    ("Timeout", Fact::TimedOut),
    ("TooManyRedirects", Fact::OverLimit),
    ("URLRequired", Fact::BadRequest),
    ("UnrewindableBodyError", Fact::Misused),
];

/// `httpx`, and the httpcore exceptions of the same names.
pub(super) const HTTPX: Table = table![
    ("CloseError", Fact::Cut),
    ("ConnectError", Fact::NeverLeft),
    ("ConnectTimeout", Fact::NeverLeft),
    ("ConnectionNotAvailable", Fact::NeverLeft),
    ("DecodingError", Fact::Undecodable),
    ("HTTPError", Fact::Vague),
    ("InvalidURL", Fact::BadRequest),
    ("LocalProtocolError", Fact::BadRequest),
    ("NetworkError", Fact::Vague),
    ("PoolTimeout", Fact::Starved),
    ("ProtocolError", Fact::Cut),
    ("ProxyError", Fact::NeverLeft),
    ("ReadError", Fact::Cut),
    ("ReadTimeout", Fact::TimedOut),
    ("RemoteProtocolError", Fact::Cut),
    ("RequestError", Fact::Vague),
    ("StreamConsumed", Fact::OverLimit),
    ("TimeoutException", Fact::TimedOut),
    ("TooManyRedirects", Fact::OverLimit),
    ("TransportError", Fact::Vague),
    ("UnsupportedProtocol", Fact::BadRequest),
    ("WriteError", Fact::Cut),
    ("WriteTimeout", Fact::TimedOut),
];

/// `aiohttp.client_exceptions`.
pub(super) const AIOHTTP: Table = table![
    ("ClientConnectionError", Fact::Vague),
    ("ClientConnectionResetError", Fact::Cut),
    ("ClientConnectorCertificateError", Fact::Barred),
    ("ClientConnectorDNSError", Fact::NeverLeft),
    ("ClientConnectorError", Fact::NeverLeft),
    ("ClientConnectorSSLError", Fact::Barred),
    ("ClientError", Fact::Vague),
    ("ClientHttpProxyError", Fact::NeverLeft),
    ("ClientOSError", Fact::Vague),
    ("ClientPayloadError", Fact::Cut),
    ("ClientProxyConnectionError", Fact::NeverLeft),
    ("ConnectionTimeoutError", Fact::NeverLeft),
    ("ContentTypeError", Fact::Undecodable),
    ("InvalidURL", Fact::BadRequest),
    ("InvalidUrlClientError", Fact::BadRequest),
    ("NonHttpUrlClientError", Fact::BadRequest),
    ("ServerConnectionError", Fact::Cut),
    ("ServerDisconnectedError", Fact::Cut),
    ("ServerFingerprintMismatch", Fact::Barred),
    ("ServerTimeoutError", Fact::TimedOut),
    ("SocketTimeoutError", Fact::TimedOut),
    ("TooManyRedirects", Fact::OverLimit),
    ("UnixClientConnectorError", Fact::NeverLeft),
];

/// Built-in exceptions, `socket`, `ssl`, `http.client` and `asyncio`.
pub(super) const BUILTIN: Table = table![
    ("BadStatusLine", Fact::Cut),
    ("BrokenPipeError", Fact::Cut),
    ("CancelledError", Fact::Cancelled),
    ("CertificateError", Fact::Barred),
    ("ConnectionAbortedError", Fact::Cut),
    ("ConnectionRefusedError", Fact::NeverLeft),
    ("ConnectionResetError", Fact::Cut),
    ("IncompleteRead", Fact::Cut),
    ("IncompleteReadError", Fact::Cut),
    ("KeyboardInterrupt", Fact::Cancelled),
    ("LineTooLong", Fact::OverLimit),
    ("OSError", Fact::Vague),
    ("RemoteDisconnected", Fact::Cut),
    ("SSLCertVerificationError", Fact::Barred),
    ("SSLEOFError", Fact::Cut),
    ("SSLError", Fact::Tls),
    ("SSLZeroReturnError", Fact::Cut),
    ("TimeoutError", Fact::TimedOut),
    ("gaierror", Fact::NeverLeft),
    ("timeout", Fact::TimedOut),
];

/// Texts that Python libraries keep fixed, for hosts that pass the message alone.
pub(super) const TEXTS: Texts = texts![
    (Has("failed to establish a new connection"), Fact::NeverLeft),
    (Has("failed to resolve '"), Fact::NeverLeft),
    (Starts("cannot connect to host"), Fact::NeverLeft),
    (Has("remote end closed connection without response"), Fact::Cut),
    (Has("server disconnected"), Fact::Cut),
];
