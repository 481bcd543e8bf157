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

/// What booking an attempt came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Booked {
    /// Its slot has been forgotten: nothing was booked.
    TooOld,
    /// The samples say nothing against the upstream.
    Fine,
    /// They say that it should be left alone.
    Bad,
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

    /// The slot that an attempt admitted now is booked to.
    pub(super) fn slot(&mut self, now: Instant) -> u64 {
        match self {
            Self::Time(window) => window.advance(now),
            Self::Consecutive(_) | Self::Count(_) => 0,
        }
    }

    /// Books one attempt that was admitted in `slot` and ended at `now`.
    #[inline]
    pub(super) fn book(
        &mut self,
        slot: u64,
        call: Counts,
        now: Instant,
        options: &BreakerOptions,
    ) -> Booked {
        let is_bad = match self {
            Self::Consecutive(failures) => {
                *failures = if call.failures > 0 { failures.saturating_add(1) } else { 0 };
                *failures >= options.failures.max(1)
            }
            Self::Time(window) => match sum_with(window, slot, call, now) {
                Some(counts) => counts.are_bad(options.minimum_calls, options),
                None => return Booked::TooOld,
            },
            Self::Count(ring) => {
                ring.push(call);
                // A window that cannot hold the minimum decides when it is full.
                let minimum = options.minimum_calls.min(ring.samples.len() as u32);
                ring.counts.are_bad(minimum, options)
            }
        };
        if is_bad { Booked::Bad } else { Booked::Fine }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Consecutive(failures) => *failures = 0,
            Self::Time(window) => window.clear(),
            Self::Count(ring) => *ring = Ring::new(ring.samples.len()),
        }
    }
}

/// The window's sum with one more call in `slot`; nothing when that has been forgotten.
fn sum_with(window: &mut Window<Counts>, slot: u64, call: Counts, now: Instant) -> Option<Counts> {
    window.advance(now);
    let counts = window.at(slot)?;
    *counts = counts.plus(call);
    Some(window.values().fold(Counts::default(), Counts::plus))
}

impl Counts {
    /// One call.
    pub(super) const fn one(failed: bool, slow: bool) -> Self {
        Self { calls: 1, failures: failed as u32, slow: slow as u32 }
    }

    /// Whether they say that the upstream should be left alone. In integers:
    /// failures · 10 000 ≥ threshold · calls.
    fn are_bad(self, minimum: u32, options: &BreakerOptions) -> bool {
        let reaches = |part: u32, threshold: u32| {
            part > 0 && u64::from(part) * 10_000 >= u64::from(threshold) * u64::from(self.calls)
        };
        self.calls >= minimum.max(1)
            && (reaches(self.failures, options.threshold)
                || (options.slow_call.is_some() && reaches(self.slow, options.slow_threshold)))
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
            self.push(Counts::one(call & 1 != 0, call & 2 != 0));
        }
    }

    fn push(&mut self, call: Counts) {
        let full = self.counts.calls as usize >= self.samples.len();
        let length = self.samples.len();
        let Some(place) = self.samples.get_mut(self.next) else { return };
        if full {
            self.counts.calls -= 1;
            self.counts.failures -= u32::from(*place & 1);
            self.counts.slow -= u32::from(*place >> 1 & 1);
        }
        *place = (call.failures + 2 * call.slow) as u8;
        self.counts = self.counts.plus(call);
        self.next = (self.next + 1) % length;
    }
}
