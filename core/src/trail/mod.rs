//! The trail: what happened to one call, a line for each change, for people who run the business.
//!
//! The ledger gives the entries ([`Answer::entries`](crate::ledger::Answer)); a host keeps them
//! with the record and renders them when somebody asks. Every entry is `info`, only the last
//! failure is an `error`: a retry that later succeeds never raises one. Headers, payloads and whole
//! keys have no place here; free texts are escaped before they are shown.

mod entry;
mod escape;
#[cfg(feature = "json")]
mod json;
mod line;
mod span;
mod state;
mod story;
#[cfg(test)]
mod tests;
mod words;

pub use entry::Entry;
pub use escape::{Escaped, ShortKey};
#[cfg(feature = "json")]
pub use json::{entry_from_json, entry_to_json, render_json};
pub use line::line;
pub use span::Span;
pub use state::{Severity, TrailState};
pub use story::{Label, Story};
