//! The proleptic Gregorian calendar, years 1 to 9999: fields to a point in time, and back.

use crate::scan::Scan;
use crate::time::UnixMillis;

const DAY_MS: i64 = 86_400_000;
/// Days from 0001-01-01 to 1970-01-01.
const EPOCH_DAY: i64 = 719_162;

/// A date, a time of day and an offset from UTC, as written.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub(super) year: i64,
    /// 1 to 12.
    pub(super) month: u32,
    /// 1 to 31.
    pub(super) day: u32,
    /// Since midnight; 86 400 in a leap second at the end of a day.
    pub(super) second: u32,
    /// What the written time is ahead of UTC.
    pub(super) offset_minutes: i64,
}

impl Fields {
    /// The point in time, if the date exists in the years 1 to 9999.
    pub(super) fn instant(&self) -> Option<UnixMillis> {
        let exists = (1..=9999).contains(&self.year)
            && self.day >= 1
            && self.day <= days_in_month(self.year, self.month)?;
        exists.then(|| self.stamp())
    }

    /// The same fields with a two-digit year read as RFC 9110 §5.6.7 wants it: the latest year
    /// with these digits that is at most 50 years after `now`, on the full timestamp.
    pub(super) fn in_century_of(mut self, now: UnixMillis) -> Self {
        let digits = self.year;
        let top = year_of(now) + 50;
        self.year = top - (top - digits).rem_euclid(100);
        let half_a_century_before = Self { year: self.year - 50, ..self };
        if half_a_century_before.stamp() > now {
            self.year -= 100;
        }
        self
    }

    fn stamp(&self) -> UnixMillis {
        let day = days_before_year(self.year)
            + days_before_month(self.year, self.month)
            + i64::from(self.day)
            - 1
            - EPOCH_DAY;
        let seconds = i64::from(self.second) - self.offset_minutes * 60;
        UnixMillis::new(day.saturating_mul(DAY_MS).saturating_add(seconds * 1000))
    }
}

/// A point in time as its parts, UTC; what is outside the years 1 to 9999 is moved to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// 1 to 12.
    pub(crate) month: u32,
    /// 1 to 31.
    pub(crate) day: i64,
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    pub(crate) second: u32,
    pub(crate) milli: u32,
    /// 0 is Monday.
    pub(crate) weekday: u8,
}

impl Civil {
    /// The parts of `at`.
    pub(crate) fn of(at: UnixMillis) -> Self {
        let first = -EPOCH_DAY * DAY_MS;
        let last = (days_before_year(10_000) - EPOCH_DAY) * DAY_MS - 1;
        let at = at.get().clamp(first, last);
        let year = year_of(UnixMillis::new(at));
        let days = at.div_euclid(DAY_MS) + EPOCH_DAY;
        let mut day = days - days_before_year(year);
        let mut month = 1;
        while let Some(length) = days_in_month(year, month).map(i64::from) {
            if day < length {
                break;
            }
            day -= length;
            month += 1;
        }
        // Less than a day, so it fits.
        let milli = at.rem_euclid(DAY_MS) as u32;
        let second = milli / 1_000;
        Self {
            year,
            month,
            day: day + 1,
            hour: second / 3_600,
            minute: second / 60 % 60,
            second: second % 60,
            milli: milli % 1_000,
            // The first day of the year 1 is a Monday.
            weekday: days.rem_euclid(7) as u8,
        }
    }
}

/// A time of day as it was written.
pub(super) struct TimeOfDay {
    /// Since midnight.
    pub(super) second: u32,
    /// Seconds were written.
    pub(super) has_seconds: bool,
}

/// Reads `HH:MM` or `HH:MM:SS`. A second of 60 is the next second (RFC 5322 §3.3 knows leap
/// seconds); 61, a minute of 60 and an hour of 24 do not exist.
pub(super) fn time_of_day(scan: &mut Scan<'_>) -> Option<TimeOfDay> {
    let hour = scan.number(2, 2).filter(|&h| h < 24)?;
    if !scan.eat(b':') {
        return None;
    }
    let minute = scan.number(2, 2).filter(|&m| m < 60)?;
    let has_seconds = scan.eat(b':');
    let second = if has_seconds { scan.number(2, 2).filter(|&s| s <= 60)? } else { 0 };
    Some(TimeOfDay { second: hour * 3600 + minute * 60 + second, has_seconds })
}

