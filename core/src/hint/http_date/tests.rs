use alloc::{format, string::String, vec::Vec};

use super::*;
use crate::rng::Rng;

/// 2026-01-15T12:00:00Z.
const NOON: UnixMillis = UnixMillis::new(1_768_478_400_000);
const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn at(value: &str) -> Option<i64> {
    parse(value.as_bytes(), Some(NOON)).map(|date| date.at.get())
}

#[test]
fn the_three_forms_of_the_rfc_name_one_instant() {
    for value in [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ] {
        assert_eq!(at(value), Some(784_111_777_000), "{value}");
    }
}

/// What is written to the letter is read by its places; in lower case it is read word by word.
#[test]
fn a_date_read_by_its_places_is_the_date_read_word_by_word() {
    for day in ["Mon", "Sun", "Xyz"] {
        for date in ["01", "28", "29", "30", "31", "32", "00", "1x"] {
            for month in MONTHS.into_iter().chain(["Foo"]) {
                for year in ["2026", "2028", "0000", "9999"] {
                    for time in ["00:00:00", "23:59:60", "23:59:61", "24:00:00", "12:60:00"] {
                        let value = format!("{day}, {date} {month} {year} {time} GMT");
                        let by_words = at(&value.to_ascii_lowercase());
                        let by_places = imf_fixdate(value.as_bytes()).map(UnixMillis::get);
                        assert_eq!(by_places, by_words, "{value}");
                        assert_eq!(imf_fixdate(value.to_ascii_lowercase().as_bytes()), None);
                    }
                }
            }
        }
    }
}

#[test]
fn a_digit_of_a_date_is_a_digit() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    for (place, _) in date.match_indices(|letter: char| letter.is_ascii_digit()) {
        // The neighbours of the digits in ASCII, and a letter.
        for other in ["/", ":", "a"] {
            let mut date = String::from(date);
            date.replace_range(place..=place, other);
            assert_eq!(at(&date), None, "{date}");
        }
    }
}

#[test]
fn shapes_from_the_field_name_the_same_instant() {
    for value in [
        "Thu, 15 Jan 2026 12:02:00 GMT",
        "thu, 15 jan 2026 12:02:00 gmt",
        "THU, 15 JAN 2026 12:02:00 GMT",
        "Thu, 15 Jan 2026 12:02:00",
        "Thu, 15 Jan 2026 12:02:00 UTC",
        "Thu, 15 Jan 2026 12:02:00 UT",
        "Thu, 15 Jan 2026 12:02:00 Z",
        "Thu, 15 Jan 2026 12:02:00 +0000",
        "Thu, 15 Jan 2026 12:02:00 -0000",
        "Thu, 15 Jan 2026 04:02:00 -0800",
        "Thu, 15 Jan 2026 17:32:00 +0530",
        "Fri, 16 Jan 2026 02:02:00 +1400",
        "Fri, 16 Jan 2026 11:02:00 +2300",
        "Wed, 14 Jan 2026 13:02:00 -2300",
        "Thu, 15 Jan 2026 13:01:00 +0059",
        "Mon, 15 Jan 2026 12:02:00 GMT",
        "Thu 15 Jan 2026 12:02:00 GMT",
        "15 Jan 2026 12:02:00 GMT",
        "Thu,  15  Jan  2026  12:02:00  GMT",
        "Thu,15 Jan 2026 12:02:00 GMT",
        "Thursday, 15 Jan 2026 12:02:00 GMT",
        "Thu, 15 Jan 2026 12:02 GMT",
        "Thu, 15 Jan 2026 12:01:60 GMT",
        "Thu, 15 Jan 26 12:02:00 GMT",
        "Thu, 15-Jan-2026 12:02:00 GMT",
        "Thu, 15-Jan-26 12:02:00 GMT",
        "Thursday, 15-Jan-26 12:02:00 GMT",
        "Thu Jan 15 12:02:00 2026",
        "Thu Jan 15 12:02 2026",
        "Jan 15 12:02:00 2026",
    ] {
        assert_eq!(at(value), Some(NOON.get() + 120_000), "{value}");
    }
    assert_eq!(at("Thu, 5 Feb 2026 12:02:00 GMT"), Some(NOON.get() + 1_814_520_000));
    assert_eq!(at("Thu Feb 5 12:02:00 2026"), Some(NOON.get() + 1_814_520_000));
}

