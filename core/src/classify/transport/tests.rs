//! The rows of the tables, by family and answer. What stands beside a code is in `evidence`.

use super::*;

mod evidence;

const N: Delivery = Delivery::NotProcessed;
const M: Delivery = Delivery::MaybeProcessed;
const P: Delivery = Delivery::Processed;

/// An error known by its code alone.
fn coded(family: Family, code: &str) -> Classification {
    classify(&TransportError::new(family, code))
}

/// An error known by its message alone.
fn said(message: &str) -> Classification {
    classify(&TransportError { message: Some(message), ..TransportError::default() })
}

/// Every word of `words`, separated by spaces, has this class and delivery in `family`.
fn all(family: Family, class: Class, delivery: Delivery, words: &str) {
    for word in words.split_whitespace() {
        let found = coded(family, word);
        assert_eq!((found.class, found.delivery), (class, delivery), "{family} {word}");
        assert_eq!(found.signal, Signal::Transport, "{family} {word}");
    }
}

use Class::{Cancelled, Permanent, Throttled, Transient};

#[test]
fn every_table_is_in_byte_order_without_a_word_twice() {
    for table in TABLES {
        for pair in table.words.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{}", pair[0].0);
        }
    }
}

#[test]
fn no_two_words_of_all_tables_share_a_hash() {
    let mut seen = alloc::collections::BTreeMap::new();
    let tables = TABLES.into_iter().chain([curl::NAMES, wasi::CASES, tls::REASONS]);
    for (word, _) in tables.flat_map(|table| table.words) {
        let [row] = table::hashed::<1>(&[(word, 0)]);
        assert_eq!(*seen.entry(row).or_insert(word), word);
    }
    assert!(seen.len() > 500, "the test tests something");
}

#[test]
fn node_codes() {
    let node = Family::Node;
    all(node, Transient, N, "ECONNREFUSED EAI_AGAIN ENOTFOUND EADDRINUSE EADDRNOTAVAIL EMFILE");
    all(
        node,
        Transient,
        N,
        "ENFILE ENOBUFS ERR_SOCKET_CONNECTION_TIMEOUT ERR_HTTP2_GOAWAY_SESSION",
    );
    all(node, Transient, N, "ERR_HTTP2_INVALID_SESSION ERR_TLS_HANDSHAKE_TIMEOUT");
    all(node, Transient, M, "ECONNRESET ETIMEDOUT EPIPE EHOSTUNREACH ECONNABORTED ENETUNREACH");
    all(node, Transient, M, "ERR_STREAM_PREMATURE_CLOSE HPE_INVALID_CONSTANT HPE_ANY_OTHER");
    all(node, Transient, M, "ERR_HTTP2_STREAM_ERROR EHOSTDOWN ENETDOWN");
    all(node, Permanent, N, "EAFNOSUPPORT ERR_INVALID_URL ERR_INVALID_CHAR");
    all(node, Permanent, P, "HPE_HEADER_OVERFLOW");
}

#[test]
fn certificate_codes_are_permanent_and_never_left() {
    let names = "UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_CRL UNABLE_TO_DECRYPT_CERT_SIGNATURE
        UNABLE_TO_DECRYPT_CRL_SIGNATURE UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY CERT_SIGNATURE_FAILURE
        CRL_SIGNATURE_FAILURE CERT_NOT_YET_VALID CERT_HAS_EXPIRED CRL_NOT_YET_VALID CRL_HAS_EXPIRED
        ERROR_IN_CERT_NOT_BEFORE_FIELD ERROR_IN_CERT_NOT_AFTER_FIELD
        ERROR_IN_CRL_LAST_UPDATE_FIELD ERROR_IN_CRL_NEXT_UPDATE_FIELD OUT_OF_MEM
        DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY
        UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_CHAIN_TOO_LONG CERT_REVOKED INVALID_CA
        PATH_LENGTH_EXCEEDED INVALID_PURPOSE CERT_UNTRUSTED CERT_REJECTED HOSTNAME_MISMATCH
        ERR_TLS_CERT_ALTNAME_INVALID ERR_TLS_DH_PARAM_SIZE ERR_SSL_WRONG_VERSION_NUMBER
        ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE";
    for family in [Family::Node, Family::Axios, Family::Unknown] {
        all(family, Permanent, N, names);
        for name in names.split_whitespace() {
            assert!(!coded(family, name).local, "{name}");
        }
    }
}

