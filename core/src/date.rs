//! Points in time, written: for headers (RFC 9110 §5.6.7) and for people and documents (RFC 3339).
//!
//! The years 1 to 9999 can be written; a point outside is written as the nearest that can.

use alloc::string::String;
use core::fmt;

use crate::{
    hint::calendar::Civil,
    text::{join, push_padded},
    time::UnixMillis,
};

/// A date as headers want it, `Thu, 15 Jan 2026 12:00:00 GMT`. Milliseconds are dropped.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // a point in time
pub struct ImfFixdate(pub UnixMillis);

impl ImfFixdate {
    pub(crate) fn text(self) -> String {
        const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let at = Civil::of(self.0);
        let weekday = DAYS.get(usize::from(at.weekday)).copied().unwrap_or_default();
        let month = (at.month as usize).checked_sub(1).and_then(|month| MONTHS.get(month));
        let mut text = join(&[weekday, ", "]);
        push_padded(&mut text, at.day.unsigned_abs(), 2);
        text.push(' ');
        text.push_str(month.copied().unwrap_or_default());
        text.push(' ');
        push_padded(&mut text, at.year.unsigned_abs(), 4);
        for (before, value) in [(' ', at.hour), (':', at.minute), (':', at.second)] {
            text.push(before);
            push_padded(&mut text, value.into(), 2);
        }
        text.push_str(" GMT");
        text
    }
}

impl fmt::Display for ImfFixdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// A point in time for people and documents, `2026-01-15T12:00:00.040Z`.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // a point in time
pub struct Rfc3339(pub UnixMillis);

impl Rfc3339 {
    /// Appends it to a text.
    pub(crate) fn push_to(self, out: &mut String) {
        let at = Civil::of(self.0);
        push_padded(out, at.year.unsigned_abs(), 4);
        for (before, value) in [
            ('-', at.month),
            ('-', at.day.unsigned_abs() as u32),
            ('T', at.hour),
            (':', at.minute),
            (':', at.second),
        ] {
            out.push(before);
            push_padded(out, value.into(), 2);
        }
        out.push('.');
        push_padded(out, at.milli.into(), 3);
        out.push('Z');
    }
}

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push_to(&mut text);
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn at(ms: i64) -> UnixMillis {
        UnixMillis::new(ms)
    }

    #[test]
    fn dates_are_written_as_headers_and_documents_want_them() {
        for (ms, header, document) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00.000Z"),
            (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
            (1_709_251_199_999, "Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59.999Z"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(ImfFixdate(at(ms)).to_string(), header);
            assert_eq!(Rfc3339(at(ms)).to_string(), document);
        }
    }

    #[test]
    fn a_point_outside_the_calendar_is_written_as_its_nearest_end() {
        assert_eq!(Rfc3339(at(i64::MAX)).to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Rfc3339(at(i64::MIN)).to_string(), "0001-01-01T00:00:00.000Z");
        assert_eq!(ImfFixdate(at(i64::MIN)).to_string(), "Mon, 01 Jan 0001 00:00:00 GMT");
    }

    #[test]
    fn another_reader_of_http_dates_agrees() {
        // A step of some 37 days and odd seconds, through 1970 to 9999.
        let mut seconds: u64 = 0;
        while seconds < 253_402_300_800 {
            let time = std::time::UNIX_EPOCH + core::time::Duration::from_secs(seconds);
            let written = ImfFixdate(at(seconds as i64 * 1_000 + 999)).to_string();
            assert_eq!(written, httpdate::fmt_http_date(time));
            seconds += 3_217_753;
        }
    }
}
