//! Lines of the vector format.

use core::time::Duration;

use serde_json::{Value, json};

/// One trace: a policy of ours, and steps that expect the library's answers.
pub fn trace(id: &str, policy: &Value, steps: &[Value], draws: &[&str]) {
    println!("{}", json!({"id": id, "policy": policy, "steps": steps, "draws": draws}));
}

/// The policy of a curve without chance.
pub fn curve(base: Duration, cap: Duration, factor: f64) -> Value {
    json!({"backoff": {"jitter": "none", "baseMs": ms(base), "capMs": ms(cap), "factor": factor}})
}

/// A wait that was computed with 24 bits, or 53: ours is exact and drops what is below a
/// millisecond.
pub fn about(wait: Duration) -> Value {
    let exact = wait.as_secs_f64() * 1_000.0;
    let floor = |ms: f64| ms.floor() as u64;
    json!({"min": floor(exact * (1.0 - 1e-6)), "max": floor(exact * (1.0 + 1e-6))})
}

/// Whole milliseconds.
pub fn ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Seeded numbers, each from 0 on and below `below` (SplitMix64).
pub fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (u128::from(z ^ (z >> 31)) * u128::from(below) >> 64) as u64
    }
}
