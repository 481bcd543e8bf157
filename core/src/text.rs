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

/// Whether two texts are the same, the case of ASCII letters apart. One place for all who compare
/// names: unrolled at each of them it is a kilobyte of every module.
#[inline]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    #[inline(never)]
    fn letters(a: &[u8], b: &[u8]) -> bool {
        // Nearly every host writes names in lower case, as they stand here.
        a == b || a.eq_ignore_ascii_case(b)
    }
    a.len() == b.len() && letters(a, b)
}

/// What stands before and after the first such (ASCII) byte. `str::split_once` brings a searcher of
/// its own for each kind of pattern.
#[inline(never)]
pub(crate) fn cut(text: &str, at: u8) -> Option<(&str, &str)> {
    let (before, _) = cut_bytes(text.as_bytes(), at)?;
    Some((text.get(..before.len())?, text.get(before.len() + 1..)?))
}

/// What stands before and after the first such byte.
#[inline(never)]
pub(crate) fn cut_bytes(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == at)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

/// What stands after the first `mark`.
#[inline(never)]
pub(crate) fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let at = text.as_bytes().windows(mark.len()).position(|part| part == mark.as_bytes())?;
    text.get(at + mark.len()..)
}

/// The text without such (ASCII) bytes at its end.
#[inline(never)]
pub(crate) fn trim_end(text: &str, last: u8) -> &str {
    let end = text.bytes().rposition(|byte| byte != last).map_or(0, |at| at + 1);
    text.get(..end).unwrap_or_default()
}

/// Names in a row, as people list them.
#[inline(never)]
pub(crate) fn listed(names: &[&str], between: &str) -> String {
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            text.push_str(between);
        }
        text.push_str(name);
    }
    text
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
    fn texts_are_cut_at_bytes_and_marks() {
        assert_eq!(cut("a:b:c", b':'), Some(("a", "b:c")));
        assert_eq!(cut("é:", b':'), Some(("é", "")));
        assert_eq!(cut("", b':'), None);
        assert_eq!(after("x//y#z", "//y#"), Some("z"));
        assert_eq!(after("short", "longer than it"), None);
        assert_eq!((trim_end("1000", b'0'), trim_end("00", b'0')), ("1", ""));
        assert_eq!(trim_end("é/", b'/'), "é");
        assert_eq!((listed(&["a", "b"], ", "), listed(&[], ", ")), ("a, b".into(), String::new()));
        assert!(same(b"Retry-After", b"retry-AFTER") && !same(b"a", b"ab") && same(b"", b""));
    }

    #[test]
    fn pieces_follow_one_another() {
        assert_eq!(join(&["a", "", "b"]), "ab");
        assert_eq!(join(&[]), "");
    }
}
