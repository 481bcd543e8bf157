//! What the server asked for: how long to wait before the next attempt.
//!
//! [`read()`] asks the sources in a fixed order (see [`HintSource`]); an unreadable value counts as
//! absent and the search goes on. Nothing here bounds a hint by policy: see [`rule`].
//!
//! | room | what it reads |
//! |---|---|
//! | `read` | the order of the sources |
//! | `quota` | what is left before the server has to ask |
//! | `pushback`, `retry_after`, `rate_limit`, `reset` | a header, or a family of headers |
//! | `number`, `http_date`, `rfc3339`, `duration` | a kind of value |
//! | `calendar`, `clock` | what a date means, and what a wait is measured from |

pub(crate) mod calendar;
mod clock;
mod duration;
mod http_date;
mod number;
pub(crate) mod pushback;
mod quota;
mod rate_limit;
mod read;
pub(crate) mod reset;
mod retry_after;
mod rfc3339;
pub mod rule;
mod source;

pub use quota::{Quota, quota};
pub use read::read;
pub use source::{Hint, HintSource};
