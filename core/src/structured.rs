//! Structured fields (RFC 9651), as far as `RateLimit` and `Proxy-Status` need them: the whole
//! grammar is checked; strings, tokens and integers are handed out.

use crate::scan::Scan;

/// A bare item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bare<'a> {
    /// At most 15 digits, perhaps negative.
    Integer(i64),
    /// What stands between the quotes, its escapes as they were sent.
    String(&'a [u8]),
    /// A token.
    Token(&'a [u8]),
    /// A decimal, byte sequence, boolean, date or display string.
    Other,
}

impl<'a> Bare<'a> {
    /// The text of a string or token.
    pub(crate) const fn text(self) -> Option<&'a [u8]> {
        match self {
            Self::String(text) | Self::Token(text) => Some(text),
            Self::Integer(_) | Self::Other => None,
        }
    }
}

/// Reads a line as a list of items. Each item goes to `each` with a cursor at its parameters,
/// which `each` must read with [`parameters`]. Nothing if the list, or `each`, fails; inner lists
/// fail. An empty line is an empty list.
pub(crate) fn list<'a>(
    line: &'a [u8],
    mut each: impl FnMut(Bare<'a>, &mut Scan<'a>) -> Option<()>,
) -> Option<()> {
    members(line, |scan| {
        let item = bare(scan)?;
        each(item, scan)
    })
}

/// Reads a line as a dictionary of items; a key without a value is a true boolean. Parameters of
/// the members are checked and dropped.
pub(crate) fn dictionary<'a>(
    line: &'a [u8],
    mut each: impl FnMut(&'a [u8], Bare<'a>) -> Option<()>,
) -> Option<()> {
    members(line, |scan| {
        let key = key(scan)?;
        let item = if scan.eat(b'=') { bare(scan)? } else { Bare::Other };
        each(key, item)?;
        parameters(scan, |_, _| {})
    })
}

/// Reads the parameters of an item. A key that comes again replaces the earlier one, so `each`
/// keeps the last.
pub(crate) fn parameters<'a>(
    scan: &mut Scan<'a>,
    mut each: impl FnMut(&'a [u8], Bare<'a>),
) -> Option<()> {
    while scan.eat(b';') {
        scan.take(|b| b == b' ');
        let key = key(scan)?;
        let value = if scan.eat(b'=') { bare(scan)? } else { Bare::Other };
        each(key, value);
    }
    Some(())
}

/// Reads members separated by commas; a comma at the end fails the whole list.
fn members<'a>(line: &'a [u8], mut each: impl FnMut(&mut Scan<'a>) -> Option<()>) -> Option<()> {
    let mut scan = Scan::new(line);
    scan.take(|b| b == b' ');
    while !scan.is_empty() {
        each(&mut scan)?;
        scan.blanks();
        if scan.is_empty() {
            break;
        }
        if !scan.eat(b',') {
            return None;
        }
        scan.blanks();
        if scan.is_empty() {
            return None;
        }
    }
    Some(())
}

/// §4.2.3.3: lower case or `*` first, then also digits, `_`, `-`, `.`.
fn key<'a>(scan: &mut Scan<'a>) -> Option<&'a [u8]> {
    let whole = *scan;
    scan.eat_if(|b| b.is_ascii_lowercase() || b == b'*')?;
    let is_rest = |b: u8| {
        b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b'.' | b'*')
    };
    scan.take(is_rest);
    Some({ whole }.take(is_rest))
}

/// §4.2.3.1.
fn bare<'a>(scan: &mut Scan<'a>) -> Option<Bare<'a>> {
    if scan.eat(b'"') {
        return string(scan).map(Bare::String);
    }
    if scan.eat(b'?') {
        return scan.eat_if(|b| matches!(b, b'0' | b'1')).map(|_| Bare::Other);
    }
    if scan.eat(b':') {
        scan.take(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
        return scan.eat(b':').then_some(Bare::Other);
    }
    if scan.eat(b'@') {
        let date = number(scan)?;
        return (date != Bare::Other).then_some(Bare::Other);
    }
    if scan.eat(b'%') {
        return display_string(scan).map(|()| Bare::Other);
    }
    let whole = *scan;
    if scan.eat_if(|b| b.is_ascii_alphabetic() || b == b'*').is_some() {
        scan.take(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&b));
        return Some(Bare::Token(whole.until(*scan)));
    }
    number(scan)
}

/// §4.2.4: an integer of at most 15 digits, or a decimal of at most 12 and 3.
fn number<'a>(scan: &mut Scan<'a>) -> Option<Bare<'a>> {
    let negative = scan.eat(b'-');
    let digits = scan.take(|b| b.is_ascii_digit());
    if digits.is_empty() || digits.len() > 15 {
        return None;
    }
    if scan.eat(b'.') {
        let fraction = scan.take(|b| b.is_ascii_digit());
        return (digits.len() <= 12 && (1..=3).contains(&fraction.len())).then_some(Bare::Other);
    }
    let value = digits.iter().fold(0_i64, |n, d| n * 10 + i64::from(d - b'0'));
    Some(Bare::Integer(if negative { -value } else { value }))
}

