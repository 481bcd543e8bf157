//! Curves: backon's builders and tower's maker.

use core::time::Duration;

use backon::{BackoffBuilder, ConstantBuilder, ExponentialBuilder};
use serde_json::{Value, json};
use tower::{
    retry::backoff::{Backoff, ExponentialBackoffMaker, MakeBackoff},
    util::rng::HasherRng,
};

use crate::lines::{about, curve, ms, trace};

const fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub fn backon() {
    for (base, cap, factor) in [
        (1_000, 60_000, 2.0),
        (100, 30_000, 1.1),
        (50, 20_000, 1.5),
        (1, 86_400_000, 3.0),
        (250, 250, 2.0),
        (700, 10_000, 1.0),
        (0, 60_000, 2.0),
    ] {
        let builder = ExponentialBuilder::new()
            .with_min_delay(millis(base))
            .with_max_delay(millis(cap))
            .with_factor(factor as f32)
            .with_max_times(70);
        let steps = delays(builder.build());
        let policy = curve(millis(base), millis(cap), factor);
        trace(&format!("backon-exponential-{base}-{cap}-{factor}"), &policy, &steps, &[]);
    }
    let waits = ConstantBuilder::new().with_delay(millis(700)).with_max_times(9).build();
    let policy = json!({"backoff": {"curve": "constant", "jitter": "none", "baseMs": 700}});
    trace("backon-constant", &policy, &delays(waits), &[]);

    for times in [0, 1, 3, 7] {
        let builder = ExponentialBuilder::new().with_max_times(times);
        let policy = json!({"maxRetries": times});
        calls(&format!("backon-times-{times}"), policy, builder, "retries-exhausted");
    }
    // 1, 2, 4 … s: waits of 1, 3, 7, 15 s in all.
    for total in [900, 2_999, 3_000, 3_001, 6_999, 7_001, 14_000] {
        let builder =
            ExponentialBuilder::new().with_max_times(50).with_total_delay(Some(millis(total)));
        let policy = json!({"maxRetries": 50, "deadlineMs": total});
        calls(&format!("backon-total-{total}"), policy, builder, "deadline");
    }
    // It builds, and waits 90, 60, 60 … s.
    let policy = curve(millis(90_000), millis(60_000), 2.0);
    let step = json!({"at": 0, "op": "policy", "document": policy, "expect": {"valid": true}});
    trace("backon-base-above-cap", &json!({}), &[step], &[]);
}

pub fn tower() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without I/O");
    runtime.block_on(async {
        for (base, cap) in [(50, 10_000), (1, 31_622_400_000), (1_000, 1_000), (999, 60_000)] {
            let maker =
                ExponentialBackoffMaker::new(millis(base), millis(cap), 0.0, HasherRng::new());
            let mut backoff = maker.expect("its range is in order").make_backoff();
            let waits = (0..80).map(|_| {
                let sleep = backoff.next_backoff();
                sleep.deadline() - tokio::time::Instant::now()
            });
            let steps = delays(waits);
            let policy = curve(millis(base), millis(cap), 2.0);
            trace(&format!("tower-backoff-{base}-{cap}"), &policy, &steps, &[]);
        }
    });
}

/// A step for each wait.
fn delays(waits: impl Iterator<Item = Duration>) -> Vec<Value> {
    let step = |(retry, wait): (u32, Duration)| json!({"at": 0, "op": "delay", "retry": retry, "expect": {"delayMs": about(wait)}});
    (1..).zip(waits).map(step).collect()
}

/// One call whose every attempt fails at once, until the library has no wait left.
fn calls(id: &str, policy: Value, builder: ExponentialBuilder, end: &str) {
    let (mut at, mut attempt) = (0, 1);
    let mut steps =
        vec![json!({"at": 0, "op": "begin", "call": "a", "request": {"method": "GET"}})];
    let mut settle = |at: u64, expect: Value| json!({"at": at, "op": "settle", "call": "a", "outcome": {"status": 503}, "expect": expect});
    for wait in builder.build() {
        attempt += 1;
        steps.push(settle(
            at,
            json!({"verdict": "retry", "attempt": attempt, "delayMs": about(wait)}),
        ));
        at += ms(wait);
        steps.push(json!({"at": at, "op": "resume", "call": "a", "expect": {"admitted": true}}));
    }
    steps.push(settle(at, json!({"verdict": "stop", "reason": end})));
    let mut policy = policy;
    policy["budget"] = Value::Null;
    policy["breaker"] = Value::Null;
    policy["backoff"] = json!({"jitter": "none", "baseMs": 1_000, "capMs": 60_000});
    trace(id, &policy, &steps, &[]);
}
