//! How calls are held back before the server refuses them.

use crate::{
    policy::{
        fields::{Place, What, fields},
        spec::{DURATION, DURATION_OR_NULL, MILLION, Spec},
    },
    queue::DEFAULT_STEP,
    time::Millis,
};

/// The policy's `limiter` object; `{}` is the default one, null is none.
///
/// | field | type, range | default | note |
/// |---|---|---|---|
/// | `limiter.reserve` | integer 0..1 000 000 | 0 | calls of each allowance left for others and for priorities above 0 |
/// | `limiter.maxWaitMs` | duration or null | null | the longest wait for the limit; null: the deadline bounds it |
/// | `limiter.queue` | integer 0..100 000 | 1 000 | calls that keep a place while they wait |
/// | `limiter.agingMs` | duration | 60 000 | waiting that makes up for one step of priority |
///
/// What is learned: the limit, what is left of it and its reset, from the rate-limit headers of
/// every answer (see [`hint::quota`](crate::hint::quota)), and the wait of a 429, or of a 503 that
/// names one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimiterOptions {
    /// Calls of each allowance that are not used by calls of priority 0 and below, 0 to 1 000 000;
    /// one call is always left to them. Default 0: who shares the limit with nobody wants all of
    /// it.
    pub reserve: u32,
    /// The longest time a call is held back before one attempt, 0 to 366 days. Default `None`: its
    /// deadline bounds it, and a call without one is wanted whenever it can be had.
    pub max_wait: Option<Millis>,
    /// Calls that keep a place while they wait, 0 to 100 000. Default 1 000: each takes under 100
    /// bytes and is looked at when another asks. Further ones are told to ask again, without a
    /// place.
    pub queue: u32,
    /// How much waiting makes up for one step of priority, 0 to 366 days. Default a minute: most
    /// limits refill within one, so that the next priority below waits out one allowance, not
    /// more. 0: priorities are not looked at.
    pub aging: Millis,
}

impl Default for LimiterOptions {
    fn default() -> Self {
        Self { reserve: 0, max_wait: None, queue: 1_000, aging: DEFAULT_STEP }
    }
}

fields! { LimiterOptions {
    "reserve": What::Number(&MILLION) => |l| Place::Count(&mut l.reserve),
    "maxWaitMs": What::Number(&DURATION_OR_NULL) => |l| Place::MaybeSpan(&mut l.max_wait),
    "queue": What::Number(&QUEUE) => |l| Place::Count(&mut l.queue),
    "agingMs": What::Number(&DURATION) => |l| Place::Span(&mut l.aging),
} }

const QUEUE: Spec = Spec::count(0, 100_000);
