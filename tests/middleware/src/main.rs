//! The middleware in front of guests in wasmtime, against a server that fails on purpose.
//!
//! Each case is run twice: with the guest alone, which has to show the fault, and with the
//! middleware in front of it. What counts is what the server wrote down and what the guest was
//! told. `RETRYWISE_MIDDLEWARE` and `RETRYWISE_GUESTS` are the folders with the components;
//! `cargo xtask middleware --test` makes them and sets both. A word as argument runs the cases whose sentence holds it.

mod cases;
mod components;
mod host;
mod io;
mod server;

use std::process::ExitCode;

use components::Components;
use host::Host;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let ready = Host::new().and_then(|host| Ok((Components::read()?, host)));
    let (components, host) = match ready {
        Ok(ready) => ready,
        Err(error) => {
            eprintln!("error: {error:?}");
            return ExitCode::FAILURE;
        }
    };
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let (passed, failed) = cases::run(&host, &components, &wanted).await;
    println!("middleware: {passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
