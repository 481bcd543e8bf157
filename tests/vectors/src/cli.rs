//! The command line: files in, mismatches and counts out.

use std::{fs, io::Write, process::ExitCode};

use serde_json::Value;

use crate::{
    binding::{self, Binding},
    report::Report,
    run::{Vector, run},
};

const HELP: &str = "\
Replays vector files on every binding.

retrywise-vectors [--binding NAME,…] [--only ID] FILE…

  --binding NAME,…  the bindings to replay on (default: all of native, js,
                    nowasm, component); command:PROGRAM runs a host of your own
  --only ID         only the vector of this id; a * at the end stands for any ending
  --help            this text

The last line is `N passed, N failed`. Areas that a binding has not got are listed and counted
neither way. Exit code: 0 all passed, 1 a failure, 2 the command line or a binding is broken.";

/// What the command line says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Args {
    files: Vec<String>,
    bindings: Vec<String>,
    only: Option<String>,
    help: bool,
}

/// Runs the command line `args`, prints results to `out` and trouble to `err`.
pub fn main(
    args: impl Iterator<Item = String>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> ExitCode {
    let result = Args::read(args).and_then(|args| replay(&args, out));
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(what) => {
            // Nothing is left to be told when even this cannot be written.
            let _ = writeln!(err, "error: {what}");
            ExitCode::from(2)
        }
    }
}

impl Args {
    /// Reads a command line.
    ///
    /// # Errors
    /// A sentence about the first argument that makes no sense.
    pub fn read(args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut read = Self::default();
        let mut args = args;
        while let Some(arg) = args.next() {
            let (flag, mut inline) = match arg.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
                _ => (arg.as_str(), None),
            };
            let mut value = || {
                let value = inline.take().or_else(|| args.next());
                value.ok_or_else(|| format!("{flag} needs a value"))
            };
            match flag {
                "--binding" => read.bindings.extend(value()?.split(',').map(str::to_owned)),
                "--only" => read.only = Some(value()?),
                "--help" | "-h" => read.help = true,
                _ if flag.starts_with('-') => return Err(format!("unknown option {flag}")),
                _ => read.files.push(arg),
            }
        }
        if read.files.is_empty() && !read.help {
            return Err(format!("no file was given\n\n{HELP}"));
        }
        Ok(read)
    }

    fn wants(&self, id: &str) -> bool {
        self.only.as_deref().is_none_or(|only| match only.strip_suffix('*') {
            Some(start) => id.starts_with(start),
            None => id == only,
        })
    }
}

/// Replays; whether everything passed.
fn replay(args: &Args, out: &mut dyn Write) -> Result<bool, String> {
    let mut print = |line: &str| writeln!(out, "{line}").map_err(|e| format!("cannot print: {e}"));
    if args.help {
        print(HELP)?;
        return Ok(true);
    }
    let mut report = Report::default();
    let mut vectors = Vec::new();
    for file in &args.files {
        let bytes = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        for (line, text) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let place = format!("{file}:{}", line + 1);
            match read(text) {
                Ok(vector) => {
                    let wanted = vector.filter(|vector| args.wants(vector.id()));
                    vectors.extend(wanted.map(|vector| (place, vector)));
                }
                Err(why) => print(&report.unreadable(&place, &why))?,
            }
        }
    }
    if vectors.is_empty() && report.total().failed == 0 {
        let what = args.only.as_deref().map_or_else(String::new, |id| format!(" called {id}"));
        return Err(format!("no vector{what} in {}", args.files.join(", ")));
    }

    for mut binding in bindings(&args.bindings)? {
        for (place, vector) in &vectors {
            let place = format!("{place} {}", vector.id());
            let fate = run(&mut *binding, vector).map_err(|what| {
                format!("the binding {} broke at {place}: {what}", binding.name())
            })?;
            for line in report.add(binding.name(), &place, vector.area(), &fate) {
                print(&line)?;
            }
        }
    }
    for line in report.summary() {
        print(&line)?;
    }
    Ok(report.total().failed == 0)
}

/// The vector on a line, or nothing on an empty one.
fn read(line: &[u8]) -> Result<Option<Vector>, String> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let id = value.get("id").and_then(Value::as_str).unwrap_or("(no id)");
    Vector::read(&value).map(Some).map_err(|invalid| format!("{id}: {invalid}"))
}

fn bindings(names: &[String]) -> Result<Vec<Box<dyn Binding>>, String> {
    if names.is_empty() {
        return binding::NAMES.iter().map(|name| binding::find(name)).collect();
    }
    names.iter().map(|name| binding::find(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Result<Args, String> {
        Args::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_stand_before_or_behind_the_files() {
        let expected = Args {
            files: vec!["a".into(), "b".into()],
            bindings: vec!["native".into(), "js".into()],
            only: Some("x".into()),
            help: false,
        };
        assert_eq!(args("a --binding native,js b --only x").unwrap(), expected);
        assert_eq!(args("--binding=native --binding js --only=x a b").unwrap(), expected);
    }

    #[test]
    fn nonsense_is_refused() {
        for line in ["", "--only x", "a --only", "a --colour red"] {
            assert!(args(line).is_err(), "{line}");
        }
    }

    #[test]
    fn only_takes_an_id_or_the_start_of_one() {
        let whole = args("a --only dec-get").unwrap();
        assert!(whole.wants("dec-get") && !whole.wants("dec-get-success"));
        let start = args("a --only dec-*").unwrap();
        assert!(start.wants("dec-get-success") && !start.wants("tr-x"));
    }

    #[test]
    fn a_broken_line_is_named_and_an_empty_one_is_nothing() {
        assert!(read(b" \r").unwrap().is_none());
        assert!(read(b"{").is_err());
        assert!(read(br#"{"id":"q","input":{"statuz":1}}"#).unwrap_err().starts_with("q: "));
        assert!(read(b"{\"id\":\"\xFF\"}").is_err());
    }
}
