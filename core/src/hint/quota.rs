//! What is left of the server's allowance, told before it has to refuse anything.

use super::{clock::Clock, number::Decimal, rate_limit, reset};
use crate::{
    outcome::Response,
    profile::{Profile, ResetUnit},
    text::cut_bytes,
    time::{Millis, UnixMillis},
};

/// What one bucket of a rate limit has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quota {
    /// Calls that a full bucket allows; `None` where it is not told, or counts something else than
    /// calls (tokens, bytes).
    pub limit: Option<u64>,
    /// What is left, the answered call taken off; never more calls than this.
    pub remaining: u64,
    /// How long until there is more; `None` where it is not told.
    pub reset_in: Option<Millis>,
}

impl Quota {
    /// A bucket of `limit` calls with `remaining` left that refills in `reset_in`.
    pub const fn new(limit: Option<u64>, remaining: u64, reset_in: Option<Millis>) -> Self {
        Self { limit, remaining, reset_in }
    }

    /// Whether it binds before the other: less left, or as little for longer.
    pub(super) fn is_tighter_than(&self, other: &Self) -> bool {
        let order = self.remaining.cmp(&other.remaining);
        order.then_with(|| other.reset_in.cmp(&self.reset_in)).is_lt()
    }
}

/// Reads the tightest bucket of an answer of any status: the one with the least left, of equals the
/// one that refills last.
///
/// Read are the `RateLimit` field and its policies (drafts 07 to 11), the three fields of the
/// drafts before, every family of `X-RateLimit-Remaining`, `-Limit`, `-Reset` and `-Reset-After`
/// with or without a bucket's name, and Shopify's `used/size`. `profile` settles the unit of a
/// reset; `wall` is needed where it is a date or an epoch and the answer has no `Date`. An answer
/// from a cache (`Age`) says nothing: nobody counted it.
///
/// ```
/// use retrywise::{Header, Millis, Response, hint};
///
/// let headers = [
///     Header::new("x-ratelimit-limit-requests", b"60"),
///     Header::new("x-ratelimit-remaining-requests", b"59"),
///     Header::new("x-ratelimit-reset-requests", b"1s"),
///     Header::new("x-ratelimit-remaining-tokens", b"12"),
///     Header::new("x-ratelimit-reset-tokens", b"6m0s"),
/// ];
/// let quota = hint::quota(&Response::new(200, &headers), None, None).unwrap();
/// assert_eq!((quota.limit, quota.remaining), (None, 12));
/// assert_eq!(quota.reset_in, Some(Millis::new(360_000)));
/// ```
pub fn quota(
    response: &Response<'_>,
    wall: Option<UnixMillis>,
    profile: Option<&'static Profile>,
) -> Option<Quota> {
    if response.headers.is_empty() || rate_limit::is_cached(response) {
        return None;
    }
    let unit = profile.map_or(ResetUnit::Auto, |profile| profile.reset_unit);
    let mut tightest: Option<Quota> = None;
    // A loop of its own for each: a chain of the three is a kilobyte larger.
    let mut take = |quota: Quota| {
        if tightest.is_none_or(|other| quota.is_tighter_than(&other)) {
            tightest = Some(quota);
        }
    };
    reset::buckets(response, &Clock::new(response, wall), unit, &mut take);
    if let Some(quota) = rate_limit::tightest(response) {
        take(quota);
    }
    for value in response.header_values(SHOP_CALL_LIMIT) {
        if let Some(quota) = used_of_size(value) {
            take(quota);
        }
    }
    tightest
}

/// Shopify's REST bucket, `39/40`; it leaks all the time and names no reset (shopify.dev, REST
/// Admin API rate limits).
const SHOP_CALL_LIMIT: &str = "x-shopify-shop-api-call-limit";

fn used_of_size(value: &[u8]) -> Option<Quota> {
    let (used, size) = cut_bytes(value, b'/')?;
    let (used, size) = (Decimal::parse(used)?.whole, Decimal::parse(size)?.whole);
    Some(Quota { limit: Some(size), remaining: size.saturating_sub(used), reset_in: None })
}

#[cfg(test)]
mod tests;
