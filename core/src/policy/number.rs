//! Exact decimals out of JSON numbers: 3.0 and 1e3 are integers, 0.1 is a tenth.

use crate::text::{cut, digits as digits_of, trim_end};

/// A JSON number counted in units of its last decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scaled {
    /// So many units.
    Exact(u64),
    /// Below zero, a whole number of units.
    Negative,
    /// Beyond 64 bits, a whole number of units.
    TooLarge,
    /// Not a whole number of units.
    TooFine,
}

/// The number in units of 10^−`decimals`, from the text of the document: no float is calculated
/// with, so that 0.1 is exactly 1 000 ten-thousandths.
pub(crate) fn scaled(text: &str, decimals: u8) -> Scaled {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = cut(text, b'e').or_else(|| cut(text, b'E')).unwrap_or((text, "0"));
    let (whole, fraction) = cut(mantissa, b'.').unwrap_or((mantissa, ""));
    let fraction = trim_end(fraction, b'0');
    // Trailing zeros of the digits belong to the exponent: then the last digit decides fineness.
    let zeros = if fraction.is_empty() {
        whole.len().saturating_sub(trim_end(whole, b'0').len())
    } else {
        0
    };
    let mut kept = (whole.len() + fraction.len()).saturating_sub(zeros);
    let (mut significant, mut is_zero) = (Some(0_u64), true);
    for digits in [whole, fraction] {
        for digit in digits.bytes().map(|byte| u64::from(byte & 15)) {
            is_zero &= digit == 0;
            if kept > 0 {
                kept -= 1;
                significant = significant.and_then(|n| n.checked_mul(10)?.checked_add(digit));
            }
        }
    }
    if is_zero {
        return Scaled::Exact(0);
    }
    let (down, power) = match exponent.strip_prefix('-') {
        Some(power) => (true, power),
        None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    // A power beyond that is beyond everything: only its direction matters.
    let power = digits_of(power.as_bytes()).and_then(|power| i64::try_from(power).ok());
    let power = power.unwrap_or(i64::MAX);
    let exponent = if down { -power } else { power };
    let shift = exponent
        .saturating_add(i64::from(decimals))
        .saturating_sub(length(fraction.len()))
        .saturating_add(length(zeros));
    if shift < 0 {
        return Scaled::TooFine;
    }
    if negative {
        return Scaled::Negative;
    }
    let power = u32::try_from(shift).ok().and_then(|shift| 10_u64.checked_pow(shift));
    match significant.zip(power).and_then(|(value, power)| value.checked_mul(power)) {
        Some(value) => Scaled::Exact(value),
        None => Scaled::TooLarge,
    }
}

fn length(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use Scaled::{Exact, Negative, TooFine, TooLarge};

    use super::*;

    fn read(json: &str, decimals: u8) -> Scaled {
        scaled(json, decimals)
    }

    #[test]
    fn whole_numbers_are_whole_however_they_are_written() {
        for json in ["3", "3.0", "3.000", "0.3e1", "30e-1", "3E0", "3e+0", "300.0e-2"] {
            assert_eq!(read(json, 0), Exact(3), "{json}");
        }
        assert_eq!(read("1e3", 0), Exact(1_000));
        assert_eq!(read("-0", 0), Exact(0));
        assert_eq!(read("-0.0", 4), Exact(0));
        assert_eq!(read("0e999", 0), Exact(0));
        assert_eq!(read("18446744073709551615", 0), Exact(u64::MAX));
    }

    #[test]
    fn fractions_are_counted_in_their_last_decimal_exactly() {
        for tenths in 0..=10_000_u64 {
            let json = alloc::format!("{}.{:04}", tenths / 10_000, tenths % 10_000);
            assert_eq!(read(&json, 4), Exact(tenths), "{json}");
        }
        assert_eq!(read("0.29", 3), Exact(290));
        assert_eq!(read("1.1e1", 3), Exact(11_000));
        assert_eq!(read("1000", 4), Exact(10_000_000));
    }

    #[test]
    fn finer_than_the_last_decimal_is_told_apart_from_out_of_range() {
        for (json, decimals, expected) in [
            ("3.5", 0, TooFine),
            ("-3.5", 0, TooFine),
            ("1e-5", 4, TooFine),
            ("0.30000000000000004", 4, TooFine),
            ("-1", 0, Negative),
            ("-1e30", 0, Negative),
            ("-0.5", 4, Negative),
            ("18446744073709551616", 0, TooLarge),
            ("18446744073709551615", 4, TooLarge),
            ("1e300", 0, TooLarge),
        ] {
            assert_eq!(read(json, decimals), expected, "{json}");
        }
    }

    #[test]
    fn the_text_itself_may_have_any_length() {
        let long = "1".repeat(400);
        assert_eq!(scaled(&long, 0), TooLarge);
        assert_eq!(scaled(&alloc::format!("0.{long}"), 4), TooFine);
        assert_eq!(scaled(&alloc::format!("1e{long}"), 0), TooLarge);
        assert_eq!(scaled(&alloc::format!("1e-{long}"), 0), TooFine);
        assert_eq!(scaled(&alloc::format!("3{}e-400", "0".repeat(400)), 0), Exact(3));
    }
}