#[test]
fn what_readers_would_disagree_about_is_refused() {
    for value in [
        "",
        "Thu",
        "Thu,",
        "Thu, 15 Jan 2026",
        "Thu, 15 Jan 2026 07:02:00 EST",
        "Thu, 15 Jan 2026 07:02:00 PST",
        "Thu, 15 Jan 2026 12:02:00 A",
        "Thu, 15 Jan 2026 12:02:00 GMT+0100",
        "Thu, 15 Jan 2026 12:02:00 +01:00",
        "Thu, 15 Jan 2026 12:02:00 +2400",
        "Thu, 15 Jan 2026 12:02:00 +0060",
        "Thu, 15 Jan 2026 12:02:00 (UTC)",
        "Thu, 15 January 2026 12:02:00 GMT",
        "Jeu, 15 Jan 2026 12:02:00 GMT",
        "Thurs, 15 Jan 2026 12:02:00 GMT",
        "Thu15 Jan 2026 12:02:00 GMT",
        "Thu, 15 Jan 2026 12:02:00.500 GMT",
        "Thu, 15 Jan 2026 12.02.00 GMT",
        "Thu, 15 Jan 2026 9:02:00 GMT",
        "Thu, 15 Jan 2026 12:02:61 GMT",
        "Thu, 15 Jan 2026 12:60:00 GMT",
        "Thu, 15 Jan 2026 24:00:00 GMT",
        "Thu, 15 Jan 2026 12:02:00GMT",
        "Thu, 15 Jan 2026 12:02:00 GMT GMT",
        "Thu, 15 Jan 2026 12:02:00 GMT, 60",
        "Thu, 15-Jan 2026 12:02:00 GMT",
        "Thu, 15 Jan-2026 12:02:00 GMT",
        "Thu, 15 Foo 2026 12:02:00 GMT",
        "Thu, 32 Jan 2026 12:02:00 GMT",
        "Thu, 00 Jan 2026 12:02:00 GMT",
        "Thu, 015 Jan 2026 12:02:00 GMT",
        "Mon, 30 Feb 2026 12:00:00 GMT",
        "Sun, 29 Feb 2026 12:00:00 GMT",
        "Thu, 15 Jan 126 12:02:00 GMT",
        "Thu, 15 Jan 0000 12:02:00 GMT",
        "Sat, 01 Jan 10000 00:00:00 GMT",
        "Thu, Jan 15, 2026 12:02:00 GMT",
        "Tue Feb 16 2021 09:02:42 GMT+0100 (Central European Standard Time)",
        "Thu Jan 15 12:02:00 GMT 2026",
        "01/15/2026 12:02:00",
        "Thu, 1\u{666} Jan 2026 12:02:00 GMT",
    ] {
        assert_eq!(at(value), None, "{value}");
    }
}

#[test]
fn a_two_digit_year_is_read_from_the_given_now() {
    let read = |value: &str, now: &str| {
        let now = parse(now.as_bytes(), None).unwrap().at;
        parse(value.as_bytes(), Some(now)).unwrap().at.get() - now.get()
    };
    for (value, now, ahead) in [
        ("Saturday, 01-Jan-00 00:00:00 GMT", "31 Dec 1999 23:59:00", 60_000),
        ("Saturday, 01-Jan-01 00:00:00 GMT", "31 Dec 2099 00:00:00", 31_622_400_000),
        ("Saturday, 06-Nov-94 08:49:37 GMT", "01 Jan 2090 00:00:00", 152_959_777_000),
        ("Wednesday, 15-Jan-76 12:00:00 GMT", "15 Jan 2026 12:00:00", 1_577_836_800_000),
        ("Wednesday, 15-Jan-76 13:00:00 +0100", "15 Jan 2026 12:00:00", 1_577_836_800_000),
    ] {
        assert_eq!(read(value, now), ahead, "{value} from {now}");
    }
    assert!(read("Wednesday, 15-Jan-76 12:00:01 GMT", "15 Jan 2026 12:00:00") < 0);
    assert!(read("Wednesday, 15-Jan-76 12:00:00 -0100", "15 Jan 2026 12:00:00") < 0);
    assert_eq!(parse(b"Thursday, 15-Jan-26 12:02:00 GMT", None), None);
}

