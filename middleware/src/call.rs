//! One call of a guest: begin, send, settle, wait, resume.

use retrywise::{Call, Outcome, Refusal, Request as Asked, Upstream, VerdictKind};

use crate::{
    attempt::Attempt,
    bindings::{
        http::types::{ErrorCode, Request, Response},
        wit_future,
    },
    clock, outcome,
    request::Parts,
    tape::Tape,
    upstreams::{self, Held},
};

/// Sends a request as often as the core lets it, and hands on the last answer untouched.
///
/// # Errors
/// The last error, as it came; or why nothing was sent.
pub(crate) async fn run(request: Request) -> Result<Response, ErrorCode> {
    let parts = Parts::of(&request);
    let (upstream, bound) =
        upstreams::of(&parts.target()).map_err(|why| outcome::misconfigured(&why))?;
    let mut call = Running::begin(upstream, &parts).await.map_err(outcome::refused)?;
    let policy = upstreams::on(&call.upstream, |upstream| upstream.shared_policy());

    let (sent, sent_reader) = wit_future::new(|| Ok(()));
    let (body, end) = Request::consume_body(request, sent_reader);
    let mut tape = Tape::new(body, end, bound);
    loop {
        let mut attempt = Attempt::new(&parts, &call.call, &policy, tape).await?;
        let answer = attempt.send(call.call.timeout(clock::now())).await;
        if attempt.has_lost_body() {
            call.call.give_up_body();
        }
        // The answer is kept through the wait: it is the last one if no other attempt may follow.
        if !call.goes_on(&answer).await {
            attempt.let_go(sent);
            return answer;
        }
        tape = attempt.rewind().await;
    }
}

/// A call that is not over. A guest that goes away drops it, and that ends it.
struct Running {
    upstream: Held,
    call: Call,
}

impl Running {
    /// Begins, as soon as the rate limit lets it.
    async fn begin(upstream: Held, parts: &Parts) -> Result<Self, Refusal> {
        let headers = parts.headers();
        let headers = outcome::borrowed(&headers);
        let mut asked = Asked::new(retrywise::Method::from_token(parts.token()));
        asked.token = Some(parts.token());
        asked.headers = &headers;
        asked.ticket = Some(upstreams::ticket());
        loop {
            let begin = |upstream: &mut Upstream| {
                let generates = upstream.policy().idempotency().generate;
                asked.entropy = generates.then(clock::entropy);
                upstream.begin(&asked, clock::now(), Some(clock::wall()))
            };
            match upstreams::on(&upstream, begin) {
                Ok(call) => return Ok(Self { upstream, call }),
                Err(Refusal {
                    reason: retrywise::Reason::RateLimited,
                    retry_in: Some(wait),
                    ..
                }) => {
                    clock::sleep(wait).await;
                }
                Err(refusal) => return Err(refusal),
            }
        }
    }

    /// Settles an attempt, and waits for the next: whether it may be sent now.
    async fn goes_on(&mut self, answer: &Result<Response, ErrorCode>) -> bool {
        let verdict = outcome::read(answer, |outcome: &Outcome<'_>| {
            let (now, wall) = (clock::now(), Some(clock::wall()));
            upstreams::on(&self.upstream, |upstream| {
                upstream.settle(&mut self.call, outcome, now, wall)
            })
        });
        if verdict.kind != VerdictKind::Retry {
            return false;
        }
        let mut wait = verdict.delay;
        loop {
            clock::sleep(wait).await;
            let resume = |upstream: &mut Upstream| upstream.resume(&mut self.call, clock::now());
            match upstreams::on(&self.upstream, resume) {
                Ok(()) => return true,
                // Only the rate limit holds it: it asks again.
                Err(Refusal { retry_in: Some(again), .. }) if !self.call.is_over() => wait = again,
                Err(_) => return false,
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.call.is_over() {
            let now = clock::now();
            upstreams::on(&self.upstream, |upstream| upstream.end(&mut self.call, now));
        }
    }
}
