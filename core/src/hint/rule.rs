//! What a hint does to the computed delay: mode, limit, spread (`reference` sections 1 and 3).

use super::{Hint, HintSource};
use crate::{
    jitter::share,
    policy::{Beyond, HintMode, HintOptions},
    rng::Draw,
    time::Millis,
};

/// The wait after the hint was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // used, or refused, or not heard
pub enum Heard {
    /// The computed delay stands.
    Backoff(Millis),
    /// The hint decides.
    Hint(Millis),
    /// The hint is longer than `hint.maxMs` and the policy gives up.
    TooLong,
}

/// Whether the hint asks for a wait that this policy listens to; a zero is one only where it is
/// obeyed exactly.
pub fn is_heard(options: &HintOptions, hint: Hint) -> bool {
    options.mode != HintMode::Ignore
        && (hint.delay > Millis::ZERO || mode(options, hint) == HintMode::Exact)
}

/// Applies `options` to a hint beside a computed `delay`. `cap` stands in for a limit that is not
/// set; `window` is how far beyond the delay the vendor lets its own hint reach, if it says so.
pub fn hear(
    options: &HintOptions,
    hint: Option<Hint>,
    delay: Millis,
    cap: Millis,
    window: Option<Millis>,
    draw: Draw,
) -> Heard {
    let Some(hint) = hint.filter(|_| options.mode != HintMode::Ignore) else {
        return Heard::Backoff(delay);
    };
    let limit = options.max.unwrap_or(cap);
    if hint.delay > limit && options.beyond == Beyond::GiveUp {
        return Heard::TooLong;
    }
    if let (HintSource::AmzRetryAfter, Some(window)) = (hint.source, window) {
        // AWS retry spec 2.1: clamp(header, t, t + 5 s); the cap does not bound this sum.
        let bounded = hint.delay.clamp(delay, delay.plus(window));
        return if bounded > delay { Heard::Hint(bounded) } else { Heard::Backoff(delay) };
    }
    let clamped = hint.delay.min(limit);
    let wanted = clamped.plus(Millis::new(draw.between(0, share(clamped.get(), options.spread))));
    match mode(options, hint) {
        HintMode::Exact => Heard::Hint(wanted),
        HintMode::AtLeast if wanted > Millis::ZERO && wanted >= delay => Heard::Hint(wanted),
        HintMode::Override if wanted > Millis::ZERO => Heard::Hint(wanted),
        _ => Heard::Backoff(delay),
    }
}

/// The mode for this hint: a gRPC pushback is obeyed exactly, zero included (A6).
const fn mode(options: &HintOptions, hint: Hint) -> HintMode {
    match hint.source {
        HintSource::GrpcPushback => HintMode::Exact,
        _ => options.mode,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAP: Millis = Millis::new(30_000);

    fn options(mode: HintMode, beyond: Beyond) -> HintOptions {
        HintOptions { mode, beyond, max: None, spread: 0 }
    }

    fn heard(options: &HintOptions, hint: u64, delay: u64) -> Heard {
        let hint = Some(Hint::new(Millis::new(hint), HintSource::RetryAfter));
        hear(options, hint, Millis::new(delay), CAP, None, Draw::MAX)
    }

    #[test]
    fn a_hint_is_heard_unless_it_is_ignored_or_a_zero_that_is_not_obeyed_exactly() {
        use HintMode::{AtLeast, Exact, Ignore, Override};
        for (mode, source, heard_at_zero, heard_at_one) in [
            (Override, HintSource::RetryAfter, false, true),
            (AtLeast, HintSource::RetryAfter, false, true),
            (Exact, HintSource::RetryAfter, true, true),
            (Ignore, HintSource::RetryAfter, false, false),
            (Override, HintSource::GrpcPushback, true, true),
            (Ignore, HintSource::GrpcPushback, false, false),
        ] {
            for (delay, expected) in [(0, heard_at_zero), (1, heard_at_one)] {
                let hint = Hint::new(Millis::new(delay), source);
                let options = options(mode, Beyond::Clamp);
                assert_eq!(is_heard(&options, hint), expected, "{mode} {source} {delay}");
            }
        }
    }

    #[test]
    fn each_mode_treats_a_hint_its_own_way() {
        use Heard::{Backoff, Hint};
        let ms = Millis::new;
        for (mode, hint, delay, expected) in [
            (HintMode::Override, 1_000, 5_000, Hint(ms(1_000))),
            (HintMode::Override, 0, 5_000, Backoff(ms(5_000))),
            (HintMode::AtLeast, 1_000, 5_000, Backoff(ms(5_000))),
            (HintMode::AtLeast, 6_000, 5_000, Hint(ms(6_000))),
            (HintMode::AtLeast, 0, 0, Backoff(ms(0))),
            (HintMode::Exact, 0, 5_000, Hint(ms(0))),
            (HintMode::Exact, 1_000, 5_000, Hint(ms(1_000))),
            (HintMode::Ignore, 1_000, 5_000, Backoff(ms(5_000))),
        ] {
            assert_eq!(
                heard(&options(mode, Beyond::Clamp), hint, delay),
                expected,
                "{mode} {hint}"
            );
        }
    }

    #[test]
    fn a_hint_beyond_the_limit_is_clamped_or_given_up() {
        let clamp = options(HintMode::Override, Beyond::Clamp);
        assert_eq!(heard(&clamp, 86_400_000, 1), Heard::Hint(CAP));
        let give_up = options(HintMode::Override, Beyond::GiveUp);
        assert_eq!(heard(&give_up, 30_000, 1), Heard::Hint(CAP));
        assert_eq!(heard(&give_up, 30_001, 1), Heard::TooLong);
    }

    #[test]
    fn spread_lengthens_and_never_shortens() {
        let options = HintOptions { spread: 5_000, ..options(HintMode::Override, Beyond::Clamp) };
        let hint = Some(Hint::new(Millis::new(1_000), HintSource::RetryAfter));
        for (draw, expected) in [(Draw::MIN, 1_000), (Draw::MAX, 1_500)] {
            let heard = hear(&options, hint, Millis::ZERO, CAP, None, draw);
            assert_eq!(heard, Heard::Hint(Millis::new(expected)));
        }
    }

    #[test]
    fn the_aws_hint_moves_the_delay_by_at_most_its_window() {
        let options = options(HintMode::Override, Beyond::Clamp);
        let window = Some(Millis::new(5_000));
        for (hint, expected) in [
            (1_500, Heard::Hint(Millis::new(1_500))),
            (0, Heard::Backoff(Millis::new(50))),
            (10_000, Heard::Hint(Millis::new(5_050))),
        ] {
            let hint = Some(Hint::new(Millis::new(hint), HintSource::AmzRetryAfter));
            assert_eq!(hear(&options, hint, Millis::new(50), CAP, window, Draw::MIN), expected);
        }
    }
}
