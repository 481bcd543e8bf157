//! What a status code means by itself, with a usable wait beside it, or with a key that was sent
//! (RFC 9110 §15, RFC 6585, RFC 8470, and what the field does where they are silent).

use super::class::{Basis, Class, Classification, Delivery, Signal};
use crate::hint::Hint;

/// The meaning of `status`. `hint` is what the server asked for, whatever its source; `key_sent`
/// tells that the request carried an idempotency key.
///
/// - A status that the table does not name counts as its hundred does (RFC 9110 §15): 2xx and 3xx
///   success, 4xx permanent, 5xx transient.
/// - 101 is a success. Any other 1xx is not an answer: if a client hands one over as the last word,
///   the final answer is unknown, and the outcome is transient with an open delivery.
/// - Anything outside 100..=599 is no HTTP status: permanent, processed.
pub(super) fn classify(status: u16, hint: Option<Hint>, key_sent: bool) -> Classification {
    let asked_to_wait = Hint::is_retry_after(hint);
    let mut found = match status {
        // Conditional on what stands beside the status.
        413 if asked_to_wait => by_custom(Class::Transient),
        423 if asked_to_wait => answer(Class::Transient),
        503 if asked_to_wait => by_custom(Class::Throttled),
        409 if key_sent => open(Class::Transient), // the first request is still running
        // By custom sent before anything was done.
        408 => by_custom(Class::Transient),
        420 | 429 | 509 | 529 => by_custom(Class::Throttled),
        // RFC 9110 §15.5.20 and RFC 8470 §5.2: not processed, by definition.
        421 | 425 => never(Class::Transient, Basis::Protocol),
        // A gateway speaks for an origin that it could not reach (Cloudflare), or that the
        // request never got to (RFC 6585 §6).
        521 | 523 | 525 | 530 => never(Class::Transient, Basis::Gateway),
        511 | 526 => never(Class::Permanent, Basis::Gateway),
        499 => open(Class::Cancelled),
        101 | 200..=399 => answer(Class::Success),
        // Deterministic for the same request: not implemented, version, negotiation, storage,
        // loop, extension.
        400..=498 | 501 | 505..=508 | 510 => answer(Class::Permanent),
        100..=199 | 500..=599 => open(Class::Transient),
        _ => answer(Class::Permanent),
    };
    found.signal = match status {
        413 | 423 | 503 if asked_to_wait => Signal::RetryAfter,
        409 if key_sent => Signal::Key,
        _ => Signal::Status,
    };
    found.rate_limit = matches!(status, 420 | 429);
    found
}

const fn answer(class: Class) -> Classification {
    Classification::new(class, Delivery::Processed, Basis::None, Signal::Status)
}

const fn open(class: Class) -> Classification {
    Classification::new(class, Delivery::MaybeProcessed, Basis::None, Signal::Status)
}

const fn by_custom(class: Class) -> Classification {
    never(class, Basis::Status)
}

