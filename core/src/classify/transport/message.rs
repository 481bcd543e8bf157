//! Error texts that runtimes keep fixed, for faults whose code says less than their message, or
//! that have no code at all. Comparison ignores ASCII case.

use super::{fact::Fact, fetch, go, http2, java, os, python, reqwest, tls};

/// How a text is looked for in a message.
#[derive(Clone, Copy)]
pub(super) enum Text {
    /// The whole message.
    Is(&'static str),
    /// The start of the message.
    Starts(&'static str),
    /// The end of the message.
    Ends(&'static str),
    /// Anywhere in the message.
    Has(&'static str),
}

/// Texts in order: the first that fits decides.
pub(super) type Texts = &'static [(Text, Fact)];

/// How much of a message is looked at: enough for every fixed text with its wrapping, and a bound
/// for hosts that pass whole pages.
const READ: usize = 2048;

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
    LISTS
        .into_iter()
        .flatten()
        .find(|(text, fact)| adds(*fact) && text.fits(message))
        .map(|(_, fact)| *fact)
}

/// Whether the message shows that the request was still being connected: Node writes the system
/// call before the code, Go the operation before the address.
pub(super) fn is_before_sending(message: &str) -> bool {
    const SHOWN: &[Text] = &[
        Text::Starts("connect E"),
        Text::Starts("getaddrinfo E"),
        Text::Has(": connect E"),
        Text::Has(": getaddrinfo E"),
        Text::Has("dial tcp"),
        Text::Has("dial udp"),
        Text::Has("proxyconnect tcp"),
        Text::Has("error trying to connect"),
        Text::Has("client error (Connect)"),
        Text::Has("(connect failed)"),
    ];
    SHOWN.iter().any(|text| text.fits(message))
}

impl Text {
    fn fits(self, message: &str) -> bool {
        let message = message.as_bytes();
        match self {
            Self::Is(text) => message.eq_ignore_ascii_case(text.as_bytes()),
            Self::Starts(text) => starts(message, text.as_bytes()),
            Self::Ends(text) => message
                .len()
                .checked_sub(text.len())
                .and_then(|at| message.get(at..))
                .is_some_and(|end| end.eq_ignore_ascii_case(text.as_bytes())),
            Self::Has(text) => position(message, text).is_some(),
        }
    }
}

/// Where `text` stands in `message`, within the part that is looked at.
pub(super) fn position(message: &[u8], text: &str) -> Option<usize> {
    let text = text.as_bytes();
    let message = message.get(..READ).unwrap_or(message);
    message.windows(text.len().max(1)).position(|part| part.eq_ignore_ascii_case(text))
}

fn starts(message: &[u8], text: &[u8]) -> bool {
    message.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_where_it_may_stand_and_nowhere_else() {
        assert!(Text::Is("EOF").fits("eof") && !Text::Is("EOF").fits("EOF "));
        assert!(Text::Starts("ab").fits("ABc") && !Text::Starts("ab").fits("cab"));
        assert!(Text::Ends(": EOF").fits("Get x: EOF") && !Text::Ends(": EOF").fits("EOF"));
        assert!(Text::Has("b").fits("abc") && !Text::Has("b").fits(""));
        assert!(!Text::Starts("é").fits("e") && Text::Has("é").fits("xé"));
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
