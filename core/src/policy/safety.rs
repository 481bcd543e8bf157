//! How much proof a repetition needs.

use crate::codes::codes;

codes! {
    /// Which proof that a request was not processed is enough to send a non-idempotent one again.
    ///
    /// Default: [`Safety::Proven`]. A key that was sent and is honoured is enough at every level.
    pub enum Safety {
        /// None: only idempotent methods and honoured keys repeat.
        Never = 0 => "never",
        /// The transport, the protocol or a gateway says so.
        Proven = 1 => "proven",
        /// Also a status that is customarily sent before processing (429, 503 with Retry-After …).
        Presumed = 2 => "presumed",
    }
}
