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
