//! When an upstream is left alone, and how it is tried again.

use crate::{
    codes::codes,
    policy::{
        fields::{Named, Place, What, fields},
        issue::{IssueKind, Issues},
        spec::{DURATION, DURATION_OR_NULL, LONGEST, SHARE, Spec},
    },
    text::{join, number},
    time::Millis,
};

codes! {
    /// What opens the breaker. Default: [`BreakerKind::Rate`].
    pub enum BreakerKind {
        /// A share of failures, or of slow calls, among the calls in a window.
        Rate = 0 => "rate",
        /// A number of failures in a row.
        Consecutive = 1 => "consecutive",
    }
}

codes! {
    /// Which calls a rate looks at. Default: [`WindowKind::Time`].
    pub enum WindowKind {
        /// Those of the last while.
        Time = 0 => "time",
        /// The last so many.
        Count = 1 => "count",
    }
}

codes! {
    /// What a probe means that was not answered before its lease ended. Default:
    /// [`LeaseExpiry::Fail`].
    pub enum LeaseExpiry {
        /// A failed probe, booked at the lease's end.
        Fail = 0 => "fail",
        /// Nothing: its place is free again.
        Free = 1 => "free",
    }
}

/// The policy's `breaker` object.
///
/// What belongs to the other kind, or to the other window, is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakerOptions {
    /// What opens it.
    pub kind: BreakerKind,
    /// [`BreakerKind::Consecutive`]: failures in a row that open it, 1 to 1 000 000, default 5.
    pub failures: u32,
    /// [`BreakerKind::Rate`]: which calls count.
    pub window: WindowKind,
    /// [`WindowKind::Time`]: 1 s to 366 days, default 10 s; ten slots on a grid.
    pub window_span: Millis,
    /// [`WindowKind::Count`]: 1 to 1 000 000, default 100.
    pub window_calls: u32,
    /// [`BreakerKind::Rate`]: the share of failures from which on it opens, in ten-thousandths,
    /// 1 to 10 000, default 5 000.
    pub threshold: u32,
    /// [`BreakerKind::Rate`]: calls below which no rate is looked at, 1 to 1 000 000, default 20;
    /// at most `window_calls` in a count window.
    pub minimum_calls: u32,
    /// [`BreakerKind::Rate`]: a call that takes longer is slow, 0 to 366 days. Default `None`: none
    /// is.
    pub slow_call: Option<Millis>,
    /// [`BreakerKind::Rate`]: the share of slow calls from which on it opens, in ten-thousandths,
    /// 1 to 10 000, default 10 000.
    pub slow_threshold: u32,
    /// How long it stays open the first time, 0 to 366 days, default 5 s. Doubles at each failed
    /// half-open, goes back on closing.
    pub open: Millis,
    /// Bounds the doubling, and what a server's hint may make of it: 0 to 366 days, default 60 s.
    pub max_open: Millis,
    /// Lengthens the open time by up to this share, in ten-thousandths, 0 to 10 000, default 0.
    pub open_jitter: u32,
    /// Calls let through while half-open, 1 to 1 000 000, default 3.
    pub probes: u32,
    /// Successes among them that close it, 1 to `probes`, default 2.
    pub successes: u32,
    /// The lease of a probe, 0 to 366 days, default 30 s.
    pub probe_timeout: Millis,
    /// What a probe without an answer means.
    pub on_lease_expiry: LeaseExpiry,
}

impl BreakerOptions {
    /// The defaults of a kind.
    pub const fn of(kind: BreakerKind) -> Self {
        Self {
            kind,
            failures: 5,
            window: WindowKind::Time,
            window_span: Millis::new(10_000),
            window_calls: 100,
            threshold: 5_000,
            minimum_calls: 20,
            slow_call: None,
            slow_threshold: 10_000,
            open: Millis::new(5_000),
            max_open: Millis::new(60_000),
            open_jitter: 0,
            probes: 3,
            successes: 2,
            probe_timeout: Millis::new(30_000),
            on_lease_expiry: LeaseExpiry::Fail,
        }
    }