/// §4.2.5, its opening quote already read: visible ASCII and spaces, `\` before `"` and `\` only.
fn string<'a>(scan: &mut Scan<'a>) -> Option<&'a [u8]> {
    let whole = *scan;
    loop {
        scan.take(|b| matches!(b, b' '..=b'~') && !matches!(b, b'"' | b'\\'));
        let end = *scan;
        if scan.eat(b'"') {
            return Some(whole.until(end));
        }
        if !scan.eat(b'\\') {
            return None;
        }
        scan.eat_if(|b| matches!(b, b'"' | b'\\'))?;
    }
}

/// §4.2.10, its `%` already read: a string in which `%xx` (lower case) are the bytes of UTF-8.
fn display_string(scan: &mut Scan<'_>) -> Option<()> {
    if !scan.eat(b'"') {
        return None;
    }
    loop {
        scan.take(|b| matches!(b, b' '..=b'~') && !matches!(b, b'"' | b'%'));
        if scan.eat(b'"') {
            return Some(());
        }
        let mut character = [0; 4];
        let lead = escaped_byte(scan)?;
        let length = match lead {
            0..0x80 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        for (at, slot) in character.iter_mut().take(length).enumerate() {
            *slot = if at == 0 { lead } else { escaped_byte(scan)? };
        }
        core::str::from_utf8(character.get(..length)?).ok()?;
    }
}

/// `%` and two lower-case hexadecimal digits.
fn escaped_byte(scan: &mut Scan<'_>) -> Option<u8> {
    if !scan.eat(b'%') {
        return None;
    }
    let high = hex_digit(scan)?;
    Some(high * 16 + hex_digit(scan)?)
}

fn hex_digit(scan: &mut Scan<'_>) -> Option<u8> {
    let byte = scan.eat_if(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))?;
    Some(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'a' + 10 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of items, or nothing if the list is malformed.
    fn count(line: &str) -> Option<usize> {
        let mut items = 0;
        list(line.as_bytes(), |_, scan| {
            items += 1;
            parameters(scan, |_, _| {})
        })?;
        Some(items)
    }

    #[test]
    fn every_kind_of_item_is_read() {
        for item in [
            "0",
            "-0",
            "999999999999999",
            "-999999999999999",
            "1.5",
            "123456789012.123",
            "\"\"",
            "\"a b\"",
            r#""a\"b\\c""#,
            "\"a,b;c=d\"",
            "token",
            "*tok/en:x",
            "A!#$%&'*+-.^_`|~",
            ":cHJldGVuZA==:",
            "::",
            "?0",
            "?1",
            "@1659578233",
            "@-1",
            r#"%"gr%c3%bc%c3%9fe""#,
            r#"%"%f0%9f%98%80 %22""#,
            r#"%"%c3%bc""#,
            r#"%"%e2%82%ac""#,
        ] {
            assert_eq!(count(item), Some(1), "{item}");
            assert_eq!(count(&std::format!("{item};a;*b.c_d-e={item}, {item} ,\t{item}")), Some(3));
        }
        assert_eq!(count(""), Some(0));
        assert_eq!(count("  \"a\";  r=1  "), Some(1));
    }

    #[test]
    fn one_flaw_fails_the_whole_list() {
        for line in [
            ",",
            "\"a\",",
            "\"a\" ;r=0",
            "\"a\";R=0",
            "\"a\";1r=0",
            "\"a\";=0",
            "\"a\";",
            "\"a\" \"b\"",
            "\"a",
            r#""a\b""#,
            "\"a\tb\"",
            "\"ä\"",
            "'a'",
            "1000000000000000",
            "1.",
            "1.1234",
            ".5",
            "1234567890123.1",
            "--1",
            "+1",
            "-",
            "?2",
            "?",
            "@1.5",
            "@",
            ":a",
            ":a b:",
            "%a",
            "%\"",
            r#"%"%C3%BC""#,
            r#"%"%c3""#,
            r#"%"%80""#,
            r#"%"%ff""#,
            r#"%"%ed%a0%80""#,
            r#"%"%c""#,
            "%\"ü\"",
            "(\"a\" \"b\")",
            "a=1",
            "\"a\";r=(1)",
            "\"a\";;r",
            "a,,b",
            "\"a\"x",
        ] {
            assert_eq!(count(line), None, "{line}");
        }
    }

    #[test]
    fn a_dictionary_has_keys_and_values() {
        let mut seen = alloc::vec::Vec::new();
        let read =
            dictionary(b"limit=100;w=60, remaining=0 , flag, x=\"y\", z=*a/b", |key, value| {
                seen.push((key.to_vec(), value));
                Some(())
            });
        assert_eq!(read, Some(()));
        let expected = [
            (&b"limit"[..], Bare::Integer(100)),
            (b"remaining", Bare::Integer(0)),
            (b"flag", Bare::Other),
            (b"x", Bare::String(b"y")),
            (b"z", Bare::Token(b"*a/b")),
        ];
        assert_eq!(seen, expected.map(|(key, value)| (key.to_vec(), value)));
        for line in ["limit=", "=1", "limit 1", "limit=1,", "Limit=1", "\"limit\"=1"] {
            assert_eq!(dictionary(line.as_bytes(), |_, _| Some(())), None, "{line}");
        }
    }
}
