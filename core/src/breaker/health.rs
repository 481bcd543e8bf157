//! What a closed breaker remembers of the calls it let through.

use alloc::{boxed::Box, string::String, vec, vec::Vec};

use crate::{
    policy::{BreakerKind, BreakerOptions, WindowKind},
    time::Instant,
    window::Window,
};

/// Samples of the closed state.
#[derive(Clone, Debug)]
pub(super) enum Health {
    /// Failures in a row.
    Consecutive(u32),
    /// Counts by slot of admission.
    Time(Window<Counts>),
    /// The last calls, oldest overwritten first.
    Count(Ring),
}

/// Calls, and how many of them failed or were slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) calls: u32,
    pub(super) failures: u32,
    pub(super) slow: u32,
}

/// The last `samples.len()` calls.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    /// Bit 0: failed. Bit 1: slow.
    samples: Box<[u8]>,
    next: usize,
    counts: Counts,
}

impl Health {
    pub(super) fn new(options: &BreakerOptions) -> Self {
        match (options.kind, options.window) {
            (BreakerKind::Consecutive, _) => Self::Consecutive(0),
            (BreakerKind::Rate, WindowKind::Time) => Self::Time(Window::new(options.window_span)),
            (BreakerKind::Rate, WindowKind::Count) => {
                Self::Count(Ring::new(options.window_calls as usize))
            }
        }
    }

    /// Whether it can go on under these options.
    pub(super) fn fits(&self, options: &BreakerOptions) -> bool {
        match (self, Self::new(options)) {
            (Self::Consecutive(_), Self::Consecutive(_)) => true,
            (Self::Time(old), Self::Time(new)) => old.has_width_of(&new),
            (Self::Count(old), Self::Count(new)) => old.samples.len() == new.samples.len(),
            _ => false,
        }
    }

    pub(super) fn advance(&mut self, now: Instant) {
        if let Self::Time(window) = self {
            window.advance(now);
        }
    }

    /// The slot that an attempt admitted now is booked to.
    pub(super) fn slot(&mut self, now: Instant) -> u64 {
        match self {
            Self::Time(window) => window.advance(now),
            Self::Consecutive(_) | Self::Count(_) => 0,
        }
    }

    /// Books one attempt; false when its slot has been forgotten.
    pub(super) fn record(&mut self, slot: u64, failed: bool, slow: bool) -> bool {
        match self {
            Self::Consecutive(failures) => {
                *failures = if failed { failures.saturating_add(1) } else { 0 };
                true
            }
            Self::Time(window) => match window.at(slot) {
                Some(counts) => {
                    counts.add(failed, slow);
                    true
                }
                None => false,
            },
            Self::Count(ring) => {
                ring.push(failed, slow);
                true
            }
        }
    }

    /// Whether the samples say that the upstream should be left alone. In integers:
    /// failures · 10 000 ≥ threshold · calls.
    pub(super) fn is_bad(&self, options: &BreakerOptions) -> bool {
        let counts = match self {
            Self::Consecutive(failures) => return *failures >= options.failures.max(1),
            Self::Time(window) => window.newest_first().fold(Counts::default(), Counts::plus),
            Self::Count(ring) => ring.counts,
        };
        let minimum = match self {
            // A window that cannot hold the minimum decides when it is full.
            Self::Count(ring) => options.minimum_calls.min(ring.samples.len() as u32),
            _ => options.minimum_calls,
        };
        let reaches = |part: u32, threshold: u32| {
            part > 0 && u64::from(part) * 10_000 >= u64::from(threshold) * u64::from(counts.calls)
        };
        counts.calls >= minimum.max(1)
            && (reaches(counts.failures, options.threshold)
                || (options.slow_call.is_some() && reaches(counts.slow, options.slow_threshold)))
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Consecutive(failures) => *failures = 0,
            Self::Time(window) => window.clear(),
            Self::Count(ring) => *ring = Ring::new(ring.samples.len()),
        }
    }
}

impl Counts {
    fn add(&mut self, failed: bool, slow: bool) {
        self.calls = self.calls.saturating_add(1);
        self.failures = self.failures.saturating_add(u32::from(failed));
        self.slow = self.slow.saturating_add(u32::from(slow));
    }

    fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            failures: self.failures.saturating_add(other.failures),
            slow: self.slow.saturating_add(other.slow),
        }
    }
}

impl Ring {
    fn new(calls: usize) -> Self {
        Self {
            samples: vec![0; calls.max(1)].into_boxed_slice(),
            next: 0,
            counts: Counts::default(),
        }
    }

    /// The calls, oldest first, in texts of bounded length.
    pub(super) fn save(&self) -> Vec<String> {
        let kept = self.counts.calls as usize;
        let oldest = if kept < self.samples.len() { 0 } else { self.next };
        let (later, first) = self.samples.split_at_checked(oldest).unwrap_or_default();
        let calls: Vec<u8> = first.iter().chain(later).take(kept).map(|call| b'0' + call).collect();
        calls.chunks(1_000).map(|text| String::from_utf8_lossy(text).into_owned()).collect()
    }

    /// The same calls, or as many of the last ones as there is room for.
    pub(super) fn load(&mut self, texts: &[String]) {
        *self = Self::new(self.samples.len());
        for call in texts.iter().flat_map(|text| text.bytes()) {
            self.push(call & 1 != 0, call & 2 != 0);
        }
    }

    fn push(&mut self, failed: bool, slow: bool) {
        let full = self.counts.calls as usize >= self.samples.len();
        let length = self.samples.len();
        let Some(place) = self.samples.get_mut(self.next) else { return };
        if full {
            self.counts.calls -= 1;
            self.counts.failures -= u32::from(*place & 1);
            self.counts.slow -= u32::from(*place >> 1 & 1);
        }
        *place = u8::from(failed) + 2 * u8::from(slow);
        self.counts.add(failed, slow);
        self.next = (self.next + 1) % length;
    }
}
