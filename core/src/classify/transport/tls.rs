//! TLS and certificates: OpenSSL's verify codes as Node names them, `ERR_TLS_*`, and the reasons of
//! OpenSSL errors (`ERR_SSL_…` in Node, `[SSL: …]` in Python).

use super::{
    fact::Fact,
    message::{Texts, texts},
    table::{Table, table},
};

/// X.509 verification results (OpenSSL `X509_V_ERR_*`) and Node's own TLS codes.
pub(super) const CODES: Table = table![
    ("CERT_CHAIN_TOO_LONG", Fact::Barred),
    ("CERT_HAS_EXPIRED", Fact::Barred),
    ("CERT_NOT_YET_VALID", Fact::Barred),
    ("CERT_REJECTED", Fact::Barred),
    ("CERT_REVOKED", Fact::Barred),
    ("CERT_SIGNATURE_FAILURE", Fact::Barred),
    ("CERT_UNTRUSTED", Fact::Barred),
    ("CRL_HAS_EXPIRED", Fact::Barred),
    ("CRL_NOT_YET_VALID", Fact::Barred),
    ("CRL_SIGNATURE_FAILURE", Fact::Barred),
    ("DEPTH_ZERO_SELF_SIGNED_CERT", Fact::Barred),
    ("ERROR_IN_CERT_NOT_AFTER_FIELD", Fact::Barred),
    ("ERROR_IN_CERT_NOT_BEFORE_FIELD", Fact::Barred),
    ("ERROR_IN_CRL_LAST_UPDATE_FIELD", Fact::Barred),
    ("ERROR_IN_CRL_NEXT_UPDATE_FIELD", Fact::Barred),
    ("ERR_TLS_HANDSHAKE_TIMEOUT", Fact::NeverLeft),
    ("ERR_TLS_INVALID_CONTEXT", Fact::BadRequest),
    ("ERR_TLS_INVALID_PROTOCOL_VERSION", Fact::BadRequest),
    ("ERR_TLS_PROTOCOL_VERSION_CONFLICT", Fact::BadRequest),
    ("ERR_TLS_RENEGOTIATION_DISABLED", Fact::Broken),
    ("ERR_TLS_SESSION_ATTACK", Fact::Broken),
    ("HOSTNAME_MISMATCH", Fact::Barred),
    ("INVALID_CA", Fact::Barred),
    ("INVALID_PURPOSE", Fact::Barred),
    ("OUT_OF_MEM", Fact::Barred),
    ("PATH_LENGTH_EXCEEDED", Fact::Barred),
    ("SELF_SIGNED_CERT_IN_CHAIN", Fact::Barred),
    ("UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY", Fact::Barred),
    ("UNABLE_TO_DECRYPT_CERT_SIGNATURE", Fact::Barred),
    ("UNABLE_TO_DECRYPT_CRL_SIGNATURE", Fact::Barred),
    ("UNABLE_TO_GET_CRL", Fact::Barred),
    ("UNABLE_TO_GET_ISSUER_CERT", Fact::Barred),
    ("UNABLE_TO_GET_ISSUER_CERT_LOCALLY", Fact::Barred),
    ("UNABLE_TO_VERIFY_LEAF_SIGNATURE", Fact::Barred),
];

