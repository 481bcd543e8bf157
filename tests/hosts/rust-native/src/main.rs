//! A host in Rust on the crate itself: reads clocks, sleeps and sends; the core decides.
//!
//! `retrywise-host-native URL METHOD POLICY SEED [KEY]` prints a line for each verdict, then how it
//! ended.

use std::{
    error::Error,
    io,
    sync::Arc,
    thread,
    time::{Duration, Instant as Clock, SystemTime, UNIX_EPOCH},
};

use reqwest::blocking::{Client, Response};
use retrywise::{
    Call, Family, Header, Instant, Method, Outcome, Policy, Refusal, Request, TransportError,
    UnixMillis, Upstream, Verdict, VerdictKind,
};

/// Repeats what the policy lets it repeat.
struct Retrying {
    client: Client,
    upstream: Upstream,
    started: Clock,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [url, method, policy, seed, key @ ..] = arguments.as_slice() else {
        return Err("usage: URL METHOD POLICY SEED [KEY]".into());
    };
    let policy = Arc::new(Policy::from_json(policy)?);
    let upstream = Upstream::new(policy, seed.parse()?);
    let client = Client::builder().no_proxy().pool_max_idle_per_host(0).build()?;
    let mut retrying = Retrying { client, upstream, started: Clock::now() };
    match retrying.send(method, url, key.first().map(String::as_str))? {
        Ok(response) => println!("status {}", response.status().as_u16()),
        Err(_) => println!("error"),
    }
    Ok(())
}

impl Retrying {
    /// The last answer, or the last error; an outer error is a refusal to begin.
    fn send(
        &mut self,
        method: &str,
        url: &str,
        key: Option<&str>,
    ) -> Result<reqwest::Result<Response>, Box<dyn Error>> {
        let mut request = Request::new(Method::from_token(method));
        request.token = Some(method);
        request.key = key;
        let begun = self.upstream.begin(&request, self.now(), wall());
        let mut call = begun.map_err(|refusal| refusal.reason.name())?;
        loop {
            let answer = self.attempt(method, url, &call);
            let verdict = self.settle(&mut call, &answer);
            println!(
                "{} {} {} {}",
                verdict.kind,
                verdict.reason,
                verdict.attempt,
                verdict.delay.get()
            );
            if verdict.kind != VerdictKind::Retry || !self.wait(&mut call, &verdict) {
                return Ok(answer);
            }
        }
    }

    fn attempt(&self, method: &str, url: &str, call: &Call) -> reqwest::Result<Response> {
        let method = method.parse().unwrap_or_default();
        let mut request = self.client.request(method, url);
        if let Some((name, value)) = call.key_header(self.upstream.policy()) {
            request = request.header(name, value);
        }
        if let Some(timeout) = call.timeout(self.now()) {
            request = request.timeout(Duration::from_millis(timeout.get()));
        }
        request.send()
    }

    fn settle(&mut self, call: &mut Call, answer: &reqwest::Result<Response>) -> Verdict {
        let now = self.now();
        match answer {
            Ok(answer) => {
                let lines = answer.headers().iter();
                let lines: Vec<_> = lines
                    .map(|(name, value)| Header::new(name.as_str(), value.as_bytes()))
                    .collect();
                let outcome = Outcome::from_response(answer.status().as_u16(), &lines);
                self.upstream.settle(call, &outcome, now, wall())
            }
            Err(error) => {
                let code = code(error);
                let seen = TransportError::new(Family::Reqwest, &code);
                self.upstream.settle(call, &Outcome::from_error(seen), now, wall())
            }
        }
    }

    /// Sleeps, then asks; whether the next attempt may be sent.
    fn wait(&mut self, call: &mut Call, verdict: &Verdict) -> bool {
        let mut wait = Some(verdict.delay);
        while let Some(delay) = wait {
            thread::sleep(Duration::from_millis(delay.get()));
            match self.upstream.resume(call, self.now()) {
                Ok(()) => return true,
                Err(Refusal { retry_in, .. }) => wait = retry_in.filter(|_| call.is_waiting()),
            }
        }
        false
    }

    fn now(&self) -> Instant {
        Instant::from_millis(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

/// What reqwest says went wrong, most certain first: the core's table reads its predicates and the
/// kinds of the standard library.
fn code(error: &reqwest::Error) -> String {
    let root = std::iter::successors(error.source(), |cause| cause.source()).last();
    match root.and_then(|root| root.downcast_ref::<io::Error>()) {
        _ if error.is_connect() => "is_connect".to_owned(),
        _ if error.is_timeout() => "is_timeout".to_owned(),
        Some(io) => format!("{:?}", io.kind()),
        None if error.is_builder() => "is_builder".to_owned(),
        None => "is_request".to_owned(),
    }
}

fn wall() -> Option<UnixMillis> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok().map(UnixMillis::new)
}
