//! The test steps: what they are ([`mod@table`]), what they need of the machine ([`needs`]), which run
//! side by side ([`lanes`]), how one runs ([`mod@run`]) and how its tests are counted ([`count`]).

mod count;
mod lanes;
mod needs;
mod run;
mod table;

use core::fmt::Write as _;
use std::{
    io::{self, Write as _},
    process::{Command, ExitCode},
    sync::{Mutex, PoisonError},
};

use anyhow::Result;

use crate::{apt, progress::Stopwatch, workspace::Workspace};

use count::Counts;
use lanes::Company;
use needs::Need;
use run::Outcome;

pub(crate) use table::table;

/// One named step. Steps go on after one that failed.
pub(crate) struct Step {
    pub(crate) name: String,
    needs: Vec<Need>,
    /// Installed where the system has it packaged; the step runs without it as well, and says so.
    wants: Vec<Need>,
    company: Company,
    tally: Tally,
    /// Lines of the output that hold one of these are shown even when all is well.
    echo: &'static [&'static str],
    work: Work,
}

impl Step {
    /// Why others wait for it, where that is so.
    pub(crate) fn holds_up(&self) -> Option<String> {
        match &self.company {
            Company::Alone(why) => Some(format!("alone: {why}")),
            Company::First(why) => Some(format!("first: {why}")),
            Company::Any | Company::Sharing(_) => None,
        }
    }
}

/// What stands for the number of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tally {
    /// The step is one check: its exit code counts as one.
    One,
    /// A test runner says how many; one that ran none has failed.
    Tests,
}

enum Work {
    /// Commands one after the other; all run, whatever one of them says.
    Run(Vec<Command>),
    /// There is nothing to run, and why.
    Nothing(String),
}

/// Runs steps, `lanes` at a time, and prints for each how it ended, in one piece; the last line is
/// `N passed, N failed`.
pub(crate) fn run(workspace: &Workspace, steps: Vec<Step>, lanes: usize) -> Result<ExitCode> {
    let watch = Stopwatch::start();
    let sum = Mutex::new(Sum::default());
    let steps = steps.into_iter().map(|step: Step| (step.company.clone(), step)).collect();
    lanes::run(lanes, steps, |step| {
        let name = step.name.clone();
        // Where steps run one by one, the line that a step begins is the one that it ends.
        let (begin, end) =
            if lanes > 1 { ("\n", format!("{name}: ")) } else { (" ", String::new()) };
        say(&format!("{name} …{begin}"));
        let outcome = one(workspace, step)?;
        say(&format!("{end}{}", outcome.words()));
        sum.lock().unwrap_or_else(PoisonError::into_inner).add(&name, outcome);
        Ok(())
    })?;
    let Sum { total, not_run } = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{}", watch.seconds());
    for line in &not_run {
        println!("not run: {line}");
    }
    println!("{} passed, {} failed", total.passed, total.failed);
    Ok(if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What all steps together came to.
#[derive(Default)]
struct Sum {
    total: Counts,
    not_run: Vec<String>,
}

impl Sum {
    fn add(&mut self, name: &str, outcome: Outcome) {
        match outcome {
            Outcome::NotRun(why) => self.not_run.push(format!("{name}: {why}")),
            Outcome::Ran { counts, .. } => self.total += counts,
        }
    }
}

fn one(workspace: &Workspace, step: Step) -> Result<Outcome> {
    /// What is installed is installed by one step at a time.
    static INSTALLING: Mutex<()> = Mutex::new(());

    let commands = match step.work {
        Work::Run(commands) => commands,
        Work::Nothing(why) => return Ok(Outcome::NotRun(why)),
    };
    let provide = |need: Need| {
        let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
        need.provide()
    };
    for need in step.needs {
        if let Err(why) = provide(need) {
            return Ok(Outcome::NotRun(format!("{why:#}")));
        }
    }
    let without = |need: &Need| provide(*need).is_err().then_some(need.name);
    let without: Vec<_> = step.wants.iter().filter_map(without).collect();
    let mut outcome = run::commands(workspace, &step.name, commands, step.tally, step.echo)?;
    if let (Outcome::Ran { words, .. }, false) = (&mut outcome, without.is_empty()) {
        writeln!(words, "  without {}: not to be had here", without.join(", "))?;
    }
    Ok(outcome)
}

/// Installs what a command needs of the machine, by its name.
pub(crate) fn provide(name: &str) -> Result<()> {
    Need::named(name)?.provide()
}

/// Prints in one piece and at once, so that lanes do not mix and a long step shows what it is.
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
