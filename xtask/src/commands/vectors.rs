//! `cargo xtask vectors FILE…`: replays vector files on every binding.

use std::{ffi::OsString, process::ExitCode};

use anyhow::Result;

use super::build;
use crate::{hosts, process, workspace::Workspace};

/// Handed to the runner as they are.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// JSON-lines files, and options of the runner
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    rest: Vec<OsString>,
}

/// Builds what is missing; the runner's output and exit code are this command's.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<ExitCode> {
    build::all(workspace)?;
    let mut cargo = workspace.cargo();
    if wants_component(&args.rest) {
        cargo.env("RETRYWISE_COMPONENT_HOST", hosts::component(workspace)?);
    }
    // File names are the caller's: they count from the folder the caller stands in.
    cargo.current_dir(std::env::current_dir()?);
    cargo.args(["run", "--quiet", "--manifest-path"]).arg(workspace.path("Cargo.toml"));
    cargo.args(["--package", "retrywise-vectors", "--"]).args(&args.rest);
    process::hand_over(&mut cargo)
}

/// Whether the component is asked for, by name or because no binding is named: its host takes
/// minutes to compile the first time, which nobody should wait for in vain.
fn wants_component(rest: &[OsString]) -> bool {
    let words = || rest.iter().map(|word| word.to_string_lossy());
    let names = |word: &str| word.split(',').any(|name| name == "component");
    let named =
        words().zip(words().skip(1)).any(|(flag, name)| flag == "--binding" && names(&name))
            || words().any(|word| word.strip_prefix("--binding=").is_some_and(names));
    named || !words().any(|word| word == "--binding" || word.starts_with("--binding="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_component_is_wanted_by_name_or_when_nobody_names_a_binding() {
        let wanted = |line: &str| {
            let rest: Vec<_> = line.split_whitespace().map(OsString::from).collect();
            wants_component(&rest)
        };
        assert!(wanted("a.jsonl"));
        assert!(wanted("--binding native,component a.jsonl"));
        assert!(wanted("--binding=component a.jsonl"));
        assert!(!wanted("--binding native a.jsonl"));
        assert!(!wanted("--binding=native,js a.jsonl"));
    }
}
