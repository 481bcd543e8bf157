//! Native figures against the peers: interleaved rounds, the ratio of each round, medians and
//! quartiles. `--quick` is a smoke run; `--callgrind NAME` runs one figure alone, a fixed number of
//! times, for counting instructions.

mod heap;
mod measure;
mod simulated;

use std::{hint::black_box, sync::Arc, time::Duration};

use failsafe::CircuitBreaker as _;
use measure::{Contest, Contestant};
use retrywise::{
    Ask, BackoffState, Breaker, Budget, Class, Header, Instant, Method, Millis, Outcome, Policy,
    Request, Response, Rng, Sample, UnixMillis, Upstream, backoff,
    budget::Hold,
    hint,
    policy::{BackoffOptions, BreakerKind, BreakerOptions, BudgetOptions},
};
use tower::retry::budget::{Budget as _, TpsBudget};

#[global_allocator]
static HEAP: heap::Counting = heap::Counting;

const WALL: UnixMillis = UnixMillis::new(1_768_478_400_000); // 2026-01-15T12:00:00Z
const DATE: &str = "Thu, 15 Jan 2026 12:02:00 GMT";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name] = &arguments[..]
        && flag == "--callgrind"
    {
        counted(name);
        return;
    }
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let mut missed = 0;
    for contest in contests() {
        missed += contest.run(quick);
    }
    flatness(quick);
    missed += simulated::storms(quick);
    println!("{missed} above their target");
}

/// A call of one retry: begin, fail, wait, succeed.
fn decide(upstream: &mut Upstream, now: &mut u64) -> u64 {
    *now += 100;
    let at = Instant::from_millis(*now);
    let request = Request::new(Method::Get);
    let Ok(mut call) = upstream.begin(&request, at, Some(WALL)) else { return 0 };
    let failed = Outcome::from_response(503, &[]);
    let verdict = upstream.settle(&mut call, &failed, at, Some(WALL));
    upstream.end(&mut call, at);
    verdict.delay.get()
}

fn parse(date: &str) -> u64 {
    let headers = [Header::new("retry-after", date.as_bytes())];
    let response = Response::new(503, &headers);
    hint::read(&response, Some(WALL), None).map_or(0, |hint| hint.delay.get())
}

fn peer_parse(date: &str) -> u64 {
    httpdate::parse_http_date(date)
        .ok()
        .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_secs())
}

fn contests() -> Vec<Contest> {
    let standard = Arc::new(Policy::standard());
    let mut upstream = Upstream::new(Arc::clone(&standard), 7);
    let mut now = 0;
    let decide = Contestant::new("retrywise", move || decide(&mut upstream, &mut now));

    let options = BackoffOptions::default();
    let mut rng = Rng::new(7);
    let mut state = BackoffState::default();
    let mut retry = 0;
    let next = Contestant::new("retrywise", move || {
        retry = retry % 10 + 1;
        let ask = Ask::new(retry, Class::Transient);
        backoff(&options, &ask, &mut state, rng.draw()).delay.get()
    });

    let mut budget = Budget::new(BudgetOptions::default());
    let mut at = 0;
    let ours = Contestant::new("retrywise", move || {
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

    let mut breaker_options = BreakerOptions::default();
    breaker_options.kind = BreakerKind::Consecutive;
    let mut breaker = Breaker::new(breaker_options);
    let mut draws = Rng::new(7);
    let mut tick = 0;
    let admit = Contestant::new("retrywise", move || {
        tick += 1;
        let now = Instant::from_millis(tick);
        let Ok(permit) = breaker.admit(now, draws.draw()) else { return 0 };
        let _ = breaker.record(permit, Sample::Success, Millis::new(5), None, now, draws.draw());
        1
    });
    let by_failsafe = failsafe::Config::new()
        .failure_policy(failsafe::failure_policy::consecutive_failures(
            5,
            failsafe::backoff::constant(Duration::from_secs(30)),
        ))
        .build();
    let failsafe =
        Contestant::new("failsafe", move || by_failsafe.call(|| Ok::<u64, ()>(1)).unwrap_or(0));
    let by_recloser = recloser::Recloser::custom().build();
    let recloser =
        Contestant::new("recloser", move || by_recloser.call(|| Ok::<u64, ()>(1)).unwrap_or(0));

    vec![
        Contest::alone("one call: begin, settle a 503, end", decide),
        Contest::alone("next delay, full jitter", next),
        Contest::new(
            "an HTTP date (ours: the whole hint of an answer)",
            Contestant::new("retrywise", || parse(black_box(DATE))),
            vec![Contestant::new("httpdate", || peer_parse(black_box(DATE)))],
        ),
        Contest::new("budget: deposit + withdraw", ours, vec![tower]),
        Contest::new("breaker, closed: admit + record", admit, vec![failsafe, recloser]),
    ]
}

/// A million upstreams: what each takes, and whether a decision costs more for it.
fn flatness(quick: bool) {
    println!("\nupstreams of the standard policy");
    let standard = Arc::new(Policy::standard());
    let mut first = None;
    for count in [1_usize, 1_000, if quick { 10_000 } else { 1_000_000 }] {
        let before = heap::held();
        let mut upstreams: Vec<Upstream> = Vec::with_capacity(count);
        upstreams.extend((0..count).map(|seed| Upstream::new(Arc::clone(&standard), seed as u64)));
        let mut now = 0;
        for upstream in &mut upstreams {
            decide(upstream, &mut now);
        }
        let bytes = (heap::held() - before) / count;
        let mut at = 0;
        // A stride that is prime to every count visits all of them, far from one another.
        let mut work = || {
            at = (at + 7_919) % count;
            decide(&mut upstreams[at], &mut now)
        };
        let time = measure::median(&mut measure::rounds(&mut work, if quick { 3 } else { 9 }));
        let first = *first.get_or_insert(time);
        let mark = if bytes <= 400 { "✓" } else { "✗" };
        println!(
            "  {count:>9} upstreams {bytes:>6} B each {mark} ≤ 400   {time:>8.1} ns a decision, {:.2} × the first",
            time / first
        );
    }
    for per_second in [10_u64, 10_000] {
        let mut upstream = Upstream::new(Arc::clone(&standard), 7);
        let mut now = 0;
        let mut calls = 0;
        let mut work = || {
            calls += 1;
            now = calls * 1_000 / per_second;
            decide(&mut upstream, &mut now)
        };
        let time = measure::median(&mut measure::rounds(&mut work, if quick { 3 } else { 9 }));
        println!("  {per_second:>9} calls a second                    {time:>8.1} ns a decision");
    }
}

/// One figure, a thousand times.
fn counted(name: &str) {
    const TIMES: usize = 1_000;
    match name {
        "decide" => {
            let mut upstream = Upstream::new(Arc::new(Policy::standard()), 7);
            let mut now = 0;
            for _ in 0..TIMES {
                black_box(decide(&mut upstream, &mut now));
            }
        }
        "http-date" => {
            for _ in 0..TIMES {
                black_box(parse(black_box(DATE)));
            }
        }
        "storm" => simulated::one(),
        "nothing" => drop(black_box(Upstream::new(Arc::new(Policy::standard()), 7))),
        other => panic!("no figure is called {other}"),
    }
}
