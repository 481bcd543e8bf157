//! What one ended attempt tells a limiter.

use crate::{
    classify::{Class, Classification},
    hint::{self, Hint, Quota},
    outcome::Outcome,
    profile::Profile,
    time::{Millis, UnixMillis},
};

/// What one ended attempt tells. The default: nothing came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct News {
    /// The server answered.
    pub answered: bool,
    /// What it says is left.
    pub quota: Option<Quota>,
    /// It refused for the sake of its limits: the wait it asked for, `Some(None)` if it named
    /// none.
    pub wait: Option<Option<Millis>>,
}

impl News {
    /// Reads an outcome. A refusal is a rate limit, or a throttling (a 503) that names a wait.
    pub fn of(
        outcome: &Outcome<'_>,
        classification: &Classification,
        hint: Option<Hint>,
        wall: Option<UnixMillis>,
        profile: Option<&'static Profile>,
    ) -> Self {
        let Some(response) = &outcome.response else { return Self::default() };
        let throttled = classification.class == Class::Throttled;
        let wait = match hint {
            Some(hint) if throttled || classification.rate_limit => Some(Some(hint.delay)),
            None if throttled && classification.rate_limit => Some(None),
            _ => None,
        };
        Self { answered: true, quota: hint::quota(response, wall, profile), wait }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        classify::{Basis, Delivery, Signal},
        hint::HintSource,
    };

    #[test]
    fn a_refusal_is_a_rate_limit_or_a_throttling_that_names_a_wait() {
        let delay = Millis::new(700);
        for (class, rate_limit, named, unnamed) in [
            (Class::Throttled, true, Some(Some(delay)), Some(None)),
            (Class::Throttled, false, Some(Some(delay)), None),
            (Class::Permanent, true, Some(Some(delay)), None),
            (Class::Transient, false, None, None),
            (Class::Success, false, None, None),
        ] {
            let delivery = Delivery::NotProcessed;
            let mut found = Classification::new(class, delivery, Basis::None, Signal::Status);
            found.rate_limit = rate_limit;
            let of = |outcome: &Outcome<'_>, hint| News::of(outcome, &found, hint, None, None);
            let outcome = Outcome::from_response(429, &[]);
            let hint = Hint::new(delay, HintSource::RetryAfter);
            assert_eq!(of(&outcome, Some(hint)).wait, named, "{class} {rate_limit}");
            assert_eq!(of(&outcome, None).wait, unnamed, "{class} {rate_limit}");
            assert!(of(&outcome, None).answered);
            assert_eq!(of(&Outcome::default(), Some(hint)), News::default(), "nothing came back");
        }
    }
}
