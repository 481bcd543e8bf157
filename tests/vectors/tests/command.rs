//! The command as a person runs it: what it prints last, and how it exits.

use std::{
    fs,
    process::{Command, Output},
};

const GOOD: &str = r#"{"id":"good","area":"status","input":{"status":404,"headers":[]},"now":null,"expect":{"class":"permanent"},"source":""}"#;
const WRONG: &str = r#"{"id":"wrong","area":"status","input":{"status":404,"headers":[]},"now":null,"expect":{"class":"transient"},"source":""}"#;
const TRACE: &str = r#"{"id":"later","policy":{},"steps":[{"at":0,"op":"save","as":"s"}]}"#;

/// Runs the command on a file of these lines.
fn replay(name: &str, lines: &[&str], options: &[&str]) -> Output {
    let file = format!("{}/{name}.jsonl", env!("CARGO_TARGET_TMPDIR"));
    fs::write(&file, lines.join("\n")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrywise-vectors"));
    command.args(["--binding", "native"]).args(options).arg(file).output().unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn everything_passing_is_exit_code_0() {
    let output = replay("passing", &[GOOD, "", GOOD], &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(lines(&output), ["native: status 2/2", "2 passed, 0 failed"]);
}

#[test]
fn a_mismatch_names_its_vector_and_is_exit_code_1() {
    let output = replay("mismatch", &[GOOD, WRONG], &[]);
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    assert!(lines[0].starts_with("FAIL native "), "{lines:?}");
    assert!(
        lines[0]
            .ends_with(r#"mismatch.jsonl:2 wrong: class expected "transient", got "permanent""#),
        "{lines:?}"
    );
    assert_eq!(lines.last().unwrap(), "1 passed, 1 failed");
}

#[test]
fn an_unknown_field_or_op_counts_as_failed() {
    let field = GOOD.replace("headers", "headerz");
    let op = TRACE.replace("save", "rescue");
    let output = replay("unknown", &[&field, &op, "{"], &[]);
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    assert!(lines[0].contains("unknown.jsonl:1: good: ") && lines[0].contains("`headerz`"));
    assert!(lines[1].contains("unknown.jsonl:2: later: ") && lines[1].contains("`rescue`"));
    assert!(lines[2].contains("unknown.jsonl:3: "));
    assert_eq!(lines.last().unwrap(), "0 passed, 3 failed");
}

#[test]
fn only_one_vector_can_be_asked_for() {
    let output = replay("only", &[GOOD, WRONG], &["--only", "good"]);
    assert_eq!(lines(&output).last().unwrap(), "1 passed, 0 failed");
    let output = replay("none", &[GOOD], &["--only", "other"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no vector called other"));
}

#[test]
fn an_unknown_binding_or_file_is_exit_code_2() {
    let output = replay("binding", &[GOOD], &["--binding", "cobol"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`cobol`"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrywise-vectors"));
    assert_eq!(command.arg("no-such-file.jsonl").output().unwrap().status.code(), Some(2));
}
