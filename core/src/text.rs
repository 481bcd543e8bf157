//! Texts put together from pieces, without `core::fmt`: its machinery is a tenth of a small
//! WebAssembly module, and settings need none of it.

use alloc::string::String;

/// The pieces, one after the other.
pub(crate) fn join(pieces: &[&str]) -> String {
    let mut text = String::new();
    for piece in pieces {
        text.push_str(piece);
    }
    text
}

/// A number in decimal.
pub(crate) fn number(value: u64) -> String {
    let mut text = String::new();
    push_number(&mut text, value);
    text
}

/// Appends a number in decimal.
pub(crate) fn push_number(text: &mut String, value: u64) {
    text.push_str(Digits::new(value).as_str());
}

/// Appends a number in decimal, with zeros in front up to `width` digits.
pub(crate) fn push_padded(text: &mut String, value: u64, width: usize) {
    let digits = Digits::new(value);
    for _ in digits.as_str().len()..width {
        text.push('0');
    }
    text.push_str(digits.as_str());
}

/// A number in decimal, on the stack.
pub(crate) struct Digits {
    // 2^64 has 20 digits.
    bytes: [u8; 20],
    from: usize,
}

impl Digits {
    pub(crate) fn new(mut value: u64) -> Self {
        let mut digits = Self { bytes: [b'0'; 20], from: 20 };
        loop {
            digits.from = digits.from.saturating_sub(1);
            if let Some(place) = digits.bytes.get_mut(digits.from) {
                *place = b'0' + (value % 10) as u8;
            }
            value /= 10;
            if value == 0 {
                return digits;
            }
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(self.from..).unwrap_or_default();
        core::str::from_utf8(bytes).unwrap_or_default()
    }
}

/// Digits and nothing else, as a number; none when it does not fit or there is no digit.
#[cfg(any(test, feature = "json"))]
pub(crate) fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    let digit = |&byte: &u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    text.iter().try_fold(0_u64, |sum, byte| sum.checked_mul(10)?.checked_add(digit(byte)?))
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn a_number_is_written_as_everybody_writes_it() {
        for value in [0, 1, 9, 10, 99, 100, 12_345, u64::MAX] {
            assert_eq!(number(value), format!("{value}"));
            assert_eq!(digits(number(value).as_bytes()), Some(value));
        }
    }

    #[test]
    fn only_digits_that_fit_are_a_number() {
        for text in ["", "+1", "-1", "1 ", "18446744073709551616", "1e3", "١"] {
            assert_eq!(digits(text.as_bytes()), None, "{text}");
        }
        assert_eq!(digits(b"007"), Some(7));
    }

    #[test]
    fn pieces_follow_one_another() {
        assert_eq!(join(&["a", "", "b"]), "ab");
        assert_eq!(join(&[]), "");
    }
}
