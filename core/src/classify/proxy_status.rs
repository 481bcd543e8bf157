//! Proxy-Status (RFC 9209): a gateway that failed says at which point, and so whether the request
//! reached the origin.

use super::{
    class::{Basis, Class, Classification, Delivery, Signal},
    status, transport,
};
use crate::{hint::Hint, outcome::Response};

/// How many members of the list are read; more make the field unusable.
const MAX_MEMBERS: usize = 32;
/// How many parameters of one member are read; more make the field unusable.
const MAX_PARAMETERS: usize = 32;

/// What the gateways on the way say about an answer of 400 or more, if one of them reports an
/// error type that is known.
///
/// The member nearest the origin comes first and decides the class; the delivery is the least
/// certain that any member reports. A malformed field is ignored whole (RFC 9651 §4.2). Where the
/// status itself is a rate limit, or the error only says "the client erred", the class stays the
/// status's own.
pub(super) fn classify(
    response: &Response<'_>,
    hint: Option<Hint>,
    key_sent: bool,
) -> Option<Classification> {
    if response.status < 400 {
        return None;
    }
    let mut found: Option<Classification> = None;
    let mut members = 0;
    for line in response.header_values("proxy-status") {
        let mut rest = Reader(line);
        while !rest.is_done() {
            members += 1;
            if members > MAX_MEMBERS {
                return None;
            }
            let member = rest.member()?;
            if let Some(next) = member.meaning(response.status, hint, key_sent) {
                found = Some(found.map_or(next, |first| combine(first, next)));
            }
            rest.separator()?;
        }
    }
    found
}

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
}

impl Member<'_> {
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

/// A cursor over a structured-field list (RFC 9651 §4.2.1) that keeps nothing but two parameters.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    /// One member: an item with its parameters. `None` when it is malformed.
    fn member(&mut self) -> Option<Member<'a>> {
        self.item()?;
        let mut member = Member::default();
        let mut parameters = 0;
        while self.take(b';') {
            parameters += 1;
            if parameters > MAX_PARAMETERS {
                return None;
            }
            self.skip(b" ");
            let key = self.key()?;
            let value = if self.take(b'=') { Some(self.item()?) } else { None };
            // The last of repeated keys wins.
            match key {
                b"error" => member.error = value,
                b"rcode" => member.rcode = value,
                _ => {}
            }
        }
        Some(member)
    }

    /// The comma between members; the end of the line is as good, but not after a comma.
    fn separator(&mut self) -> Option<()> {
        self.skip(b" \t");
        if self.is_done() {
            return Some(());
        }
        if !self.take(b',') {
            return None;
        }
        self.skip(b" \t");
        if self.is_done() { None } else { Some(()) }
    }

    /// A bare item: what stands in it, without the quotes of a string.
    fn item(&mut self) -> Option<&'a [u8]> {
        match *self.0.first()? {
            b'"' => self.string(),
            b':' => self.binary(),
            _ => self.word(),
        }
    }

    fn string(&mut self) -> Option<&'a [u8]> {
        let inner = self.0.get(1..)?;
        let mut at = 0;
        loop {
            match *inner.get(at)? {
                b'"' => break,
                b'\\' if matches!(inner.get(at + 1), Some(b'"' | b'\\')) => at += 2,
                b'\\' => return None,
                0x20..=0x7e => at += 1,
                _ => return None,
            }
        }
        self.0 = inner.get(at + 1..)?;
        inner.get(..at)
    }

    fn binary(&mut self) -> Option<&'a [u8]> {
        let inner = self.0.get(1..)?;
        let end = inner.iter().position(|b| *b == b':')?;
        self.0 = inner.get(end + 1..)?;
        inner.get(..end)
    }

    /// A token, number, boolean or date: their characters are one set here, since only a token can
    /// be an error type.
    fn word(&mut self) -> Option<&'a [u8]> {
        self.run(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/?@".contains(&b))
    }

    fn key(&mut self) -> Option<&'a [u8]> {
        match *self.0.first()? {
            b'a'..=b'z' | b'*' => {}
            _ => return None,
        }
        self.run(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*'))
    }

    /// The longest run of such bytes, at least one.
    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|b| !belongs(*b)).unwrap_or(self.0.len());
        if end == 0 {
            return None;
        }
        let (run, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        Some(run)
    }

    fn take(&mut self, wanted: u8) -> bool {
        match self.0.split_first() {
            Some((first, rest)) if *first == wanted => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn skip(&mut self, blanks: &[u8]) {
        while let Some((first, rest)) = self.0.split_first() {
            if !blanks.contains(first) {
                break;
            }
            self.0 = rest;
        }
    }
}

#[cfg(test)]
mod tests;
