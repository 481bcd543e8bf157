//! tower's `TpsBudget`, on a clock that stands still until it is moved.

use core::time::Duration;

use serde_json::{Value, json};
use tokio::time::advance;
use tower::retry::budget::{Budget, TpsBudget};

use crate::lines::{numbers, trace};

pub fn all() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without I/O");
    runtime.block_on(async {
        ratios();
        reserve().await;
        window().await;
        walks().await;
    });
}

fn ours(ratio: f64, per_second: u32, span: u64) -> Value {
    let budget =
        json!({"kind": "ratio", "ratio": ratio, "minPerSecond": per_second, "windowMs": span});
    json!({"budget": budget})
}

fn budget(span: u64, per_second: u32, ratio: f64) -> TpsBudget {
    TpsBudget::new(Duration::from_millis(span), per_second, ratio as f32)
}

/// How many of `times` withdrawals it allows.
fn withdraw(budget: &TpsBudget, times: u32) -> usize {
    (0..times).filter(|_| budget.withdraw()).count()
}

fn retries(at: u64, times: u32, allowed: usize) -> Value {
    json!({"at": at, "op": "retry", "times": times, "expect": {"allowed": allowed}})
}

/// What a thousand calls earn.
fn ratios() {
    for ratio in [0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0, 1.5, 2.0, 3.0, 0.0] {
        let budget = budget(10_000, 0, ratio);
        (0..1_000).for_each(|_| budget.deposit());
        let allowed = withdraw(&budget, 4_000);
        let start = json!({"at": 0, "op": "start", "times": 1_000});
        let steps = [start, retries(0, 4_000, allowed)];
        trace(&format!("tower-ratio-{ratio}"), &ours(ratio, 0, 10_000), &steps, &[]);
    }
}

/// What it has from cold, and when that comes back.
async fn reserve() {
    for later in [1, 5_000, 9_999, 10_000, 10_001, 60_000] {
        let budget = budget(10_000, 10, 0.2);
        let first = withdraw(&budget, 200);
        advance(Duration::from_millis(later)).await;
        let then = withdraw(&budget, 200);
        let steps = [retries(0, 200, first), retries(later, 200, then)];
        trace(&format!("tower-reserve-{later}"), &ours(0.2, 10, 10_000), &steps, &[]);
    }
}

/// Until when a deposit counts that is looked at every so often. Two deposits are worth one retry:
/// looks find one and take nothing, the last one comes with the second deposit.
async fn window() {
    for every in [50, 99, 100, 101, 110, 150, 199, 200, 201, 250] {
        for last in (1..=1_150 / every).map(|look| look * every).filter(|last| *last >= 450) {
            let budget = budget(1_000, 0, 0.5);
            budget.deposit();
            let mut steps = vec![json!({"at": 0, "op": "start"})];
            let mut at = 0;
            while at < last - every {
                advance(Duration::from_millis(every)).await;
                at += every;
                let allowed = budget.withdraw();
                steps.push(json!({"at": at, "op": "retry", "expect": {"allowed": allowed}}));
            }
            advance(Duration::from_millis(every)).await;
            budget.deposit();
            let allowed = budget.withdraw();
            steps.push(json!({"at": last, "op": "start"}));
            steps.push(json!({"at": last, "op": "retry", "expect": {"allowed": allowed}}));
            trace(&format!("tower-window-{every}-{last}"), &ours(0.5, 0, 1_000), &steps, &[]);
        }
    }
}

/// Random calls and retries over nine slots, in which nothing grows too old, then a leap that
/// empties the window; again and again. Ratios whose inverse is whole.
async fn walks() {
    for (ratio, per_second) in
        [(0.1, 0), (0.2, 0), (0.25, 1), (0.5, 2), (1.0, 0), (2.0, 1), (0.0, 3)]
    {
        for seed in 0..10 {
            let mut next = numbers(seed);
            let budget = budget(2_000, per_second, ratio);
            let (mut at, mut steps) = (0, Vec::new());
            for _ in 0..6 {
                for _ in 0..9 {
                    for _ in 0..next(40) {
                        budget.deposit();
                        steps.push(json!({"at": at, "op": "start"}));
                    }
                    let times = next(12) as u32;
                    if times > 0 {
                        steps.push(retries(at, times, withdraw(&budget, times)));
                    }
                    advance(Duration::from_millis(200)).await;
                    at += 200;
                }
                advance(Duration::from_millis(4_000)).await;
                at += 4_000;
            }
            let id = format!("tower-walk-{ratio}-{per_second}-{seed}");
            trace(&id, &ours(ratio, per_second, 2_000), &steps, &[]);
        }
    }
}
