//! What absolute times are measured from.

use super::http_date;
use crate::{
    outcome::Response,
    time::{Millis, UnixMillis},
};

/// The moment at which an answer was made, as well as it can be known.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// Where waits start: the answer's own `Date`, so that the two clocks need not agree; with an
    /// `Age` the answer comes from a cache and its `Date` is old (RFC 9110 §6.6.1, RFC 9111 §5.1).
    base: Option<UnixMillis>,
    /// Where the sliding window of two-digit years stands: the caller's clock.
    now: Option<UnixMillis>,
}

impl Clock {
    pub(super) fn new(response: &Response<'_>, wall: Option<UnixMillis>) -> Self {
        let date = || {
            let read = |value| http_date::parse(value, wall);
            response.header_values("date").find_map(read).map(|date| date.at)
        };
        let date = if response.header("age").is_some() { None } else { date() };
        Self { base: date.or(wall), now: wall.or(date) }
    }

    /// The wait until `at`, zero when it is over; nothing if there is no clock to measure with.
    pub(super) fn until(self, at: UnixMillis) -> Option<Millis> {
        self.base.map(|base| at.since(base))
    }

    /// Reads an HTTP-date.
    pub(super) fn read(self, value: &[u8]) -> Option<http_date::HttpDate> {
        http_date::parse(value, self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Header;

    const WALL: UnixMillis = UnixMillis::new(1_768_478_400_000); // 2026-01-15T12:00:00Z
    const AT: UnixMillis = UnixMillis::new(1_768_482_120_000); // 2026-01-15T13:02:00Z
    const DATE: Header<'_> = Header::new("Date", b"Thu, 15 Jan 2026 13:00:00 GMT");

    fn wait(headers: &[Header<'_>], wall: Option<UnixMillis>) -> Option<u64> {
        let response = Response { status: 503, headers, ..Response::default() };
        Clock::new(&response, wall).until(AT).map(Millis::get)
    }

    #[test]
    fn the_answers_own_date_wins_over_the_local_clock() {
        assert_eq!(wait(&[], Some(WALL)), Some(3_720_000));
        assert_eq!(wait(&[DATE], Some(WALL)), Some(120_000));
        assert_eq!(wait(&[DATE], None), Some(120_000));
    }

    #[test]
    fn an_unreadable_date_or_one_from_a_cache_does_not_count() {
        let bad = Header::new("date", b"yesterday");
        let age = Header::new("age", b"3600");
        assert_eq!(wait(&[bad], Some(WALL)), Some(3_720_000));
        assert_eq!(wait(&[DATE, age], Some(WALL)), Some(3_720_000));
        assert_eq!(wait(&[DATE, age], None), None);
        assert_eq!(wait(&[bad], None), None);
    }

    #[test]
    fn without_a_clock_of_our_own_the_answers_date_places_a_two_digit_year() {
        let read = |headers: &[Header<'_>]| {
            let clock = Clock::new(&Response::new(503, headers), None);
            clock.read(b"Thursday, 15-Jan-26 13:02:00 GMT").map(|date| date.at)
        };
        assert_eq!(read(&[DATE]), Some(AT));
        assert_eq!(read(&[]), None);
    }
}
