//! Spans of time as people say them.

use alloc::string::String;
use core::fmt;

use crate::{
    explain::Lang,
    text::{push_number, push_padded, trim_end},
    time::Millis,
};

/// A span in the two largest units that say enough: `250 ms`, `1.2 s`, `2 min 30 s`, `1 h 5 min`,
/// `3 d 4 h`. What is smaller is dropped.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // a span and a language
pub struct Span(pub Millis, pub Lang);

impl Span {
    /// Appends it to a text.
    pub fn push_to(self, out: &mut String) {
        let Self(span, lang) = self;
        let ms = span.get();
        let [milli, second, minute, hour, day] = match lang {
            Lang::English => ["ms", "s", "min", "h", "d"],
            Lang::Arabic => ["مللي ثانية", "ثانية", "دقيقة", "ساعة", "يوم"],
        };
        match ms {
            0..=999 => one(out, ms, milli),
            1_000..=59_999 => {
                push_number(out, ms / 1_000);
                if !ms.is_multiple_of(1_000) {
                    out.push('.');
                    push_padded(out, ms % 1_000, 3);
                    // What is left after the last zero still has the point before it.
                    out.truncate(trim_end(out, b'0').len());
                }
                out.push(' ');
                out.push_str(second);
            }
            60_000..=3_599_999 => two(out, ms / 1_000, 60, minute, second),
            3_600_000..=86_399_999 => two(out, ms / 60_000, 60, hour, minute),
            _ => two(out, ms / 3_600_000, 24, day, hour),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push_to(&mut text);
        f.write_str(&text)
    }
}

fn one(out: &mut String, count: u64, unit: &str) {
    push_number(out, count);
    out.push(' ');
    out.push_str(unit);
}

/// `count` small units as large ones and the rest.
fn two(out: &mut String, count: u64, per: u64, large: &str, small: &str) {
    one(out, count / per, large);
    if !count.is_multiple_of(per) {
        out.push(' ');
        one(out, count % per, small);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_span_is_said_in_two_units_at_most() {
        for (ms, said) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1 s"),
            (1_200, "1.2 s"),
            (1_230, "1.23 s"),
            (1_005, "1.005 s"),
            (59_999, "59.999 s"),
            (60_000, "1 min"),
            (150_999, "2 min 30 s"),
            (3_600_000, "1 h"),
            (3_900_000, "1 h 5 min"),
            (86_400_000, "1 d"),
            (273_600_000, "3 d 4 h"),
        ] {
            assert_eq!(Span(Millis::new(ms), Lang::English).to_string(), said);
        }
        assert_eq!(Span(Millis::new(5_000), Lang::Arabic).to_string(), "5 ثانية");
        assert!(Span(Millis::MAX, Lang::Arabic).to_string().contains("يوم"));
    }
}