/// The year in which `at` lies, UTC.
fn year_of(at: UnixMillis) -> i64 {
    let day = at.get().div_euclid(DAY_MS) + EPOCH_DAY;
    // 400 years have 146 097 days: the estimate is the year, or the year before it.
    let year = 1 + (day * 400).div_euclid(146_097);
    if days_before_year(year + 1) <= day { year + 1 } else { year }
}

fn days_before_year(year: i64) -> i64 {
    let full = year - 1;
    full * 365 + full.div_euclid(4) - full.div_euclid(100) + full.div_euclid(400)
}

/// Of a month from 1 to 12.
fn days_before_month(year: i64, month: u32) -> i64 {
    const COMMON: [u16; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let days = COMMON.get(month.wrapping_sub(1) as usize).copied().unwrap_or_default();
    i64::from(days) + i64::from(month > 2 && is_leap(year))
}

const fn days_in_month(year: i64, month: u32) -> Option<u32> {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 if is_leap(year) => Some(29),
        2 => Some(28),
        _ => None,
    }
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn midnight(year: i64, month: u32, day: u32) -> Fields {
        Fields { year, month, day, second: 0, offset_minutes: 0 }
    }

    #[test]
    fn every_month_of_ten_thousand_years_follows_the_month_before() {
        let mut expected = -62_135_596_800_000; // 0001-01-01T00:00:00Z
        for year in 1..=9999 {
            for month in 1..=12 {
                let at = |day| midnight(year, month, day).instant().map(UnixMillis::get);
                assert_eq!(at(1), Some(expected), "{year}-{month}");
                assert_eq!(year_of(UnixMillis::new(expected)), year);
                let length = (29..=31).find(|&day| at(day).is_none()).unwrap_or(32) - 1;
                expected += i64::from(length - 1) * DAY_MS;
                assert_eq!(at(length), Some(expected), "{year}-{month}-{length}");
                assert_eq!(year_of(UnixMillis::new(expected + DAY_MS - 1)), year);
                expected += DAY_MS;
            }
        }
        assert_eq!(expected, 253_402_300_800_000, "10000-01-01T00:00:00Z");
    }

    #[test]
    fn days_that_do_not_exist_are_refused() {
        for (year, month, day) in [
            (2026, 2, 29),
            (1900, 2, 29),
            (2026, 2, 30),
            (2026, 4, 31),
            (2026, 1, 0),
            (2026, 1, 32),
            (2026, 0, 1),
            (2026, 13, 1),
            (0, 12, 31),
            (10_000, 1, 1),
        ] {
            assert_eq!(midnight(year, month, day).instant(), None, "{year}-{month}-{day}");
        }
        assert!(midnight(2000, 2, 29).instant().is_some());
    }

    #[test]
    fn a_two_digit_year_is_at_most_fifty_years_ahead_to_the_millisecond() {
        let noon = Fields { second: 43_200, ..midnight(76, 1, 15) };
        let now = Fields { second: 43_200, ..midnight(2026, 1, 15) }.instant().unwrap();
        assert_eq!(noon.in_century_of(now).year, 2076);
        assert_eq!(noon.in_century_of(UnixMillis::new(now.get() - 1)).year, 1976);
        assert_eq!(midnight(75, 12, 31).in_century_of(now).year, 2075);
        assert_eq!(midnight(77, 1, 15).in_century_of(now).year, 1977);
    }

    #[test]
    fn a_clock_far_from_any_calendar_is_survived() {
        for now in [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX] {
            for digits in 0..100 {
                let _ = midnight(digits, 2, 29).in_century_of(UnixMillis::new(now)).instant();
            }
        }
    }
}
