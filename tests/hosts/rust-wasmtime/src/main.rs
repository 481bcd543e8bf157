//! A host in Rust on the component: reads clocks, sleeps and sends; the component decides.
//!
//! `retrywise-host-wasmtime URL METHOD POLICY SEED [KEY]` prints a line for each verdict, then how
//! it ended. `--type` prints what the component asks of a host and offers, by its type.
//! `RETRYWISE_COMPONENT` names the component's file.

mod http;

use std::{
    error::Error,
    io,
    path::PathBuf,
    thread,
    time::{Duration, Instant as Clock, SystemTime, UNIX_EPOCH},
};

use retrywise_host_wasmtime::{Brain, plain, wit};
use wasmtime::{
    Engine,
    component::{Component, ResourceAny},
};
use wit::{
    types::{Family, Outcome, TransportError},
    upstream::{Request, ResumeError, Verdict},
};

/// Repeats what the policy lets it repeat.
struct Retrying {
    brain: Brain,
    upstream: ResourceAny,
    started: Clock,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if arguments == ["--type"] {
        return show_type();
    }
    let [url, method, policy, seed, key @ ..] = arguments.as_slice() else {
        return Err("usage: URL METHOD POLICY SEED [KEY]".into());
    };
    let mut brain = Brain::load(&component_file()?)?;
    let api = brain.exports.retrywise_policy_policy().policy();
    let policy = api.call_parse(&mut brain.store, policy)?.map_err(|e| format!("{e:?}"))?;
    let api = brain.exports.retrywise_policy_upstream().upstream();
    let upstream = api.call_constructor(&mut brain.store, policy, seed.parse()?)?;
    let mut retrying = Retrying { brain, upstream, started: Clock::now() };
    match retrying.send(method, url, key.first().cloned())? {
        Ok(answer) => println!("status {}", answer.status),
        Err(_) => println!("error"),
    }
    Ok(())
}

/// What the component asks of a host, and what it offers, as its type says.
fn show_type() -> Result<(), Box<dyn Error>> {
    let engine = Engine::default();
    let component = Component::from_file(&engine, component_file()?)?;
    let of = component.component_type();
    of.imports(&engine).for_each(|(name, _)| println!("import {name}"));
    of.exports(&engine).for_each(|(name, _)| println!("export {name}"));
    Ok(())
}

fn component_file() -> Result<PathBuf, Box<dyn Error>> {
    let file = std::env::var_os("RETRYWISE_COMPONENT").map(PathBuf::from);
    Ok(file.ok_or("RETRYWISE_COMPONENT names no file")?)
}

impl Retrying {
    /// The last answer, or the last error; an outer error is a refusal to begin.
    fn send(
        &mut self,
        method: &str,
        url: &str,
        key: Option<String>,
    ) -> Result<io::Result<http::Answer>, Box<dyn Error>> {
        let request = Request { key, ..plain::request(method) };
        let now = self.now();
        let api = self.brain.exports.retrywise_policy_upstream().upstream();
        let begun = api.call_begin(&mut self.brain.store, self.upstream, &request, now, wall())?;
        let call = begun.map_err(|error| format!("{error:?}"))?;
        let answer = loop {
            let answer = self.attempt(method, url, call)?;
            let (outcome, now) = (outcome(&answer), self.now());
            let calls = self.brain.exports.retrywise_policy_upstream().call();
            let verdict = calls.call_settle(&mut self.brain.store, call, &outcome, now, wall())?;
            print(&verdict);
            match verdict {
                Verdict::Retry(retry) if self.wait(call, retry.delay)? => {}
                _ => break answer,
            }
        };
        call.resource_drop(&mut self.brain.store)?;
        Ok(answer)
    }

    fn attempt(
        &mut self,
        method: &str,
        url: &str,
        call: ResourceAny,
    ) -> wasmtime::Result<io::Result<http::Answer>> {
        let now = self.now();
        let Brain { store, exports } = &mut self.brain;
        let calls = exports.retrywise_policy_upstream().call();
        let headers = calls.call_headers(&mut *store, call)?;
        let headers: Vec<_> = headers.into_iter().map(|h| (h.name, h.value)).collect();
        let timeout = calls.call_timeout(store, call, now)?.map(Duration::from_millis);
        Ok(http::send(method, url, &headers, timeout))
    }

    /// Sleeps, then asks; whether the next attempt may be sent.
    fn wait(&mut self, call: ResourceAny, delay: u64) -> wasmtime::Result<bool> {
        let mut wait = Some(delay);
        while let Some(delay) = wait {
            thread::sleep(Duration::from_millis(delay));
            let now = self.now();
            let calls = self.brain.exports.retrywise_policy_upstream().call();
            wait = match calls.call_resume(&mut self.brain.store, call, now)? {
                Ok(()) => return Ok(true),
                Err(ResumeError::Later(refusal)) => refusal.retry_in,
                Err(ResumeError::Over(_)) => None,
            };
        }
        Ok(false)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

fn outcome(answer: &io::Result<http::Answer>) -> Outcome {
    match answer {
        Ok(http::Answer { status, headers }) => {
            let lines = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            plain::answered(*status, lines)
        }
        Err(error) => {
            let errors = vec![transport_error(error)];
            Outcome { response: None, errors, committed: false, duration: None }
        }
    }
}

fn transport_error(error: &io::Error) -> TransportError {
    TransportError {
        family: Family::Reqwest,
        // The core reads the kinds of the standard library as it reads reqwest's.
        code: Some(format!("{:?}", error.kind())),
        name: None,
        message: None,
        syscall: None,
        phase: None,
        op: None,
        kind: None,
        rcode: None,
        frame: None,
        progress: None,
        stream_id: None,
        last_stream_id: None,
        temporary: false,
        not_found: false,
        reused: false,
    }
}

fn print(verdict: &Verdict) {
    let (kind, facts, delay) = match verdict {
        Verdict::Accept(facts) => ("accept", facts, 0),
        Verdict::Retry(retry) => ("retry", &retry.facts, retry.delay),
        Verdict::Stop(facts) => ("stop", facts, 0),
    };
    println!("{kind} {} {} {delay}", facts.reason.name, facts.attempt);
}

fn wall() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}
