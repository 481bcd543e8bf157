//! The cases, each a sentence.

mod bodies;
mod counts;
mod places;
mod safety;

use core::{pin::Pin, time::Duration};

use tokio::time::timeout;
use wasmtime::component::Component;

use crate::{
    components::{Components, Which},
    host::{Answer, Call, Ended, Host},
    server::{Reply, Seen, Server},
};

/// What a case has to work with.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    host: &'a Host,
    components: &'a Components,
}

/// What is wrong, as a sentence; nothing when all is well.
type Checked = Result<(), String>;
type Case = for<'a> fn(Stage<'a>) -> Pin<Box<dyn Future<Output = Checked> + 'a>>;

/// The waits are short, and nothing is drawn.
const POLICY: &str = r#"{"backoff":{"baseMs":5,"capMs":20,"jitter":"none"}}"#;

macro_rules! cases {
    ($($what:literal => $($case:ident)::+,)*) => {
        /// Every case: its sentence, and how it is checked.
        const ALL: &[(&str, Case)] =
            &[$(($what, |stage| Box::pin($($case)::+(stage)))),*];
    };
}

cases! {
    "503, 503, 200: a guest that fails alone succeeds" => counts::two_failures,
    "always 503: the policy's retries are made, then the last answer is handed on" => counts::always,
    "404 is not repeated" => counts::not_found,
    "a refused connection is tried again, then the error is the guest's own" => counts::refused,
    "Retry-After is honoured, and one that is too long ends the call" => counts::retry_after,
    "two calls at once on one instance wait side by side" => counts::two_at_once,
    "an attempt that takes longer than the policy allows is given up and repeated" => counts::timeout,
    "a breaker that opens keeps the next call from being sent" => counts::breaker,
    "an early 503 with an unread body: the body is sent again from its start" => bodies::early,
    "a POST of 1 MB is sent again whole, with its trailers" => bodies::large,
    "over the bound replay is given up, never the request" => bodies::over_the_bound,
    "a body of a streaming kind arrives while it is still being written" => bodies::streams,
    "a request without a body goes out without one" => bodies::none,
    "headers and options of the request are on every attempt" => bodies::parts,
    "a POST without a key is left alone after a reset" => safety::no_key,
    "a POST with a key that the server honours is repeated after a reset" => safety::honoured_key,
    "a key that the policy generates is the same on every attempt" => safety::generated_key,
    "a stacked second layer leaves the retrying to the first" => safety::stacked,
    "a policy that is none is said to be so, and nothing is sent" => safety::bad_policy,
    "a policy of a set is chosen by the request" => safety::policy_set,
    "a policy baked in when composing holds, whatever the environment says" => places::baked,
    "a guest for a later WASI 0.3 is served too" => places::newer,
    "a service that fails twice answers, and its request body is sent again" => places::service,
    "the composed component asks for nothing but what the policy needs" => places::imports,
    "what cannot be composed is refused in words" => places::refusals,
}

/// What hangs must end as well. Far more than any case takes, compiling on a busy machine included.
const LONGEST: Duration = Duration::from_secs(900);

/// Runs those whose sentence holds `wanted`; how many passed and failed.
pub(crate) async fn run(host: &Host, components: &Components, wanted: &str) -> (usize, usize) {
    let (mut passed, mut failed) = (0, 0);
    for (what, case) in ALL.iter().filter(|(what, _)| what.contains(wanted)) {
        let checked = timeout(LONGEST, case(Stage { host, components })).await;
        match checked.unwrap_or_else(|_| Err("it did not end".to_owned())) {
            Ok(()) => {
                passed += 1;
                println!("ok: {what}");
            }
            Err(problem) => {
                failed += 1;
                println!("FAILED: {what}\n  {problem}");
            }
        }
    }
    (passed, failed)
}

/// How a run ended: what the guest was told, and what the server got.
pub(crate) struct Run {
    ended: Vec<Ended>,
    seen: Vec<Seen>,
}

impl Stage<'_> {
    fn get(self, which: Which) -> Result<Component, String> {
        let component = self.components.get(self.host, which);
        component.map_err(|error| format!("{which:?} was not made: {error:?}"))
    }

    /// One call with the standard policy of these cases.
    async fn one(self, component: &Component, script: &[Reply], call: Call) -> Result<Run, String> {
        self.run(component, POLICY, script, &[call]).await
    }

    /// Calls at once, on one instance.
    async fn run(
        self,
        component: &Component,
        policy: &str,
        script: &[Reply],
        calls: &[Call],
    ) -> Result<Run, String> {
        let server = Server::start(script).await.map_err(|error| error.to_string())?;
        let calls: Vec<_> = calls
            .iter()
            .map(|call| Call { authority: server.authority(), ..call.clone() })
            .collect();
        let mut instance = self.host.instance(component, &[("RETRYWISE_POLICY", policy)]);
        let ended = self.host.send(&mut instance, &calls).await;
        let ended = ended.map_err(|error| format!("the component ended: {error:?}"))?;
        Ok(Run { ended, seen: server.seen() })
    }
}

impl Run {
    /// The statuses of the answers; 0 for an error.
    fn statuses(&self) -> Vec<u16> {
        self.ended.iter().map(|end| end.as_ref().map_or(0, |answer| answer.status)).collect()
    }

    fn answer(&self) -> Result<&Answer, String> {
        match self.ended.first() {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => Err(format!("the guest was told {error}")),
            None => Err("the guest was told nothing".to_owned()),
        }
    }

    fn methods(&self) -> Vec<&str> {
        self.seen.iter().map(|seen| seen.method.as_str()).collect()
    }

    fn sums(&self) -> Vec<Option<u64>> {
        self.seen.iter().map(|seen| seen.sum).collect()
    }
}

fn get() -> Call {
    Call {
        method: "GET".to_owned(),
        authority: String::new(),
        headers: Vec::new(),
        body: None,
        trailers: Vec::new(),
        first_byte_timeout: None,
        late: None,
    }
}

/// A POST of so many bytes.
fn post(bytes: u64) -> Call {
    Call { method: "POST".to_owned(), body: Some(bytes), ..get() }
}

/// The same call with one more header.
fn with(mut call: Call, name: &str, value: &str) -> Call {
    call.headers.push((name.to_owned(), value.to_owned()));
    call
}

/// The sum of a body's bytes, as the caller writes them.
fn sum(bytes: u64) -> Option<u64> {
    Some((0..bytes).map(|index| index % 251).sum())
}

/// That what was seen is what was expected.
fn same<T: PartialEq + core::fmt::Debug>(what: &str, seen: T, expected: T) -> Checked {
    if seen == expected {
        return Ok(());
    }
    Err(format!("{what}: expected {expected:?}, saw {seen:?}"))
}