#[test]
fn an_alert_that_may_follow_the_request_leaves_the_delivery_open() {
    all(Family::Node, Permanent, M, "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED EPROTO");
    all(Family::Node, Transient, M, "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC");
    let handshake = TransportError {
        phase: Some("tls-handshake"),
        ..TransportError::new(Family::Node, "EPROTO")
    };
    assert_eq!(classify(&handshake).delivery, N);
}

#[test]
fn undici_codes() {
    let undici = Family::Undici;
    all(undici, Transient, N, "UND_ERR_CONNECT_TIMEOUT");
    all(undici, Transient, M, "UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT UND_ERR_SOCKET");
    all(undici, Transient, M, "UND_ERR_RES_CONTENT_LENGTH_MISMATCH UND_ERR_INFO");
    all(undici, Permanent, P, "UND_ERR_HEADERS_OVERFLOW UND_ERR_RES_EXCEEDED_MAX_SIZE");
    all(undici, Permanent, M, "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH UND_ERR_INVALID_RETURN_VALUE");
    all(undici, Permanent, M, "UND_ERR_DESTROYED");
    all(undici, Permanent, N, "UND_ERR_INVALID_ARG UND_ERR_NOT_SUPPORTED UND_ERR_CLOSED");
    all(undici, Permanent, N, "UND_ERR_BPL_MISSING_UPSTREAM UND_ERR_PRX_TLS");
    all(undici, Cancelled, M, "UND_ERR_ABORTED UND_ERR_ABORT");
}

#[test]
fn axios_codes() {
    let axios = Family::Axios;
    all(axios, Transient, M, "ERR_NETWORK ECONNABORTED ETIMEDOUT ERR_BAD_RESPONSE");
    all(axios, Cancelled, M, "ERR_CANCELED");
    all(axios, Permanent, P, "ERR_FR_TOO_MANY_REDIRECTS");
    all(axios, Permanent, N, "ERR_INVALID_URL ERR_BAD_OPTION ERR_BAD_OPTION_VALUE ERR_NOT_SUPPORT");
    all(axios, Permanent, N, "ERR_FORM_DATA_DEPTH_EXCEEDED ERR_DEPRECATED ERR_BAD_REQUEST");
    all(axios, Permanent, M, "ERR_FR_MAX_BODY_LENGTH_EXCEEDED");
    all(axios, Transient, N, "ECONNREFUSED");
}

#[test]
fn fetch_texts() {
    for message in [
        "Failed to fetch",
        "Failed to fetch (api.example.com)",
        "network error",
        "NetworkError when attempting to fetch resource.",
        "Load failed",
        "Load failed (api.example.com)",
        "The Internet connection appears to be offline.",
        "fetch failed",
        "terminated",
        "error sending request for url (https://api.example.com/)",
        "A network error occurred.",
        "Network connection lost",
        "Network connection lost.",
        "Network request failed",
        "The socket connection was closed unexpectedly. For more information, …",
    ] {
        let found = said(message);
        assert_eq!((found.class, found.delivery), (Transient, M), "{message}");
        assert_eq!(found.signal, Signal::Transport, "{message}");
    }
    for message in ["bad port", "Failed to parse URL from http://[::1", "Invalid URL: 'x'"] {
        let found = said(message);
        assert_eq!((found.class, found.delivery), (Permanent, N), "{message}");
        assert!(found.local, "{message}");
    }
    all(
        Family::Fetch,
        Transient,
        N,
        "ConnectionRefused FailedToOpenSocket net::ERR_CONNECTION_REFUSED",
    );
    all(Family::Fetch, Transient, M, "ConnectionClosed ConnectionReset net::ERR_EMPTY_RESPONSE");
    all(Family::Fetch, Permanent, N, "net::ERR_CERT_DATE_INVALID");
}

#[test]
fn aborts_and_timeouts_by_name_and_by_text() {
    all(Family::Dom, Cancelled, M, "AbortError 20");
    all(Family::Dom, Transient, M, "TimeoutError 23 NetworkError");
    assert_eq!(said("This operation was aborted").class, Cancelled);
    assert_eq!(said("The user aborted a request.").class, Cancelled);
    assert_eq!(said("The operation was aborted due to timeout").class, Transient);
}

