//! Spans of time as people say them.

use core::fmt;

use crate::{explain::Lang, time::Millis};

/// A span in the two largest units that say enough: `250 ms`, `1.2 s`, `2 min 30 s`, `1 h 5 min`,
/// `3 d 4 h`. What is smaller is dropped.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // a span and a language
pub struct Span(pub Millis, pub Lang);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(span, lang) = *self;
        let ms = span.get();
        let [milli, second, minute, hour, day] = match lang {
            Lang::English => ["ms", "s", "min", "h", "d"],
            Lang::Arabic => ["مللي ثانية", "ثانية", "دقيقة", "ساعة", "يوم"],
        };
        match ms {
            0..=999 => write!(f, "{ms} {milli}"),
            1_000..=59_999 => {
                let (whole, rest) = (ms / 1_000, ms % 1_000);
                match (rest % 10, rest % 100, rest) {
                    (_, _, 0) => write!(f, "{whole} {second}"),
                    (_, 0, _) => write!(f, "{whole}.{} {second}", rest / 100),
                    (0, _, _) => write!(f, "{whole}.{:02} {second}", rest / 10),
                    _ => write!(f, "{whole}.{rest:03} {second}"),
                }
            }
            60_000..=3_599_999 => two(f, ms / 1_000, 60, minute, second),
            3_600_000..=86_399_999 => two(f, ms / 60_000, 60, hour, minute),
            _ => two(f, ms / 3_600_000, 24, day, hour),
        }
    }
}

/// `count` small units as large ones and the rest.
fn two(f: &mut fmt::Formatter<'_>, count: u64, per: u64, large: &str, small: &str) -> fmt::Result {
    let (whole, rest) = (count / per, count % per);
    write!(f, "{whole} {large}")?;
    if rest > 0 { write!(f, " {rest} {small}") } else { Ok(()) }
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
