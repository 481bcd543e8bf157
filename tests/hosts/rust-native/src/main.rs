//! A host in Rust on the crate itself: reqwest sends, the core decides.
//!
//! `retrywise-host-native URL METHOD POLICY SEED [KEY]` prints a line for each verdict, then how it
//! ended.

mod retrying;

use std::error::Error;

use reqwest::{Client, Method, Request};
use retrywise::{Policy, Upstream, Verdict};

use retrying::{Failed, Retrying};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [url, method, policy, seed, key @ ..] = arguments.as_slice() else {
        return Err("usage: URL METHOD POLICY SEED [KEY]".into());
    };
    let policy = Policy::from_json(policy).map_err(|issues| issues.to_string())?;
    // reqwest repeats some requests by itself, and nobody hears of it: one brain is enough.
    let client = Client::builder().retry(reqwest::retry::never()).build()?;
    let retrying = Retrying::new(client, Upstream::new(policy.into(), seed.parse()?), print);
    let mut request = Request::new(Method::from_bytes(method.as_bytes())?, url.parse()?);
    if let Some(key) = key.first() {
        request.headers_mut().insert("idempotency-key", key.parse()?);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match runtime.block_on(retrying.send(request)) {
        Ok(answer) => println!("status {}", answer.status().as_u16()),
        Err(Failed::Sent(error)) => {
            eprintln!("{error}");
            println!("error");
        }
        Err(Failed::Refused(refusal)) => println!("refused {}", refusal.reason.name()),
    }
    Ok(())
}

fn print(verdict: &Verdict) {
    let (kind, reason) = (verdict.kind.name(), verdict.reason.name());
    println!("{kind} {reason} {} {}", verdict.attempt, verdict.delay.get());
}
