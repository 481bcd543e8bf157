//! Who does what against whom.

use std::{hint::black_box, sync::Arc, time::Duration};

use failsafe::CircuitBreaker as _;
use retrywise::{
    Ask, BackoffState, Breaker, Budget, Class, Header, Instant, Limiter, Method, Millis, Outcome,
    Policy, Queue, Request, Response, Rng, Sample, UnixMillis, Upstream, VerdictKind, backoff,
    budget::Hold,
    hint,
    limiter::Ticket,
    policy::{BackoffOptions, BreakerKind, BreakerOptions, BudgetOptions, LimiterOptions},
};
use tower::retry::budget::{Budget as _, TpsBudget};

use crate::measure::{Contest, Contestant};

const WALL: UnixMillis = UnixMillis::new(1_768_478_400_000); // 2026-01-15T12:00:00Z
const DATE: &str = "Thu, 15 Jan 2026 12:02:00 GMT";

/// All of them. Ours is to be ahead of whoever does no more.
pub fn all() -> Vec<Contest> {
    vec![
        Contest::alone("one call: begin, settle a 503, end", one_call("decide", 100)),
        Contest::alone("next delay, full jitter", next_delay()),
        Contest::new("an HTTP date (ours: the whole hint of an answer)", dates(), &[1.0]),
        Contest::new("budget: deposit + withdraw", budgets(), &[1.0]),
        Contest::new("breaker, closed: admit + record", breakers(), &[1.0, 1.0]),
        Contest::alone("limiter, of no known limit: acquire + release", limiter()),
        Contest::alone("queue, a thousand waiting: push + pop", queue()),
    ]
}

/// Every contestant, each with a name of its own.
pub fn every() -> Vec<Contestant> {
    let alone = [
        one_call("decide", 100),
        one_call("decide-idle", 100_000),
        next_delay(),
        limiter(),
        queue(),
    ];
    alone.into_iter().chain(dates()).chain(budgets()).chain(breakers()).collect()
}

/// The standard policy, but for a breaker that never has enough calls to open: one that has opened
/// refuses, and a refusal is no decision.
pub fn policy() -> Arc<Policy> {
    let policy = Policy::from_json(r#"{"breaker":{"minimumCalls":1000000}}"#);
    Arc::new(policy.expect("the document is valid"))
}

/// A call of one attempt: begin, fail, decide to repeat it, end.
pub fn decide(upstream: &mut Upstream, now: u64) -> u64 {
    let at = Instant::from_millis(now);
    let request = Request::new(Method::Get);
    let mut call = upstream.begin(&request, at, Some(WALL)).expect("nothing refuses it");
    let failed = Outcome::from_response(503, &[]);
    let verdict = upstream.settle(&mut call, &failed, at, Some(WALL));
    upstream.end(&mut call, at);
    assert!(verdict.kind == VerdictKind::Retry, "not a decision to retry: {verdict:?}");
    verdict.delay.get()
}

/// A call every so many milliseconds.
fn one_call(name: &'static str, every: u64) -> Contestant {
    let mut upstream = Upstream::new(policy(), 7);
    let mut now = 0;
    Contestant::new(name, move || {
        now += every;
        decide(&mut upstream, now)
    })
}

fn next_delay() -> Contestant {
    let options = BackoffOptions::default();
    let mut rng = Rng::new(7);
    let mut state = BackoffState::default();
    let mut retry = 0;
    Contestant::new("delay", move || {
        retry = retry % 10 + 1;
        let ask = Ask::new(retry, Class::Transient);
        backoff(&options, &ask, &mut state, rng.draw()).delay.get()
    })
}

fn dates() -> Vec<Contestant> {
    let ours = Contestant::new("http-date", || {
        let headers = [Header::new("retry-after", black_box(DATE).as_bytes())];
        let response = Response::new(503, &headers);
        hint::read(&response, Some(WALL), None).expect("there is a date").delay.get()
    });
    let httpdate = Contestant::new("httpdate", || {
        let at = httpdate::parse_http_date(black_box(DATE)).expect("it is a date");
        at.duration_since(std::time::UNIX_EPOCH).expect("it is after 1970").as_secs()
    });
    vec![ours, httpdate]
}

/// More calls than a ratio lets repeat, so either grants about one in ten.
fn budgets() -> Vec<Contestant> {
    let mut budget = Budget::new(BudgetOptions::default());
    let mut at = 0;
    let ours = Contestant::new("budget", move || {
        at += 1;
        let now = Instant::from_millis(at);
        let mut hold = Hold::default();
        budget.deposit(&mut hold, now);
        let may = budget.withdraw(&mut hold, Class::Transient, now);
        u64::from(may)
    });
    let peer = TpsBudget::new(Duration::from_secs(10), 10, 0.1);
    let tower = Contestant::new("tower", move || {
        peer.deposit();
        u64::from(peer.withdraw())
    });
    vec![ours, tower]
}

fn breakers() -> Vec<Contestant> {
    let mut options = BreakerOptions::default();
    options.kind = BreakerKind::Consecutive;
    let mut breaker = Breaker::new(options);
    let mut draws = Rng::new(7);
    let mut tick = 0;
    let ours = Contestant::new("breaker", move || {
        tick += 1;
        let now = Instant::from_millis(tick);
        let permit = breaker.admit(now, draws.draw()).expect("it is closed");
        let _ = breaker.record(permit, Sample::Success, Millis::new(5), None, now, draws.draw());
        1
    });
    let by_failsafe = failsafe::Config::new()
        .failure_policy(failsafe::failure_policy::consecutive_failures(
            5,
            failsafe::backoff::constant(Duration::from_secs(30)),
        ))
        .build();
    let failsafe = Contestant::new("failsafe", move || {
        by_failsafe.call(|| Ok::<u64, ()>(1)).expect("it is closed")
    });
    let by_recloser = recloser::Recloser::custom().build();
    let recloser = Contestant::new("recloser", move || {
        by_recloser.call(|| Ok::<u64, ()>(1)).expect("it is closed")
    });
    vec![ours, failsafe, recloser]
}

fn limiter() -> Contestant {
    let mut limiter = Limiter::new(LimiterOptions::default());
    let mut tick = 0;
    Contestant::new("limiter", move || {
        tick += 1;
        let now = Instant::from_millis(tick);
        let pass = limiter.acquire(Ticket::Nobody, 0, now).expect("no limit is known");
        limiter.release(pass, now);
        1
    })
}

/// Steady: what comes goes behind the thousand, and the first of them leaves.
fn queue() -> Contestant {
    const WAITING: u64 = 1_000;
    let mut queue = Queue::new(2_000, Millis::new(60_000));
    let mut id = 0;
    let mut push = move |queue: &mut Queue| {
        id += 1;
        queue.push(id, (id % 3) as i32, None, Instant::from_millis(id)).expect("there is room");
    };
    (0..WAITING).for_each(|_| push(&mut queue));
    Contestant::new("queue", move || {
        push(&mut queue);
        queue.pop().expect("a thousand wait")
    })
}
