//! The order in which the sources of a hint are asked.

use super::{
    Hint, HintSource,
    clock::Clock,
    duration,
    number::{self, MILLI, SECOND, are_digits},
    pushback::{self, Pushback},
    rate_limit,
    reset::{self, Kind},
    retry_after,
};
use crate::{
    outcome::{Body, Response, trim},
    profile::{Facts, Profile, ResetUnit},
    time::{Millis, UnixMillis},
};

/// Reads what the server asked for, unbounded by policy.
///
/// The sources are asked in the order of [`HintSource`], except that the longer of Retry-After and
/// the body counts; an unreadable value counts as absent and the search goes on. Repeated lines
/// and merged values give their longest readable member. Spans are rounded up to the millisecond
/// and saturate at [`Millis::MAX`]; what is over is zero.
///
/// `wall` is the caller's clock: dates and epochs are measured from the answer's own `Date` where
/// there is one, else from `wall`; with neither they count as absent. `profile` settles units and
/// knows fixed waits; the other sources need none. Every status is read: on a success a hint is a
/// polling interval, on a redirection a minimum wait, and the caller decides what it is worth.
///
/// # Examples
///
/// Seconds, a date, an epoch:
/// ```
/// use retrywise::{Header, HintSource, Response, UnixMillis, hint};
///
/// let noon = UnixMillis::new(1_768_478_400_000); // 2026-01-15T12:00:00Z
/// let read = |headers: &[Header<'_>]| {
///     let hint = hint::read(&Response::new(429, headers), Some(noon), None)?;
///     Some((hint.delay.get(), hint.source))
/// };
/// let retry_after = |value: &'static str| [Header::new("Retry-After", value.as_bytes())];
/// assert_eq!(read(&retry_after("120")), Some((120_000, HintSource::RetryAfter)));
/// let date = "Thu, 15 Jan 2026 12:02:00 GMT";
/// assert_eq!(read(&retry_after(date)), Some((120_000, HintSource::RetryAfter)));
/// assert_eq!(read(&retry_after("soon")), None);
/// let used_up = [
///     Header::new("X-RateLimit-Remaining", b"0"),
///     Header::new("X-RateLimit-Reset", b"1768478460"),
/// ];
/// assert_eq!(read(&used_up), Some((60_000, HintSource::Reset)));
/// ```
pub fn read(
    response: &Response<'_>,
    wall: Option<UnixMillis>,
    profile: Option<&'static Profile>,
) -> Option<Hint> {
    let Body { retry_delay, retry_after_s, .. } = response.body;
    let silent = response.headers.is_empty() && retry_delay.is_none() && retry_after_s.is_none();
    if silent && profile.is_none() {
        // The usual case: a dozen searches for nothing.
        return None;
    }
    if profile.is_none()
        && let Some(plain) = response.plain()
    {
        // Most of the others: there is one header to read, or none.
        let clock = if plain.has_date { Clock::new } else { Clock::dateless };
        let clock = clock(response, wall);
        let header = plain.retry_after.and_then(|line| retry_after::parse(trim(line), &clock));
        return longer(header, response);
    }
    let answer = Answer { response, profile, clock: Clock::new(response, wall) };
    let from = |source, wait: Option<Millis>| wait.map(|wait| Hint::new(wait, source));
    from(HintSource::GrpcPushback, answer.pushback())
        .or_else(|| from(HintSource::RetryAfterMs, answer.span("retry-after-ms", MILLI)))
        .or_else(|| from(HintSource::MsRetryAfterMs, answer.span("x-ms-retry-after-ms", MILLI)))
        .or_else(|| from(HintSource::AmzRetryAfter, answer.amz_retry_after()))
        .or_else(|| answer.retry_after_or_body())
        .or_else(|| {
            let wait = answer.span("x-ratelimit-retry-after", SECOND);
            from(HintSource::RateLimitRetryAfter, wait)
        })
        .or_else(|| from(HintSource::VendorWait, answer.vendor_wait()))
        .or_else(|| from(HintSource::RateLimit, rate_limit::read(response)))
        .or_else(|| from(HintSource::BucketReset, answer.reset(Kind::Bucket)))
        .or_else(|| from(HintSource::ResetAfter, answer.reset(Kind::After)))
        .or_else(|| from(HintSource::Reset, answer.reset(Kind::Plain)))
}

/// The wait of Retry-After, or that of the body where it is longer.
fn longer(header: Option<Millis>, response: &Response<'_>) -> Option<Hint> {
    let body = &response.body;
    let delay = body.retry_delay.and_then(|d| duration::protobuf(trim(d.as_bytes())));
    let seconds = body.retry_after_s.and_then(|s| number::span(trim(s.as_bytes()), SECOND));
    let body = delay.max(seconds);
    if body > header {
        return body.map(|wait| Hint::new(wait, HintSource::Body));
    }
    header.map(|wait| Hint::new(wait, HintSource::RetryAfter))
}

/// An answer and what it is read with.
struct Answer<'a> {
    response: &'a Response<'a>,
    profile: Option<&'static Profile>,
    clock: Clock<'a>,
}

impl Answer<'_> {
    fn pushback(&self) -> Option<Millis> {
        match pushback::read(self.response, self.profile) {
            Pushback::Wait(wait) => Some(wait),
            Pushback::Absent | Pushback::Forbidden => None,
        }
    }

    /// A number of `unit`s, decimals allowed.
    fn span(&self, name: &str, unit: u64) -> Option<Millis> {
        self.longest(name, &|line| retry_after::longest(line, &|member| number::span(member, unit)))
    }

    /// AWS retry specification 2.1: whole milliseconds, anything else is ignored.
    fn amz_retry_after(&self) -> Option<Millis> {
        let read = |member: &[u8]| number::span(member, MILLI).filter(|_| are_digits(member));
        self.longest("x-amz-retry-after", &|line| retry_after::longest(line, &read))
    }

    fn retry_after_or_body(&self) -> Option<Hint> {
        let read = |line: &[u8]| retry_after::parse(line, &self.clock);
        longer(self.longest("retry-after", &read), self.response)
    }

    /// What the vendor documents for this answer; Retry-After was asked before.
    fn vendor_wait(&self) -> Option<Millis> {
        let facts = Facts { response: self.response, key_sent: false, retry_after: false };
        self.profile?.rule(&facts)?.wait()
    }

    fn reset(&self, kind: Kind) -> Option<Millis> {
        let unit = self.profile.map_or(ResetUnit::Auto, |profile| profile.reset_unit);
        reset::read(self.response, &self.clock, unit, kind)
    }

    fn longest(&self, name: &str, read: &dyn Fn(&[u8]) -> Option<Millis>) -> Option<Millis> {
        self.response.header_values(name).filter_map(read).max()
    }
}

#[cfg(test)]
mod tests;
