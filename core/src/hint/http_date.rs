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
    if let Some(at) = imf_fixdate(value) {
        return Some(HttpDate { at, has_weekday: true });
    }
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

/// Reads `Thu, 15 Jan 2026 12:02:00 GMT` written to the letter, as nearly every server writes it:
/// what stands where is known, so nothing is searched. Anything else is for [`parse`] to read.
pub(super) fn imf_fixdate(value: &[u8]) -> Option<UnixMillis> {
    #[rustfmt::skip] // as it is written
    let &[
        w1, w2, w3, b',', b' ', d1, d0, b' ', m1, m2, m3, b' ', y3, y2, y1, y0, b' ',
        h1, h0, b':', n1, n0, b':', s1, s0, b' ', b'G', b'M', b'T',
    ] = value else { return None };
    if !matches!(&[w1, w2, w3], b"Mon" | b"Tue" | b"Wed" | b"Thu" | b"Fri" | b"Sat" | b"Sun") {
        return None;
    }
    let month = month(&[m1, m2, m3])?;
    let mut are_digits = true;
    let mut two = |tens: u8, ones: u8| {
        let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
        are_digits &= tens <= 9 && ones <= 9;
        u32::from(tens) * 10 + u32::from(ones)
    };
    let (day, year) = (two(d1, d0), two(y3, y2) * 100 + two(y1, y0));
    let (hour, minute, second) = (two(h1, h0), two(n1, n0), two(s1, s0));
    if !are_digits || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let second = hour * 3600 + minute * 60 + second;
    Fields { year: year.into(), month, day, second, offset_minutes: 0 }.instant()
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

/// In any case: of the bytes that differ from a small letter in this one bit, all are that letter.
fn month(name: &[u8]) -> Option<u32> {
    let &[a, b, c] = name else { return None };
    Some(match &[a | 0x20, b | 0x20, c | 0x20] {
        b"jan" => 1,
        b"feb" => 2,
        b"mar" => 3,
        b"apr" => 4,
        b"may" => 5,
        b"jun" => 6,
        b"jul" => 7,
        b"aug" => 8,
        b"sep" => 9,
        b"oct" => 10,
        b"nov" => 11,
        b"dec" => 12,
        _ => return None,
    })
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
