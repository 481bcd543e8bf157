//! Step 8 of a settle, by itself: curve → cap → jitter → ceiling → hint (`reference` section 3).

use crate::{
    backoff::{Ask, BackoffState, backoff},
    hint::{
        Hint, HintSource,
        rule::{self, Heard},
    },
    policy::Policy,
    profile::Profile,
    rng::Draw,
    time::Millis,
    verdict::Reason,
};

/// How long to wait before a retry.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // a wait, or none that the policy accepts
pub enum Delay {
    /// Wait this long; by the policy's backoff, by the server's hint, or not at all.
    Wait(Millis, Reason),
    /// The server asked for longer than the policy waits.
    TooLong,
}

/// The wait that `policy` chooses for what `ask` says, with a `hint` beside it. Spends the `draw`
/// whatever the policy says; `state` is the call's.
///
/// ```
/// use retrywise::{Ask, BackoffState, Class, Draw, Millis, Policy, Reason, delay::{Delay, delay}};
///
/// let ask = Ask::new(1, Class::Transient);
/// let mut state = BackoffState::default();
/// let longest = delay(&Policy::standard(), ask, None, &mut state, Draw::MAX);
/// assert_eq!(longest, Delay::Wait(Millis::new(500), Reason::Backoff));
/// ```
pub fn delay(
    policy: &Policy,
    ask: Ask<'_>,
    hint: Option<Hint>,
    state: &mut BackoffState,
    draw: Draw,
) -> Delay {
    let hinted = hint.is_some_and(|hint| rule::is_heard(policy.hint(), hint));
    let computed = backoff(policy.backoff(), &ask.hinted(hinted), state, draw);
    let window = policy.profile().and_then(Profile::hint_window);
    let cap = policy.backoff().cap;
    match rule::hear(policy.hint(), hint, computed.delay, cap, window, draw) {
        Heard::TooLong => Delay::TooLong,
        Heard::Hint(delay) => Delay::Wait(delay, Reason::ServerHint),
        Heard::Backoff(delay) if computed.immediate => Delay::Wait(delay, Reason::Immediate),
        Heard::Backoff(delay) => Delay::Wait(delay, Reason::Backoff),
    }
}

/// Where the curve stands after a wait that was chosen for this `reason`: gRPC A6, after a pushback
/// it starts again.
pub(crate) fn exponent_after(exponent: u32, hint: Option<Hint>, reason: Reason) -> u32 {
    let pushed_back = hint.is_some_and(|hint| hint.source == HintSource::GrpcPushback)
        && reason == Reason::ServerHint;
    if pushed_back { 0 } else { exponent }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Class, policy::Options};

    #[test]
    fn a_retry_without_a_wait_says_that_the_policy_wants_none() {
        let mut options = Options::default();
        options.backoff.first_retry_immediate = true;
        let policy = options.validate().unwrap();
        let of = |retry| {
            let ask = Ask::new(retry, Class::Transient);
            delay(&policy, ask, None, &mut BackoffState::default(), Draw::MIN)
        };
        assert_eq!(of(1), Delay::Wait(Millis::ZERO, Reason::Immediate));
        assert_eq!(of(2), Delay::Wait(Millis::ZERO, Reason::Backoff), "a draw may be zero as well");
    }

    #[test]
    fn the_curve_starts_again_after_a_pushback_that_was_followed() {
        let of = |source| Some(Hint::new(Millis::new(5), source));
        for (hint, reason, expected) in [
            (of(HintSource::GrpcPushback), Reason::ServerHint, 0),
            (of(HintSource::GrpcPushback), Reason::Backoff, 3),
            (of(HintSource::RetryAfter), Reason::ServerHint, 3),
            (None, Reason::Backoff, 3),
        ] {
            assert_eq!(exponent_after(3, hint, reason), expected, "{hint:?} {reason}");
        }
    }
}
