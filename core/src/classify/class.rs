//! The three answers of a classification: which kind, was it delivered, how do we know.

use crate::codes::codes;

codes! {
    /// Which kind of outcome it was.
    pub enum Class {
        /// A definite answer that needs no repeating.
        Success = 0 => "success",
        /// A fault that may pass.
        Transient = 1 => "transient",
        /// The server asks for less.
        Throttled = 2 => "throttled",
        /// Repeating the same request gives the same answer.
        Permanent = 3 => "permanent",
        /// The caller asked to stop.
        Cancelled = 4 => "cancelled",
    }
}

codes! {
    /// Whether the application may have acted on the request.
    pub enum Delivery {
        /// The application certainly did not act; [`Basis`] says how certain.
        NotProcessed = 0 => "not_processed",
        /// Unknown.
        MaybeProcessed = 1 => "maybe_processed",
        /// A definite answer came back: done or rejected.
        Processed = 2 => "processed",
    }
}

codes! {
    /// What a [`Delivery::NotProcessed`] rests on, strongest first. `safety: proven` accepts all
    /// but the last, `presumed` also the last, `never` none.
    pub enum Basis {
        /// Not a `not_processed`: nothing to prove.
        None = 0 => "none",
        /// The request never left: refused, no route, DNS, TLS handshake, connect timeout.
        Transport = 1 => "transport",
        /// The protocol says so: `REFUSED_STREAM`, GOAWAY above the last id, 421, 425.
        Protocol = 2 => "protocol",
        /// A gateway says so: a Proxy-Status or vendor code.
        Gateway = 3 => "gateway",
        /// The status is customarily sent before processing (429, 503 with Retry-After, 408,
        /// 529 …): custom, not proof.
        Status = 4 => "status",
    }
}

codes! {
    /// Which rule gave the classification.
    pub enum Signal {
        /// The status code by itself.
        Status = 0 => "status",
        /// The status together with a usable Retry-After.
        RetryAfter = 1 => "retry-after",
        /// The status together with a request key.
        Key = 2 => "key",
        /// A Proxy-Status parameter (RFC 9209).
        ProxyStatus = 3 => "proxy-status",
        /// A code or header of the vendor profile.
        Vendor = 4 => "vendor",
        /// A problem type (RFC 9457).
        ProblemType = 5 => "problem-type",
        /// The server said whether to retry (`x-should-retry`, `Stripe-Should-Retry`, gRPC pushback).
        ShouldRetry = 6 => "should-retry",
        /// A transport error that the tables know.
        Transport = 7 => "transport",
        /// A transport error that no table knows, or an outcome that says nothing.
        Unknown = 8 => "unknown",
        /// The policy's `retryOn.….add`.
        PolicyAdd = 9 => "policy-add",
        /// The policy's `retryOn.….remove`.
        PolicyRemove = 10 => "policy-remove",
        /// The server replayed a stored answer (`Idempotent-Replayed: true`).
        Replayed = 11 => "replayed",
    }
}

/// What an outcome means: class × delivery, with its basis and the rule that said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classification {
    /// Which kind of outcome.
    pub class: Class,
    /// Whether the application may have acted.
    pub delivery: Delivery,
    /// What a `not_processed` rests on; [`Basis::None`] for the other deliveries.
    pub basis: Basis,
    /// The rule that gave the answer.
    pub signal: Signal,
    /// The server said no: `x-should-retry: false`, `Stripe-Should-Retry: false`, a negative or
    /// unreadable gRPC pushback. A settle tests this before the class.
    pub veto: bool,
    /// The fault lies in the request or on this machine (bad URL, too long a body): it says nothing
    /// about the upstream, so the breaker ignores it.
    pub local: bool,
    /// A rate limit or overload of the caller's making (429 and other rate limits): the breaker
    /// ignores it; throttling by a 5xx does count.
    pub rate_limit: bool,
}

impl Classification {
    /// A classification without veto, not local, no rate limit.
    pub(crate) const fn new(
        class: Class,
        delivery: Delivery,
        basis: Basis,
        signal: Signal,
    ) -> Self {
        Self { class, delivery, basis, signal, veto: false, local: false, rate_limit: false }
    }

    /// The caller gave up: whether the application acted is unknown.
    pub const fn cancelled() -> Self {
        Self::new(Class::Cancelled, Delivery::MaybeProcessed, Basis::None, Signal::Status)
    }

    /// Whether another attempt could help at all.
    pub const fn is_retryable(&self) -> bool {
        matches!(self.class, Class::Transient | Class::Throttled) && !self.veto
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_attempt_helps_what_passes_unless_somebody_forbids_it() {
        for &class in Class::ALL {
            let mut found =
                Classification::new(class, Delivery::MaybeProcessed, Basis::None, Signal::Status);
            let passes = matches!(class, Class::Transient | Class::Throttled);
            assert_eq!(found.is_retryable(), passes, "{class}");
            found.veto = true;
            assert!(!found.is_retryable(), "{class}");
        }
    }
}
