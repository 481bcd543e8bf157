//! One retry brain for every runtime: decides whether, when and how safely a failed request is
//! sent again.
//!
//! **Every function of this crate is a function of its state and its arguments. The caller reads
//! clocks, draws the seed, sleeps and sends. One event in, one verdict out; deciding never fails
//! and never panics.**
#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod call;
mod codes;
mod decide;
#[cfg(feature = "json")]
mod document;
mod jitter;
#[cfg(feature = "json")]
mod json;
mod record;
mod request;
mod safety;
mod scan;
mod structured;
mod text;
mod throttling;
mod upstream;
mod window;

pub mod backoff;
pub mod breaker;
pub mod budget;
pub mod classify;
pub mod client_throttle;
pub mod date;
pub mod delay;
pub mod dispatch;
pub mod envelope;
pub mod explain;
pub mod headers;
pub mod hint;
pub mod idempotency;
pub mod ledger;
pub mod limiter;
pub mod method;
pub mod outcome;
pub mod policy;
pub mod profile;
pub mod queue;
pub mod review;
pub mod rng;
pub mod shared;
#[cfg(feature = "simulate")]
pub mod simulate;
pub mod snapshot;
pub mod steps;
pub mod time;
pub mod trail;
pub mod verdict;

pub use backoff::{Ask, Backoff, BackoffState, backoff};
pub use breaker::{Breaker, BreakerState, Sample, Transition};
pub use budget::Budget;
pub use call::Call;
pub use classify::{Basis, Class, Classification, Delivery, Signal, classify};
pub use client_throttle::ClientThrottle;
pub use dispatch::Dispatch;
pub use hint::{Hint, HintSource, Quota};
pub use idempotency::{Key, KeyError, KeyRule};
pub use ledger::Ledger;
pub use limiter::Limiter;
pub use method::Method;
pub use outcome::{Body, Family, Header, Outcome, Response, TransportError};
pub use policy::{Issue, Issues, Policy};
pub use profile::Profile;
pub use queue::{Queue, QueueFull};
pub use request::{LAYER_HEADER, Request};
pub use rng::{Draw, Rng};
pub use safety::is_repeatable;
pub use shared::SharedBudgets;
pub use snapshot::Snapshot;
pub use throttling::{SUSTAINED_COUNT, SUSTAINED_WITHIN};
pub use time::{Instant, Millis, UnixMillis};
pub use upstream::Upstream;
pub use verdict::{Reason, Refusal, Verdict, VerdictKind};
