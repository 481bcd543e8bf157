//! Proxy-Status (RFC 9209): a gateway that failed says at which point, and so whether the request
//! reached the origin.

use super::{
    class::{Basis, Class, Classification, Delivery, Signal},
    status, transport,
};
use crate::{hint::Hint, outcome::Response, scan::Scan, structured};

/// How many members of the list are read; more make the field unusable.
const MAX_MEMBERS: usize = 32;

/// What the gateways on the way say about an answer of 400 or more, if one of them reports an
/// error type that is known.
///
/// The member nearest the origin comes first and decides the class; the delivery is the least
/// certain that any member reports, and no error proves anything where that member, or one nearer
/// the origin, was answered (`received-status`): who answered may have acted. A malformed field is
/// ignored whole (RFC 9651 §4.2). Where the status itself is a rate limit, or the error only says
/// "the client erred", the class stays the status's own.
pub(super) fn classify(
    response: &Response<'_>,
    hint: Option<Hint>,
    key_sent: bool,
) -> Option<Classification> {
    if response.status < 400 || response.headers.is_empty() {
        return None;
    }
    let mut found: Option<Classification> = None;
    let mut answered = false;
    let mut members = 0;
    for line in response.header_values("proxy-status") {
        structured::list(line, |_, scan| {
            members += 1;
            if members > MAX_MEMBERS {
                return None;
            }
            let member = Member::read(scan)?;
            answered |= member.answered;
            if let Some(next) = member.meaning(response.status, hint, key_sent) {
                let next = if answered { combine(next, UNCERTAIN) } else { next };
                found = Some(found.map_or(next, |first| combine(first, next)));
            }
            Some(())
        })?;
    }
    found
}

/// What an answer from behind leaves of a proof.
const UNCERTAIN: Classification = blame(Class::Transient, Delivery::MaybeProcessed);

/// The first member's answer, with the weaker delivery of the two.
const fn combine(first: Classification, next: Classification) -> Classification {
    match (first.delivery, next.delivery) {
        (Delivery::NotProcessed, Delivery::NotProcessed) => first,
        (Delivery::NotProcessed, delivery) => {
            Classification { delivery, basis: Basis::None, ..first }
        }
        _ => first,
    }
}

/// What one member of the list reports.
#[derive(Default)]
struct Member<'a> {
    /// The `error` parameter (RFC 9209 §2.1.1).
    error: Option<&'a [u8]>,
    /// The `rcode` parameter of a DNS error (§2.3.2).
    rcode: Option<&'a [u8]>,
    /// Whether there is a `received-status` parameter (§2.1.4): the next hop answered.
    answered: bool,
}

impl<'a> Member<'a> {
    /// Reads the parameters of a member.
    fn read(scan: &mut Scan<'a>) -> Option<Self> {
        let mut member = Self::default();
        structured::parameters(scan, |key, value| match key {
            b"error" => member.error = value.text(),
            b"rcode" => member.rcode = value.text(),
            b"received-status" => member.answered = true,
            _ => {}
        })?;
        Some(member)
    }

    fn meaning(&self, code: u16, hint: Option<Hint>, key_sent: bool) -> Option<Classification> {
        let error = core::str::from_utf8(self.error?).ok()?;
        let own = status::classify(code, hint, key_sent);
        let mut found = match error {
            // §2.3.31 (proxy_loop_detected) is the case that wasi:http calls loop-detected.
            "proxy_loop_detected" => blame(Class::Permanent, Delivery::NotProcessed),
            "proxy_configuration_error" => blame(Class::Permanent, Delivery::NotProcessed),
            // The intermediary answered by itself, before or instead of forwarding.
            "proxy_internal_response" => blame(Class::Transient, Delivery::NotProcessed),
            "proxy_internal_error" => blame(Class::Transient, Delivery::MaybeProcessed),
            "http_request_error" => blame(own.class, Delivery::NotProcessed),
            _ => {
                let fact = transport::proxy_fact(error)?;
                let rcode = self.rcode.and_then(|rcode| core::str::from_utf8(rcode).ok());
                match rcode {
                    Some(rcode) if error == "dns_error" => transport::dns_fact(rcode),
                    _ => fact,
                }
                .classification()
            }
        };
        if found.delivery == Delivery::NotProcessed {
            found.basis = Basis::Gateway;
        }
        if own.rate_limit {
            found.class = own.class;
        }
        found.local = false; // the gateway's limits are not the caller's
        found.rate_limit = own.rate_limit;
        found.signal = Signal::ProxyStatus;
        Some(found)
    }
}

const fn blame(class: Class, delivery: Delivery) -> Classification {
    Classification::new(class, delivery, Basis::None, Signal::ProxyStatus)
}

#[cfg(test)]
mod tests;
