//! One call against a scripted server: every attempt, what was decided after it, and why.

use alloc::{sync::Arc, vec::Vec};

use crate::{
    breaker::BreakerState,
    codes::codes,
    method::Method,
    outcome::{Family, Header, Outcome, TransportError},
    policy::Policy,
    request::Request,
    rng::Rng,
    steps,
    time::{Instant, Millis, UnixMillis},
    upstream::Upstream,
    verdict::{Refusal, Verdict, VerdictKind},
};

codes! {
    /// What goes wrong besides the status: the words of the faulty server's scripts.
    pub enum Fault {
        /// The request is read and never answered.
        Hang = 0 => "hang",
        /// The request is processed and never answered.
        HangAfter = 1 => "hang-after",
        /// The connection is reset before the request is processed.
        Reset = 2 => "reset",
        /// The connection is reset after the request was processed.
        ResetAfter = 3 => "reset-after",
        /// The answer ends before it is whole.
        Truncate = 4 => "truncate",
        /// The answer claims two lengths at once.
        Misframe = 5 => "misframe",
        /// HTTP/1.1: a chunk of the answer has a size that is no number.
        BadChunk = 6 => "bad-chunk",
        /// HTTP/2: the stream is refused, and the request never processed.
        RefusedStream = 7 => "refused-stream",
        /// HTTP/2: GOAWAY, with the stream above the last one that it lets live.
        Goaway = 8 => "goaway",
        /// HTTP/2: GOAWAY after the request was processed, which it names.
        GoawayAfter = 9 => "goaway-after",
    }
}

/// What the server does with one request.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Step<'a> {
    /// The status of the answer, default 200.
    pub status: Option<u16>,
    /// Headers of the answer.
    pub headers: Vec<Header<'a>>,
    /// How long the server takes beyond [`Single::latency`].
    pub delay: Millis,
    /// What goes wrong, default nothing.
    pub fault: Option<Fault>,
}

/// The terms: a request and a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Single<'a> {
    /// The method, default GET.
    pub method: Method,
    /// The caller's idempotency key, default none.
    pub key: Option<&'a str>,
    /// What the server does, request by request; the last step stays. Without any: 200.
    pub script: Vec<Step<'a>>,
    /// How long an answer takes by itself, default 80 ms.
    pub latency: Millis,
    /// The client's own timeout, where the policy has none: at least 1 ms, default 30 s.
    pub timeout: Millis,
    /// The wall clock at the start, default 2026-01-01T00:00:00Z.
    pub wall: UnixMillis,
}

impl Default for Single<'_> {
    fn default() -> Self {
        Self {
            method: Method::Get,
            key: None,
            script: Vec::new(),
            latency: Millis::new(80),
            timeout: Millis::new(30_000),
            wall: UnixMillis::new(1_767_225_600_000),
        }
    }
}

/// One attempt and the verdict on it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// Its number, from 1.
    pub attempt: u32,
    /// When it was sent, from the start of the call.
    pub sent: Millis,
    /// When it ended.
    pub ended: Millis,
    /// The status of its answer, if one came whole and in time.
    pub status: Option<u16>,
    /// What the server did wrong.
    pub fault: Option<Fault>,
    /// Nobody waited for the answer any longer.
    pub timed_out: bool,
    /// What was decided.
    pub verdict: Verdict,
    /// How: every step of the decision.
    pub steps: Vec<steps::Step>,
}

/// What became of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SingleReport {
    /// Attempt by attempt, at most [`MOST_ATTEMPTS`].
    pub attempts: Vec<Attempt>,
    /// Why it was not begun, or did not go on after a wait.
    pub refusal: Option<Refusal>,
    /// When all was over, from the start of the call.
    pub ended: Millis,
    /// The breaker at the end, where there is one.
    pub breaker: Option<BreakerState>,
}

/// Attempts that are followed; a policy may allow more.
pub const MOST_ATTEMPTS: usize = 200;