#[test]
fn http2_and_http3_codes() {
    let both = [Family::Http2, Family::Unknown];
    for family in both {
        all(family, Transient, N, "REFUSED_STREAM HTTP_1_1_REQUIRED");
        all(family, Transient, M, "NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR");
        all(family, Transient, M, "SETTINGS_TIMEOUT STREAM_CLOSED CANCEL COMPRESSION_ERROR");
        all(family, Transient, M, "CONNECT_ERROR");
        all(family, Permanent, M, "FRAME_SIZE_ERROR");
        all(family, Permanent, N, "INADEQUATE_SECURITY");
        all(family, Throttled, M, "ENHANCE_YOUR_CALM");
    }
    all(Family::Http2, Transient, N, "7 0x7 NGHTTP2_REFUSED_STREAM");
    all(Family::Http3, Transient, N, "H3_REQUEST_REJECTED H3_VERSION_FALLBACK 0x10b");
    all(Family::Http3, Transient, M, "H3_REQUEST_CANCELLED H3_REQUEST_INCOMPLETE H3_NO_ERROR");
    all(Family::Http3, Transient, M, "H3_INTERNAL_ERROR");
    all(Family::Http3, Throttled, M, "H3_EXCESSIVE_LOAD");
    assert!(coded(Family::Http3, "H3_EXCESSIVE_LOAD").rate_limit);
    assert_eq!(coded(Family::Http2, "REFUSED_STREAM").basis, Basis::Protocol);
}

#[test]
fn a_goaway_proves_what_lies_above_its_last_stream() {
    let goaway = |code, stream, last| {
        classify(&TransportError {
            frame: Some("GOAWAY"),
            stream_id: Some(stream),
            last_stream_id: Some(last),
            ..TransportError::new(Family::Http2, code)
        })
    };
    assert_eq!(goaway("NO_ERROR", 7, 5).basis, Basis::Protocol);
    assert_eq!(goaway("NO_ERROR", 7, 7).delivery, M);
    assert_eq!(goaway("NO_ERROR", 5, 7).delivery, M);
    let calm = goaway("ENHANCE_YOUR_CALM", 1, 0);
    assert_eq!((calm.class, calm.basis), (Throttled, Basis::Protocol));
    assert!(calm.rate_limit);
}

#[test]
fn wasi_codes() {
    let wasi = Family::WasiHttp;
    all(wasi, Transient, N, "DNS-timeout DNS-error destination-unavailable connection-timeout");
    all(wasi, Transient, N, "destination-IP-unroutable connection-refused");
    all(wasi, Transient, M, "connection-terminated connection-read-timeout internal-error");
    all(wasi, Transient, M, "connection-write-timeout HTTP-response-incomplete");
    all(wasi, Transient, M, "HTTP-response-transfer-coding HTTP-response-timeout");
    all(wasi, Transient, M, "HTTP-protocol-error");
    all(wasi, Throttled, N, "connection-limit-reached");
    all(wasi, Permanent, N, "destination-not-found destination-IP-prohibited loop-detected");
    all(wasi, Permanent, N, "TLS-certificate-error HTTP-request-denied HTTP-upgrade-failed");
    all(wasi, Permanent, N, "HTTP-request-length-required HTTP-request-method-invalid");
    all(wasi, Permanent, N, "HTTP-request-URI-invalid HTTP-request-URI-too-long");
    all(wasi, Permanent, N, "HTTP-request-header-section-size HTTP-request-header-size");
    all(wasi, Permanent, N, "configuration-error");
    all(wasi, Permanent, M, "TLS-protocol-error TLS-alert-received HTTP-request-body-size");
    all(wasi, Permanent, M, "HTTP-request-trailer-section-size HTTP-request-trailer-size");
    all(wasi, Permanent, P, "HTTP-response-header-section-size HTTP-response-header-size");
    all(wasi, Permanent, P, "HTTP-response-body-size HTTP-response-trailer-section-size");
    all(wasi, Permanent, P, "HTTP-response-trailer-size HTTP-response-content-coding");
    assert!(!coded(wasi, "connection-limit-reached").rate_limit, "an upstream that is full");
}

#[test]
fn a_name_that_does_not_exist_is_permanent_where_the_resolver_says_so() {
    let dns = |rcode| {
        classify(&TransportError {
            rcode: Some(rcode),
            ..TransportError::new(Family::WasiHttp, "DNS-error")
        })
    };
    assert_eq!((dns("NXDOMAIN").class, dns("NXDOMAIN").basis), (Permanent, Basis::Transport));
    assert_eq!((dns("SERVFAIL").class, dns("SERVFAIL").delivery), (Transient, N));
}

