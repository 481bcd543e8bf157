//! RFC 3339 times of the vectors, as milliseconds since 1970.

use retrywise::UnixMillis;
use serde_json::Value;

use crate::fields::Read;

/// The wall clock of a signal or a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wall(pub UnixMillis);

impl Read<'_> for Wall {
    const WHAT: &'static str = "a time such as \"2026-01-15T12:00:00Z\"";

    fn read(value: &Value) -> Option<Self> {
        parse(value.as_str()?).map(|ms| Self(UnixMillis::new(ms)))
    }
}

/// `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH:MM)`; digits beyond a millisecond are dropped.
fn parse(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T')?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let zone_at = time.find(['Z', '+', '-'])?;
    let (clock, zone) = time.split_at_checked(zone_at)?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
    let valid = (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !valid || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let seconds = days_before(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
        - offset(zone)?;
    Some(seconds * 1_000 + millis)
}

/// The offset of a zone from UTC in seconds.
fn offset(zone: &str) -> Option<i64> {
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("Z", "") => return Some(0),
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let [hours] = numbers(hours, ':', [2])?;
    let [minutes] = numbers(minutes, ':', [2])?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

/// Exactly `N` numbers of these lengths, digits only.
fn numbers<const N: usize>(text: &str, separator: char, lengths: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(separator);
    let mut found = [0; N];
    for (slot, length) in found.iter_mut().zip(lengths) {
        let part = parts.next()?;
        if part.len() != length || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        *slot = part.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to this one, in the proleptic Gregorian calendar.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let whole_years = year - 1;
    let leaps =
        whole_years.div_euclid(4) - whole_years.div_euclid(100) + whole_years.div_euclid(400);
    let months: i64 = (1..month).map(|earlier| days_in(year, earlier)).sum();
    // 719 162 days lie between the first day of year 1 and 1970.
    whole_years * 365 + leaps + months + day - 1 - 719_162
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_read() {
        assert_eq!(parse("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse("2026-01-15T12:00:00Z"), Some(1_768_478_400_000));
        assert_eq!(parse("2026-01-15T12:00:00.5Z"), Some(1_768_478_400_500));
        assert_eq!(parse("2026-01-15T14:30:00+02:30"), Some(1_768_478_400_000));
        assert_eq!(parse("1969-12-31T23:59:59.999Z"), Some(-1));
        assert_eq!(parse("2024-02-29T00:00:00Z"), Some(1_709_164_800_000));
        assert_eq!(parse("0001-01-01T00:00:00Z"), Some(-62_135_596_800_000));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "2026-01-15",
            "2026-01-15T12:00:00",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-15T24:00:00Z",
            "2026-01-15T12:00:00.xZ",
            "2026-01-15T12:00:00+0230",
            "é",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
