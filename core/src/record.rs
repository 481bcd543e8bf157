//! Step 0 of a settle: how an outcome counts for the breaker and for the budget (`reference`
//! section 3).

use crate::{
    breaker::Sample,
    classify::{Class, Classification},
    outcome::Outcome,
};

/// How one outcome counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    /// For the breaker.
    pub(crate) sample: Sample,
    /// For the budget.
    pub(crate) credit: Credit,
}

/// What the budget earns or loses by an outcome, whatever is decided after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Credit {
    /// A success puts back.
    Success,
    /// A failure that could be retried, or after which the server forbids it, takes.
    Failure,
    /// Anything else.
    Nothing,
}

/// How the outcome counts. A replayed answer neither feeds the breaker nor earns budget: it says
/// how an earlier attempt ended.
pub(crate) fn effect(
    outcome: &Outcome<'_>,
    classification: &Classification,
    replayed: bool,
) -> Effect {
    if replayed {
        return Effect { sample: Sample::Ignored, credit: Credit::Nothing };
    }
    let credit = match classification.class {
        Class::Success => Credit::Success,
        Class::Transient | Class::Throttled => Credit::Failure,
        _ if classification.veto => Credit::Failure,
        _ => Credit::Nothing,
    };
    Effect { sample: sample(outcome, classification), credit }
}

fn sample(outcome: &Outcome<'_>, classification: &Classification) -> Sample {
    if classification.local {
        return Sample::Ignored;
    }
    match classification.class {
        Class::Success => Sample::Success,
        Class::Cancelled => Sample::Cancelled,
        // A 429 is our own haste, whatever the server or the policy make of its class; a 5xx that
        // throttles is an upstream in trouble.
        Class::Transient | Class::Throttled if classification.rate_limit => Sample::Ignored,
        Class::Transient | Class::Throttled => Sample::Failure,
        Class::Permanent => match outcome.status() {
            // "Do not retry" on a 5xx is still a server that failed.
            Some(status) if classification.veto && status >= 500 => Sample::Failure,
            Some(_) if classification.rate_limit => Sample::Ignored,
            Some(_) => Sample::Success,
            // Certificate and TLS failures: it could not even be reached.
            None => Sample::Failure,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        classify::{Basis, Delivery, Signal},
        decide::is_replayed,
        outcome::{Header, TransportError},
    };

    fn counts(outcome: &Outcome<'_>, class: Class, change: impl Fn(&mut Classification)) -> Effect {
        let mut classification =
            Classification::new(class, Delivery::MaybeProcessed, Basis::None, Signal::Status);
        change(&mut classification);
        effect(outcome, &classification, is_replayed(outcome))
    }

    #[test]
    fn an_answer_that_rejects_the_request_shows_a_healthy_upstream() {
        let outcome = Outcome::from_response(404, &[]);
        let effect = counts(&outcome, Class::Permanent, |_| {});
        assert_eq!(effect, Effect { sample: Sample::Success, credit: Credit::Nothing });
    }

    #[test]
    fn a_success_earns_for_everybody() {
        let outcome = Outcome::from_response(200, &[]);
        let effect = counts(&outcome, Class::Success, |_| {});
        assert_eq!(effect, Effect { sample: Sample::Success, credit: Credit::Success });
    }

    #[test]
    fn what_a_final_answer_says_of_the_upstream() {
        for (status, veto, rate_limit, sample) in [
            (499, false, false, Sample::Success),
            (500, false, false, Sample::Success),
            (499, true, false, Sample::Success),
            (500, true, false, Sample::Failure),
            (429, false, true, Sample::Ignored),
            (429, true, true, Sample::Ignored),
        ] {
            let found = counts(&Outcome::from_response(status, &[]), Class::Permanent, |c| {
                (c.veto, c.rate_limit) = (veto, rate_limit);
            });
            assert_eq!(found.sample, sample, "{status} {veto} {rate_limit}");
        }
    }

    #[test]
    fn a_rate_limit_is_our_own_haste_and_an_overload_is_not() {
        let outcome = Outcome::from_response(429, &[]);
        let limited = counts(&outcome, Class::Throttled, |c| c.rate_limit = true);
        assert_eq!(limited, Effect { sample: Sample::Ignored, credit: Credit::Failure });
        // `x-should-retry: true` makes it transient; it is a rate limit all the same.
        let told = counts(&outcome, Class::Transient, |c| c.rate_limit = true);
        assert_eq!(told.sample, Sample::Ignored);
        let outcome = Outcome::from_response(503, &[]);
        assert_eq!(counts(&outcome, Class::Throttled, |_| {}).sample, Sample::Failure);
    }

    #[test]
    fn a_certificate_counts_against_the_upstream_and_a_bad_url_against_nobody() {
        let outcome = Outcome::from_error(TransportError::default());
        assert_eq!(counts(&outcome, Class::Permanent, |_| {}).sample, Sample::Failure);
        assert_eq!(counts(&outcome, Class::Permanent, |c| c.local = true).sample, Sample::Ignored);
        assert_eq!(counts(&outcome, Class::Transient, |c| c.local = true).sample, Sample::Ignored);
    }

    #[test]
    fn a_replayed_answer_counts_nowhere() {
        let headers = [Header::new("Idempotent-Replayed", b"true")];
        for (status, class) in [(200, Class::Success), (500, Class::Transient)] {
            let effect = counts(&Outcome::from_response(status, &headers), class, |_| {});
            assert_eq!(effect, Effect { sample: Sample::Ignored, credit: Credit::Nothing });
        }
    }

    #[test]
    fn a_server_error_with_a_veto_is_still_a_failure() {
        let outcome = Outcome::from_response(503, &[]);
        let effect = counts(&outcome, Class::Permanent, |c| c.veto = true);
        assert_eq!(effect, Effect { sample: Sample::Failure, credit: Credit::Failure });
    }
}
