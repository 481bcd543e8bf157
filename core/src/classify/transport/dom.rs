//! `DOMException` and its relatives, by name (WHATWG Web IDL).

use super::{
    fact::Fact,
    table::{Table, table},
};

/// Names, and the legacy numbers that old hosts still pass.
pub(super) const CODES: Table = table![
    ("19", Fact::Vague),
    ("20", Fact::Cancelled),
    ("23", Fact::TimedOut),
    ("AbortError", Fact::Cancelled),
    ("CanceledError", Fact::Cancelled),
    ("DataCloneError", Fact::BadRequest),
    ("InvalidAccessError", Fact::BadRequest),
    ("NetworkError", Fact::Vague),
    ("NotAllowedError", Fact::BadRequest),
    ("NotSupportedError", Fact::BadRequest),
    ("SecurityError", Fact::BadRequest),
    ("TimeoutError", Fact::TimedOut),
];
