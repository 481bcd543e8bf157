//! Outcome → class × delivery × basis: what happened, and whether the application may have acted.
//!
//! With an answer, the status decides, after everything on the answer that knows better: the
//! vendor's codes, the problem type, the gateway's own report. Without one, the transport error
//! does. The server's word on retrying comes over the class, the policy's over all.

mod class;
mod proxy_status;
mod retry_on;
mod status;
mod transport;
mod vendor;

pub use class::{Basis, Class, Classification, Delivery, Signal};
pub use retry_on::RetryOn;

use crate::{
    decide::is_replayed,
    hint::Hint,
    outcome::{Outcome, Response},
    profile::Profile,
};

/// Facts beside the outcome that change its meaning.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Context<'a> {
    /// The request carried an idempotency key.
    pub key_sent: bool,
    /// The vendor whose codes and headers the answer speaks.
    pub profile: Option<&'static Profile>,
    /// What the policy adds and removes.
    pub retry_on: Option<&'a RetryOn>,
    /// What the server asked for, as [`hint::read`](crate::hint::read) found it.
    pub hint: Option<Hint>,
}

/// What an outcome means.
///
/// With a response, its status and what stands beside it decide, even if there is an error too.
/// With neither, nothing is known: transient, perhaps processed. Any input gives an answer.
///
/// # Examples
///
/// A refused connection proves that the request never left:
///
/// ```
/// use retrywise::{
///     Basis, Class, Family, Outcome, TransportError,
///     classify::{Context, classify},
/// };
///
/// let refused = TransportError::new(Family::Node, "ECONNREFUSED");
/// let found = classify(&Outcome::from_error(refused), &Context::default());
/// assert_eq!(found.class, Class::Transient);
/// assert_eq!(found.basis, Basis::Transport);
/// ```
pub fn classify(outcome: &Outcome<'_>, context: &Context<'_>) -> Classification {
    let found = match (&outcome.response, &outcome.error) {
        (Some(response), _) if response.status >= 400 && is_replayed(outcome) => REPLAYED,
        (Some(response), _) => of_response(response, context),
        (None, Some(error)) => error.known.unwrap_or_else(|| transport::classify(error)),
        (None, None) => transport::unknown(),
    };
    match context.retry_on {
        Some(policy) => policy.apply(outcome, found),
        None => found,
    }
}

/// A stored answer of an earlier attempt: it will be the same again.
const REPLAYED: Classification =
    Classification::new(Class::Permanent, Delivery::Processed, Basis::None, Signal::Replayed);

/// What an answer means: what it says, then what the server says about retrying it.
fn of_response(response: &Response<'_>, context: &Context<'_>) -> Classification {
    let says_more = context.profile.is_some() || response.body.problem_type.is_some();
    if !says_more && response.plain().is_some() {
        return status::classify(response.status, context.hint, context.key_sent);
    }
    let found = of_facts(response, context);
    if found.class == Class::Success {
        return found;
    }
    match vendor::should_retry(response, context.profile) {
        // A cancelled call ends as cancelled: nothing is left to allow or to forbid.
        Some(_) if found.class == Class::Cancelled => found,
        Some(true) => {
            Classification { class: Class::Transient, signal: Signal::ShouldRetry, ..found }
        }
        Some(false) => Classification {
            class: Class::Permanent,
            signal: Signal::ShouldRetry,
            veto: true,
            ..found
        },
        None => found,
    }
}

/// What an answer says, from the most to the least specific source.
fn of_facts(response: &Response<'_>, context: &Context<'_>) -> Classification {
    let &Context { key_sent, profile, hint, .. } = context;
    profile
        .and_then(|profile| vendor::classify(response, key_sent, profile, hint))
        .or_else(|| vendor::generic(response))
        .or_else(|| proxy_status::classify(response, hint, key_sent))
        .unwrap_or_else(|| status::classify(response.status, hint, key_sent))
}

#[cfg(test)]
mod tests;
