//! A hint and where it came from.

use crate::{codes::codes, time::Millis};

codes! {
    /// Where a [`Hint`] was read, in the order in which the sources are asked.
    pub enum HintSource {
        /// `grpc-retry-pushback-ms` (gRPC only): obeyed to the millisecond.
        GrpcPushback = 1 => "grpc-retry-pushback-ms",
        /// `retry-after-ms`.
        RetryAfterMs = 2 => "retry-after-ms",
        /// `x-ms-retry-after-ms`.
        MsRetryAfterMs = 3 => "x-ms-retry-after-ms",
        /// `x-amz-retry-after`, integer milliseconds.
        AmzRetryAfter = 4 => "x-amz-retry-after",
        /// `Retry-After` (RFC 9110 §10.2.3).
        RetryAfter = 5 => "retry-after",
        /// The body (`RetryInfo.retry_delay`, Discord's `retry_after`).
        Body = 6 => "body",
        /// `x-ratelimit-retry-after`.
        RateLimitRetryAfter = 7 => "x-ratelimit-retry-after",
        /// A fixed wait that the vendor documents for this code.
        VendorWait = 8 => "vendor-wait",
        /// `RateLimit` (IETF draft).
        RateLimit = 9 => "ratelimit",
        /// The reset of an exhausted bucket (`x-ratelimit-reset-requests` …).
        BucketReset = 10 => "bucket-reset",
        /// `X-RateLimit-Reset-After`.
        ResetAfter = 11 => "x-ratelimit-reset-after",
        /// `X-RateLimit-Reset` and its relatives.
        Reset = 12 => "x-ratelimit-reset",
    }
}

impl HintSource {
    /// Whether the server asked for the wait in so many words: `Retry-After`, its relatives in
    /// milliseconds, or the same in the body. The reset of a quota is none, a wait that only the
    /// vendor's documentation names neither.
    pub const fn is_retry_after(self) -> bool {
        matches!(
            self,
            Self::RetryAfter
                | Self::RetryAfterMs
                | Self::MsRetryAfterMs
                | Self::AmzRetryAfter
                | Self::Body
        )
    }
}

/// The wait that the server asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hint {
    /// The parsed wait, unbounded by any policy; saturates at [`Millis::MAX`]. Zero is a value.
    pub delay: Millis,
    /// Where it was read.
    pub source: HintSource,
}

impl Hint {
    /// A hint of `delay` read from `source`.
    pub const fn new(delay: Millis, source: HintSource) -> Self {
        Self { delay, source }
    }

    /// Whether there is one, and the server asked for it: [`HintSource::is_retry_after`].
    pub(crate) fn is_retry_after(hint: Option<Self>) -> bool {
        hint.is_some_and(|hint| hint.source.is_retry_after())
    }
}
