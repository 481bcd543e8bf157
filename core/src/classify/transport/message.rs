//! Error texts that runtimes keep fixed, for faults whose code says less than their message, or
//! that have no code at all. Comparison ignores ASCII case.

use crate::text::same;

use super::{fact::Fact, fetch, go, http2, java, os, packed::Packed, python, reqwest, tls};

/// Texts in order, each with the place where it is looked for and its meaning.
#[derive(Clone, Copy)]
pub(super) struct Texts(pub(super) Packed);

/// Where a text is looked for in a message. In a row's tag it stands above the [`Fact`].
#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum Place {
    /// It is the whole message.
    Is = 0,
    /// The message starts with it.
    Starts = 1 << PLACE,
    /// The message ends with it.
    Ends = 2 << PLACE,
    /// It stands anywhere in the message.
    Has = 3 << PLACE,
}

/// The bit of a row's tag at which its place begins.
const PLACE: u8 = 6;

/// [`Texts`] of `(Has("text"), Fact::…)` rows.
macro_rules! texts {
    ($(($place:ident($text:literal), $fact:expr $(,)?)),+ $(,)?) => {{
        use $crate::classify::transport::{message::Place, packed::{Packed, pack, size}};
        const ROWS: &[(&str, u8)] = &[$(($text, Place::$place as u8 | $fact as u8)),+];
        const BYTES: [u8; size(ROWS)] = pack(ROWS);
        Texts(Packed::new(&BYTES))
    }};
}
pub(super) use texts;

/// How much of a message is looked at: enough for every fixed text with its wrapping, and a bound
/// for hosts that pass whole pages.
const READ: usize = 1024;

/// What the message adds to what is known, if it has a fixed text that says more. The lists are
/// asked from the most to the least telling, so that a certificate is found before the connection
/// that failed for it.
pub(super) fn read(message: &str, known: Option<Fact>) -> Option<Fact> {
    let adds = |fact: Fact| known.is_none_or(|known| known.explained_by(fact) != known);
    if let Some(fact) = http2::code_in(message).filter(|fact| adds(*fact)) {
        return Some(fact);
    }
    const LISTS: [Texts; 8] = [
        tls::TEXTS,
        python::TEXTS,
        reqwest::TEXTS,
        go::TEXTS,
        java::TEXTS,
        fetch::TEXTS,
        os::TEXTS,
        fetch::VAGUE,
    ];
    LISTS.into_iter().find_map(|texts| texts.first(message, adds))
}

/// Whether the message shows that the request was still being connected: Node writes the system
/// call before the code, Go the operation before the address.
pub(super) fn is_before_sending(message: &str) -> bool {
    const SHOWN: Texts = texts![
        (Starts("connect E"), Fact::NeverLeft),
        (Starts("getaddrinfo E"), Fact::NeverLeft),
        (Has(": connect E"), Fact::NeverLeft),
        (Has(": getaddrinfo E"), Fact::NeverLeft),
        (Has("dial tcp"), Fact::NeverLeft),
        (Has("dial udp"), Fact::NeverLeft),
        (Has("proxyconnect tcp"), Fact::NeverLeft),
        (Has("error trying to connect"), Fact::NeverLeft),
        (Has("client error (connect)"), Fact::NeverLeft),
        (Has("(connect failed)"), Fact::NeverLeft),
    ];
    SHOWN.first(message, |_| true).is_some()
}

impl Texts {
    /// The meaning of the first text that stands in `message` and is wanted.
    fn first(self, message: &str, wanted: impl Fn(Fact) -> bool) -> Option<Fact> {
        const FACT: u8 = (1 << PLACE) - 1;
        self.0.rows().find_map(|(tag, text)| {
            let fact = Fact::from_code(tag & FACT).filter(|fact| wanted(*fact))?;
            fits(tag & !FACT, text, message.as_bytes()).then_some(fact)
        })
    }
}

/// Whether `text` stands at that place in `message`.
fn fits(place: u8, text: &[u8], message: &[u8]) -> bool {
    const IS: u8 = Place::Is as u8;
    const STARTS: u8 = Place::Starts as u8;
    const ENDS: u8 = Place::Ends as u8;
    let part = match place {
        IS => Some(message),
        STARTS => message.get(..text.len()),
        ENDS => message.len().checked_sub(text.len()).and_then(|at| message.get(at..)),
        _ => return position(message, text).is_some(),
    };
    part.is_some_and(|part| same(part, text))
}

/// Where `text` stands in `message`, within the part that is looked at.
pub(super) fn position(message: &[u8], text: &[u8]) -> Option<usize> {
    let message = message.get(..READ).unwrap_or(message);
    let first = text.first()?.to_ascii_lowercase();
    // One letter rules out nearly every place; only then is the text compared.
    message.iter().enumerate().position(|(at, letter)| {
        letter.to_ascii_lowercase() == first
            && message.get(at..at.saturating_add(text.len())).is_some_and(|part| same(part, text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_where_it_may_stand_and_nowhere_else() {
        let fits = |place: Place, text: &str, message: &str| {
            super::fits(place as u8, text.as_bytes(), message.as_bytes())
        };
        assert!(fits(Place::Is, "EOF", "eof") && !fits(Place::Is, "EOF", "EOF "));
        assert!(fits(Place::Starts, "ab", "ABc") && !fits(Place::Starts, "ab", "cab"));
        assert!(fits(Place::Ends, ": EOF", "x: EOF") && !fits(Place::Ends, ": EOF", "EOF"));
        assert!(!fits(Place::Ends, ": EOF", "x: EOF y"));
        assert!(fits(Place::Has, "b", "abc") && !fits(Place::Has, "b", ""));
        assert!(!fits(Place::Starts, "é", "e") && fits(Place::Has, "é", "xé"));
    }

    #[test]
    fn a_text_that_means_something_alone_means_nothing_inside_another() {
        assert_eq!(read("terminated", None), Some(Fact::Cut));
        assert_eq!(read("was terminated early", None), None);
    }

    #[test]
    fn only_the_head_of_a_huge_message_is_searched() {
        let far = std::format!("{}connection refused", " ".repeat(READ));
        assert_eq!(read(&far, None), None);
        let near = std::format!("{}connection refused", " ".repeat(100));
        assert_eq!(read(&near, None), Some(Fact::NeverLeft));
    }

    #[test]
    fn a_certificate_is_found_before_the_connection_that_failed_for_it() {
        let message = "error trying to connect: invalid peer certificate: UnknownIssuer";
        assert_eq!(read(message, None), Some(Fact::Barred));
        assert!(is_before_sending(message));
    }

    #[test]
    fn a_text_that_adds_nothing_to_what_is_known_is_passed_over() {
        let message = "read: connection reset by peer";
        assert_eq!(read(message, Some(Fact::Vague)), Some(Fact::Cut));
        assert_eq!(read(message, Some(Fact::TimedOut)), None);
        assert_eq!(read(message, Some(Fact::NeverLeft)), None);
        let timeout = "canceled due to the configured HttpClient.Timeout of 100 seconds";
        assert_eq!(read(timeout, Some(Fact::Cancelled)), Some(Fact::TimedOut));
    }
}
