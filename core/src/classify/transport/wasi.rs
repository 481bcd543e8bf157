//! `wasi:http` error codes (v0.2.8; the 0.3.0 draft has the same list) and the Proxy-Status error
//! types they come from (RFC 9209 §2.3): one table, names compared without case, `-` and `_`.

use super::{
    fact::Fact,
    table::{Table, same_name, table},
};

/// Every case, by its folded name.
pub(super) const CASES: Table = table![
    ("configurationerror", Fact::BadRequest),
    ("connectionlimitreached", Fact::Full),
    ("connectionreadtimeout", Fact::TimedOut),
    ("connectionrefused", Fact::NeverLeft),
    ("connectionterminated", Fact::Cut),
    ("connectiontimeout", Fact::NeverLeft),
    ("connectionwritetimeout", Fact::TimedOut),
    ("destinationipprohibited", Fact::BadRequest),
    ("destinationipunroutable", Fact::NeverLeft),
    ("destinationnotfound", Fact::Barred),
    ("destinationunavailable", Fact::NeverLeft),
    ("dnserror", Fact::NeverLeft),
    ("dnstimeout", Fact::NeverLeft),
    ("httpprotocolerror", Fact::Cut),
    ("httprequestbodysize", Fact::Misused),
    ("httprequestdenied", Fact::BadRequest),
    ("httprequestheadersectionsize", Fact::BadRequest),
    ("httprequestheadersize", Fact::BadRequest),
    ("httprequestlengthrequired", Fact::BadRequest),
    ("httprequestmethodinvalid", Fact::BadRequest),
    ("httprequesttrailersectionsize", Fact::Misused),
    ("httprequesttrailersize", Fact::Misused),
    ("httprequesturiinvalid", Fact::BadRequest),
    ("httprequesturitoolong", Fact::BadRequest),
    ("httpresponsebodysize", Fact::OverLimit),
    ("httpresponsecontentcoding", Fact::Undecodable),
    ("httpresponseheadersectionsize", Fact::OverLimit),
    ("httpresponseheadersize", Fact::OverLimit),
    ("httpresponseincomplete", Fact::Cut),
    ("httpresponsetimeout", Fact::TimedOut),
    ("httpresponsetrailersectionsize", Fact::OverLimit),
    ("httpresponsetrailersize", Fact::OverLimit),
    ("httpresponsetransfercoding", Fact::Cut),
    ("httpupgradefailed", Fact::Barred),
    ("internalerror", Fact::Cut),
    ("loopdetected", Fact::Barred),
    ("tlsalertreceived", Fact::Broken),
    ("tlscertificateerror", Fact::Barred),
    ("tlsprotocolerror", Fact::Broken),
];

/// What a case or a Proxy-Status error type means; a qualified name counts by its last part
/// (`ErrorCode::DnsTimeout`).
pub(in crate::classify) fn find(word: &str) -> Option<Fact> {
    let last = word.bytes().rposition(|byte| matches!(byte, b'.' | b':' | b'/'));
    let word = word.get(last.map_or(0, |at| at + 1)..).unwrap_or(word);
    CASES.folded(word)
}

/// What a DNS response code adds: a name that does not exist will not exist in a second either
/// (RFC 1035 §4.1.1, RCODE 3). Any other code is a resolver in trouble.
pub(in crate::classify) fn by_rcode(rcode: &str) -> Fact {
    if same_name(rcode, "NXDOMAIN") || rcode == "3" { Fact::Barred } else { Fact::NeverLeft }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_are_found_in_any_spelling() {
        assert_eq!(CASES.words.len(), 39);
        assert!(CASES.words.iter().map(|(case, _)| case).is_sorted());
        for word in ["DNS-timeout", "dns_timeout", "DnsTimeout", "ErrorCode::DnsTimeout"] {
            assert_eq!(find(word), Some(Fact::NeverLeft), "{word}");
        }
        assert_eq!(find(""), None);
        assert_eq!(find("dns timeout"), None);
    }

    #[test]
    fn only_a_name_that_does_not_exist_is_permanent() {
        assert_eq!(by_rcode("NXDOMAIN"), Fact::Barred);
        assert_eq!(by_rcode("nxdomain"), Fact::Barred);
        assert_eq!(by_rcode("3"), Fact::Barred);
        assert_eq!(by_rcode("SERVFAIL"), Fact::NeverLeft);
        assert_eq!(by_rcode(""), Fact::NeverLeft);
    }
}