#[test]
fn python_exceptions() {
    let urllib3 = Family::Urllib3;
    all(urllib3, Transient, N, "ConnectTimeoutError NewConnectionError NameResolutionError");
    all(urllib3, Transient, N, "EmptyPoolError urllib3.exceptions.NewConnectionError");
    all(urllib3, Transient, M, "ReadTimeoutError ProtocolError IncompleteRead InvalidChunkLength");
    all(urllib3, Permanent, N, "SSLError LocationParseError URLSchemeUnknown");
    all(urllib3, Permanent, P, "DecodeError");
    all(urllib3, Permanent, M, "UnrewindableBodyError");
    let requests = Family::Requests;
    all(requests, Transient, N, "ConnectTimeout");
    all(requests, Transient, M, "ReadTimeout ConnectionError ChunkedEncodingError");
    all(requests, Permanent, P, "ContentDecodingError TooManyRedirects");
    all(requests, Permanent, N, "SSLError InvalidURL MissingSchema InvalidHeader");
    let httpx = Family::Httpx;
    all(httpx, Transient, N, "ConnectError ConnectTimeout PoolTimeout ProxyError");
    all(httpx, Transient, M, "ReadTimeout WriteTimeout ReadError WriteError RemoteProtocolError");
    all(httpx, Permanent, N, "LocalProtocolError UnsupportedProtocol");
    all(httpx, Permanent, P, "DecodingError TooManyRedirects");
    let aiohttp = Family::Aiohttp;
    all(
        aiohttp,
        Transient,
        N,
        "ClientConnectorError ClientConnectorDNSError ConnectionTimeoutError",
    );
    all(aiohttp, Transient, M, "ServerDisconnectedError SocketTimeoutError ClientPayloadError");
    all(aiohttp, Permanent, N, "ClientConnectorCertificateError");
    for family in [urllib3, requests, httpx, aiohttp] {
        all(family, Transient, N, "ECONNREFUSED ConnectionRefusedError socket.gaierror");
        all(family, Transient, M, "ConnectionResetError BrokenPipeError");
        all(family, Permanent, N, "ssl.SSLCertVerificationError");
        all(family, Cancelled, M, "asyncio.CancelledError");
    }
}

#[test]
fn go_types_and_texts() {
    let typed = |kind, op| {
        classify(&TransportError { family: Family::Go, kind: Some(kind), op, ..Default::default() })
    };
    assert_eq!(typed("net.OpError", Some("dial")).basis, Basis::Transport);
    assert_eq!(typed("*net.OpError", Some("read")).delivery, M);
    assert_eq!(typed("net.OpError", Some("write")).delivery, M);
    assert_eq!(typed("net.DNSError", None).delivery, N);
    assert_eq!(typed("*url.EscapeError", None).class, Permanent);
    assert_eq!(typed("net.OpError", Some("remote error")).class, Permanent, "a TLS alert");
    assert_eq!(typed("net.OpError", Some("remote error")).delivery, M);
    assert_eq!(typed("x509.UnknownAuthorityError", None).class, Permanent);
    for (message, class, delivery) in [
        ("EOF", Transient, M),
        ("Post \"https://a.example\": EOF", Transient, M),
        ("unexpected EOF", Transient, M),
        ("http: server closed idle connection", Transient, M),
        ("context canceled", Cancelled, M),
        ("Get \"https://a.example\": context canceled", Cancelled, M),
        ("context deadline exceeded", Transient, M),
        ("http2: Transport received Server's graceful shutdown GOAWAY", Transient, N),
        ("net/http: timeout awaiting response headers", Transient, M),
        ("net/http: TLS handshake timeout", Transient, N),
        ("Get \"/x\": stopped after 10 redirects", Permanent, P),
        ("unsupported protocol scheme \"foo\"", Permanent, N),
        ("dial tcp 192.0.2.1:443: i/o timeout", Transient, N),
        ("dial tcp 192.0.2.1:443: connect: no route to host", Transient, N),
        ("dial tcp: lookup a.example: no such host", Transient, N),
        ("read tcp 192.0.2.1:1->192.0.2.2:2: read: connection reset by peer", Transient, M),
        ("tls: failed to verify certificate: x509: unknown authority", Permanent, N),
        (
            "net/http: request canceled while waiting for connection (Client.Timeout exceeded)",
            Transient,
            N,
        ),
        (
            "net/http: request canceled (Client.Timeout exceeded while awaiting headers)",
            Transient,
            M,
        ),
        ("stream error: stream ID 3; REFUSED_STREAM; received from peer", Transient, N),
        ("stream error: stream ID 3; ENHANCE_YOUR_CALM", Throttled, M),
    ] {
        let error = TransportError {
            family: Family::Go,
            message: Some(message),
            ..TransportError::default()
        };
        let found = classify(&error);
        assert_eq!((found.class, found.delivery), (class, delivery), "{message}");
    }
}

