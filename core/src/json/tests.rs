//! Against a second reader, and the rules that are our own.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{Value, read};
use crate::rng::Rng;

fn twice(text: &str) -> Vec<String> {
    read(text).unwrap().twice
}

/// Whether the two trees are one; numbers by their value.
#[allow(clippy::float_arithmetic)] // the other reader makes floats of numbers
fn same(ours: &Value<'_>, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Bool(a), serde_json::Value::Bool(b)) => a == b,
        (Value::Number(a), serde_json::Value::Number(b)) => {
            // The other reader rounds a long way down or up.
            let (a, b) = (a.parse::<f64>().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= a.abs() * 1e-12
        }
        (Value::String(a), serde_json::Value::String(b)) => a == b,
        (Value::Array(a), serde_json::Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), serde_json::Value::Object(b)) => {
            a.iter().count() == b.len()
                && a.iter().all(|(name, value)| b.get(name).is_some_and(|b| same(value, b)))
        }
        _ => false,
    }
}

fn agree(text: &str) {
    match (read(text), serde_json::from_str::<serde_json::Value>(text)) {
        (Ok(ours), Ok(theirs)) => assert!(same(&ours.root, &theirs), "{text}: {ours:?} {theirs}"),
        (Err(_), Err(_)) => {}
        // A float has bounds, a text has none.
        (Ok(_), Err(error)) if error.to_string().contains("out of range") => {}
        (ours, theirs) => panic!("{text:?}: {ours:?} against {theirs:?}"),
    }
}

#[test]
fn every_form_is_read_or_refused_as_by_the_other_reader() {
    for text in [
        "null",
        "true",
        "false",
        "nul",
        "truex",
        "0",
        "-0",
        "-",
        "01",
        "1.",
        ".5",
        "1.5e",
        "1e+5",
        "1E-5",
        "+1",
        "0x1",
        "NaN",
        "\"\"",
        "\"a",
        "\"\\\"\"",
        "\"\\x\"",
        "\"\\u00e9\"",
        "\"\\u00e\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\ude00\"",
        "\"\\ud83d\\u0041\"",
        "\"\\ud83dA\"",
        "\"\u{1}\"",
        "\"é😀\"",
        "[]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,2",
        "[",
        "]",
        "{}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1,\"a\":2}",
        " \t\r\n1 ",
        "1 2",
        "\u{a0}1",
        "\u{feff}1",
        "",
        " ",
        "{\"a\":[{\"b\":[]}]}",
        "\"\\/\\b\\f\\n\\r\\t\"",
        "\"\\u0000\"",
        "[\"a\\nb\",\"c\"]",
        "-1.25E+2",
        "1e400",
        "[1]]",
        "{\"\":{\"\":0}}",
    ] {
        agree(text);
    }
}

#[test]
fn random_text_is_read_or_refused_as_by_the_other_reader() {
    const SEED: u64 = 2_026;
    let mut rng = Rng::new(SEED);
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\\u0041\"",
        "1",
        "-0.5e3",
        "true",
        "null",
        " ",
        "\"",
        "\\",
        "u",
        "0",
        ".",
        "é",
    ];
    for _ in 0..40_000 {
        let len = rng.draw().between(0, 12);
        let text: String = (0..len)
            .map(|_| pieces[rng.draw().between(0, pieces.len() as u64 - 1) as usize])
            .collect();
        agree(&text);
    }
}

#[test]
fn an_escape_goes_no_further_than_its_own_character() {
    for (text, said) in [
        (r#""\u0041\n""#, "A\n"),
        (r#""\u0041\u0042""#, "AB"),
        (r#""\ud83d\ude00\u0041""#, "\u{1F600}A"),
        (r#""\uffff\\""#, "\u{FFFF}\\"),
    ] {
        agree(text);
        assert_eq!(read(text).unwrap().root, Value::String(said.into()), "{text}");
    }
    for text in [r#""\ud83d""#, r#""\ud83dx""#, r#""\ud83d\n""#, r#""\ud83d\u0041""#, r#""\ude00""#]
    {
        agree(text);
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn a_member_given_twice_is_found_wherever_it_is_and_the_last_one_kept() {
    assert_eq!(twice(r#"{"a":1,"a":2,"a":3,"b":1}"#), ["a", "a"]);
    assert_eq!(twice(r#"{"b":{"c":[0,{"d":1,"d":{}}]}}"#), ["b.c[1].d"]);
    assert_eq!(twice(r#"{"a\u0062":1,"ab":2}"#), ["ab"]);
    assert_eq!(twice(r#"{"a\"":1,"a\"" : 2}"#), ["a\""]);
    let document = read(r#"{"a":1,"a":2}"#).unwrap();
    assert_eq!(document.root.get("a"), Some(&Value::Number("2")));
}

#[test]
fn the_same_name_in_another_object_or_as_a_value_is_not_given_twice() {
    for text in [
        r#"{"a":{"a":"a"},"b":{"a":["a","a"]},"c":"a"}"#,
        r#"[{"a":1},{"a":1}]"#,
        r#"{"a":"{\"b\":1,\"b\":2}"}"#,
        r#""a""#,
        "{}",
    ] {
        assert_eq!(twice(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_fault_has_line_and_column() {
    for (text, said) in [
        ("", "it ends too early at line 1 column 0"),
        (
            "{\n  \"a\": 3,\n}",
            "a comma stands before the end of the list or object at line 3 column 1",
        ),
        ("{} {}", "something follows the end at line 1 column 4"),
        ("{'a':1}", "a name in double quotes was expected at line 1 column 2"),
        ("[1\n2]", "a comma or the end of the list or object was expected at line 2 column 1"),
        ("[tru]", "a value was expected at line 1 column 5"),
        ("[tru", "it ends too early at line 1 column 4"),
        ("[1.]", "a digit was expected at line 1 column 4"),
        ("[1.", "it ends too early at line 1 column 3"),
    ] {
        assert_eq!(read(text).unwrap_err(), said, "{text:?}");
    }
}

#[test]
fn depth_and_width_are_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(read(&nested(128)).is_ok());
    assert!(read(&nested(129)).unwrap_err().starts_with("it is too deep"));
    assert!(read(&"[".repeat(1_000_000)).is_err());
    let siblings = ["[]"; 200].join(",");
    assert!(read(&format!("[{siblings}]")).is_ok(), "what stands side by side is not deep");
    let wide = |members: usize| {
        let members: Vec<_> = (0..members).map(|n| format!("\"{n}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    assert!(read(&wide(1024)).is_ok());
    assert!(read(&wide(1025)).unwrap_err().starts_with("an object has too many members"));
}
