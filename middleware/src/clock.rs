//! Time, waits and chance, from the host.

use retrywise::{Instant, Millis, UnixMillis};

use crate::bindings::{
    clocks::{monotonic_clock, system_clock},
    random::random,
};

const NS_PER_MS: u64 = 1_000_000;

/// The monotonic clock.
pub(crate) fn now() -> Instant {
    Instant::from_millis(monotonic_clock::now() / NS_PER_MS)
}

/// The wall clock.
pub(crate) fn wall() -> UnixMillis {
    let at = system_clock::now();
    let ms = i64::from(at.nanoseconds / 1_000_000);
    UnixMillis::new(at.seconds.saturating_mul(1_000).saturating_add(ms))
}

/// Waits, and lets the other calls of the instance go on meanwhile.
pub(crate) async fn sleep(span: Millis) {
    monotonic_clock::wait_for(span.get().saturating_mul(NS_PER_MS)).await;
}

/// The seed of a generator.
pub(crate) fn seed() -> u64 {
    random::get_random_u64()
}

/// 128 random bits, to make a key from.
pub(crate) fn entropy() -> [u8; 16] {
    let (high, low) = (random::get_random_u64(), random::get_random_u64());
    ((u128::from(high) << 64) | u128::from(low)).to_be_bytes()
}
