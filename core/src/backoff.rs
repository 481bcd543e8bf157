//! The wait before a retry, hint apart: curve → cap → jitter → ceiling (step 9 of
//! [`steps`](crate::steps)).
//!
//! The curve is integer arithmetic that saturates at the cap, so it never wraps, whatever the
//! number of the retry.

use crate::{
    classify::Class,
    jitter,
    outcome::Outcome,
    policy::{BackoffOptions, Curve, Jitter, Override},
    rng::Draw,
    time::Millis,
};

/// What the delays of one call remember: belongs to the call, plain data, starts empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackoffState {
    /// Decorrelated jitter: the delay before this one.
    pub previous: Option<Millis>,
    /// Polly V2: the formula's value at the attempt before this one, as the bits of an `f64`.
    pub v2_bits: u64,
}

/// A computed wait, before any hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backoff {
    /// The wait.
    pub delay: Millis,
    /// The wait is zero because the policy wants this retry at once, not because of the draw.
    pub immediate: bool,
}

/// Which wait is asked for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Ask<'a> {
    /// The number of the retry, from 1.
    pub retry: u32,
    /// The class of the outcome that asks for it.
    pub class: Class,
    /// The outcome itself, where overrides look at status and error code.
    pub outcome: Option<&'a Outcome<'a>>,
    /// The server asked for a wait: nothing is immediate then.
    pub hinted: bool,
}

impl<'a> Ask<'a> {
    /// The wait before retry `retry` after an outcome of `class`.
    pub const fn new(retry: u32, class: Class) -> Self {
        Self { retry, class, outcome: None, hinted: false }
    }

    /// The same, after this outcome.
    #[must_use]
    pub const fn after(mut self, outcome: &'a Outcome<'a>) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// The same, with a hint beside it.
    #[must_use]
    pub const fn hinted(mut self, hinted: bool) -> Self {
        self.hinted = hinted;
        self
    }
}

/// The wait before a retry. `draw` is spent whatever the jitter, so that a trace stays aligned when
/// only the configuration changes.
pub fn backoff(
    options: &BackoffOptions,
    ask: &Ask<'_>,
    state: &mut BackoffState,
    draw: Draw,
) -> Backoff {
    let Terms { curve, base, cap, ceiling, immediate } = Terms::of(options, ask);
    let jittered = match options.jitter {
        // A base of zero is zero at every attempt; these two formulas would grow from it.
        Jitter::Decorrelated | Jitter::PollyV2 if base == Millis::ZERO => Millis::ZERO,
        Jitter::Decorrelated => {
            let delay = jitter::decorrelated(base, state.previous, cap, draw);
            state.previous = Some(delay);
            delay
        }
        Jitter::PollyV2 => jitter::polly_v2(base, ask.retry, &mut state.v2_bits, cap, draw),
        simple => jitter::apply(
            simple,
            options.jitter_ratio,
            at(curve, base, options.factor_thousandths, cap, ask.retry),
            draw,
        ),
    };
    let delay = if immediate { Millis::ZERO } else { jittered.min(ceiling) };
    Backoff { delay, immediate }
}

/// What the options say for one wait, overrides and class considered.
#[derive(Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) curve: Curve,
    pub(crate) base: Millis,
    pub(crate) cap: Millis,
    pub(crate) ceiling: Millis,
    pub(crate) immediate: bool,
}

impl Terms {
    pub(crate) fn of(options: &BackoffOptions, ask: &Ask<'_>) -> Self {
        let rule = options.overrides.iter().find(|rule| matches(rule, ask));
        let throttled = ask.class == Class::Throttled;
        let may_be_immediate = !throttled && !ask.hinted;
        let immediate = may_be_immediate
            && (rule.is_some_and(|rule| rule.immediate)
                || (options.first_retry_immediate
                    && ask.retry == 1
                    && ask.class == Class::Transient));
        let curve = rule.and_then(|rule| rule.curve).unwrap_or(options.curve);
        let cap = rule.and_then(|rule| rule.cap).unwrap_or(options.cap);
        let base = rule
            .and_then(|rule| rule.base)
            .or(if throttled { options.throttled_base } else { None })
            .unwrap_or(options.base);
        Self { curve, base, cap, ceiling: options.ceiling.unwrap_or(cap), immediate }
    }
}

/// The curve at `retry` (1 = first), bounded by `cap`. Exponential keeps billionths of a
/// millisecond between steps and rounds down at the end.
pub fn at(curve: Curve, base: Millis, factor_thousandths: u32, cap: Millis, retry: u32) -> Millis {
    let n = u64::from(retry.max(1));
    let raw = match curve {
        Curve::None => Millis::ZERO,
        Curve::Constant => base,
        Curve::Linear => Millis::new(base.get().saturating_mul(n)),
        Curve::Exponential => exponential(base, factor_thousandths, cap, n - 1),
    };
    raw.min(cap)
}

/// Billionths in a millisecond.
const BILLION: u64 = 1_000_000_000;

/// Twice the value, so many times; saturating.
pub(crate) const fn doubled(value: u64, times: u32) -> u64 {
    if value.leading_zeros() < times { u64::MAX } else { value.wrapping_shl(times) }
}

/// `base · factor^steps`, stopped as soon as it reaches `cap`.
fn exponential(base: Millis, factor_thousandths: u32, cap: Millis, steps: u64) -> Millis {
    if base == Millis::ZERO || factor_thousandths <= 1000 {
        return base;
    }
    if factor_thousandths == 2000 {
        // Every cap is below 2^53, so a base of 1 ms has reached it by then.
        return Millis::new(doubled(base.get(), steps.min(63) as u32));
    }
    let factor = u64::from(factor_thousandths);
    let (mut whole, mut billionths) = (base.get(), 0);
    // Grows by at least a thousandth a step: from 1 ms it passes any cap within 31 000 steps.
    for _ in 0..steps {
        if whole >= cap.get() {
            break;
        }
        // What does not fit is beyond every cap.
        let Some(thousandths) = whole.checked_mul(factor) else { return Millis::MAX };
        // Exact: a thousandth is a million billionths, and only billionths are rounded down.
        let below = thousandths % 1_000 * 1_000_000 + billionths * factor / 1_000;
        whole = thousandths / 1_000 + below / BILLION;
        billionths = below % BILLION;
    }
    Millis::new(whole)
}

/// Whether an override is about this outcome: each selector that is given must match.
fn matches(rule: &Override, ask: &Ask<'_>) -> bool {
    let class = rule.class.is_none_or(|class| class == ask.class);
    let status = rule.statuses.is_empty()
        || ask
            .outcome
            .and_then(Outcome::status)
            .is_some_and(|status| rule.statuses.contains(&status));
    let error = rule.errors.is_empty()
        || ask
            .outcome
            .and_then(|outcome| outcome.error.as_ref())
            .is_some_and(|error| error.names_any(&rule.errors));
    class && status && error
}

#[cfg(test)]
mod tests;
