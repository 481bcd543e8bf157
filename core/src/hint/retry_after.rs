//! Retry-After (RFC 9110 §10.2.3): seconds or a date, and what becomes of it when lines are
//! repeated or merged.

use super::{
    clock::Clock,
    http_date,
    number::{self, SECOND},
    rfc3339,
};
use crate::{outcome::trim, time::Millis};

/// Reads one line, blanks around it removed: the longest of its readable members.
///
/// Lines that were merged are separated by commas; a date has a comma of its own, after its
/// weekday. In a list a date without weekday does not count: it may be the second half of a date
/// with an unreadable weekday.
pub(super) fn parse(line: &[u8], clock: &Clock<'_>) -> Option<Millis> {
    // What servers write, before what they might write.
    if number::are_digits(line) {
        return number::span(line, SECOND);
    }
    if let Some(at) = http_date::imf_fixdate(line) {
        return clock.until(at);
    }
    let mut longest = None;
    let mut from = 0;
    let mut alone = true;
    while let Some(member) = member(line, from) {
        let end = from + member.len();
        alone &= end == line.len();
        if http_date::is_weekday(trim(member)) {
            let rest = self::member(line, end + 1).unwrap_or_default();
            let last = end + 1 + rest.len();
            let date = line.get(from..last).and_then(|both| clock.read(trim(both)));
            if let Some(wait) = date.and_then(|date| clock.until(date.at)) {
                longest = longest.max(Some(wait));
                from = last + 1;
                continue;
            }
        }
        if http_date::is_month_and_day(trim(member)) {
            // A locale's date, `Jan 15, 2026`: its second half is a year, not a wait.
            let rest = self::member(line, end + 1).unwrap_or_default();
            if http_date::starts_with_year(trim(rest)) {
                from = end + rest.len() + 2;
                continue;
            }
        }
        longest = longest.max(one(trim(member), clock, alone));
        from = end + 1;
    }
    longest
}

/// Reads one line of numbers, or what else `read` makes of a member: the longest that it can read.
pub(super) fn longest(line: &[u8], read: &dyn Fn(&[u8]) -> Option<Millis>) -> Option<Millis> {
    let mut longest = None;
    let mut from = 0;
    while let Some(member) = member(line, from) {
        longest = longest.max(read(trim(member)));
        from += member.len() + 1;
    }
    longest
}

/// The member that starts at `from`, up to the next separating comma. A comma inside a number
/// (`1,5`) separates nothing: nobody can tell a decimal comma from a list, so the value is
/// unreadable as a whole.
fn member(line: &[u8], from: usize) -> Option<&[u8]> {
    let rest = line.get(from..)?;
    let mut in_number = true;
    let mut blank_so_far = true;
    let mut bytes = rest.iter().enumerate().peekable();
    while let Some((at, &byte)) = bytes.next() {
        let digit_next = bytes.peek().is_some_and(|(_, b)| b.is_ascii_digit());
        match byte {
            b',' if blank_so_far || !in_number || !digit_next => return rest.get(..at),
            b' ' | b'\t' if blank_so_far => {}
            b',' | b'.' | b'0'..=b'9' => blank_so_far = false,
            _ => (in_number, blank_so_far) = (false, false),
        }
    }
    Some(rest)
}

/// Reads seconds (decimals rounded up), an RFC 3339 timestamp or an HTTP-date.
fn one(value: &[u8], clock: &Clock<'_>, alone: bool) -> Option<Millis> {
    if let Some(wait) = number::span(value, SECOND) {
        return Some(wait);
    }
    let at = rfc3339::parse(value).or_else(|| {
        let date = clock.read(value)?;
        (alone || date.has_weekday).then_some(date.at)
    })?;
    clock.until(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{outcome::Response, time::UnixMillis};

    const NOON: UnixMillis = UnixMillis::new(1_768_478_400_000); // 2026-01-15T12:00:00Z

    fn wait(line: &str) -> Option<u64> {
        let answer = Response::default();
        parse(line.as_bytes(), &Clock::new(&answer, Some(NOON))).map(Millis::get)
    }

    #[test]
    fn a_bare_number_is_seconds_never_a_year_or_an_epoch() {
        assert_eq!(wait("120"), Some(120_000));
        assert_eq!(wait("2026"), Some(2_026_000));
        assert_eq!(wait("1767225600"), Some(1_767_225_600_000));
        assert_eq!(wait("1.5"), Some(1_500));
        assert_eq!(wait("0"), Some(0));
    }

    #[test]
    fn a_past_date_is_zero() {
        assert_eq!(wait("Wed, 21 Oct 2015 07:28:00 GMT"), Some(0));
        assert_eq!(wait("Thu, 15 Jan 2026 12:00:00 GMT"), Some(0));
        assert_eq!(wait("Wed, 21 Oct 2015 07:28:09"), Some(0), "and its last digit no wait");
    }

    #[test]
    fn the_longest_readable_member_counts() {
        for (line, expected) in [
            ("120, 60", 120_000),
            ("60,\t120", 120_000),
            ("2814, 2", 2_814_000),
            ("Thu, 15 Jan 2026 12:02:00 GMT, 60", 120_000),
            ("60, Thu, 15 Jan 2026 12:02:00 GMT", 120_000),
            ("180, Thu, 15 Jan 2026 12:02:00 GMT", 180_000),
            ("60,Thu, 15 Jan 2026 12:02:00 GMT,180", 180_000),
            ("Thursday, 15-Jan-26 12:02:00 GMT, Thursday, 15-Jan-26 12:03:00 GMT", 180_000),
            ("Thu Jan 15 12:02:00 2026,60", 120_000),
            ("foo, 30", 30_000),
            (", 30,", 30_000),
            ("Thu, 60", 60_000),
            ("Jan 15, 60", 60_000),
            ("Jan 15, 2026, 60", 60_000),
            ("Jan 15x, 2026", 2_026_000),
            ("foo, 2026", 2_026_000),
            ("2026-01-15T12:02:00Z, 60", 120_000),
        ] {
            assert_eq!(wait(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn half_a_date_is_no_date() {
        for line in [
            "Jeu, 15 Jan 2026 12:02:00 GMT",
            "foo, 15 Jan 2026 12:02:00 GMT",
            "Thu, 15 Foo 2026 12:02:00 GMT",
            "Jan 15, 2026",
            "January 15, 2026, 12:02:00 PM",
            "Thursday, January 15, 2026 12:02 PM",
            "15 Jan, 2026",
            "Jeu, Thu",
            "foo, bar",
            ",",
            "",
        ] {
            assert_eq!(wait(line), None, "{line}");
        }
        assert_eq!(wait("15 Jan 2026 12:02:00 GMT"), Some(120_000), "alone it may");
    }

    #[test]
    fn a_decimal_comma_makes_a_value_unreadable() {
        for line in ["1,5", "1,000,000", "60,120", "1.5,2"] {
            assert_eq!(wait(line), None, "{line}");
        }
        assert_eq!(wait("1,5, 60"), Some(60_000));
        assert_eq!(wait("1, 60,120"), Some(1_000), "wherever in a list it stands");
        assert_eq!(wait("1 2,5"), Some(5_000), "two numbers are none, and have no comma");
    }

    #[test]
    fn without_a_clock_only_seconds_are_readable() {
        let answer = Response::default();
        let clock = Clock::new(&answer, None);
        assert_eq!(parse(b"Thu, 15 Jan 2026 12:02:00 GMT", &clock), None);
        assert_eq!(parse(b"Thu, 15 Jan 2026 12:02:00 GMT, 60", &clock), Some(Millis::new(60_000)));
    }
}
