//! Texts of strangers, made safe to show: a label must not move the cursor, colour the terminal,
//! start a line of its own or turn the reading direction of what follows.

use alloc::string::String;
use core::fmt;

/// How many characters of a text are shown.
const SHOWN: usize = 200;

/// A text in which every character that could act is written as `\u{…}`, and which is cut after
/// 200 characters.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // a text
pub struct Escaped<'a>(pub &'a str);

impl Escaped<'_> {
    /// Appends it to a text.
    pub fn push_to(self, out: &mut String) {
        for (shown, c) in self.0.chars().enumerate() {
            if shown == SHOWN {
                out.push('…');
                return;
            }
            match c {
                // So that an escape cannot be forged.
                '\\' => out.push_str("\\\\"),
                c if acts(c) => push_escape(out, c),
                c => out.push(c),
            }
        }
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push_to(&mut text);
        f.write_str(&text)
    }
}

/// A character as `\u{…}`, in as few hexadecimal digits as it needs.
fn push_escape(out: &mut String, c: char) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push_str("\\u{");
    let code = u32::from(c);
    let digits = (32 - code.leading_zeros()).div_ceil(4).max(1);
    for place in (0..digits).rev() {
        let digit = (code >> (4 * place)) as usize % 16;
        out.push(HEX.get(digit).copied().map_or('0', char::from));
    }
    out.push('}');
}

/// Controls, line separators, bidirectional controls (UAX #9), and what has no width at all. The
/// joiners U+200C and U+200D stay: Persian and Arabic words need them.
const fn acts(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// A key, shortened so that it can be recognised and not used: its first four and last four
/// characters; of a short one only the start.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // a key
pub struct ShortKey<'a>(pub &'a str);

impl ShortKey<'_> {
    /// Appends it to a text.
    pub fn push_to(self, out: &mut String) {
        let count = self.0.chars().count();
        let (first, last) = match count {
            0..=8 => (count / 4, 0),
            9..=15 => (4, 0),
            _ => (4, 4),
        };
        let end =
            |skipped: usize| self.0.char_indices().nth(skipped).map_or(self.0.len(), |(at, _)| at);
        let start = self.0.get(..end(first)).unwrap_or_default();
        let rest = if last == 0 { "" } else { self.0.get(end(count - last)..).unwrap_or_default() };
        Escaped(start).push_to(out);
        out.push('…');
        Escaped(rest).push_to(out);
    }
}

impl fmt::Display for ShortKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push_to(&mut text);
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, string::ToString};

    #[test]
    fn nothing_that_acts_is_shown_as_it_is() {
        assert_eq!(Escaped("a\x1b[31mb\r\nc").to_string(), "a\\u{1b}[31mb\\u{d}\\u{a}c");
        assert_eq!(
            Escaped("x\u{202e}y\u{2066}z\u{200f}").to_string(),
            "x\\u{202e}y\\u{2066}z\\u{200f}"
        );
        assert_eq!(
            Escaped("\u{85}\u{2028}\u{feff}\u{e0041}").to_string(),
            "\\u{85}\\u{2028}\\u{feff}\\u{e0041}"
        );
        assert_eq!(Escaped(r"\u{1b}").to_string(), r"\\u{1b}", "no escape can be forged");
        assert_eq!(Escaped("عميل می‌خواهم 中 é").to_string(), "عميل می‌خواهم 中 é");
        for c in (0..=0x0010_ffff).filter_map(char::from_u32).filter(|c| c.is_control()) {
            assert!(acts(c), "{:x}", u32::from(c));
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        let shown = Escaped(&"é".repeat(1_000)).to_string();
        assert_eq!(shown.chars().count(), SHOWN + 1);
        assert!(shown.ends_with('…'));
        assert_eq!(Escaped(&"é".repeat(SHOWN)).to_string().chars().count(), SHOWN);
    }

    #[test]
    fn a_key_is_never_shown_whole() {
        let uuid = "8e03978e-40d5-43e8-bc93-6894a57f9324";
        assert_eq!(ShortKey(uuid).to_string(), "8e03…9324");
        for length in 0..=64 {
            let key = "k".repeat(length);
            let shown = ShortKey(&key).to_string();
            assert!(shown.chars().filter(|&c| c == 'k').count() <= length / 2, "{length}");
            assert_ne!(shown, key);
        }
        assert_eq!(format!("{}", ShortKey("مفتاح-طويل-جدا-هنا")), "مفتا…-هنا");
    }
}
