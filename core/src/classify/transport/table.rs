//! Tables of words, and how a word is looked up in them.
//!
//! A word is kept as four bytes of its hash, computed while compiling: the tables are a fifth as
//! large as the words, and faster to walk. No two words of all tables share a hash (a test sees to
//! it); a word that no table has is taken for one that a table has with a probability of
//! 2^−32 for each row.

use super::fact::Fact;

/// Words, each with its meaning.
#[derive(Clone, Copy)]
pub(super) struct Table {
    /// Five bytes a row: the meaning, then the hash.
    rows: &'static [[u8; 5]],
    #[cfg(test)]
    pub(super) words: &'static [(&'static str, u8)],
}

/// A [`Table`] of `("word", Fact::…)` rows.
macro_rules! table {
    ($(($word:literal, $fact:expr $(,)?)),+ $(,)?) => {{
        const WORDS: &[(&str, u8)] = &[$(($word, $fact as u8)),+];
        const ROWS: [[u8; 5]; WORDS.len()] = $crate::classify::transport::table::hashed(WORDS);
        $crate::classify::transport::table::Table::new(&ROWS, WORDS)
    }};
}
pub(super) use table;

impl Table {
    /// What [`hashed`] made of the words.
    pub(super) const fn new(
        rows: &'static [[u8; 5]],
        words: &'static [(&'static str, u8)],
    ) -> Self {
        let _ = words;
        Self {
            rows,
            #[cfg(test)]
            words,
        }
    }

    /// The meaning of `word`: as it stands, else by its last dotted part, so that
    /// `java.net.ConnectException` and `ConnectException` are one row.
    pub(super) fn find(self, word: &str) -> Option<Fact> {
        let last = last_part(word);
        self.exact(word).or_else(|| if last == word { None } else { self.exact(last) })
    }

    /// The meaning of exactly `word`.
    pub(super) fn exact(self, word: &str) -> Option<Fact> {
        self.by_hash(word.bytes().fold(HASH, with))
    }

    /// The meaning of a word, whose [`folded`] form is the row.
    pub(super) fn folded(self, word: &str) -> Option<Fact> {
        self.by_hash(folded(word).fold(HASH, with))
    }

    fn by_hash(self, hash: u32) -> Option<Fact> {
        let [a, b, c, d] = hash.to_le_bytes();
        let row = self.rows.iter().find(|row| row[1..] == [a, b, c, d])?;
        Fact::from_code(row[0])
    }
}

/// The hash of nothing (FNV-1a).
const HASH: u32 = 0x811C_9DC5;

/// The hash with one byte more.
const fn with(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

/// The rows of these words. Runs while compiling.
pub(super) const fn hashed<const N: usize>(words: &[(&str, u8)]) -> [[u8; 5]; N] {
    let mut rows = [[0; 5]; N];
    let mut at = 0;
    while at < N {
        let (word, meaning) = words[at];
        let mut hash = HASH;
        let mut letter = 0;
        while letter < word.len() {
            hash = with(hash, word.as_bytes()[letter]);
            letter += 1;
        }
        let [a, b, c, d] = hash.to_le_bytes();
        rows[at] = [meaning, a, b, c, d];
        at += 1;
    }
    rows
}

/// The part of a qualified name after the last `.`, `:` or `$`.
fn last_part(word: &str) -> &str {
    let before = word.bytes().rposition(|b| matches!(b, b'.' | b':' | b'$'));
    before.and_then(|at| word.get(at + 1..)).unwrap_or(word)
}

/// Whether two names are the same, case, `-` and `_` apart: `DNS-timeout`, `dns_timeout` and
/// `DnsTimeout` are one name.
pub(in crate::classify) fn same_name(a: &str, b: &str) -> bool {
    folded(a).eq(folded(b))
}

/// The letters of a name as they count for comparing.
pub(in crate::classify) fn folded(name: &str) -> impl Iterator<Item = u8> + '_ {
    name.bytes().filter(|b| !matches!(b, b'-' | b'_')).map(|b| b.to_ascii_lowercase())
}

/// An unsigned number as hosts write protocol codes: decimal, or hexadecimal after `0x`.
pub(super) fn number(word: &str) -> Option<u64> {
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: Table = table![("Alpha", Fact::Cut), ("Beta.Gamma", Fact::Refused)];

    #[test]
    fn a_qualified_name_is_found_whole_or_by_its_last_part() {
        assert_eq!(TABLE.find("Beta.Gamma"), Some(Fact::Refused));
        assert_eq!(TABLE.find("x.y.Alpha"), Some(Fact::Cut));
        assert_eq!(TABLE.find("x::Alpha"), Some(Fact::Cut));
        assert_eq!(TABLE.find("Outer$Alpha"), Some(Fact::Cut));
        assert_eq!(TABLE.find("Gamma"), None);
        assert_eq!(TABLE.find(""), None);
    }

    #[test]
    fn names_compare_without_case_and_separators() {
        assert!(same_name("DNS-timeout", "dns_timeout"));
        assert!(same_name("DnsTimeout", "DNS-timeout"));
        assert!(!same_name("dns timeout", "dns-timeout"));
    }

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        assert_eq!(number("267"), Some(267));
        assert_eq!(number("0x010B"), Some(267));
        assert_eq!(number("x"), None);
        assert_eq!(number(""), None);
        assert_eq!(number("99999999999999999999999"), None);
    }
}
