//! A `reqwest::Client` that repeats what the policy lets it repeat.

use std::{
    error::Error,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant as Clock, SystemTime, UNIX_EPOCH},
};

use reqwest::{Client, Request, Response};
use retrywise::{
    Call, Family, Header, Instant, Method, Outcome, Refusal, TransportError, UnixMillis, Upstream,
    Verdict, VerdictKind,
};

/// One dependency, and the client that reaches it. Calls take turns to decide and wait side by side.
pub(crate) struct Retrying {
    pub(crate) client: Client,
    upstream: Mutex<Upstream>,
    started: Clock,
    on_verdict: fn(&Verdict),
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The call may not begin: the breaker is open, the rate is used up, a key is missing …
    Refused(Refusal),
    /// The last attempt's own error.
    Sent(reqwest::Error),
}

impl Retrying {
    pub(crate) fn new(client: Client, upstream: Upstream, on_verdict: fn(&Verdict)) -> Self {
        Self { client, upstream: Mutex::new(upstream), started: Clock::now(), on_verdict }
    }

    /// Sends a request, as often as it takes and the policy allows. A final bad status is an answer.
    pub(crate) async fn send(&self, request: Request) -> Result<Response, Failed> {
        let lines = lines(request.headers());
        let mut asked = retrywise::Request::new(Method::from_token(request.method().as_str()));
        asked.token = Some(request.method().as_str());
        asked.headers = &lines;
        asked.replayable_body = request.try_clone().is_some();
        let mut entropy = [0; 16];
        asked.entropy = getrandom::fill(&mut entropy).ok().map(|()| entropy);
        let mut call =
            self.upstream().begin(&asked, self.now(), wall()).map_err(Failed::Refused)?;
        let result = self.attempts(request, &mut call).await;
        self.upstream().end(&mut call, self.now());
        result
    }

    async fn attempts(&self, request: Request, call: &mut Call) -> Result<Response, Failed> {
        let mut next = Some(request);
        loop {
            let Some(mut attempt) = next.take() else { unreachable!("the body can be sent again") };
            next = attempt.try_clone();
            self.dress(&mut attempt, call);
            let sent = self.client.execute(attempt).await;
            let verdict = self.settle(call, &sent);
            (self.on_verdict)(&verdict);
            if verdict.kind != VerdictKind::Retry || !self.resumes(call, verdict.delay.get()).await
            {
                return sent.map_err(Failed::Sent);
            }
        }
    }

    /// The key and the time limit that the policy gives the attempt.
    fn dress(&self, attempt: &mut Request, call: &Call) {
        let upstream = self.upstream();
        let policy = upstream.policy();
        let key = call.key_header(policy).map(|(name, value)| (name, value.to_string()));
        let first = call.first_sent_header(policy);
        for (name, value) in key.into_iter().chain(first) {
            if let (Ok(name), Ok(value)) =
                (name.parse::<reqwest::header::HeaderName>(), value.parse())
            {
                attempt.headers_mut().insert(name, value);
            }
        }
        if let Some(limit) = call.timeout(self.now()) {
            *attempt.timeout_mut() = Some(Duration::from_millis(limit.get()));
        }
    }

    fn settle(&self, call: &mut Call, sent: &reqwest::Result<Response>) -> Verdict {
        let mut settle =
            |outcome: &Outcome<'_>| self.upstream().settle(call, outcome, self.now(), wall());
        match sent {
            Ok(answer) => {
                settle(&Outcome::from_response(answer.status().as_u16(), &lines(answer.headers())))
            }
            Err(error) => {
                // What reqwest itself tells, and the kind of the I/O error at its root.
                let root = root(error).map(|kind| format!("{kind:?}"));
                let cause = root.as_deref().map(|kind| TransportError::new(Family::Reqwest, kind));
                let mut told = TransportError::new(Family::Reqwest, predicate(error));
                told.cause = cause.as_ref();
                settle(&Outcome::from_error(told))
            }
        }
    }

    /// Sleeps, then asks; whether the next attempt may be sent.
    async fn resumes(&self, call: &mut Call, delay: u64) -> bool {
        let mut wait = Some(delay);
        while let Some(delay) = wait {
            tokio::time::sleep(Duration::from_millis(delay)).await;
            let resumed = self.upstream().resume(call, self.now());
            match resumed {
                Ok(()) => return true,
                Err(_) if call.is_over() => return false,
                Err(refusal) => wait = refusal.retry_in.map(retrywise::Millis::get),
            }
        }
        false
    }

    fn upstream(&self) -> MutexGuard<'_, Upstream> {
        self.upstream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Instant {
        Instant::from_millis(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

fn lines(headers: &reqwest::header::HeaderMap) -> Vec<Header<'_>> {
    headers.iter().map(|(name, value)| Header::new(name.as_str(), value.as_bytes())).collect()
}

/// The error's predicate, as the core names it.
fn predicate(error: &reqwest::Error) -> &'static str {
    match () {
        () if error.is_connect() && error.is_timeout() => "is_connect+is_timeout",
        () if error.is_connect() => "is_connect",
        () if error.is_timeout() => "is_timeout",
        () if error.is_redirect() => "is_redirect",
        () if error.is_decode() => "is_decode",
        () if error.is_builder() => "is_builder",
        () if error.is_body() => "is_body",
        () => "is_request",
    }
}

fn root(error: &reqwest::Error) -> Option<std::io::ErrorKind> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            return Some(error.kind());
        }
        source = error.source();
    }
    None
}

fn wall() -> Option<UnixMillis> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok().map(UnixMillis::new)
}
