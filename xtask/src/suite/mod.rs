//! The test steps: what they are ([`mod@table`]), what they need of the machine ([`needs`]), how one
//! runs ([`mod@run`]) and how its tests are counted ([`count`]).

mod count;
mod needs;
mod run;
mod table;

use std::{
    io::{self, Write},
    process::{Command, ExitCode},
};

use anyhow::Result;

use crate::{apt, progress::Stopwatch, workspace::Workspace};

use count::Counts;
use needs::Need;
use run::Outcome;

pub(crate) use table::table;

/// One named step. Steps go on after one that failed.
pub(crate) struct Step {
    pub(crate) name: String,
    needs: Vec<Need>,
    tally: Tally,
    /// Lines of the output that hold one of these are shown even when all is well.
    echo: &'static [&'static str],
    work: Work,
}

/// What stands for the number of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tally {
    /// The step is one check: its exit code counts as one.
    One,
    /// A test runner says how many; one that ran none has failed.
    Tests,
    /// As `Tests`, where none is possible: a file whose every line waits for something unbuilt.
    TestsOrNone,
}

enum Work {
    /// Commands one after the other; all run, whatever one of them says.
    Run(Vec<Command>),
    /// There is nothing to run, and why.
    Nothing(String),
}

/// Runs steps and prints a line for each; the last line is `N passed, N failed`.
pub(crate) fn run(workspace: &Workspace, steps: Vec<Step>) -> Result<ExitCode> {
    let watch = Stopwatch::start();
    let mut total = Counts::default();
    let mut not_run = Vec::new();
    for step in steps {
        let name = step.name.clone();
        say(&format!("{name} … "));
        match one(workspace, step)? {
            Outcome::NotRun(why) => {
                println!("not run: {why}");
                not_run.push(format!("{name}: {why}"));
            }
            Outcome::Ran(counts) => total += counts,
        }
    }
    println!("{}", watch.seconds());
    for line in &not_run {
        println!("not run: {line}");
    }
    println!("{} passed, {} failed", total.passed, total.failed);
    Ok(if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn one(workspace: &Workspace, step: Step) -> Result<Outcome> {
    let commands = match step.work {
        Work::Run(commands) => commands,
        Work::Nothing(why) => return Ok(Outcome::NotRun(why)),
    };
    for need in step.needs {
        if let Err(why) = need.provide() {
            return Ok(Outcome::NotRun(format!("{why:#}")));
        }
    }
    run::commands(workspace, &step.name, commands, step.tally, step.echo)
}

/// Installs what a command needs of the machine, by its name.
pub(crate) fn provide(name: &str) -> Result<()> {
    Need::named(name)?.provide()
}

/// Prints without ending the line, so that a long step shows what it is.
fn say(text: &str) {
    print!("{text}");
    let _ = io::stdout().flush();
}

impl Need {
    /// Installs it where that is allowed; the error is why the step cannot run.
    fn provide(self) -> Result<()> {
        if self.is_there() {
            return Ok(());
        }
        anyhow::ensure!(
            apt::usable(),
            "it needs {}, which is not installed here (Debian and alike: apt-get install {})",
            self.name,
            self.packages.join(" ")
        );
        apt::update()?;
        let packages: Vec<_> = self.packages.iter().map(|name| (*name).to_owned()).collect();
        apt::install(self.name, &packages)
    }
}
