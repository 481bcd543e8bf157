//! HTTP-date (RFC 9110 §5.6.7): the three forms, and the shapes of them that turn up in the field.
//!
//! ```text
//! [weekday [","]] day SP month SP year SP time [SP zone]     IMF-fixdate
//! [weekday [","]] day "-" month "-" year SP time [SP zone]   RFC 850
//! [weekday [","]] month SP day SP time SP year [SP zone]     asctime
//! ```
//!
//! Letters compare without case, spaces may be several, a day may have one digit, a year two or
//! four, seconds may be missing. The weekday must be an English one but need not fit the date: it
//! never decides anything. A zone is `GMT`, `UTC`, `UT`, `Z` or `±hhmm`; none means UTC. Other
//! alphabetic zones are refused: readers disagree by hours about them.

use super::calendar::{Fields, time_of_day};
use crate::{scan::Scan, text::same, time::UnixMillis};

/// A date as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HttpDate {
    pub(super) at: UnixMillis,
    /// It named its weekday. In a list only such a date can be told from the second half of an
    /// unreadable one.
    pub(super) has_weekday: bool,
}

/// Reads a whole value, blanks around it removed. `now` places a two-digit year; without it such
/// a date is unreadable.
pub(super) fn parse(value: &[u8], now: Option<UnixMillis>) -> Option<HttpDate> {
    let mut scan = Scan::new(value);
    let mut word = scan.letters();
    let has_weekday = is_weekday(word);
    if has_weekday {
        let comma = scan.eat(b',');
        let space = scan.blanks();
        if !comma && !space {
            return None;
        }
        word = scan.letters();
    }
    let (year, mut fields) =
        if word.is_empty() { day_first(&mut scan)? } else { month_first(word, &mut scan)? };
    if scan.blanks() {
        fields.offset_minutes = zone(&mut scan)?;
    }
    if !scan.is_empty() {
        return None;
    }
    if year == Year::TwoDigits {
        fields = fields.in_century_of(now?);
    }
    Some(HttpDate { at: fields.instant()?, has_weekday })
}

/// Whether `word` is an English weekday, in short or in full.
pub(super) fn is_weekday(word: &[u8]) -> bool {
    const DAYS: [&str; 7] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    DAYS.iter().any(|day| {
        let day = day.as_bytes();
        same(word, day) || day.get(..3).is_some_and(|short| same(word, short))
    })
}

/// Whether `text` is a month, in short or in full, and a day, in either order: the half of a date
/// that some locales put before a comma.
pub(super) fn is_month_and_day(text: &[u8]) -> bool {
    let mut scan = Scan::new(text);
    let is_day = |scan: &mut Scan<'_>| scan.number(1, 2).is_some();
    let is_month = |scan: &mut Scan<'_>| scan.letters().get(..3).and_then(month).is_some();
    let both = if text.first().is_some_and(u8::is_ascii_digit) {
        is_day(&mut scan) && scan.blanks() && is_month(&mut scan)
    } else {
        is_month(&mut scan) && scan.blanks() && is_day(&mut scan)
    };
    both && scan.is_empty()
}

/// Whether `text` begins with four digits that stand alone.
pub(super) fn starts_with_year(text: &[u8]) -> bool {
    let mut scan = Scan::new(text);
    scan.number(4, 4).is_some() && (scan.blanks() || scan.is_empty())
}

#[derive(PartialEq, Eq)]
enum Year {
    TwoDigits,
    Full,
}

/// `15 Jan 2026 12:02:00` or `15-Jan-26 12:02:00`.
fn day_first(scan: &mut Scan<'_>) -> Option<(Year, Fields)> {
    let day = scan.number(1, 2)?;
    let dashed = scan.eat(b'-');
    let separator = |scan: &mut Scan<'_>| if dashed { scan.eat(b'-') } else { scan.blanks() };
    if !dashed && !scan.blanks() {
        return None;
    }
    let month = month(scan.letters())?;
    if !separator(scan) {
        return None;
    }
    let (kind, year) = year(scan)?;
    if !scan.blanks() {
        return None;
    }
    let second = time_of_day(scan)?.second;
    Some((kind, Fields { year, month, day, second, offset_minutes: 0 }))
}

/// `Jan 15 12:02:00 2026`, its month already read.
fn month_first(name: &[u8], scan: &mut Scan<'_>) -> Option<(Year, Fields)> {
    let month = month(name)?;
    let day = scan.blanks().then(|| scan.number(1, 2))??;
    let second = scan.blanks().then(|| time_of_day(scan))??.second;
    let (kind, year) = scan.blanks().then(|| year(scan))??;
    Some((kind, Fields { year, month, day, second, offset_minutes: 0 }))
}

fn month(name: &[u8]) -> Option<u32> {
    const MONTHS: [&[u8; 3]; 12] = [
        b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov",
        b"dec",
    ];
    (1..).zip(MONTHS).find(|(_, month)| same(name, *month)).map(|(n, _)| n)
}

fn year(scan: &mut Scan<'_>) -> Option<(Year, i64)> {
    let before = *scan;
    if let Some(year) = scan.number(4, 4) {
        return Some((Year::Full, year.into()));
    }
    *scan = before;
    scan.number(2, 2).map(|year| (Year::TwoDigits, year.into()))
}

/// Minutes ahead of UTC.
fn zone(scan: &mut Scan<'_>) -> Option<i64> {
    let word = scan.letters();
    if !word.is_empty() {
        let is_utc = ["gmt", "utc", "ut", "z"].iter().any(|z| same(word, z.as_bytes()));
        return is_utc.then_some(0);
    }
    let sign = scan.eat_if(|b| matches!(b, b'+' | b'-'))?;
    let digits = scan.number(4, 4)?;
    let (hours, minutes) = (digits / 100, digits % 100);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let ahead = i64::from(hours * 60 + minutes);
    Some(if sign == b'-' { -ahead } else { ahead })
}

#[cfg(test)]
mod tests;
