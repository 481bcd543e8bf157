//! What stands beside a code: calls, texts, causes, other families.

use super::*;

#[test]
fn a_number_means_something_in_its_own_family_only() {
    for family in [Family::Unknown, Family::Node, Family::Go] {
        assert_eq!(coded(family, "7").signal, Signal::Unknown, "{family}");
        assert_eq!(coded(family, "20").signal, Signal::Unknown, "{family}");
    }
}

#[test]
fn a_call_that_comes_before_the_request_proves_that_it_never_left() {
    let at = |code, syscall| {
        classify(&TransportError {
            syscall: Some(syscall),
            ..TransportError::new(Family::Node, code)
        })
    };
    for code in ["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "ENETDOWN", "ESOMETHING"]
    {
        let found = at(code, "connect");
        assert_eq!((found.class, found.basis), (Transient, Basis::Transport), "{code}");
    }
    for code in ["EACCES", "EPERM", "EINVAL", "ENOENT"] {
        let found = at(code, "connect");
        assert_eq!((found.class, found.basis), (Permanent, Basis::Transport), "{code}");
        assert!(found.local, "{code}");
    }
    assert_eq!(at("ETIMEOUT", "queryA").delivery, N);
    assert_eq!(at("ETIMEDOUT", "read").delivery, M);
    assert_eq!(at("ECONNRESET", "read").delivery, M);
    assert_eq!(at("EPIPE", "write").delivery, M);
}

#[test]
fn nodes_message_tells_the_call_where_the_field_is_lost() {
    let told = |code, message| {
        classify(&TransportError {
            message: Some(message),
            ..TransportError::new(Family::Axios, code)
        })
        .delivery
    };
    assert_eq!(told("ETIMEDOUT", "connect ETIMEDOUT 192.0.2.1:443"), N);
    assert_eq!(told("ETIMEDOUT", "read ETIMEDOUT"), M);
    assert_eq!(told("ETIMEDOUT", "timeout of 1000ms exceeded"), M);
    let fetched =
        "request to https://a.example/ failed, reason: connect ECONNREFUSED 192.0.2.1:443";
    assert_eq!(said(fetched).basis, Basis::Transport);
    let aggregate = TransportError {
        name: Some("AggregateError"),
        ..TransportError::new(Family::Node, "ETIMEDOUT")
    };
    assert_eq!(classify(&aggregate).delivery, N);
    let any = TransportError { name: Some("AggregateError"), ..TransportError::default() };
    assert_eq!(classify(&any).delivery, M, "Promise.any gives one too, without a code");
}

#[test]
fn a_reset_before_tls_never_left_and_a_reused_connection_proves_nothing() {
    let text = "Client network socket disconnected before secure TLS connection was established";
    let reset = TransportError::new(Family::Node, "ECONNRESET");
    assert_eq!(classify(&TransportError { message: Some(text), ..reset }).basis, Basis::Transport);
    assert_eq!(classify(&TransportError { reused: true, ..reset }).delivery, M);
    assert_eq!(classify(&TransportError { message: Some("socket hang up"), ..reset }).delivery, M);
}

#[test]
fn a_http2_stream_error_is_what_its_text_says() {
    let stream = |code| {
        let message = std::format!("Stream closed with error code NGHTTP2_{code}");
        classify(&TransportError {
            message: Some(&message),
            ..TransportError::new(Family::Node, "ERR_HTTP2_STREAM_ERROR")
        })
    };
    assert_eq!(stream("REFUSED_STREAM").basis, Basis::Protocol);
    assert_eq!(stream("INTERNAL_ERROR").delivery, M);
    assert_eq!(stream("ENHANCE_YOUR_CALM").class, Throttled);
    let phase = TransportError {
        phase: Some("refused-stream"),
        ..TransportError::new(Family::Node, "ERR_HTTP2_STREAM_ERROR")
    };
    assert_eq!(classify(&phase).basis, Basis::Protocol);
}

#[test]
fn the_most_certain_error_of_a_chain_stands() {
    let refused = TransportError {
        syscall: Some("connect"),
        ..TransportError::new(Family::Unknown, "ECONNREFUSED")
    };
    let middle =
        TransportError { cause: Some(&refused), ..TransportError::new(Family::Unknown, "?") };
    let outer = TransportError {
        name: Some("TypeError"),
        message: Some("fetch failed"),
        cause: Some(&middle),
        family: Family::Fetch,
        ..TransportError::default()
    };
    assert_eq!(classify(&outer).basis, Basis::Transport);

    let expired = TransportError::new(Family::Unknown, "CERT_HAS_EXPIRED");
    let connect = TransportError {
        cause: Some(&expired),
        ..TransportError::new(Family::Reqwest, "is_connect")
    };
    assert_eq!(classify(&connect).class, Permanent);

    let reset = TransportError::new(Family::Unknown, "ECONNRESET");
    let handshake = TransportError {
        cause: Some(&reset),
        ..TransportError::new(Family::Httpx, "ConnectError")
    };
    assert_eq!(classify(&handshake).delivery, N, "it failed while connecting, whatever the cause");

    let cut = TransportError::new(Family::Reqwest, "hyper.IncompleteMessage");
    let decode =
        TransportError { cause: Some(&cut), ..TransportError::new(Family::Reqwest, "is_decode") };
    assert_eq!((classify(&decode).class, classify(&decode).delivery), (Transient, M));
}

#[test]
fn tls_that_broke_while_reading_is_not_proof() {
    let tls = TransportError {
        message: Some("The read operation timed out"),
        ..TransportError::new(Family::Urllib3, "SSLError")
    };
    assert_eq!((classify(&tls).class, classify(&tls).delivery), (Transient, M));
    let certificate = TransportError {
        message: Some("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"),
        ..TransportError::new(Family::Requests, "SSLError")
    };
    assert_eq!((classify(&certificate).class, classify(&certificate).delivery), (Permanent, N));
}

#[test]
fn an_abort_for_a_timeout_is_a_timeout_and_any_other_abort_is_one() {
    let timeout = TransportError { name: Some("TimeoutError"), ..TransportError::default() };
    let reset = TransportError::new(Family::Unknown, "ECONNRESET");
    let abort = |cause| {
        classify(&TransportError { name: Some("AbortError"), cause, ..TransportError::default() })
            .class
    };
    assert_eq!(abort(None), Cancelled);
    assert_eq!(abort(Some(&reset)), Cancelled);
    assert_eq!(abort(Some(&timeout)), Transient);
}

#[test]
fn causes_are_followed_to_a_bounded_depth() {
    fn nested(depth: usize, inner: &TransportError<'_>) -> Classification {
        if depth == 0 {
            return classify(inner);
        }
        let outer = TransportError { cause: Some(inner), ..TransportError::default() };
        nested(depth - 1, &outer)
    }
    let refused = TransportError::new(Family::Node, "ECONNREFUSED");
    assert_eq!(nested(MAX_DEPTH - 1, &refused).basis, Basis::Transport);
    assert_eq!(nested(MAX_DEPTH, &refused).signal, Signal::Unknown);
}

#[test]
fn where_families_differ_an_unknown_one_gets_the_weaker_meaning() {
    assert_eq!(coded(Family::Dotnet, "ConnectionError").delivery, N);
    assert_eq!(coded(Family::Requests, "ConnectionError").delivery, M);
    assert_eq!(coded(Family::Unknown, "ConnectionError").delivery, M);
    assert_eq!(coded(Family::Node, "ConnectionError").delivery, M);
    assert_eq!(anywhere("SocketException"), Some(Fact::Vague));
}

#[test]
fn a_wrong_family_does_not_hide_a_known_code() {
    for &family in Family::ALL {
        assert_eq!(coded(family, "ECONNREFUSED").basis, Basis::Transport, "{family}");
        assert_eq!(coded(family, "WSAECONNREFUSED").basis, Basis::Transport, "{family}");
        assert_eq!(coded(family, "UND_ERR_CONNECT_TIMEOUT").basis, Basis::Transport, "{family}");
        assert_eq!(coded(family, "CURLE_COULDNT_CONNECT").basis, Basis::Transport, "{family}");
        assert_eq!(coded(family, "DNS-timeout").basis, Basis::Transport, "{family}");
        assert!(coded(family, "ERR_OSSL_EVP_UNSUPPORTED").local, "{family}");
    }
}

#[test]
fn a_grpc_message_is_the_servers_and_proves_nothing() {
    let quoted = TransportError {
        message: Some("upstream connect error: dial tcp 192.0.2.1:5432: connection refused"),
        ..TransportError::new(Family::Grpc, "UNAVAILABLE")
    };
    assert_eq!(classify(&quoted).delivery, M);
}

#[test]
fn what_no_table_knows_is_transient_and_open() {
    let found = coded(Family::Unknown, "SOMETHING_ELSE");
    assert_eq!((found.class, found.delivery), (Transient, M));
    assert_eq!(found.signal, Signal::Unknown);
    assert!(!found.local);
}
