//! Numbers in header values: digits, perhaps a fraction, nothing else; never a float.

use crate::{text::cut_bytes, time::Millis};

/// One nanosecond, microsecond, millisecond, second, minute, hour in nanoseconds.
pub(super) const NANO: u64 = 1;
pub(super) const MICRO: u64 = 1_000;
pub(super) const MILLI: u64 = 1_000_000;
pub(super) const SECOND: u64 = 1_000_000_000;
pub(super) const MINUTE: u64 = 60 * SECOND;
pub(super) const HOUR: u64 = 60 * MINUTE;

/// An unsigned decimal number, saturating: what is too long is huge, never small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    /// The digits before the point; [`HUGE`] stands for anything from there on.
    pub(super) whole: u64,
    /// The first nine digits after the point, rounded up.
    billionths: u32,
    /// How many digits stood after the point.
    pub(super) fraction_digits: usize,
}

const HUGE: u64 = u64::MAX;

impl Decimal {
    /// Reads digits, or digits, a point and digits. `-1`, `+5`, `.5`, `5.`, `1e3`, `1_000` and
    /// digits of other scripts are no numbers here.
    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        let Some((whole, fraction)) = cut_bytes(value, b'.') else {
            let whole = are_digits(value).then(|| integer(value))?;
            return Some(Self { whole, billionths: 0, fraction_digits: 0 });
        };
        if !are_digits(whole) || !are_digits(fraction) {
            return None;
        }
        Some(Self {
            whole: integer(whole),
            billionths: billionths(fraction),
            fraction_digits: fraction.len(),
        })
    }

    /// Whether it is exactly zero.
    pub(super) const fn is_zero(self) -> bool {
        self.whole == 0 && self.billionths == 0
    }

    /// The number times `unit`, in nanoseconds, rounded up and saturating after 584 years.
    pub(super) fn nanos(self, unit: u64) -> u64 {
        // A thousandth of the unit keeps the product of the largest fraction and unit in 64 bits.
        let fraction = if unit < MICRO {
            u64::from(self.billionths > 0)
        } else {
            (u64::from(self.billionths) * (unit / MICRO)).div_ceil(1_000_000)
        };
        self.whole.saturating_mul(unit).saturating_add(fraction)
    }

    /// The number times `unit`, in whole milliseconds, rounded up and saturating.
    pub(super) fn in_millis(self, unit: u64) -> u64 {
        if self.whole == HUGE {
            return HUGE;
        }
        if unit < MILLI {
            let per_milli = MILLI / unit;
            if self.billionths == 0 {
                return self.whole.div_ceil(per_milli);
            }
            return self.whole / per_milli + 1;
        }
        let millis = unit / MILLI;
        let fraction = (u64::from(self.billionths) * millis).div_ceil(1_000_000_000);
        self.whole.saturating_mul(millis).saturating_add(fraction)
    }
}

/// A number of `unit`s (digits, perhaps a fraction) as a span, rounded up to the millisecond.
pub(super) fn span(value: &[u8], unit: u64) -> Option<Millis> {
    Decimal::parse(value).map(|number| Millis::new(number.in_millis(unit)))
}

/// The digits after a point in billionths, rounded up.
pub(super) fn billionths(fraction: &[u8]) -> u32 {
    let nine = fraction.iter().chain(core::iter::repeat(&b'0')).take(9);
    let more = fraction.iter().skip(9).any(|&b| b != b'0');
    nine.fold(0, |n, d| n * 10 + u32::from(d - b'0')) + u32::from(more)
}

/// Whether `value` is one or more ASCII digits.
pub(super) fn are_digits(value: &[u8]) -> bool {
    !value.is_empty() && value.iter().all(u8::is_ascii_digit)
}

/// The number that `digits` spell, saturating.
fn integer(digits: &[u8]) -> u64 {
    // So many fit whatever they are.
    if digits.len() <= 19 {
        return digits.iter().fold(0, |n, d| n * 10 + u64::from(d - b'0'));
    }
    digits.iter().fold(0, |n: u64, d| n.saturating_mul(10).saturating_add(u64::from(d - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_any_length_are_a_number_that_saturates() {
        for (value, expected) in [
            (&b"0"[..], 0),
            (b"00120", 120_000),
            (b"9007199254740", 9_007_199_254_740_000),
            (b"9007199254741", Millis::MAX.get()),
            (b"18446744073709551616", Millis::MAX.get()),
            (b"340282366920938463463374607431768211456000", Millis::MAX.get()),
            (b"00000000000000000000120", 120_000),
        ] {
            assert_eq!(span(value, SECOND), Some(Millis::new(expected)));
        }
        assert_eq!(span(&[b'9'; 4096], NANO), Some(Millis::MAX));
        assert_eq!(Decimal::parse(&[b'9'; 4096]).map(|n| n.nanos(HOUR)), Some(u64::MAX));
    }

    #[test]
    fn a_fraction_is_rounded_up_to_the_next_millisecond() {
        for (value, expected) in [
            (&b"1.5"[..], 1_500),
            (b"2.0", 2_000),
            (b"0.503", 503),
            (b"0.0001", 1),
            (b"292.052427053", 292_053),
            (b"0.0000000000000000000000001", 1),
            (b"0.0000000000000000000000000", 0),
            (b"0.9999999999", 1_000),
        ] {
            assert_eq!(span(value, SECOND), Some(Millis::new(expected)), "{value:?}");
        }
        for (value, unit, expected) in [
            (&b"1.5"[..], MILLI, 2),
            (b"0.5", HOUR, 1_800_000),
            (b"0.9999999999", HOUR, 3_600_000),
            (b"999", MICRO, 1),
            (b"1000", MICRO, 1),
            (b"1000.1", MICRO, 2),
            (b"999.9999999999", MICRO, 1),
            (b"1000001", NANO, 2),
        ] {
            assert_eq!(span(value, unit), Some(Millis::new(expected)), "{value:?}");
        }
    }

    #[test]
    fn parts_of_a_duration_are_exact_to_the_nanosecond() {
        let nanos = |value: &[u8], unit| Decimal::parse(value).map(|n| n.nanos(unit));
        assert_eq!(nanos(b"0.999999999", HOUR), Some(3_599_999_996_400));
        assert_eq!(nanos(b"1.5", MICRO), Some(1_500));
        assert_eq!(nanos(b"1.5", NANO), Some(2));
        assert_eq!(nanos(b"1", NANO), Some(1));
        assert_eq!(nanos(b"0.000000001", SECOND), Some(1));
    }

    #[test]
    fn anything_else_is_no_number() {
        for value in [
            "", ".", ".5", "5.", "-1", "-0", "+5", "1e3", "0x10", "1_000", "1,5", "1.2.3", "120s",
            " 1", "١٢٠", "²", "nan", "Infinity", "\"120\"",
        ] {
            assert_eq!(Decimal::parse(value.as_bytes()), None, "{value:?}");
        }
    }
}