/// Carries one call out.
///
/// ```
/// use std::sync::Arc;
/// use retrywise::{Policy, Reason, simulate::{Single, Step, single}};
///
/// let mut terms = Single::default();
/// for status in [503, 200] {
///     let mut step = Step::default();
///     step.status = Some(status);
///     terms.script.push(step);
/// }
/// let report = single(&Arc::new(Policy::standard()), &terms, 1);
/// assert_eq!(report.attempts.len(), 2);
/// assert_eq!(report.attempts[1].verdict.reason, Reason::Ok);
/// ```
pub fn single(policy: &Arc<Policy>, terms: &Single<'_>, seed: u64) -> SingleReport {
    let mut chance = Rng::new(seed);
    let mut upstream = Upstream::new(Arc::clone(policy), chance.draw().bits());
    // Nobody sees the key that comes of it: one draw is enough.
    let entropy = u128::from(chance.draw().bits());
    let request = Request {
        method: terms.method,
        key: terms.key,
        entropy: Some(entropy.to_be_bytes()),
        ..Request::default()
    };
    let mut now = Instant::ORIGIN;
    let wall = |now: Instant| Some(terms.wall.after(now.since(Instant::ORIGIN)));
    let mut attempts = Vec::new();
    let mut refusal = None;
    match upstream.begin(&request, now, wall(now)) {
        Err(refused) => refusal = Some(refused),
        Ok(mut call) => {
            while attempts.len() < MOST_ATTEMPTS {
                let sent = now;
                let timeout = call.timeout(now).unwrap_or(terms.timeout).max(Millis::new(1));
                let fallback = Step::default();
                let step = terms.script.get(attempts.len()).or(terms.script.last());
                let sending = Sending::of(step.unwrap_or(&fallback), terms.latency, timeout);
                now = now.after(sending.takes);
                let number = call.attempt();
                let (verdict, steps) =
                    upstream.settle_stepwise(&mut call, &sending.outcome, now, wall(now));
                attempts.push(Attempt {
                    attempt: number,
                    sent: sent.since(Instant::ORIGIN),
                    ended: now.since(Instant::ORIGIN),
                    status: sending.outcome.status(),
                    fault: step.and_then(|step| step.fault),
                    timed_out: sending.timed_out,
                    verdict,
                    steps,
                });
                if verdict.kind != VerdictKind::Retry {
                    break;
                }
                now = now.after(verdict.delay);
                match upstream.resume(&mut call, now) {
                    Ok(()) => {}
                    // The rate limit alone holds it back: it asks again when it is told to.
                    Err(Refusal { retry_in: Some(wait), .. }) if !call.is_over() => {
                        now = now.after(wait.max(Millis::new(1)));
                        if let Err(refused) = upstream.resume(&mut call, now) {
                            refusal = Some(refused);
                            break;
                        }
                    }
                    Err(refused) => {
                        refusal = Some(refused);
                        break;
                    }
                }
            }
            upstream.end(&mut call, now);
        }
    }
    let breaker = upstream.breaker().map(|breaker| breaker.view(now).state);
    SingleReport { attempts, refusal, ended: now.since(Instant::ORIGIN), breaker }
}

/// One attempt as the client sees it.
struct Sending<'a> {
    outcome: Outcome<'a>,
    takes: Millis,
    timed_out: bool,
}

impl<'a> Sending<'a> {
    fn of(step: &'a Step<'a>, latency: Millis, timeout: Millis) -> Self {
        let takes = latency.plus(step.delay);
        let hangs = matches!(step.fault, Some(Fault::Hang | Fault::HangAfter));
        if hangs || takes > timeout {
            let error = TransportError {
                family: Family::Dom,
                name: Some("TimeoutError"),
                ..TransportError::default()
            };
            return Self { outcome: Outcome::from_error(error), takes: timeout, timed_out: true };
        }
        let outcome = match step.fault.and_then(error) {
            None => Outcome::from_response(step.status.unwrap_or(200), &step.headers),
            Some(error) => Outcome::from_error(error),
        };
        Self { outcome, takes, timed_out: false }
    }
}

/// What a client reports of a fault; of one that only takes time, nothing.
fn error(fault: Fault) -> Option<TransportError<'static>> {
    let goaway = |stream_id| TransportError {
        stream_id: Some(stream_id),
        last_stream_id: Some(1),
        ..TransportError::new(Family::Http2, "NO_ERROR")
    };
    Some(match fault {
        Fault::Hang | Fault::HangAfter => return None,
        Fault::Reset | Fault::ResetAfter => TransportError::new(Family::Node, "ECONNRESET"),
        Fault::Truncate => TransportError::new(Family::Undici, "UND_ERR_SOCKET"),
        Fault::Misframe => TransportError::new(Family::Node, "HPE_UNEXPECTED_CONTENT_LENGTH"),
        Fault::BadChunk => TransportError::new(Family::Node, "HPE_INVALID_CHUNK_SIZE"),
        Fault::RefusedStream => TransportError::new(Family::Http2, "REFUSED_STREAM"),
        Fault::Goaway => goaway(3),
        Fault::GoawayAfter => goaway(1),
    })
}

#[cfg(test)]
mod tests;
