//! Fields that stand twice in one object: JSON parsers keep one of them without a word.

use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::policy::issue::{IssueKind, Issues};

/// Reports each field of `json`, a valid document, that an object has more than once.
pub(crate) fn report(json: &str, issues: &mut Issues) {
    let mut open: Vec<Level> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = json.as_bytes().get(at) {
        at += 1;
        match (byte, open.last_mut()) {
            (b'{', _) => open.push(Level::Object { seen: BTreeSet::new(), field: None }),
            (b'[', _) => open.push(Level::List { index: 0 }),
            (b'}' | b']', _) => drop(open.pop()),
            (b',', Some(Level::Object { field, .. })) => *field = None,
            (b',', Some(Level::List { index })) => *index += 1,
            (b'"', level) => {
                let text = string(json, at - 1);
                at += text.len().saturating_sub(1);
                if let Some(Level::Object { seen, field: field @ None }) = level {
                    let name: String = serde_json::from_str(text).unwrap_or_default();
                    let first = seen.insert(name.clone());
                    *field = Some(name);
                    if !first {
                        twice(&path(&open), issues);
                    }
                }
            }
            _ => {}
        }
    }
}

/// An object or list that is not closed yet, and where in it we are.
enum Level {
    Object { seen: BTreeSet<String>, field: Option<String> },
    List { index: usize },
}

fn twice(path: &str, issues: &mut Issues) {
    if !issues.touches(path) {
        let message = format!("{path} is given more than once");
        issues.push(path.to_string(), IssueKind::Contradiction, message);
    }
}

fn path(open: &[Level]) -> String {
    let mut path = String::new();
    for level in open {
        match level {
            Level::Object { field, .. } => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(field.as_deref().unwrap_or_default());
            }
            Level::List { index } => path.extend(["[", &index.to_string(), "]"]),
        }
    }
    path
}

/// The string literal that begins at `start`, with its quotes.
fn string(json: &str, start: usize) -> &str {
    let rest = json.get(start..).unwrap_or_default();
    let mut escaped = false;
    for (offset, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return rest.get(..=offset).unwrap_or_default(),
            _ => {}
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn twice_in(json: &str) -> Vec<String> {
        serde_json::from_str::<serde_json::Value>(json).unwrap();
        let mut issues = Issues::none();
        report(json, &mut issues);
        issues.into_iter().map(|issue| issue.field).collect()
    }

    #[test]
    fn a_field_given_twice_is_found_wherever_it_is() {
        assert_eq!(twice_in(r#"{"a":1,"a":2,"a":3,"b":1}"#), vec!["a"]);
        assert_eq!(twice_in(r#"{"b":{"c":[0,{"d":1,"d":{}}]}}"#), vec!["b.c[1].d"]);
        assert_eq!(twice_in(r#"{"a\u0062":1,"ab":2}"#), vec!["ab"]);
        assert_eq!(twice_in(r#"{"a\"":1,"a\"" : 2}"#), vec!["a\""]);
    }

    #[test]
    fn the_same_name_in_another_object_or_as_a_value_is_none() {
        for json in [
            r#"{"a":{"a":"a"},"b":{"a":["a","a"]},"c":"a"}"#,
            r#"[{"a":1},{"a":1}]"#,
            r#"{"a":"{\"b\":1,\"b\":2}"}"#,
            r#""a""#,
            "{}",
            "3",
        ] {
            assert_eq!(twice_in(json), Vec::<String>::new(), "{json}");
        }
    }
}