const fn never(class: Class, basis: Basis) -> Classification {
    Classification::new(class, Delivery::NotProcessed, basis, Signal::Status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hint::HintSource, time::Millis};

    fn bare(status: u16) -> Classification {
        classify(status, None, false)
    }

    fn waiting(status: u16, source: HintSource) -> Classification {
        classify(status, Some(Hint::new(Millis::from_secs(5), source)), false)
    }

    #[test]
    fn a_wait_makes_413_423_and_503_retryable_in_three_ways() {
        for source in [
            HintSource::RetryAfter,
            HintSource::RetryAfterMs,
            HintSource::MsRetryAfterMs,
            HintSource::AmzRetryAfter,
            HintSource::Body,
        ] {
            let too_large = waiting(413, source);
            assert_eq!(too_large.class, Class::Transient);
            assert_eq!(too_large.basis, Basis::Status);
            let locked = waiting(423, source);
            assert_eq!(locked.class, Class::Transient);
            assert_eq!(locked.delivery, Delivery::Processed);
            let unavailable = waiting(503, source);
            assert_eq!(unavailable.class, Class::Throttled);
            assert_eq!(unavailable.basis, Basis::Status);
            assert_eq!(unavailable.signal, Signal::RetryAfter);
        }
        for status in [413, 423, 503] {
            assert_eq!(waiting(status, HintSource::RetryAfter).signal, Signal::RetryAfter);
            assert_eq!(bare(status).signal, Signal::Status, "without a wait");
        }
        assert_eq!(bare(413).class, Class::Permanent);
        assert_eq!(bare(423).class, Class::Permanent);
        assert_eq!(bare(503).delivery, Delivery::MaybeProcessed);
    }

    #[test]
    fn the_reset_of_a_quota_is_no_wait_that_the_server_asked_for() {
        for source in [HintSource::RateLimit, HintSource::BucketReset, HintSource::Reset] {
            assert_eq!(waiting(503, source), bare(503));
            assert_eq!(waiting(413, source), bare(413));
        }
    }

    #[test]
    fn a_conflict_passes_only_when_a_key_was_sent() {
        assert_eq!(bare(409), answer(Class::Permanent));
        let running = classify(409, None, true);
        assert_eq!((running.class, running.signal), (Class::Transient, Signal::Key));
        assert_eq!(running.delivery, Delivery::MaybeProcessed);
        assert_eq!(classify(422, None, true), bare(422));
    }

    #[test]
    fn rate_limits_below_500_are_the_callers_making() {
        for status in 0..=999 {
            assert_eq!(bare(status).rate_limit, matches!(status, 420 | 429), "{status}");
        }
    }

    #[test]
    fn what_the_same_request_will_meet_again_is_permanent() {
        for status in (400..=407).chain([498, 501, 505, 506, 507, 508, 510]) {
            assert_eq!(bare(status), answer(Class::Permanent), "{status}");
        }
    }

    #[test]
    fn a_request_that_came_too_slowly_was_not_processed_by_custom() {
        assert_eq!(bare(408), by_custom(Class::Transient));
    }

    #[test]
    fn misdirected_and_too_early_are_proven_by_the_protocol() {
        for status in [421, 425] {
            assert_eq!(bare(status).basis, Basis::Protocol);
            assert_eq!(bare(status).class, Class::Transient);
        }
    }

    #[test]
    fn a_gateway_vouches_for_what_it_could_not_deliver() {
        for status in [521, 523, 525, 530] {
            assert_eq!(bare(status).basis, Basis::Gateway);
            assert_eq!(bare(status).class, Class::Transient);
        }
        for status in [520, 522, 524, 527] {
            assert_eq!(bare(status).delivery, Delivery::MaybeProcessed);
        }
        assert_eq!(bare(526).class, Class::Permanent);
        assert_eq!(bare(526).delivery, Delivery::NotProcessed);
    }

    #[test]
    fn an_unnamed_status_counts_as_its_hundred() {
        for (status, class) in [
            (100, Class::Transient),
            (101, Class::Success),
            (199, Class::Transient),
            (299, Class::Success),
            (399, Class::Success),
            (498, Class::Permanent),
            (500, Class::Transient),
            (592, Class::Transient),
            (599, Class::Transient),
        ] {
            assert_eq!(bare(status).class, class, "{status}");
        }
    }

    #[test]
    fn outside_the_range_of_http_nothing_is_retried() {
        for status in (0..100).chain(600..=u16::MAX) {
            assert_eq!(bare(status), answer(Class::Permanent), "{status}");
        }
    }

    #[test]
    fn only_a_not_processed_has_a_basis() {
        for status in 0..=u16::MAX {
            for found in [bare(status), waiting(status, HintSource::RetryAfter)] {
                let based = found.basis != Basis::None;
                assert_eq!(based, found.delivery == Delivery::NotProcessed, "{status}");
            }
        }
    }
}