/// Reasons of OpenSSL errors that belong to the handshake's first flights, or to a record that was
/// damaged on the way. Any other reason may be an alert that came after the request (TLS 1.3 sends
/// the verdict on a client certificate that late).
pub(super) const REASONS: Table = table![
    ("BAD_EXTENSION", Fact::Barred),
    ("BAD_RECORD_TYPE", Fact::Cut),
    ("CA_KEY_TOO_SMALL", Fact::Barred),
    ("CA_MD_TOO_WEAK", Fact::Barred),
    ("CERTIFICATE_VERIFY_FAILED", Fact::Barred),
    ("DECRYPTION_FAILED_OR_BAD_RECORD_MAC", Fact::Cut),
    ("DH_KEY_TOO_SMALL", Fact::Barred),
    ("EE_KEY_TOO_SMALL", Fact::Barred),
    ("HTTPS_PROXY_REQUEST", Fact::Barred),
    ("HTTP_REQUEST", Fact::Barred),
    ("INAPPROPRIATE_FALLBACK", Fact::Barred),
    ("NO_CIPHERS_AVAILABLE", Fact::Barred),
    ("NO_PROTOCOLS_AVAILABLE", Fact::Barred),
    ("NO_SHARED_CIPHER", Fact::Barred),
    ("PACKET_LENGTH_TOO_LONG", Fact::Barred),
    ("SSLV3_ALERT_BAD_RECORD_MAC", Fact::Cut),
    ("SSLV3_ALERT_HANDSHAKE_FAILURE", Fact::Barred),
    ("TLSV1_ALERT_INAPPROPRIATE_FALLBACK", Fact::Barred),
    ("TLSV1_ALERT_INSUFFICIENT_SECURITY", Fact::Barred),
    ("TLSV1_ALERT_NO_APPLICATION_PROTOCOL", Fact::Barred),
    ("TLSV1_ALERT_PROTOCOL_VERSION", Fact::Barred),
    ("TLSV1_UNRECOGNIZED_NAME", Fact::Barred),
    ("TLSV1_UNSUPPORTED_EXTENSION", Fact::Barred),
    ("TLS_ALERT_HANDSHAKE_FAILURE", Fact::Barred),
    ("TLS_ALERT_INSUFFICIENT_SECURITY", Fact::Barred),
    ("TLS_ALERT_NO_APPLICATION_PROTOCOL", Fact::Barred),
    ("TLS_ALERT_PROTOCOL_VERSION", Fact::Barred),
    ("TLS_ALERT_UNRECOGNIZED_NAME", Fact::Barred),
    ("UNEXPECTED_EOF_WHILE_READING", Fact::Cut),
    ("UNKNOWN_PROTOCOL", Fact::Barred),
    ("UNSAFE_LEGACY_RENEGOTIATION_DISABLED", Fact::Barred),
    ("UNSUPPORTED_PROTOCOL", Fact::Barred),
    ("VERSION_TOO_LOW", Fact::Barred),
    ("WRONG_SSL_VERSION", Fact::Barred),
    ("WRONG_VERSION_NUMBER", Fact::Barred),
];

/// What runtimes say about a certificate or a handshake, first match wins.
pub(super) const TEXTS: Texts = texts![
    // Node's fixed text for a socket that closes before TLS is up (measured).
    (
        Is("client network socket disconnected before secure tls connection was established"),
        Fact::NeverLeft,
    ),
    (Has("certificate verify failed"), Fact::Barred),
    (Has("certificate_verify_failed"), Fact::Barred),
    (Has("failed to verify certificate"), Fact::Barred),
    (Has("invalid peer certificate"), Fact::Barred),
    (Has("self signed certificate"), Fact::Barred),
    (Has("self-signed certificate"), Fact::Barred),
    (Has("certificate has expired"), Fact::Barred),
    (Has("certificate is not yet valid"), Fact::Barred),
    (Has("unable to get local issuer certificate"), Fact::Barred),
    (Has("unable to verify the first certificate"), Fact::Barred),
    (Has("certificate's altnames"), Fact::Barred),
    (Has("certificate for this server is invalid"), Fact::Barred),
    (Has("remote certificate is invalid"), Fact::Barred),
    (Has("remote certificate was rejected"), Fact::Barred),
    (Has("ssl connection could not be established"), Fact::Barred),
    (Has("pkix path"), Fact::Barred),
    (Has("valid certification path"), Fact::Barred),
    (Has("wrong version number"), Fact::Barred),
    (Has("wrong_version_number"), Fact::Barred),
    (Has("alert handshake failure"), Fact::Barred),
    (Has("alert protocol version"), Fact::Barred),
    (Has("bad record mac"), Fact::Cut),
    (Has("eof occurred in violation of protocol"), Fact::Cut),
];

/// Codes that share a meaning by their first letters.
pub(super) fn by_prefix(code: &str) -> Option<Fact> {
    if let Some(reason) = code.strip_prefix("ERR_SSL_") {
        return Some(REASONS.exact(reason).unwrap_or(Fact::Broken));
    }
    // Keys and contexts that this side could not load.
    if code.starts_with("ERR_OSSL_") || code.starts_with("ERR_CRYPTO_") {
        return Some(Fact::BadRequest);
    }
    (code.starts_with("ERR_TLS_") || code.starts_with("ERR_CERT_")).then_some(Fact::Barred)
}
