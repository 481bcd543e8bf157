//! What somebody may have meant who wrote an unknown name.

use alloc::{string::String, vec::Vec};

use crate::{
    policy::check::quoted,
    text::{join, listed},
};

/// The end of a message about `name`: the nearest of the known names, or all of them.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(known) => join(&["; did you mean ", &quoted(known), "?"]),
        None if known.is_empty() => String::from("; there are none"),
        None => join(&["; known are ", &listed(known, ", ")]),
    }
}

/// The known name that is written most like `name`, if any is close.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    // The bound keeps the work small, whatever a document calls its fields.
    const LONGEST: usize = 64;
    let plain = plain(name);
    if plain.is_empty() || plain.len() > LONGEST {
        return None;
    }
    let close = 1 + plain.len() / 4;
    let (mut best, mut part): (Option<(usize, &str)>, Option<&str>) = (None, None);
    for &name in known {
        let other = self::plain(name);
        let distance = distance(&plain, &other);
        if distance <= close && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
        if part.is_none() && (contains(&other, &plain) || contains(&plain, &other)) {
            part = Some(name);
        }
    }
    best.map(|(_, name)| name).or(part)
}

/// Whether the short name is a part of the long one, and no part that stands in many.
fn contains(long: &[char], short: &[char]) -> bool {
    const SHORTEST: usize = 4;
    short.len() >= SHORTEST && long.windows(short.len()).any(|window| window == short)
}

/// Without what people write differently: case, `-` and `_`.
fn plain(name: &str) -> Vec<char> {
    let mut plain = Vec::new();
    for letter in name.chars() {
        if !matches!(letter, '-' | '_') {
            plain.push(letter.to_ascii_lowercase());
        }
    }
    plain
}

/// The fewest insertions, deletions and replacements (Levenshtein).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = Vec::new();
    for at in 0..=b.len() {
        row.push(at);
    }
    for (done, from) in a.iter().enumerate() {
        // The cell above on the left, and the one on the left.
        let (mut corner, mut left) = (done, done + 1);
        let mut cells = row.iter_mut();
        if let Some(first) = cells.next() {
            *first = left;
        }
        for (cell, to) in cells.zip(b) {
            let above = *cell;
            left = (corner + usize::from(from != to)).min(above + 1).min(left + 1);
            corner = above;
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] =
        &["maxRetries", "deadlineMs", "attemptTimeoutMs", "backoff", "breaker", "budget"];

    #[test]
    fn the_nearest_name_is_the_one_with_the_fewest_edits() {
        for (name, meant) in [
            ("maxRetrys", Some("maxRetries")),
            ("max_retries", Some("maxRetries")),
            ("MAXRETRIES", Some("maxRetries")),
            ("max-retries", Some("maxRetries")),
            ("retries", Some("maxRetries")),
            ("deadline", Some("deadlineMs")),
            ("timeoutMs", Some("attemptTimeoutMs")),
            ("bakcoff", Some("backoff")),
            ("braker", Some("breaker")),
            ("x", None),
            ("", None),
            ("somethingElse", None),
        ] {
            assert_eq!(nearest(name, KNOWN), meant, "{name}");
        }
    }

    #[test]
    fn of_two_near_names_the_nearer_is_meant() {
        assert_eq!(nearest("hintt", &["hunt", "hint", "hunts"]), Some("hint"));
        assert_eq!(nearest("minMs", &["maxMs", "minMs"]), Some("minMs"));
        assert_eq!(nearest("mixMs", &["maxMs", "minMs"]), Some("maxMs"), "the first of equals");
    }

    #[test]
    fn nothing_near_lists_what_there_is() {
        assert_eq!(suggestion("zzz", &["a", "b"]), "; known are a, b");
        assert_eq!(suggestion("zzz", &[]), "; there are none");
    }

    #[test]
    fn a_name_of_any_length_is_looked_at_briefly() {
        assert_eq!(nearest(&"a".repeat(1_000_000), KNOWN), None);
        let long = |letters: usize| String::from("maxRetries") + &"x".repeat(letters - 10);
        assert_eq!(nearest(&long(64), KNOWN), Some("maxRetries"));
        assert_eq!(nearest(&long(65), KNOWN), None);
        assert_eq!(nearest("--", &["a"]), None, "nothing is like nothing");
    }

    #[test]
    fn the_distance_is_that_of_the_textbook() {
        let of = |a: &str, b: &str| distance(&plain(a), &plain(b));
        assert_eq!(of("kitten", "sitting"), 3);
        assert_eq!(of("", "abc"), 3);
        assert_eq!(of("abc", ""), 3);
        assert_eq!(of("abc", "abc"), 0);
    }
}
