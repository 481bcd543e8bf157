//! Running a program. Every failure says which command it was, what it printed, and where it ran.

use std::{
    ffi::OsStr,
    io::{self, ErrorKind},
    process::{Command, ExitCode, ExitStatus, Stdio},
};

use anyhow::{Context, Result, bail};

/// Runs `command` with its output kept, and returns its stdout. A failure carries what it printed.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| cannot_start(command, &error))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let printed = [stdout.trim_end(), stderr.trim_end()].join("\n");
    bail!("{}\n  {}\n{}", ended(output.status), display(command), indent(printed.trim()));
}

/// The first line `command` prints, or nothing when it is missing or fails: for looking around.
pub(crate) fn probe(command: &mut Command) -> Option<String> {
    let line = capture(command).ok()?.lines().next()?.trim().to_owned();
    (!line.is_empty()).then_some(line)
}

/// Runs `command` on this terminal and hands its exit code on.
pub(crate) fn hand_over(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() {
        return Ok(ExitCode::SUCCESS);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Runs `command` on this terminal, its stdout sent to stderr, and insists that it succeeds.
pub(crate) fn show(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()
        .map_err(|error| cannot_start(command, &error))?;
    if status.success() {
        return Ok(());
    }
    bail!("{}\n  {}", ended(status), display(command));
}

/// The command as a person would type it: with what was set for it, so that it can be typed again.
pub(crate) fn display(command: &Command) -> String {
    const KEPT_OUT: [&str; 3] = ["NO_COLOR", "CARGO_TERM_COLOR", "CARGO_ENCODED_RUSTFLAGS"];
    let set = command.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?)));
    let set = set.filter(|(name, _)| !KEPT_OUT.contains(name));
    let set = set.map(|(name, value)| format!("{name}={}", quote(value)));
    // Where a toolchain manager put cargo is nobody's business; its name finds it again.
    let ordinary = std::env::var_os("CARGO").is_some_and(|cargo| cargo == command.get_program());
    let program = if ordinary { OsStr::new("cargo") } else { command.get_program() };
    let words = core::iter::once(program).chain(command.get_args()).map(quote);
    set.chain(words).collect::<Vec<_>>().join(" ")
}

/// Whether a program of this name is on the search path.
pub(crate) fn on_path(name: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else { return false };
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|folder| folder.join(&file).is_file())
}

/// What to say when a program could not even be started.
pub(crate) fn cannot_start(command: &Command, error: &io::Error) -> anyhow::Error {
    let program = command.get_program().to_string_lossy();
    if error.kind() == ErrorKind::NotFound {
        return anyhow::anyhow!(
            "`{program}` was not found: install it, or put it on the search path\n  {}",
            display(command)
        );
    }
    anyhow::anyhow!("`{program}` could not be started: {error}\n  {}", display(command))
}

/// Names an exit status.
pub(crate) fn ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("a command ended with code {code}:"),
        None => "a command was ended by a signal:".to_owned(),
    }
}

/// Two spaces before every line, so that quoted output stands apart.
pub(crate) fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  | {line}")).collect::<Vec<_>>().join("\n")
}

/// Reads a file; the error names it.
pub(crate) fn read(path: &std::path::Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("{} could not be read", path.display()))
}

fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("cargo");
        command.args(["run", "--", "it's", ""]).env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTFLAGS");
        assert_eq!(display(&command), r"RUSTC_BOOTSTRAP=1 cargo run -- 'it'\''s' ''");
    }

    #[test]
    fn a_missing_program_is_named_with_what_to_do() {
        let error = capture(&mut Command::new("no-such-program-here")).unwrap_err().to_string();
        assert!(error.starts_with("`no-such-program-here` was not found: install it"), "{error}");
    }
}
