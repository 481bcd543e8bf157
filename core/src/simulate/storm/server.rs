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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Millis;

    #[test]
    fn it_takes_as_many_as_may_wait_and_turns_the_next_one_away() {
        let terms = Storm { capacity: 1_000, queue: 2, ..Storm::default() };
        let mut server = Server::new(&terms);
        let taken: [_; 4] = core::array::from_fn(|_| server.take(0));
        assert_eq!(taken, [(11, 200, 0), (12, 200, 0), (13, 200, 0), (10, 503, 0)]);
        assert_eq!(server.take(1), (14, 200, 0), "one is done");
    }

    #[test]
    fn while_it_is_down_it_tells_how_long_in_whole_seconds() {
        let terms = Storm {
            down_from: Millis::new(100),
            down_for: Millis::new(2_500),
            tells: true,
            ..Storm::default()
        };
        let mut server = Server::new(&terms);
        for (now, status, told) in
            [(99, 200, 0), (100, 503, 3), (1_100, 503, 2), (2_599, 503, 1), (2_600, 200, 0)]
        {
            let (_, found, tells) = server.take(now);
            assert_eq!((found, tells), (status, told), "{now}");
        }
    }
}