    /// What a document left out follows what it stated.
    #[cfg(feature = "json")]
    pub(crate) fn follow(&mut self, given: &dyn Fn(&str) -> bool) {
        if !given("successes") {
            self.successes = self.successes.min(self.probes);
        }
        if !given("maxOpenMs") {
            self.max_open = self.max_open.max(self.open);
        } else if !given("openMs") {
            self.open = self.open.min(self.max_open);
        }
        if self.counts_calls() {
            if !given("minimumCalls") {
                self.minimum_calls = self.minimum_calls.min(self.window_calls);
            } else if !given("windowCalls") {
                self.window_calls = self.window_calls.max(self.minimum_calls);
            }
        }
    }

    /// The rules between fields.
    pub(crate) fn contradictions(&self, prefix: &str, issues: &mut Issues) {
        let mut not_above = |low: &str, value: u64, high: &str, limit: u64| {
            let (low, high) = (join(&[prefix, "breaker.", low]), join(&[prefix, "breaker.", high]));
            if value > limit && !issues.touches(&low) && !issues.touches(&high) {
                let message = join(&[
                    &low,
                    " (",
                    &number(value),
                    ") must not be above ",
                    &high,
                    " (",
                    &number(limit),
                    ")",
                ]);
                issues.push(low, IssueKind::Contradiction, message);
            }
        };
        not_above("successes", self.successes.into(), "probes", self.probes.into());
        not_above("openMs", self.open.get(), "maxOpenMs", self.max_open.get());
        if self.counts_calls() {
            // A window that never holds the minimum never opens anything.
            let (minimum, calls) = (self.minimum_calls.into(), self.window_calls.into());
            not_above("minimumCalls", minimum, "windowCalls", calls);
        }
    }

    const fn counts_calls(&self) -> bool {
        matches!((self.kind, self.window), (BreakerKind::Rate, WindowKind::Count))
    }
}

impl Default for BreakerOptions {
    fn default() -> Self {
        Self::of(BreakerKind::Rate)
    }
}

/// The kind of a breaker.
impl Named for BreakerOptions {
    fn get(&self) -> Option<&'static str> {
        Some(self.kind.name())
    }

    fn set(&mut self, at: usize) {
        if let Some(&kind) = BreakerKind::ALL.get(at)
            && kind != self.kind
        {
            // Another kind is another breaker: nothing of the old one is carried over.
            *self = Self::of(kind);
        }
    }
}

fields! { BreakerOptions {
    "kind": What::Kind(BreakerKind::NAMES) => |b| Place::Name(b),
    "window" of BreakerKind::Rate: What::Name(WindowKind::NAMES) => |b| Place::Name(&mut b.window),
    "windowMs" of BreakerKind::Rate: What::Number(&WINDOW) => |b| Place::Span(&mut b.window_span),
    "windowCalls" of BreakerKind::Rate: What::Number(&COUNT) => |b| Place::Count(&mut b.window_calls),
    "threshold" of BreakerKind::Rate: What::Number(&SOME) => |b| Place::Count(&mut b.threshold),
    "minimumCalls" of BreakerKind::Rate: What::Number(&COUNT) => |b| Place::Count(&mut b.minimum_calls),
    "slowCallMs" of BreakerKind::Rate: What::Number(&DURATION_OR_NULL) => |b| Place::MaybeSpan(&mut b.slow_call),
    "slowThreshold" of BreakerKind::Rate: What::Number(&SOME) => |b| Place::Count(&mut b.slow_threshold),
    "failures" of BreakerKind::Consecutive: What::Number(&COUNT) => |b| Place::Count(&mut b.failures),
    "openMs": What::Number(&DURATION) => |b| Place::Span(&mut b.open),
    "maxOpenMs": What::Number(&DURATION) => |b| Place::Span(&mut b.max_open),
    "openJitter": What::Number(&SHARE) => |b| Place::Count(&mut b.open_jitter),
    "probes": What::Number(&COUNT) => |b| Place::Count(&mut b.probes),
    "successes": What::Number(&COUNT) => |b| Place::Count(&mut b.successes),
    "probeTimeoutMs": What::Number(&DURATION) => |b| Place::Span(&mut b.probe_timeout),
    "onLeaseExpiry": What::Name(LeaseExpiry::NAMES) => |b| Place::Name(&mut b.on_lease_expiry),
} }

const COUNT: Spec = Spec::count(1, 1_000_000);
const WINDOW: Spec = Spec::span(1_000, LONGEST);
/// More than nothing, up to all.
const SOME: Spec = Spec::fraction(1, 10_000, 4);
