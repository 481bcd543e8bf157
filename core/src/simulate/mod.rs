//! Experiments in virtual time: what a policy does to a server and to its callers, before it does
//! it in production.
//!
//! Nothing here decides. The experiments ask the same [`Upstream`](crate::Upstream) and the same
//! [`backoff`](crate::backoff()) that decide in production; they only bring time, chance and a
//! server. The same seed gives the same figures on every machine.
//!
//! | experiment | question |
//! |---|---|
//! | [`occ`] | how much work and time each backoff costs when writers compete (AWS, 2015) |
//! | [`storm`] | what retries add to the load of a server that fails, and when callers recover |
//! | [`layers`] | what retries in several layers multiply to |
//! | [`bands`] | how long a policy waits before each retry, over many draws |
//! | [`single`] | what is decided in one call against a scripted server, and why |

mod agenda;
mod allowed;
#[cfg(feature = "json")]
mod ask;
mod bands;
#[cfg(feature = "json")]
mod effective;
#[cfg(feature = "json")]
mod json;
mod layers;
mod occ;
mod single;
mod spread;
mod storm;

pub use bands::{Band, Bands, Range, bands};
#[cfg(feature = "json")]
pub use json::run;
pub use layers::{Layers, layers};
pub use occ::{Contest, OccRun, OccSummary, Strategy, occ, occ_summary};
pub use single::{Attempt, Fault, MOST_ATTEMPTS, Single, SingleReport, Step, single};
pub use spread::Spread;
pub use storm::{Second, Storm, StormReport, Tactic, storm};
