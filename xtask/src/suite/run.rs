//! Runs a step's commands: output kept, time limited, tests counted.

use core::{fmt::Write, time::Duration};
use std::{
    fs,
    io::{BufRead, BufReader, IsTerminal, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
};

use anyhow::{Context, Result};

use super::{
    Tally,
    count::{self, Counts},
};
use crate::{process, progress::Stopwatch, workspace::Workspace};

/// A step that hangs must not hang everything, least of all without a word.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// How much of a failed step's output is printed; all of it is in its log.
const SHOWN: usize = 200;

pub(super) enum Outcome {
    /// Why not.
    NotRun(String),
    /// With the step's closing words, and below them what of its output is worth showing.
    Ran { counts: Counts, words: String },
}

impl Outcome {
    /// What is printed about it, to the end of the last line.
    pub(super) fn words(&self) -> String {
        match self {
            Self::NotRun(why) => format!("not run: {why}\n"),
            Self::Ran { words, .. } => words.clone(),
        }
    }
}

/// What a command printed and how it ended.
struct Finished {
    lines: Vec<Line>,
    /// Nothing when it was ended for taking too long.
    status: Option<ExitStatus>,
}

struct Line {
    from_stdout: bool,
    text: String,
}

/// Runs all the commands, keeps what they print, and counts.
pub(super) fn commands(
    workspace: &Workspace,
    name: &str,
    commands: Vec<Command>,
    tally: Tally,
    echo: &[&str],
) -> Result<Outcome> {
    let watch = Stopwatch::start();
    let (mut counts, mut log, mut shown) = (Counts::default(), String::new(), String::new());
    for mut command in commands {
        let shown_as = process::display(&command);
        let (text, problem) = match finish(&mut command) {
            Ok(finished) => {
                let (these, problem) = judge(&finished, tally);
                counts += these;
                let lines: Vec<_> = finished.lines.into_iter().map(|line| line.text).collect();
                (lines.join("\n"), problem)
            }
            Err(error) => {
                counts.failed += 1;
                (String::new(), Some(format!("{error:#}")))
            }
        };
        writeln!(log, "$ {shown_as}\n{text}")?;
        for line in text.lines().filter(|line| echo.iter().any(|word| line.contains(word))) {
            writeln!(shown, "  {}", line.trim())?;
        }
        if let Some(problem) = problem {
            writeln!(log, "{problem}")?;
            writeln!(shown, "{}\n  {shown_as}\n  {problem}", tail(&text))?;
        }
    }
    let file = keep_log(workspace, name, &log)?;
    let tests = match tally {
        Tally::One => String::new(),
        Tally::Tests => format!("{} tests, ", counts.total()),
    };
    let seconds = watch.seconds();
    let words = if counts.failed == 0 {
        format!("ok ({tests}{seconds})\n{shown}")
    } else {
        format!("FAILED ({tests}{} failed, {seconds})\n{shown}  all of it: {file}\n", counts.failed)
    };
    Ok(Outcome::Ran { counts, words })
}

/// What a finished command counts as, and what is wrong with it.
fn judge(finished: &Finished, tally: Tally) -> (Counts, Option<String>) {
    const ONE_FAILED: Counts = Counts { passed: 0, failed: 1 };
    let Some(status) = finished.status else {
        return (
            ONE_FAILED,
            Some(format!("ended after {} minutes without an end", LIMIT.as_secs() / 60)),
        );
    };
    let stdout = finished.lines.iter().filter(|line| line.from_stdout);
    let stdout: Vec<String> = stdout.map(|line| line.text.clone()).collect();
    let counted = if tally == Tally::One { None } else { count::read(&stdout) };
    match (status.success(), counted) {
        (true, None) if tally == Tally::One => (Counts { passed: 1, failed: 0 }, None),
        (true, None) => (ONE_FAILED, Some("it did not say how many tests it ran".to_owned())),
        (true, Some(counts)) if counts.total() == 0 => {
            (ONE_FAILED, Some("it ran no test".to_owned()))
        }
        (true, Some(counts)) => {
            (counts, (counts.failed > 0).then(|| "tests failed, though it ended well".to_owned()))
        }
        (false, counted) => {
            let mut counts = counted.unwrap_or_default();
            counts.failed = counts.failed.max(1);
            (counts, Some(process::ended(status).trim_end_matches(':').to_owned()))
        }
    }
}

fn finish(command: &mut Command) -> Result<Finished> {
    plain_output(command);
    let grouped = own_group(command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| process::cannot_start(command, &error))?;
    let (sender, lines) = mpsc::channel();
    follow(child.stdout.take(), true, sender.clone());
    follow(child.stderr.take(), false, sender);

    let watch = Stopwatch::start();
    let mut finished = Finished { lines: Vec::new(), status: None };
    loop {
        match lines.recv_timeout(Duration::from_millis(500)) {
            Ok(line) => finished.lines.push(line),
            Err(RecvTimeoutError::Disconnected) => break,
            // It has ended, and something it left behind holds its output open: that is not waited for.
            Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_some() => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if watch.elapsed() > LIMIT {
            end(&mut child, grouped);
            return Ok(finished);
        }
    }
    finished.status = Some(child.wait().context("the command's end was not seen")?);
    Ok(finished)
}

/// Sends every line of a stream on, from a thread of its own.
fn follow(stream: Option<impl Read + Send + 'static>, from_stdout: bool, lines: Sender<Line>) {
    let Some(stream) = stream else { return };
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut bytes = Vec::new();
        while stream.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
            let text = without_colours(String::from_utf8_lossy(&bytes).trim_end());
            bytes.clear();
            if lines.send(Line { from_stdout, text }).is_err() {
                return;
            }
        }
    });
}

