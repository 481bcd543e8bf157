//! RFC 3339 timestamps: `2026-01-15T12:02:00.5Z`, an offset always, seconds not always (Jira
//! Cloud leaves them out).

use super::{
    calendar::{Fields, time_of_day},
    number,
};
use crate::{scan::Scan, time::UnixMillis};

/// Reads a whole value; a fraction of a second is rounded up to the millisecond. A date alone and
/// a time without an offset are refused: nobody can tell which day or zone was meant.
pub(super) fn parse(value: &[u8]) -> Option<UnixMillis> {
    let mut scan = Scan::new(value);
    let year = i64::from(scan.number(4, 4)?);
    let month = scan.eat(b'-').then(|| scan.number(2, 2))??;
    let day = scan.eat(b'-').then(|| scan.number(2, 2))??;
    scan.eat_if(|b| matches!(b, b'T' | b't'))?;
    let time = time_of_day(&mut scan)?;
    let mut fraction = 0;
    if time.has_seconds && scan.eat(b'.') {
        let digits = scan.take(|b| b.is_ascii_digit());
        if digits.is_empty() {
            return None;
        }
        fraction = number::billionths(digits).div_ceil(1_000_000);
    }
    let offset_minutes = offset(&mut scan)?;
    if !scan.is_empty() {
        return None;
    }
    let at = Fields { year, month, day, second: time.second, offset_minutes }.instant()?;
    Some(UnixMillis::new(at.get().saturating_add(fraction.into())))
}

/// `Z` or `±HH:MM`, in minutes ahead of UTC.
fn offset(scan: &mut Scan<'_>) -> Option<i64> {
    if scan.eat_if(|b| matches!(b, b'Z' | b'z')).is_some() {
        return Some(0);
    }
    let sign = scan.eat_if(|b| matches!(b, b'+' | b'-'))?;
    let hours = scan.number(2, 2).filter(|&h| h < 24)?;
    let minutes = scan.eat(b':').then(|| scan.number(2, 2).filter(|&m| m < 60))??;
    let ahead = i64::from(hours * 60 + minutes);
    Some(if sign == b'-' { -ahead } else { ahead })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(value: &str) -> Option<i64> {
        parse(value.as_bytes()).map(UnixMillis::get)
    }

    #[test]
    fn one_instant_in_many_spellings() {
        for value in [
            "2026-01-15T12:02:00Z",
            "2026-01-15t12:02:00z",
            "2026-01-15T12:02Z",
            "2026-01-15T13:02:00+01:00",
            "2026-01-15T06:32:00-05:30",
            "2026-01-15T12:02:00-00:00",
            "2026-01-15T12:01:60Z",
            "2026-01-15T12:02:00.000Z",
        ] {
            assert_eq!(at(value), Some(1_768_478_520_000), "{value}");
        }
    }

    #[test]
    fn a_fraction_is_rounded_up() {
        for (value, ms) in [("0.5", 500), ("0.0005", 1), ("0.9999999999", 1000), ("0.123", 123)] {
            let value = std::format!("1970-01-01T00:00:0{value}Z");
            assert_eq!(at(&value), Some(ms), "{value}");
        }
    }

    #[test]
    fn what_leaves_the_instant_open_is_refused() {
        for value in [
            "2026-01-15",
            "2026-01-15T12:02:00",
            "2026-01-15 12:02:00Z",
            "2026-1-15T12:02:00Z",
            "2026-01-15T12:02:00+0100",
            "2026-01-15T12:02:00+01",
            "2026-01-15T12:02:00+24:00",
            "2026-01-15T12:02:00+00:60",
            "2026-01-15T12:02:00.Z",
            "2026-01-15T12:02:00,5Z",
            "2026-01-15T12:02.5Z",
            "2026-01-15T12:02:00ZZ",
            "2026-01-15T24:00:00Z",
            "2026-02-29T00:00:00Z",
            "02026-01-15T12:02:00Z",
            "0000-01-01T00:00:00Z",
            "-2026-01-15T12:02:00Z",
            "PT30S",
        ] {
            assert_eq!(at(value), None, "{value}");
        }
    }
}
