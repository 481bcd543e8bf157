//! `retrywise-vectors FILE…`: see the library.

use std::{io, process::ExitCode};

use retrywise_vectors::cli;

fn main() -> ExitCode {
    cli::main(std::env::args().skip(1), &mut io::stdout().lock(), &mut io::stderr().lock())
}
