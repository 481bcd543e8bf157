//! Tables of words, and how a word is looked up in them.

use super::{fact::Fact, packed::Packed};

/// Words, each with its meaning.
#[derive(Clone, Copy)]
pub(super) struct Table(pub(super) Packed);

/// A [`Table`] of `("word", Fact::…)` rows.
macro_rules! table {
    ($(($word:literal, $fact:expr $(,)?)),+ $(,)?) => {{
        use $crate::classify::transport::packed::{Packed, pack, size};
        const ROWS: &[(&str, u8)] = &[$(($word, $fact as u8)),+];
        const BYTES: [u8; size(ROWS)] = pack(ROWS);
        Table(Packed::new(&BYTES))
    }};
}
pub(super) use table;

impl Table {
    /// The meaning of `word`: as it stands, else by its last dotted part, so that
    /// `java.net.ConnectException` and `ConnectException` are one row.
    pub(super) fn find(self, word: &str) -> Option<Fact> {
        let last = last_part(word);
        self.exact(word).or_else(|| if last == word { None } else { self.exact(last) })
    }

    /// The meaning of exactly `word`.
    pub(super) fn exact(self, word: &str) -> Option<Fact> {
        self.by(|row| row == word.as_bytes())
    }

    /// The meaning of the first row that `is_it` knows.
    pub(super) fn by(self, is_it: impl Fn(&[u8]) -> bool) -> Option<Fact> {
        let (tag, _) = self.0.rows().find(|(_, word)| is_it(word))?;
        Fact::from_code(tag)
    }
}

/// The part of a qualified name after the last `.`, `:` or `$`.
fn last_part(word: &str) -> &str {
    word.rsplit(['.', ':', '$']).next().unwrap_or(word)
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