#[test]
fn java_exceptions() {
    let java = Family::Java;
    all(java, Transient, N, "java.net.ConnectException java.net.http.HttpConnectTimeoutException");
    all(java, Transient, N, "java.net.UnknownHostException java.net.NoRouteToHostException");
    all(java, Transient, M, "java.net.http.HttpTimeoutException java.net.SocketTimeoutException");
    all(java, Transient, M, "java.net.SocketException java.io.EOFException");
    all(java, Transient, M, "org.apache.http.NoHttpResponseException");
    all(java, Permanent, N, "javax.net.ssl.SSLHandshakeException java.net.MalformedURLException");
    all(java, Permanent, N, "javax.net.ssl.SSLPeerUnverifiedException");
    all(java, Cancelled, M, "java.lang.InterruptedException");
    let timed_out = |message, phase| {
        classify(&TransportError {
            message,
            phase,
            ..TransportError::new(java, "java.net.SocketTimeoutException")
        })
        .delivery
    };
    assert_eq!(timed_out(Some("connect timed out"), None), N);
    assert_eq!(timed_out(Some("Connect timed out"), None), N);
    assert_eq!(timed_out(None, Some("connect")), N);
    assert_eq!(timed_out(Some("Read timed out"), Some("read")), M);
}

#[test]
fn rust_dotnet_curl_and_grpc() {
    let reqwest = Family::Reqwest;
    all(reqwest, Transient, N, "is_connect is_connect+is_timeout is_timeout+is_connect");
    all(reqwest, Transient, N, "hyper.Canceled h2.REFUSED_STREAM");
    all(reqwest, Transient, M, "is_timeout is_body hyper.IncompleteMessage h2.GO_AWAY.NO_ERROR");
    all(reqwest, Permanent, P, "is_decode is_redirect");
    all(reqwest, Permanent, N, "is_builder");
    let dotnet = Family::Dotnet;
    all(dotnet, Transient, N, "NameResolutionError ConnectionError ProxyTunnelError");
    all(dotnet, Transient, M, "ResponseEnded HttpProtocolError InvalidResponse");
    all(dotnet, Permanent, N, "SecureConnectionError VersionNegotiationError");
    all(dotnet, Permanent, P, "UserAuthenticationError ConfigurationLimitExceeded");
    let curl = Family::Curl;
    all(curl, Transient, N, "CURLE_COULDNT_RESOLVE_HOST CURLE_COULDNT_CONNECT 6 7");
    all(curl, Transient, M, "CURLE_OPERATION_TIMEDOUT CURLE_GOT_NOTHING CURLE_SEND_ERROR");
    all(curl, Transient, M, "CURLE_RECV_ERROR CURLE_PARTIAL_FILE 28 52 55 56 18");
    all(curl, Permanent, N, "CURLE_PEER_FAILED_VERIFICATION CURLE_SSL_CONNECT_ERROR 60 35");
    all(curl, Permanent, N, "CURLE_URL_MALFORMAT 3");
    all(curl, Permanent, P, "CURLE_TOO_MANY_REDIRECTS 47");
    all(curl, Cancelled, M, "CURLE_ABORTED_BY_CALLBACK 42");
    let grpc = |progress| {
        classify(&TransportError { progress, ..TransportError::new(Family::Grpc, "UNAVAILABLE") })
    };
    assert_eq!(grpc(Some("not_started")).basis, Basis::Transport);
    assert_eq!(grpc(Some("refused")).basis, Basis::Protocol);
    assert_eq!(grpc(Some("processed")).delivery, M);
    assert_eq!(grpc(None).delivery, M);
    assert_eq!(coded(Family::Grpc, "7").class, Permanent);
    assert_eq!(coded(Family::Unknown, "7").class, Transient, "a number means nothing by itself");
}

#[test]
fn what_says_that_bytes_went_out_is_known_by_the_error() {
    for op in ["read", "write", "readfrom", "writev"] {
        let error =
            TransportError { family: Family::Go, op: Some(op), ..TransportError::default() };
        assert_eq!(classify(&error).signal, Signal::Transport, "{op}");
    }
    for code in ["0x100", "257", "0x10f"] {
        assert_eq!(coded(Family::Http3, code).signal, Signal::Transport, "{code}");
    }
    for code in ["0xff", "0x111"] {
        assert_eq!(coded(Family::Http3, code).signal, Signal::Unknown, "{code}");
    }
}
