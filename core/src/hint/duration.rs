//! Durations that name their units: Go's and protobuf's.

use super::number::{Decimal, HOUR, MICRO, MILLI, MINUTE, NANO, SECOND};
use crate::{scan::Scan, time::Millis};

/// Units by their spelling, longer before shorter. The micro sign comes as U+00B5, as the Greek
/// letter U+03BC, and as the one byte that Latin-1 has for it.
const UNITS: [(&[u8], u64); 9] = [
    (b"ns", NANO),
    (b"us", MICRO),
    (b"\xC2\xB5s", MICRO),
    (b"\xCE\xBCs", MICRO),
    (b"\xB5s", MICRO),
    (b"ms", MILLI),
    (b"s", SECOND),
    (b"m", MINUTE),
    (b"h", HOUR),
];

/// Reads a Go duration (`6m0s`, `2m59.56s`, `17ms`), rounded up to the millisecond. Negative ones
/// and bare numbers are refused.
pub(super) fn go(value: &[u8]) -> Option<Millis> {
    let mut scan = Scan::new(value);
    let mut nanos = 0_u64;
    while !scan.is_empty() {
        let number = Decimal::parse(scan.take(|b| b == b'.' || b.is_ascii_digit()))?;
        let &(_, unit) = UNITS.iter().find(|(spelling, _)| scan.eat_all(spelling))?;
        nanos = nanos.saturating_add(number.nanos(unit));
    }
    let millis = if nanos == u64::MAX { u64::MAX } else { nanos.div_ceil(MILLI) };
    (!value.is_empty()).then_some(Millis::new(millis))
}

/// Reads a protobuf JSON duration (`26s`, `0.5s`): seconds, at most nine fraction digits
/// (google/protobuf/duration.proto). Negative ones are refused.
pub(super) fn protobuf(value: &[u8]) -> Option<Millis> {
    let seconds = Decimal::parse(value.strip_suffix(b"s")?)?;
    (seconds.fraction_digits <= 9).then(|| Millis::new(seconds.in_millis(SECOND)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_durations_add_up_and_round_up() {
        for (value, expected) in [
            (&b"6m0s"[..], 360_000),
            (b"1s", 1_000),
            (b"20ms", 20),
            (b"1h0m0s", 3_600_000),
            (b"2m59.56s", 179_560),
            (b"23h47m36.648s", 85_656_648),
            (b"1.5ms", 2),
            (b"999999ns", 1),
            (b"1ms400us600us", 2),
            (b"0.4ms0.6ms", 1),
            (b"500us", 1),
            ("500µs".as_bytes(), 1),
            ("500μs".as_bytes(), 1),
            (b"500\xB5s", 1),
            (b"0s", 0),
            (b"99999999999999999999999999h1ns", Millis::MAX.get()),
        ] {
            assert_eq!(go(value), Some(Millis::new(expected)), "{value:?}");
        }
    }

    #[test]
    fn anything_else_is_no_go_duration() {
        for value in [
            "",
            "5",
            "s",
            "-1s",
            "+1s",
            "5 parsecs",
            "5p",
            "1h 2m",
            ".5s",
            "1.s",
            "1S",
            "1m5",
            "PT5S",
        ] {
            assert_eq!(go(value.as_bytes()), None, "{value:?}");
        }
    }

    #[test]
    fn protobuf_durations_are_seconds_with_up_to_nine_decimals() {
        for (value, expected) in [
            ("26s", Some(26_000)),
            ("0.5s", Some(500)),
            ("0s", Some(0)),
            ("1.000000001s", Some(1_001)),
            ("99999999999999999999s", Some(Millis::MAX.get())),
            ("1.0000000001s", None),
            ("-1s", None),
            ("1m", None),
            ("1ms", None),
            ("26", None),
            ("s", None),
            ("", None),
        ] {
            assert_eq!(protobuf(value.as_bytes()).map(Millis::get), expected, "{value:?}");
        }
    }
}
