//! The server of a storm: a capacity, a queue, an outage.

use super::Storm;

/// Times are in microseconds inside, so that every capacity has a whole service time.
pub(super) struct Server {
    service_us: u64,
    longest_queue_us: u64,
    latency_ms: u64,
    down_from: u64,
    down_until: u64,
    tells: bool,
    /// When all that it has taken is done.
    busy_until_us: u64,
}

impl Server {
    pub(super) fn new(terms: &Storm) -> Self {
        let service_us = (1_000_000 / u64::from(terms.capacity.max(1))).max(1);
        let down_from = terms.down_from.get();
        Self {
            service_us,
            longest_queue_us: u64::from(terms.queue) * service_us,
            latency_ms: terms.latency.get(),
            down_from,
            down_until: down_from.saturating_add(terms.down_for.get()),
            tells: terms.tells,
            busy_until_us: 0,
        }
    }

    /// Takes a request: when the answer is back, its status, and the seconds of its `Retry-After`
    /// (0: none).
    pub(super) fn take(&mut self, now: u64) -> (u64, u16, u64) {
        let back = now + self.latency_ms;
        if (self.down_from..self.down_until).contains(&now) {
            let left = self.down_until - now;
            return (back, 503, if self.tells { left.div_ceil(1_000) } else { 0 });
        }
        let now_us = now * 1_000;
        let free_us = self.busy_until_us.max(now_us);
        if free_us - now_us > self.longest_queue_us {
            return (back, 503, 0);
        }
        self.busy_until_us = free_us + self.service_us;
        (self.busy_until_us.div_ceil(1_000) + self.latency_ms, 200, 0)
    }
}
