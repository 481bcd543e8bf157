//! libcurl (`libcurl-errors(3)`), by name and by number.

use super::{
    fact::Fact,
    table::{Table, exact},
};

/// `CURLE_*` of HTTP transfers, without the prefix.
const NAMES: Table = &[
    ("ABORTED_BY_CALLBACK", Fact::Cancelled),
    ("AUTH_ERROR", Fact::Barred),
    ("BAD_CONTENT_ENCODING", Fact::Undecodable),
    ("BAD_FUNCTION_ARGUMENT", Fact::BadRequest),
    ("COULDNT_CONNECT", Fact::NeverLeft),
    ("COULDNT_RESOLVE_HOST", Fact::NeverLeft),
    ("COULDNT_RESOLVE_PROXY", Fact::NeverLeft),
    ("ECH_REQUIRED", Fact::Barred),
    ("FAILED_INIT", Fact::BadRequest),
    ("FILESIZE_EXCEEDED", Fact::OverLimit),
    ("GOT_NOTHING", Fact::Cut),
    ("HTTP2", Fact::Cut),
    ("HTTP2_STREAM", Fact::Cut),
    ("HTTP3", Fact::Cut),
    ("HTTP_POST_ERROR", Fact::Misused),
    ("INTERFACE_FAILED", Fact::BadRequest),
    ("NOT_BUILT_IN", Fact::BadRequest),
    ("NO_CONNECTION_AVAILABLE", Fact::Starved),
    ("OPERATION_TIMEDOUT", Fact::TimedOut),
    ("PARTIAL_FILE", Fact::Cut),
    ("PEER_FAILED_VERIFICATION", Fact::Barred),
    ("PROXY", Fact::NeverLeft),
    ("QUIC_CONNECT_ERROR", Fact::NeverLeft),
    ("RANGE_ERROR", Fact::OverLimit),
    ("READ_ERROR", Fact::Misused),
    ("RECV_ERROR", Fact::Cut),
    ("SEND_ERROR", Fact::Cut),
    ("SEND_FAIL_REWIND", Fact::Misused),
    ("SSL_CACERT", Fact::Barred),
    ("SSL_CACERT_BADFILE", Fact::BadRequest),
    ("SSL_CERTPROBLEM", Fact::BadRequest),
    ("SSL_CIPHER", Fact::BadRequest),
    ("SSL_CLIENTCERT", Fact::BadRequest),
    ("SSL_CONNECT_ERROR", Fact::Barred),
    ("SSL_CRL_BADFILE", Fact::BadRequest),
    ("SSL_ENGINE_INITFAILED", Fact::BadRequest),
    ("SSL_ENGINE_NOTFOUND", Fact::BadRequest),
    ("SSL_ENGINE_SETFAILED", Fact::BadRequest),
    ("SSL_INVALIDCERTSTATUS", Fact::Barred),
    ("SSL_ISSUER_ERROR", Fact::Barred),
    ("SSL_PINNEDPUBKEYNOTMATCH", Fact::Barred),
    ("TOO_LARGE", Fact::BadRequest),
    ("TOO_MANY_REDIRECTS", Fact::OverLimit),
    ("UNKNOWN_OPTION", Fact::BadRequest),
    ("UNSUPPORTED_PROTOCOL", Fact::BadRequest),
    ("URL_MALFORMAT", Fact::BadRequest),
    ("WEIRD_SERVER_REPLY", Fact::Cut),
    ("WRITE_ERROR", Fact::OverLimit),
];

/// Numbers of the names above, in order.
const NUMBERS: &[(u8, &str)] = &[
    (1, "UNSUPPORTED_PROTOCOL"),
    (2, "FAILED_INIT"),
    (3, "URL_MALFORMAT"),
    (4, "NOT_BUILT_IN"),
    (5, "COULDNT_RESOLVE_PROXY"),
    (6, "COULDNT_RESOLVE_HOST"),
    (7, "COULDNT_CONNECT"),
    (8, "WEIRD_SERVER_REPLY"),
    (16, "HTTP2"),
    (18, "PARTIAL_FILE"),
    (23, "WRITE_ERROR"),
    (26, "READ_ERROR"),
    (28, "OPERATION_TIMEDOUT"),
    (33, "RANGE_ERROR"),
    (34, "HTTP_POST_ERROR"),
    (35, "SSL_CONNECT_ERROR"),
    (42, "ABORTED_BY_CALLBACK"),
    (43, "BAD_FUNCTION_ARGUMENT"),
    (45, "INTERFACE_FAILED"),
    (47, "TOO_MANY_REDIRECTS"),
    (48, "UNKNOWN_OPTION"),
    (52, "GOT_NOTHING"),
    (53, "SSL_ENGINE_NOTFOUND"),
    (54, "SSL_ENGINE_SETFAILED"),
    (55, "SEND_ERROR"),
    (56, "RECV_ERROR"),
    (58, "SSL_CERTPROBLEM"),
    (59, "SSL_CIPHER"),
    (60, "PEER_FAILED_VERIFICATION"),
    (61, "BAD_CONTENT_ENCODING"),
    (63, "FILESIZE_EXCEEDED"),
    (65, "SEND_FAIL_REWIND"),
    (66, "SSL_ENGINE_INITFAILED"),
    (77, "SSL_CACERT_BADFILE"),
    (82, "SSL_CRL_BADFILE"),
    (83, "SSL_ISSUER_ERROR"),
    (89, "NO_CONNECTION_AVAILABLE"),
    (90, "SSL_PINNEDPUBKEYNOTMATCH"),
    (91, "SSL_INVALIDCERTSTATUS"),
    (92, "HTTP2_STREAM"),
    (94, "AUTH_ERROR"),
    (95, "HTTP3"),
    (96, "QUIC_CONNECT_ERROR"),
    (97, "PROXY"),
    (98, "SSL_CLIENTCERT"),
    (100, "TOO_LARGE"),
    (101, "ECH_REQUIRED"),
];

/// `CURLE_COULDNT_CONNECT`.
pub(super) fn by_name(code: &str) -> Option<Fact> {
    exact(NAMES, code.strip_prefix("CURLE_")?)
}

/// `7`, the number of `CURLE_COULDNT_CONNECT` and the exit code of the command-line tool.
pub(super) fn by_number(code: &str) -> Option<Fact> {
    let wanted: u8 = code.parse().ok()?;
    let at = NUMBERS.binary_search_by_key(&wanted, |(number, _)| *number).ok()?;
    exact(NAMES, NUMBERS.get(at)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_in_order_and_meet() {
        assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(NUMBERS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (number, name) in NUMBERS {
            assert!(by_number(&std::format!("{number}")).is_some(), "{number} {name}");
        }
        assert_eq!(by_number("7"), by_name("CURLE_COULDNT_CONNECT"));
        assert_eq!(by_number("0"), None);
        assert_eq!(by_number("256"), None);
        assert_eq!(by_name("COULDNT_CONNECT"), None);
    }
}
