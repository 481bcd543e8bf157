//! Every error type of RFC 9209, and every way in which the field can be malformed.

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
    let basis = if found.delivery == Delivery::NotProcessed { Basis::Gateway } else { Basis::None };
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
    let line = "r34.example.net; error=connection_refused; rcode=NXDOMAIN";
    assert_eq!(said(502, line), (Class::Transient, Delivery::NotProcessed));
}

#[test]
fn below_400_a_gateway_reports_nothing_about_a_failure() {
    assert_eq!(read(200, &[b"cdn; error=connection_refused"]), None);
    assert_eq!(read(399, &[b"cdn; error=connection_refused"]), None);
    assert!(read(400, &[b"cdn; error=http_request_error"]).is_some());
}

#[test]
fn the_least_certain_delivery_of_all_hops_stands() {
    let refused = (Class::Transient, Delivery::NotProcessed);
    assert_eq!(said(502, "gw; error=connection_refused, cdn"), refused);
    assert_eq!(said(502, "gw, cdn; error=connection_refused"), refused);
    let open = (Class::Transient, Delivery::MaybeProcessed);
    assert_eq!(said(502, "gw; error=connection_refused, cdn; error=http_response_timeout"), open);
    let two = read(502, &[b"gw; error=connection_refused", b"cdn; error=http_response_timeout"]);
    assert_eq!(two.map(|found| found.delivery), Some(Delivery::MaybeProcessed));
}

#[test]
fn text_inside_a_string_is_not_a_parameter() {
    let line = r#"gw; details="a \"b\"; error=connection_refused"; error=http_response_timeout"#;
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
        b"gw; 1st=x; error=connection_refused",
        b"gw; error=",
        b"gw; details=\"x; error=connection_refused",
        b"; error=connection_refused",
        b"gw; error=connection_refused,,cdn",
        b"gw; error=connection_refused \xff",
        b"gw; error=connection_refused; x=1.2.3",
        b"10.0.0.1; error=connection_refused",
        b"(gw cdn); error=connection_refused",
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
fn two_hops_that_sent_nothing_on_vouch_for_it_together() {
    let refused = b"a; error=connection_refused, b; error=connection_refused";
    let found = read(502, &[refused]).unwrap();
    assert_eq!((found.delivery, found.basis), (Delivery::NotProcessed, Basis::Gateway));
    let doubtful = b"a; error=connection_refused, b; error=proxy_internal_error";
    let found = read(502, &[doubtful]).unwrap();
    assert_eq!((found.delivery, found.basis), (Delivery::MaybeProcessed, Basis::None));
}

#[test]
fn an_error_proves_nothing_where_a_hop_towards_the_origin_was_answered() {
    for line in [
        "a; received-status=500, b; error=connection_refused",
        "a; error=connection_refused; received-status=500",
    ] {
        assert_eq!(said(502, line), (Class::Transient, Delivery::MaybeProcessed), "{line}");
    }
    // The outer hop was answered by the gateway that was refused.
    let outer = "a; error=connection_refused, b; received-status=502";
    assert_eq!(said(502, outer), (Class::Transient, Delivery::NotProcessed));
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
}

#[test]
fn a_field_of_more_hops_than_any_way_has_is_ignored_whole() {
    let hops = |count: usize| [&b"a,".repeat(count)[..], b"b; error=connection_refused"].concat();
    assert!(read(502, &[&hops(MAX_MEMBERS - 1)]).is_some());
    assert_eq!(read(502, &[&hops(MAX_MEMBERS)]), None);
    let (first, last) = (hops(MAX_MEMBERS / 2 - 1), hops(MAX_MEMBERS / 2));
    assert_eq!(read(502, &[&first, &last]), None, "counted over all lines");
}
