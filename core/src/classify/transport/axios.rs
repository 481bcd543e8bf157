//! axios (`lib/core/AxiosError.js`) and the follow-redirects it sends through.

use super::{
    fact::Fact,
    table::{Table, table},
};

/// `error.code` of an `AxiosError` without a response; with one, the status decides.
pub(super) const CODES: Table = table![
    // Both the timeout and the browser's abort of a request.
    ("ECONNABORTED", Fact::TimedOut),
    ("ERR_BAD_OPTION", Fact::BadRequest),
    ("ERR_BAD_OPTION_VALUE", Fact::BadRequest),
    // Without a response it is a refusal of axios itself: a scheme or a body it cannot send.
    ("ERR_BAD_REQUEST", Fact::BadRequest),
    ("ERR_BAD_RESPONSE", Fact::Cut),
    ("ERR_CANCELED", Fact::Cancelled),
    ("ERR_DEPRECATED", Fact::BadRequest),
    ("ERR_FORM_DATA_DEPTH_EXCEEDED", Fact::BadRequest),
    // Noticed while the body was being written.
    ("ERR_FR_MAX_BODY_LENGTH_EXCEEDED", Fact::Misused),
    ("ERR_FR_REDIRECTION_FAILURE", Fact::OverLimit),
    ("ERR_FR_TOO_MANY_REDIRECTS", Fact::OverLimit),
    ("ERR_INVALID_URL", Fact::BadRequest),
    ("ERR_NETWORK", Fact::Vague),
    ("ERR_NOT_SUPPORT", Fact::BadRequest),
    ("ETIMEDOUT", Fact::TimedOut),
];
