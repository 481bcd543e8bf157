//! libcurl (`libcurl-errors(3)`), by name and by number.

use super::{
    fact::Fact,
    table::{Table, table},
};

/// `CURLE_*` of HTTP transfers, without the prefix.
pub(super) const NAMES: Table = table![
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

/// The same by number, in order.
const NUMBERS: &[(u8, Fact)] = &[
    (1, Fact::BadRequest),   // UNSUPPORTED_PROTOCOL
    (2, Fact::BadRequest),   // FAILED_INIT
    (3, Fact::BadRequest),   // URL_MALFORMAT
    (4, Fact::BadRequest),   // NOT_BUILT_IN
    (5, Fact::NeverLeft),    // COULDNT_RESOLVE_PROXY
    (6, Fact::NeverLeft),    // COULDNT_RESOLVE_HOST
    (7, Fact::NeverLeft),    // COULDNT_CONNECT
    (8, Fact::Cut),          // WEIRD_SERVER_REPLY
    (16, Fact::Cut),         // HTTP2
    (18, Fact::Cut),         // PARTIAL_FILE
    (23, Fact::OverLimit),   // WRITE_ERROR
    (26, Fact::Misused),     // READ_ERROR
    (28, Fact::TimedOut),    // OPERATION_TIMEDOUT
    (33, Fact::OverLimit),   // RANGE_ERROR
    (34, Fact::Misused),     // HTTP_POST_ERROR
    (35, Fact::Barred),      // SSL_CONNECT_ERROR
    (42, Fact::Cancelled),   // ABORTED_BY_CALLBACK
    (43, Fact::BadRequest),  // BAD_FUNCTION_ARGUMENT
    (45, Fact::BadRequest),  // INTERFACE_FAILED
    (47, Fact::OverLimit),   // TOO_MANY_REDIRECTS
    (48, Fact::BadRequest),  // UNKNOWN_OPTION
    (52, Fact::Cut),         // GOT_NOTHING
    (53, Fact::BadRequest),  // SSL_ENGINE_NOTFOUND
    (54, Fact::BadRequest),  // SSL_ENGINE_SETFAILED
    (55, Fact::Cut),         // SEND_ERROR
    (56, Fact::Cut),         // RECV_ERROR
    (58, Fact::BadRequest),  // SSL_CERTPROBLEM
    (59, Fact::BadRequest),  // SSL_CIPHER
    (60, Fact::Barred),      // PEER_FAILED_VERIFICATION
    (61, Fact::Undecodable), // BAD_CONTENT_ENCODING
    (63, Fact::OverLimit),   // FILESIZE_EXCEEDED
    (65, Fact::Misused),     // SEND_FAIL_REWIND
    (66, Fact::BadRequest),  // SSL_ENGINE_INITFAILED
    (77, Fact::BadRequest),  // SSL_CACERT_BADFILE
    (82, Fact::BadRequest),  // SSL_CRL_BADFILE
    (83, Fact::Barred),      // SSL_ISSUER_ERROR
    (89, Fact::Starved),     // NO_CONNECTION_AVAILABLE
    (90, Fact::Barred),      // SSL_PINNEDPUBKEYNOTMATCH
    (91, Fact::Barred),      // SSL_INVALIDCERTSTATUS
    (92, Fact::Cut),         // HTTP2_STREAM
    (94, Fact::Barred),      // AUTH_ERROR
    (95, Fact::Cut),         // HTTP3
    (96, Fact::NeverLeft),   // QUIC_CONNECT_ERROR
    (97, Fact::NeverLeft),   // PROXY
    (98, Fact::BadRequest),  // SSL_CLIENTCERT
    (100, Fact::BadRequest), // TOO_LARGE
    (101, Fact::Barred),     // ECH_REQUIRED
];

/// `CURLE_COULDNT_CONNECT`.
pub(super) fn by_name(code: &str) -> Option<Fact> {
    NAMES.exact(code.strip_prefix("CURLE_")?)
}

/// `7`, the number of `CURLE_COULDNT_CONNECT` and the exit code of the command-line tool.
pub(super) fn by_number(code: &str) -> Option<Fact> {
    let wanted: u8 = code.parse().ok()?;
    let at = NUMBERS.binary_search_by_key(&wanted, |(number, _)| *number).ok()?;
    NUMBERS.get(at).map(|(_, fact)| *fact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_in_order_and_meet() {
        assert!(NAMES.words.iter().map(|(name, _)| name).is_sorted());
        assert!(NUMBERS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (number, name) in [
            ("1", "CURLE_UNSUPPORTED_PROTOCOL"),
            ("7", "CURLE_COULDNT_CONNECT"),
            ("28", "CURLE_OPERATION_TIMEDOUT"),
            ("42", "CURLE_ABORTED_BY_CALLBACK"),
            ("65", "CURLE_SEND_FAIL_REWIND"),
            ("101", "CURLE_ECH_REQUIRED"),
        ] {
            assert!(by_number(number).is_some(), "{number}");
            assert_eq!(by_number(number), by_name(name), "{name}");
        }
        assert_eq!(by_number("0"), None);
        assert_eq!(by_number("256"), None);
        assert_eq!(by_name("COULDNT_CONNECT"), None);
    }
}
