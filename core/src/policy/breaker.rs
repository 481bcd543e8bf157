//! When an upstream is left alone, and how it is tried again.

use crate::{
    codes::codes,
    policy::{
        fields::{DURATION, Fields, LONGEST, Slot, Spec, Visitor},
        issue::{IssueKind, Issues},
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

impl Fields for BreakerOptions {
    fn fields(&mut self, v: &mut dyn Visitor) {
        let mut kind = self.kind;
        let known = v.name("kind", &mut kind);
        if kind != self.kind {
            // Another kind is another breaker: nothing of the old one is carried over.
            *self = Self::of(kind);
        }
        for &group in BreakerKind::ALL {
            let mut fields = Group { of: group, breaker: self };
            if known && group == kind {
                fields.fields(v);
            } else {
                v.others(group.name(), known, &mut fields);
            }
        }
        v.number("openMs", DURATION, Slot::Span(&mut self.open));
        v.number("maxOpenMs", DURATION, Slot::Span(&mut self.max_open));
        v.number("openJitter", Spec::fraction(0, 10_000, 4), Slot::Count(&mut self.open_jitter));
        v.number("probes", COUNT, Slot::Count(&mut self.probes));
        v.number("successes", COUNT, Slot::Count(&mut self.successes));
        v.number("probeTimeoutMs", DURATION, Slot::Span(&mut self.probe_timeout));
        v.name("onLeaseExpiry", &mut self.on_lease_expiry);
    }
}

/// The fields that only one kind has.
struct Group<'a> {
    of: BreakerKind,
    breaker: &'a mut BreakerOptions,
}

impl Fields for Group<'_> {
    fn fields(&mut self, v: &mut dyn Visitor) {
        let breaker = &mut *self.breaker;
        match self.of {
            BreakerKind::Consecutive => {
                v.number("failures", COUNT, Slot::Count(&mut breaker.failures));
            }
            BreakerKind::Rate => {
                v.name("window", &mut breaker.window);
                let span = Spec::span(1_000, LONGEST);
                v.number("windowMs", span, Slot::Span(&mut breaker.window_span));
                v.number("windowCalls", COUNT, Slot::Count(&mut breaker.window_calls));
                v.number("threshold", SHARE, Slot::Count(&mut breaker.threshold));
                v.number("minimumCalls", COUNT, Slot::Count(&mut breaker.minimum_calls));
                let slow_call = Slot::MaybeSpan(&mut breaker.slow_call);
                v.number("slowCallMs", DURATION.or_null(), slow_call);
                v.number("slowThreshold", SHARE, Slot::Count(&mut breaker.slow_threshold));
            }
        }
    }
}

const COUNT: Spec = Spec::count(1, 1_000_000);
/// More than nothing, up to all.
const SHARE: Spec = Spec::fraction(1, 10_000, 4);
