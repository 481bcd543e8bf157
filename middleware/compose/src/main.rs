//! `retrywise-compose GUEST --middleware FILE`: a file in, a file out.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};
use clap::Parser;
use retrywise_compose::{Settings, Slot, compose};

/// Puts the retrywise middleware in front of a WASI 0.3 component
#[derive(Parser)]
struct Arguments {
    /// The component: a guest that sends requests, or, with `--handler`, a service
    guest: PathBuf,
    /// `retrywise-client.wasm`, or `retrywise-handler.wasm` with `--handler`
    #[arg(long, value_name = "FILE")]
    middleware: PathBuf,
    /// Bakes this policy in; without it the environment's `RETRYWISE_POLICY` holds
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Bakes in how many bytes of a request body are kept to be sent again, 0 to 67108864
    #[arg(long, value_name = "N")]
    body_bytes: Option<u32>,
    /// In front of what the component answers, not behind what it sends
    #[arg(long)]
    handler: bool,
    /// Where the result goes [default: GUEST with `.retrying.wasm` in place of its ending]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let read = |path: &PathBuf| {
        fs::read(path).with_context(|| format!("{} could not be read", path.display()))
    };
    let policy = arguments.policy.as_ref().map(|path| {
        fs::read_to_string(path).with_context(|| format!("{} could not be read", path.display()))
    });
    let settings = Settings { policy: policy.transpose()?, body_bytes: arguments.body_bytes };
    let slot = if arguments.handler { Slot::Handler } else { Slot::Client };
    let (guest, middleware) = (read(&arguments.guest)?, read(&arguments.middleware)?);
    let composed = compose(guest, middleware, slot, &settings)
        .with_context(|| format!("{} was not composed", arguments.guest.display()))?;
    let output = arguments.output.clone();
    let output = output.unwrap_or_else(|| arguments.guest.with_extension("retrying.wasm"));
    fs::write(&output, &composed)
        .with_context(|| format!("{} could not be written", output.display()))?;
    println!("{}: {} bytes", output.display(), composed.len());
    Ok(())
}