/// Some programs colour what they print whatever they are told.
fn without_colours(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            chars.by_ref().find(char::is_ascii_alphabetic);
        } else {
            text.push(c);
        }
    }
    text
}

fn plain_output(command: &mut Command) {
    command.env("NO_COLOR", "1").env("CARGO_TERM_COLOR", "never").env_remove("FORCE_COLOR");
}

/// A group of its own can be ended as a whole. Not at a terminal: there Ctrl-C must reach everybody.
fn own_group(command: &mut Command) -> bool {
    let alone = cfg!(unix) && !std::io::stdin().is_terminal();
    #[cfg(unix)]
    if alone {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    alone
}

fn end(child: &mut Child, grouped: bool) {
    if grouped {
        let group = format!("-{}", child.id());
        let _ = process::capture(Command::new("kill").args(["-KILL", "--", &group]));
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn keep_log(workspace: &Workspace, name: &str, log: &str) -> Result<String> {
    let folder = workspace.scratch().join("logs");
    let file = folder.join(format!("{}.log", name.replace(['/', ':'], "-")));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&file, log))
        .with_context(|| format!("{} could not be written", file.display()))?;
    Ok(workspace.relative(&file).to_string())
}

/// The end of an output, quoted.
fn tail(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    let skipped = lines.len().saturating_sub(SHOWN);
    let quoted = process::indent(&lines[skipped..].join("\n"));
    if skipped == 0 { quoted } else { format!("  | … {skipped} lines before these\n{quoted}") }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Finished {
        let mut command = Command::new("sh");
        finish(command.args(["-c", script])).unwrap()
    }

    fn judged(script: &str, tally: Tally) -> (u64, u64, Option<String>) {
        let (counts, problem) = judge(&shell(script), tally);
        (counts.passed, counts.failed, problem)
    }

    #[test]
    fn a_check_counts_as_one() {
        assert_eq!(judged("echo '3 passed, 4 failed'", Tally::One), (1, 0, None));
        let (passed, failed, problem) = judged("exit 7", Tally::One);
        assert_eq!((passed, failed), (0, 1));
        assert!(problem.unwrap().contains("code 7"));
    }

    #[test]
    fn a_runner_counts_what_it_says_and_at_least_one_failure_when_it_fails() {
        assert_eq!(judged("echo '3 passed, 0 failed'", Tally::Tests), (3, 0, None));
        let (passed, failed, _) = judged("echo '3 passed, 2 failed'; exit 1", Tally::Tests);
        assert_eq!((passed, failed), (3, 2));
        let (passed, failed, _) = judged("echo '3 passed, 0 failed'; exit 1", Tally::Tests);
        assert_eq!((passed, failed), (3, 1));
        let (passed, failed, _) = judged("echo does not compile >&2; exit 101", Tally::Tests);
        assert_eq!((passed, failed), (0, 1));
    }

    #[test]
    fn a_runner_that_ran_nothing_or_says_nothing_has_failed() {
        let (_, failed, problem) = judged("echo '0 passed, 0 failed'", Tally::Tests);
        assert_eq!((failed, problem.as_deref()), (1, Some("it ran no test")));
        let (_, failed, problem) = judged("true", Tally::Tests);
        assert_eq!((failed, problem.as_deref()), (1, Some("it did not say how many tests it ran")));
    }

    #[test]
    fn stderr_is_kept_and_not_counted() {
        let finished = shell("echo '9 passed, 9 failed' >&2; echo '1 passed, 0 failed'");
        assert_eq!(finished.lines.len(), 2);
        assert_eq!(judge(&finished, Tally::Tests).0, Counts { passed: 1, failed: 0 });
    }

    #[test]
    fn colours_are_taken_out() {
        assert_eq!(without_colours("\u{1b}[31m- a\u{1b}(B\u{1b}[m b"), "- a b");
    }

    #[test]
    fn something_left_running_is_not_waited_for() {
        let watch = Stopwatch::start();
        assert_eq!(judged("sleep 20 & echo '1 passed, 0 failed'", Tally::Tests), (1, 0, None));
        assert!(watch.elapsed() < Duration::from_secs(10));
    }
}
