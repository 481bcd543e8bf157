//! What absolute times are measured from.

use core::cell::OnceCell;

use super::http_date;
use crate::{
    outcome::Response,
    time::{Millis, UnixMillis},
};

/// The clocks of an answer.
pub(super) struct Clock<'a> {
    response: &'a Response<'a>,
    /// The caller's.
    wall: Option<UnixMillis>,
    /// The answer's, looked for when a value asks for it: most waits are seconds.
    date: OnceCell<Option<UnixMillis>>,
}

impl<'a> Clock<'a> {
    pub(super) const fn new(response: &'a Response<'a>, wall: Option<UnixMillis>) -> Self {
        Self { response, wall, date: OnceCell::new() }
    }

    /// The same where somebody looked already: the answer has no `Date`.
    pub(super) fn dateless(response: &'a Response<'a>, wall: Option<UnixMillis>) -> Self {
        Self { response, wall, date: OnceCell::from(None) }
    }

    /// The wait until `at`, zero when it is over; nothing if there is no clock to measure with.
    ///
    /// Waits start at the answer's own `Date`, so that the two clocks need not agree, else at the
    /// caller's clock.
    pub(super) fn until(&self, at: UnixMillis) -> Option<Millis> {
        self.date().or(self.wall).map(|base| at.since(base))
    }

    /// Reads an HTTP-date; the sliding window of two-digit years stands at the caller's clock.
    pub(super) fn read(&self, value: &[u8]) -> Option<http_date::HttpDate> {
        http_date::parse(value, self.wall.or_else(|| self.date()))
    }

    /// When the answer was made. With an `Age` it comes from a cache and its `Date` is old (RFC 9110
    /// §6.6.1, RFC 9111 §5.1).
    fn date(&self) -> Option<UnixMillis> {
        *self.date.get_or_init(|| {
            if self.response.header("age").is_some() {
                return None;
            }
            let read = |value| http_date::parse(value, self.wall);
            self.response.header_values("date").find_map(read).map(|date| date.at)
        })
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
            let response = Response::new(503, headers);
            let clock = Clock::new(&response, None);
            clock.read(b"Thursday, 15-Jan-26 13:02:00 GMT").map(|date| date.at)
        };
        assert_eq!(read(&[DATE]), Some(AT));
        assert_eq!(read(&[]), None);
    }
}
