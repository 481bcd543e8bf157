//! What a vendor's own codes and headers say about an answer, before its status is asked.

use super::{Basis, Class, Classification, Delivery, Signal};
use crate::{
    hint::{
        Hint,
        pushback::{self, Pushback},
    },
    outcome::Response,
    profile::{Facts, Profile},
    text::after,
};

/// What the rules of `profile` make of the answer; nothing if none applies, and the status decides.
pub(crate) fn classify(
    response: &Response<'_>,
    key_sent: bool,
    profile: &'static Profile,
    hint: Option<Hint>,
) -> Option<Classification> {
    let retry_after = Hint::is_retry_after(hint);
    let rule = profile.rule(&Facts { response, key_sent, retry_after })?;
    Some(rule.classification(response.status))
}

/// What needs no profile: a gateway that dropped the request, a registered problem type.
pub(crate) fn generic(response: &Response<'_>) -> Option<Classification> {
    if response.status < 400 {
        return None;
    }
    if response.header("x-envoy-overloaded").is_some() {
        // Envoy router filter: dropped by maintenance mode or circuit breaking, never forwarded.
        return Some(throttled(response.status, Basis::Gateway, Signal::Vendor));
    }
    let problem = response.body.problem_type?;
    names_a_limit(problem).then(|| throttled(response.status, Basis::Status, Signal::ProblemType))
}

/// Whether the server itself says to retry or not to: `x-should-retry` and `Stripe-Should-Retry`
/// are `true` or `false` to the letter, and a gRPC pushback may forbid. A no outweighs a yes.
pub(crate) fn should_retry(
    response: &Response<'_>,
    profile: Option<&'static Profile>,
) -> Option<bool> {
    if response.headers.is_empty() {
        return None;
    }
    if pushback::read(response, profile) == Pushback::Forbidden {
        return Some(false);
    }
    let said = |word: &[u8]| {
        let mut headers = ["x-should-retry", "stripe-should-retry"].iter();
        headers.any(|name| response.header_values(name).any(|value| value == word))
    };
    if said(b"false") { Some(false) } else { said(b"true").then_some(true) }
}

/// The problem types of draft-ietf-httpapi-ratelimit-headers, which the IANA registry names.
fn names_a_limit(problem_type: &str) -> bool {
    const REGISTRY: &str = "//iana.org/assignments/http-problem-types#";
    let name = after(problem_type, REGISTRY).unwrap_or_default();
    matches!(name, "quota-exceeded" | "temporary-reduced-capacity" | "abnormal-usage-detected")
}

fn throttled(status: u16, basis: Basis, signal: Signal) -> Classification {
    Classification {
        rate_limit: !(500..=599).contains(&status),
        ..Classification::new(Class::Throttled, Delivery::NotProcessed, basis, signal)
    }
}

#[cfg(test)]
mod tests;
