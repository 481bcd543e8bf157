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
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::outcome::{Header, Outcome};

    fn read(status: u16, lines: &[&[u8]]) -> Option<Classification> {
        let headers: Vec<_> = lines.iter().map(|line| Header::new("Proxy-Status", line)).collect();
        classify(&Outcome::from_response(status, &headers).response?, None, false)
    }

    fn said(status: u16, line: &str) -> (Class, Delivery) {
        let found = read(status, &[line.as_bytes()]).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(found.signal, Signal::ProxyStatus);
        assert!(!found.local, "{line}");
        let basis =
            if found.delivery == Delivery::NotProcessed { Basis::Gateway } else { Basis::None };
        assert_eq!(found.basis, basis, "{line}");
        (found.class, found.delivery)
    }

    #[test]
    fn every_error_type_has_a_meaning() {
        use Class::{Permanent, Throttled, Transient};
        use Delivery::{MaybeProcessed as Maybe, NotProcessed as Not, Processed};
        for (error, class, delivery) in [
            ("dns_timeout", Transient, Not),
            ("dns_error", Transient, Not),
            ("destination_not_found", Permanent, Not),
            ("destination_unavailable", Transient, Not),
            ("destination_ip_prohibited", Permanent, Not),
            ("destination_ip_unroutable", Transient, Not),
            ("connection_refused", Transient, Not),
            ("connection_terminated", Transient, Maybe),
            ("connection_timeout", Transient, Not),
            ("connection_read_timeout", Transient, Maybe),
            ("connection_write_timeout", Transient, Maybe),
            ("connection_limit_reached", Throttled, Not),
            ("tls_protocol_error", Permanent, Maybe),
            ("tls_certificate_error", Permanent, Not),
            ("tls_alert_received", Permanent, Maybe),
            ("http_request_error", Transient, Not),
            ("http_request_denied", Permanent, Not),
            ("http_response_incomplete", Transient, Maybe),
            ("http_response_header_section_size", Permanent, Processed),
            ("http_response_header_size", Permanent, Processed),
            ("http_response_body_size", Permanent, Processed),
            ("http_response_trailer_section_size", Permanent, Processed),
            ("http_response_trailer_size", Permanent, Processed),
            ("http_response_transfer_coding", Transient, Maybe),
            ("http_response_content_coding", Permanent, Processed),
            ("http_response_timeout", Transient, Maybe),
            ("http_upgrade_failed", Permanent, Not),
            ("http_protocol_error", Transient, Maybe),
            ("proxy_internal_response", Transient, Not),
            ("proxy_internal_error", Transient, Maybe),
            ("proxy_configuration_error", Permanent, Not),
            ("proxy_loop_detected", Permanent, Not),
        ] {
            let line = std::format!("edge.example; error={error}");
            assert_eq!(said(502, &line), (class, delivery), "{error}");
        }
    }

    #[test]
    fn a_name_that_does_not_exist_is_permanent_at_the_gateway_too() {
        let line = "r34.example.net; error=dns_error; rcode=\"NXDOMAIN\"; info-code=0";
        assert_eq!(said(502, line), (Class::Permanent, Delivery::NotProcessed));
        let line = "r34.example.net; error=dns_error; rcode=SERVFAIL";
        assert_eq!(said(502, line), (Class::Transient, Delivery::NotProcessed));
    }

    #[test]
    fn below_400_a_gateway_reports_nothing_about_a_failure() {
        assert_eq!(read(200, &[b"cdn; error=connection_refused"]), None);
    }

    #[test]
    fn the_least_certain_delivery_of_all_hops_stands() {
        let refused = (Class::Transient, Delivery::NotProcessed);
        assert_eq!(said(502, "gw; error=connection_refused, cdn"), refused);
        assert_eq!(said(502, "gw, cdn; error=connection_refused"), refused);
        let open = (Class::Transient, Delivery::MaybeProcessed);
        assert_eq!(
            said(502, "gw; error=connection_refused, cdn; error=http_response_timeout"),
            open
        );
        let two =
            read(502, &[b"gw; error=connection_refused", b"cdn; error=http_response_timeout"]);
        assert_eq!(two.map(|found| found.delivery), Some(Delivery::MaybeProcessed));
    }

    #[test]
    fn text_inside_a_string_is_not_a_parameter() {
        let line =
            r#"gw; details="a \"b\"; error=connection_refused"; error=http_response_timeout"#;
        assert_eq!(said(504, line), (Class::Transient, Delivery::MaybeProcessed));
        assert_eq!(read(502, &[br#""gw; error=connection_refused""#]), None);
        assert_eq!(said(502, "\"gw, 1\"; error=\"connection_refused\"").1, Delivery::NotProcessed);
    }

    #[test]
    fn a_malformed_field_is_ignored_whole() {
        for line in [
            &b"gw; error=connection_refused,"[..],
            b"gw ; error=connection_refused",
            b"gw; Error=connection_refused",
            b"gw; error=",
            b"gw; details=\"x; error=connection_refused",
            b"; error=connection_refused",
            b"gw; error=connection_refused,,cdn",
            b"gw; error=connection_refused \xff",
            b",",
            b"",
        ] {
            assert_eq!(read(502, &[line]), None, "{}", line.escape_ascii());
        }
        // A good line beside a bad one is no better: the two are one field.
        assert_eq!(read(502, &[b"gw; error=connection_refused", b"cdn;"]), None);
    }

    #[test]
    fn the_last_of_repeated_parameters_wins() {
        let line = "gw; error=connection_refused; error=http_response_timeout";
        assert_eq!(said(502, line).1, Delivery::MaybeProcessed);
    }

    #[test]
    fn an_unknown_error_type_says_nothing() {
        assert_eq!(read(502, &[b"gw; error=phase_of_the_moon"]), None);
        assert_eq!(read(502, &[b"gw; received-status=500"]), None);
        assert_eq!(read(502, &[b"gw; error"]), None);
    }

    #[test]
    fn a_rate_limit_at_the_gateway_stays_one_and_gains_proof() {
        let found = read(429, &[b"cdn; error=http_request_denied"]).unwrap();
        assert_eq!(found.class, Class::Throttled);
        assert_eq!(found.basis, Basis::Gateway);
        assert!(found.rate_limit);
    }

    #[test]
    fn any_bytes_give_a_value() {
        let mut rng = crate::rng::Rng::new(9209);
        for _ in 0..20_000 {
            let line: Vec<u8> = (0..rng.draw().between(0, 40))
                .map(|_| {
                    let alphabet = b"a;=, \"\\:error-1\t\xff";
                    alphabet[rng.draw().between(0, alphabet.len() as u64 - 1) as usize]
                })
                .collect();
            let _ = read(502, &[&line]);
        }
        let long = b"a,".repeat(5000);
        assert_eq!(read(502, &[&long]), None);
    }
}
