//! How long to wait before a retry: the curve, its bounds and its jitter.

use alloc::boxed::Box;

use crate::{
    classify::Class,
    codes::codes,
    policy::{
        fields::{Place, RETRIED_NAMES, What, fields},
        issue::{IssueKind, Issues},
        spec::{DURATION, DURATION_OR_NULL, SHARE, Spec},
        text_rule::TextRule,
    },
    text::{join, number},
    time::Millis,
};

codes! {
    /// How the delay grows from retry to retry, before jitter. Default: [`Curve::Exponential`].
    pub enum Curve {
        /// No wait.
        None = 0 => "none",
        /// Always the base.
        Constant = 1 => "constant",
        /// The base times the number of the retry.
        Linear = 2 => "linear",
        /// The base times a power of the factor.
        Exponential = 3 => "exponential",
    }
}

codes! {
    /// How the delay is spread, so that callers do not come back together. Default:
    /// [`Jitter::Full`].
    pub enum Jitter {
        /// Not at all.
        None = 0 => "none",
        /// Anything from 0 to the delay.
        Full = 1 => "full",
        /// Half the delay, and anything up to the other half.
        Equal = 2 => "equal",
        /// Anything from the base to three times the delay before; takes no notice of the curve.
        Decorrelated = 3 => "decorrelated",
        /// The formula of Polly V8's `DecorrelatedJitterBackoffV2`.
        PollyV2 = 4 => "polly-v2",
        /// The delay plus or minus a share of it, see [`BackoffOptions::jitter_ratio`].
        Proportional = 5 => "proportional",
    }
}

/// The policy's `backoff` object.
///
/// A document that leaves `baseMs` out gets the smaller of the default and the cap; here the base
/// is always stated, and one above the cap is a contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackoffOptions {
    /// How the delay grows.
    pub curve: Curve,
    /// The delay before the first retry, 0 to 366 days, default 500 ms, at most the cap. With 0
    /// there is no wait at any retry.
    pub base: Millis,
    /// The growth of [`Curve::Exponential`] in thousandths, 1 000 to 100 000, default 2 000.
    pub factor_thousandths: u32,
    /// Bounds the curve before jitter: 0 to 366 days, default 30 s.
    pub cap: Millis,
    /// Bounds the result after jitter: 0 to 366 days. Default `None`: the cap.
    pub ceiling: Option<Millis>,
    /// How the delay is spread.
    pub jitter: Jitter,
    /// The share of [`Jitter::Proportional`] in ten-thousandths, 0 to 10 000, default 2 000.
    pub jitter_ratio: u32,
    /// The base after a throttled outcome, 0 to 366 days. Default `None`: the base. The cap bounds
    /// what comes of it.
    pub throttled_base: Option<Millis>,
    /// The first retry of a transient outcome without a hint waits 0. Default `false`.
    pub first_retry_immediate: bool,
    /// Waits by kind of fault; the first that matches wins. Default: none.
    pub overrides: Box<[Override]>,
}

impl Default for BackoffOptions {
    fn default() -> Self {
        Self {
            curve: Curve::Exponential,
            base: Millis::new(500),
            factor_thousandths: 2_000,
            cap: Millis::new(30_000),
            ceiling: None,
            jitter: Jitter::Full,
            jitter_ratio: 2_000,
            throttled_base: None,
            first_retry_immediate: false,
            overrides: Box::default(),
        }
    }
}

/// One entry of `backoff.overrides`: another wait for some kinds of fault.
///
/// It matches when each selector that is given does; without any it matches every fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    /// Selector: [`Class::Transient`] or [`Class::Throttled`] (nothing else is retried).
    pub class: Option<Class>,
    /// Selector: status codes, each 100 to 999. Empty: any.
    pub statuses: Box<[u16]>,
    /// Selector: codes or names of errors, not empty. Empty list: any.
    pub errors: Box<[Box<str>]>,
    /// Replaces the curve.
    pub curve: Option<Curve>,
    /// Replaces the base, 0 to 366 days; at most the cap if that is given beside it.
    pub base: Option<Millis>,
    /// Replaces the cap, 0 to 366 days.
    pub cap: Option<Millis>,
    /// Wait 0. Never applies to a throttled outcome, nor beside a hint.
    pub immediate: bool,
}

impl BackoffOptions {
    /// What a document left out follows what it stated.
    #[cfg(feature = "json")]
    pub(crate) fn follow(&mut self, given: &dyn Fn(&str) -> bool) {
        if !given("baseMs") {
            self.base = self.base.min(self.cap);
        }
    }

    /// The rules between fields.
    pub(crate) fn contradictions(&self, prefix: &str, issues: &mut Issues) {
        not_above(issues, &join(&[prefix, "backoff."]), self.base, self.cap);
        for (index, entry) in self.overrides.iter().enumerate() {
            // The cap of the whole policy bounds an override silently, as it does `throttledBaseMs`.
            if let (Some(base), Some(cap)) = (entry.base, entry.cap) {
                not_above(
                    issues,
                    &join(&[prefix, "backoff.overrides[", &number(index as u64), "]."]),
                    base,
                    cap,
                );
            }
        }
    }
}

fields! { BackoffOptions {
    "curve": What::Name(Curve::NAMES) => |b| Place::Name(&mut b.curve),
    "baseMs": What::Number(&DURATION) => |b| Place::Span(&mut b.base),
    "factor": What::Number(&FACTOR) => |b| Place::Count(&mut b.factor_thousandths),
    "capMs": What::Number(&DURATION) => |b| Place::Span(&mut b.cap),
    "ceilingMs": What::Number(&DURATION_OR_NULL) => |b| Place::MaybeSpan(&mut b.ceiling),
    "jitter": What::Name(Jitter::NAMES) => |b| Place::Name(&mut b.jitter),
    "jitterRatio": What::Number(&SHARE) => |b| Place::Count(&mut b.jitter_ratio),
    "throttledBaseMs": What::Number(&DURATION_OR_NULL) => |b| Place::MaybeSpan(&mut b.throttled_base),
    "firstRetryImmediate": What::Flag => |b| Place::Flag(&mut b.first_retry_immediate),
    "overrides": What::Objects => |b| Place::Objects(&mut b.overrides),
} }

fields! { Override {
    "class": What::Name(RETRIED_NAMES) => |o| Place::Name(&mut o.class),
    "statuses": What::Statuses => |o| Place::BoxedStatuses(&mut o.statuses),
    "errors": What::Texts(TextRule::Text) => |o| Place::BoxedTexts(&mut o.errors),
    "curve": What::Name(Curve::NAMES) => |o| Place::Name(&mut o.curve),
    "baseMs": What::Number(&DURATION) => |o| Place::MaybeSpan(&mut o.base),
    "capMs": What::Number(&DURATION) => |o| Place::MaybeSpan(&mut o.cap),
    "immediate": What::Flag => |o| Place::Flag(&mut o.immediate),
} }

/// 1 to 100, in thousandths.
const FACTOR: Spec = Spec::fraction(1_000, 100_000, 3);

/// A base above its cap would flatten the curve without a word: it is refused.
fn not_above(issues: &mut Issues, path: &str, base: Millis, cap: Millis) {
    let (base_field, cap_field) = (join(&[path, "baseMs"]), join(&[path, "capMs"]));
    if base <= cap || issues.touches(&base_field) || issues.touches(&cap_field) {
        return;
    }
    let message = join(&[
        &base_field,
        " (",
        &number(base.get()),
        " ms) must not be above ",
        &cap_field,
        " (",
        &number(cap.get()),
        " ms)",
    ]);
    issues.push(base_field, IssueKind::Contradiction, message);
}