#[test]
fn parsing_undoes_formatting_on_random_instants() {
    let mut rng = Rng::new(0x6461_7465);
    for _ in 0..20_000 {
        let fields = Fields {
            year: rng.draw().between(1, 9999).cast_signed(),
            month: rng.draw().between(1, 12) as u32,
            day: rng.draw().between(1, 28) as u32,
            second: rng.draw().between(0, 86_399) as u32,
            offset_minutes: 0,
        };
        let expected = fields.instant().map(|at| HttpDate { at, has_weekday: true });
        for text in spellings(&fields) {
            assert_eq!(parse(text.as_bytes(), None), expected, "{text}");
        }
    }
}

#[test]
fn no_bytes_can_make_it_panic() {
    let mut rng = Rng::new(0x6675_7a7a);
    let valid = [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Thu, 15 Jan 2026 12:02:00 +0000",
    ];
    for round in 0..50_000 {
        let mut bytes = valid[round % valid.len()].as_bytes().to_vec();
        for _ in 0..rng.draw().between(1, 4) {
            let at = rng.draw().between(0, bytes.len() as u64 - 1) as usize;
            match rng.draw().between(0, 2) {
                0 => bytes[at] = rng.draw().between(0, 255) as u8,
                1 => bytes.insert(at, b"0123456789 ,:-+GMT"[at % 18]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let _ = parse(&bytes, Some(NOON));
        let _ = parse(&bytes, None);
    }
}

/// IMF-fixdate and asctime with a four-digit year, RFC 850 with dashes.
fn spellings(fields: &Fields) -> Vec<String> {
    let Fields { year, month, day, second, .. } = *fields;
    let month = MONTHS[month as usize - 1];
    let weekday = DAYS[day as usize % 7];
    let short = &weekday[..3];
    let time = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    Vec::from([
        format!("{short}, {day:02} {month} {year:04} {time} GMT"),
        format!("{weekday}, {day:02}-{month}-{year:04} {time} GMT"),
        format!("{short} {month} {day:2} {time} {year:04}"),
    ])
}

#[test]
fn another_reader_agrees_on_every_day_of_two_centuries() {
    // The `httpdate` crate reads the three forms of the RFC, four-digit years from 1970 on.
    let mut rng = Rng::new(0x0064_6966);
    for day in 0..200 * 365 + 48 {
        let second = day * 86_400 + rng.draw().between(0, 86_399);
        let at = std::time::UNIX_EPOCH + core::time::Duration::from_secs(second);
        let imf = httpdate::fmt_http_date(at);
        let read = parse(imf.as_bytes(), None).unwrap();
        assert_eq!(read.at.get().cast_unsigned(), second * 1000, "{imf}");
        let [weekday, date] = imf.split(", ").collect::<Vec<_>>()[..] else { panic!("{imf}") };
        let [day, month, year, time, _] = date.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{imf}")
        };
        let day_number: u32 = day.parse().unwrap();
        let asctime = format!("{weekday} {month} {day_number:2} {time} {year}");
        assert_eq!(parse(asctime.as_bytes(), None), Some(read), "{asctime}");
        assert_eq!(httpdate::parse_http_date(&asctime).ok(), Some(at), "{asctime}");
    }
}
