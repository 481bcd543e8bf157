//! undici (`lib/core/errors.js`).

use super::{
    fact::Fact,
    table::{Table, table},
};

/// `error.code` of undici's errors.
pub(super) const CODES: Table = table![
    ("UND_ERR_ABORT", Fact::Cancelled),
    ("UND_ERR_ABORTED", Fact::Cancelled),
    ("UND_ERR_BODY_TIMEOUT", Fact::TimedOut),
    ("UND_ERR_BPL_MISSING_UPSTREAM", Fact::BadRequest),
    // The client object was closed on this side before the request was queued.
    ("UND_ERR_CLOSED", Fact::BadRequest),
    ("UND_ERR_CONNECT_TIMEOUT", Fact::NeverLeft),
    ("UND_ERR_DESTROYED", Fact::Misused),
    ("UND_ERR_HEADERS_OVERFLOW", Fact::OverLimit),
    ("UND_ERR_HEADERS_TIMEOUT", Fact::TimedOut),
    ("UND_ERR_HTTP_PARSER", Fact::Cut),
    ("UND_ERR_INFO", Fact::Vague),
    ("UND_ERR_INVALID_ARG", Fact::BadRequest),
    ("UND_ERR_INVALID_RETURN_VALUE", Fact::Misused),
    ("UND_ERR_MAX_ORIGINS_REACHED", Fact::Starved),
    ("UND_ERR_NOT_SUPPORTED", Fact::BadRequest),
    ("UND_ERR_PRX_TLS", Fact::Barred),
    ("UND_ERR_REQ_CONTENT_LENGTH_MISMATCH", Fact::Misused),
    ("UND_ERR_REQ_RETRY", Fact::Vague),
    ("UND_ERR_RESPONSE", Fact::Vague),
    ("UND_ERR_RESPONSE_STATUS_CODE", Fact::Vague),
    ("UND_ERR_RES_CONTENT_LENGTH_MISMATCH", Fact::Cut),
    ("UND_ERR_RES_EXCEEDED_MAX_SIZE", Fact::OverLimit),
    ("UND_ERR_SOCKET", Fact::Cut),
    ("UND_ERR_WS_MESSAGE_SIZE_EXCEEDED", Fact::OverLimit),
];
