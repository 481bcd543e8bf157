//! One change after the other is switched on, and the tests that enter its function are run.

use core::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use std::{
    fs,
    io::Read,
    process::{Command, Stdio},
    sync::{Mutex, mpsc},
    thread,
};

use anyhow::{Context, Result};

use super::build::{Build, Program};
use crate::{
    process,
    progress::{self, Stopwatch},
};

/// Tests are run in steps, those of up to so many milliseconds first: most changes end there.
const STEPS: [u128; 3] = [12, 60, u128::MAX];

/// A test that takes longer than this and five times its ordinary time has no end.
const PATIENCE: Duration = Duration::from_secs(5);

/// The address space of a run, in KiB: a loop without end must not take the machine's memory.
const MEMORY: &str = "4000000";

/// What became of some changes.
pub(super) struct Judged {
    pub(super) endless: usize,
    pub(super) alive: Vec<usize>,
}

/// Judges the changes with these numbers, `jobs` at once; `tell` hears of each that no test sees, and
/// of each that was seen by its time alone: on a machine that is very busy, that may be wrong.
pub(super) fn all(
    programs: &[Program],
    build: &Build<'_>,
    (asked, jobs): (&[usize], usize),
    tell: &(dyn Fn(usize, &str) + Sync),
) -> Result<Judged> {
    let tests = tests(programs, build, jobs)?;
    let (done, endless, alive) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    each(asked, jobs, |&number| {
        match judge(&tests, build.function(number), number)? {
            Ended::Failed => {}
            Ended::Never => {
                tell(number, "without an end in");
                endless.fetch_add(1, Ordering::Relaxed);
            }
            Ended::Passed => {
                tell(number, "not seen by");
                alive.lock().expect("no thread panics here").push(number);
            }
        }
        let done = 1 + done.fetch_add(1, Ordering::Relaxed);
        if done.is_multiple_of(500) {
            progress::note(&format!("{done} of {}", asked.len()));
        }
        Ok(())
    })?;
    let mut alive = alive.into_inner().expect("no thread panics here");
    alive.sort_unstable();
    Ok(Judged { endless: endless.into_inner(), alive })
}

/// A test, what it takes and which functions it enters.
struct Test<'a> {
    program: &'a Program,
    name: String,
    takes: Duration,
    enters: Vec<bool>,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Failed,
    Never,
    Passed,
}

/// Every test, run once by itself with nothing changed.
fn tests<'a>(programs: &'a [Program], build: &Build<'_>, jobs: usize) -> Result<Vec<Test<'a>>> {
    let mut names = Vec::new();
    for program in programs {
        let mut list = program.command();
        let list = process::capture(list.args(["--list", "--format", "terse"]))?;
        let list = list.lines().filter_map(|line| line.strip_suffix(": test"));
        names.extend(list.map(|name| (program, name.to_owned())));
    }
    let folder = build.scratch();
    fs::create_dir_all(&folder).context("the folder of what tests enter cannot be made")?;
    let (next, tests) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    each(&names, jobs, |(program, name)| {
        let report = folder.join(next.fetch_add(1, Ordering::Relaxed).to_string());
        let mut command = program.command();
        command.arg(name).env("MUTANTS_ENTERED", &report);
        let watch = Stopwatch::start();
        let ended = run(&mut command, Duration::from_secs(600))?;
        anyhow::ensure!(ended == Ended::Passed, "{name} fails while nothing is changed");
        let takes = watch.elapsed();
        let enters = fs::read(&report).with_context(|| format!("what {name} enters"))?;
        let enters = enters.into_iter().map(|entered| entered != 0).collect();
        let test = Test { program, name: name.clone(), takes, enters };
        tests.lock().expect("no thread panics here").push(test);
        Ok(())
    })?;
    Ok(tests.into_inner().expect("no thread panics here"))
}

fn judge(tests: &[Test<'_>], function: usize, number: usize) -> Result<Ended> {
    let mut entering: Vec<_> =
        tests.iter().filter(|test| test.enters.get(function) == Some(&true)).collect();
    entering.sort_by_key(|test| (&test.program.path, test.takes));
    let mut least = 0;
    for most in STEPS {
        let step = |test: &&&Test<'_>| (least..most).contains(&test.takes.as_millis());
        let step: Vec<_> = entering.iter().filter(step).collect();
        least = most;
        for part in step.chunk_by(|a, b| a.program.path == b.program.path) {
            let mut command = part[0].program.command();
            command.args(part.iter().map(|test| &test.name)).env("MUTANT", number.to_string());
            let ordinary: Duration = part.iter().map(|test| test.takes).sum();
            let ended = run(&mut command, PATIENCE + 5 * ordinary)?;
            if ended != Ended::Passed {
                return Ok(ended);
            }
        }
    }
    Ok(Ended::Passed)
}

/// Does `work` for each item, `jobs` at once; the first error ends it.
fn each<T: Sync>(items: &[T], jobs: usize, work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = work(item) {
                        failed.lock().expect("no thread panics here").get_or_insert(error);
                        next.store(items.len(), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    failed.into_inner().expect("no thread panics here").map_or(Ok(()), Err)
}

/// Runs a test program to its end; that of its output is known without a look at the clock.
fn run(command: &mut Command, patience: Duration) -> Result<Ended> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| process::cannot_start(command, &error))?;
    let mut output = child.stdout.take().context("a test program has no output")?;
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        _ = output.read_to_end(&mut text);
        _ = tell.send(());
    });
    if told.recv_timeout(patience).is_err() {
        child.kill().context("a test program cannot be ended")?;
        child.wait().context("a test program cannot be ended")?;
        return Ok(Ended::Never);
    }
    let ended = child.wait().context("a test program cannot be waited for")?;
    Ok(if ended.success() { Ended::Passed } else { Ended::Failed })
}

impl Program {
    /// One thread, exact names, and an address space with an end.
    fn command(&self) -> Command {
        let limited = format!("ulimit -v {MEMORY} 2>/dev/null; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).arg(&self.path).args(["--exact", "--test-threads", "1"]);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command
    }
}
