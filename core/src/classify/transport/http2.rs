//! HTTP/2 (RFC 9113 §7) and HTTP/3 (RFC 9114 §8.1) error codes, by name and by number, and the
//! texts in which libraries wrap them.

use super::{
    fact::Fact,
    message::position,
    table::{Table, number, table},
};
use crate::{outcome::TransportError, text::same};

/// RFC 9113 §7, by name.
pub(super) const HTTP2: Table = table![
    ("CANCEL", Fact::Cut),
    ("COMPRESSION_ERROR", Fact::Cut),
    ("CONNECT_ERROR", Fact::Cut),
    ("ENHANCE_YOUR_CALM", Fact::Calm),
    ("FLOW_CONTROL_ERROR", Fact::Cut),
    ("FRAME_SIZE_ERROR", Fact::Broken),
    ("HTTP_1_1_REQUIRED", Fact::Refused),
    ("INADEQUATE_SECURITY", Fact::Barred),
    ("INTERNAL_ERROR", Fact::Cut),
    ("NO_ERROR", Fact::Cut),
    ("PROTOCOL_ERROR", Fact::Cut),
    ("REFUSED_STREAM", Fact::Refused),
    ("SETTINGS_TIMEOUT", Fact::Cut),
    ("STREAM_CLOSED", Fact::Cut),
];

/// RFC 9113 §7, by number from zero.
const HTTP2_NUMBERS: [Fact; 14] = [
    Fact::Cut,     // NO_ERROR
    Fact::Cut,     // PROTOCOL_ERROR
    Fact::Cut,     // INTERNAL_ERROR
    Fact::Cut,     // FLOW_CONTROL_ERROR
    Fact::Cut,     // SETTINGS_TIMEOUT
    Fact::Cut,     // STREAM_CLOSED
    Fact::Broken,  // FRAME_SIZE_ERROR
    Fact::Refused, // REFUSED_STREAM
    Fact::Cut,     // CANCEL
    Fact::Cut,     // COMPRESSION_ERROR
    Fact::Cut,     // CONNECT_ERROR
    Fact::Calm,    // ENHANCE_YOUR_CALM
    Fact::Barred,  // INADEQUATE_SECURITY
    Fact::Refused, // HTTP_1_1_REQUIRED
];

/// RFC 9114 §8.1, by name.
pub(super) const HTTP3: Table = table![
    ("H3_CLOSED_CRITICAL_STREAM", Fact::Cut),
    ("H3_CONNECT_ERROR", Fact::Cut),
    ("H3_EXCESSIVE_LOAD", Fact::Calm),
    ("H3_FRAME_ERROR", Fact::Cut),
    ("H3_FRAME_UNEXPECTED", Fact::Cut),
    ("H3_GENERAL_PROTOCOL_ERROR", Fact::Cut),
    ("H3_ID_ERROR", Fact::Cut),
    ("H3_INTERNAL_ERROR", Fact::Cut),
    ("H3_MESSAGE_ERROR", Fact::Cut),
    ("H3_MISSING_SETTINGS", Fact::Cut),
    ("H3_NO_ERROR", Fact::Cut),
    ("H3_REQUEST_CANCELLED", Fact::Cut),
    ("H3_REQUEST_INCOMPLETE", Fact::Cut),
    ("H3_REQUEST_REJECTED", Fact::Refused),
    ("H3_SETTINGS_ERROR", Fact::Cut),
    ("H3_STREAM_CREATION_ERROR", Fact::Cut),
    ("H3_VERSION_FALLBACK", Fact::Refused),
];

/// An HTTP/2 error code by its number.
pub(super) fn http2_number(code: &str) -> Option<Fact> {
    HTTP2_NUMBERS.get(usize::try_from(number(code)?).ok()?).copied()
}

/// An HTTP/3 error code by its number.
pub(super) fn http3_number(code: &str) -> Option<Fact> {
    match number(code)? {
        0x107 => Some(Fact::Calm),            // H3_EXCESSIVE_LOAD
        0x10b | 0x110 => Some(Fact::Refused), // H3_REQUEST_REJECTED, H3_VERSION_FALLBACK
        0x100..=0x110 => Some(Fact::Cut),
        _ => None,
    }
}

/// Whether the other side declared this stream untouched: a GOAWAY names the last stream that it
/// may have acted on (RFC 9113 §6.8). Ids beside another frame say nothing.
pub(super) fn is_above_last(error: &TransportError<'_>) -> bool {
    let goaway = error.frame.is_none_or(|frame| same(frame.as_bytes(), b"GOAWAY"));
    match (error.stream_id, error.last_stream_id) {
        (Some(stream), Some(last)) => goaway && stream > last,
        _ => false,
    }
}

/// The code of a *stream* error in a library's text: Node, Go and curl write its name, hyper and
/// okhttp too; Python's h2 writes its number.
pub(super) fn code_in(message: &str) -> Option<Fact> {
    const BEFORE_NAME: [&str; 4] = [
        "stream closed with error code nghttp2_",
        "was not closed cleanly: ",
        "stream was reset: ",
        "stream error: stream id ",
    ];
    if let Some(rest) = after(message, "<streamreset ").and_then(|m| after(m, "error_code:")) {
        let end = run(rest, |b| b.is_ascii_digit());
        return http2_number(rest.get(..end)?);
    }
    let rest = BEFORE_NAME.into_iter().find_map(|mark| after(message, mark))?;
    // Go puts the stream's number first: "stream ID 5; REFUSED_STREAM; …".
    let rest = rest.get(run(rest, |b| b.is_ascii_digit() || matches!(b, b';' | b' '))..)?;
    let end = run(rest, |b| b.is_ascii_alphanumeric() || b == b'_');
    HTTP2.exact(rest.get(..end)?)
}

/// How many of the first (ASCII) bytes pass.
fn run(text: &str, passes: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|b| !passes(b)).unwrap_or(text.len())
}

/// What follows `mark` in `message`.
fn after<'a>(message: &'a str, mark: &str) -> Option<&'a str> {
    let at = position(message.as_bytes(), mark.as_bytes())?;
    message.get(at.checked_add(mark.len())?..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Family;

    #[test]
    fn names_and_numbers_say_the_same() {
        const NAMES: [&str; 14] = [
            "NO_ERROR",
            "PROTOCOL_ERROR",
            "INTERNAL_ERROR",
            "FLOW_CONTROL_ERROR",
            "SETTINGS_TIMEOUT",
            "STREAM_CLOSED",
            "FRAME_SIZE_ERROR",
            "REFUSED_STREAM",
            "CANCEL",
            "COMPRESSION_ERROR",
            "CONNECT_ERROR",
            "ENHANCE_YOUR_CALM",
            "INADEQUATE_SECURITY",
            "HTTP_1_1_REQUIRED",
        ];
        for (at, name) in NAMES.into_iter().enumerate() {
            assert_eq!(http2_number(&std::format!("{at}")), HTTP2.exact(name), "{name}");
        }
        assert_eq!(http2_number("14"), None);
        assert_eq!(http3_number("0x10b"), HTTP3.exact("H3_REQUEST_REJECTED"));
        assert_eq!(http3_number("263"), HTTP3.exact("H3_EXCESSIVE_LOAD"));
        assert_eq!(http3_number("0x111"), None);
    }

    #[test]
    fn a_stream_code_is_read_from_the_texts_of_libraries() {
        for message in [
            "Stream closed with error code NGHTTP2_REFUSED_STREAM",
            "HTTP/2 stream 3 was not closed cleanly: REFUSED_STREAM (err 7)",
            "stream error: stream ID 5; REFUSED_STREAM; received from peer",
            "stream was reset: REFUSED_STREAM",
            "<StreamReset stream_id:1, error_code:7, remote_reset:True>",
        ] {
            assert_eq!(code_in(message), Some(Fact::Refused), "{message}");
        }
        assert_eq!(code_in("Session closed with error code NGHTTP2_REFUSED_STREAM"), None);
        assert_eq!(code_in("stream error: stream ID "), None);
        assert_eq!(code_in("<StreamReset error_code:"), None);
    }

    #[test]
    fn only_a_goaway_below_the_stream_leaves_it_untouched() {
        let goaway = |frame, stream, last| {
            is_above_last(&TransportError {
                family: Family::Http2,
                frame,
                stream_id: stream,
                last_stream_id: last,
                ..TransportError::default()
            })
        };
        assert!(goaway(Some("GOAWAY"), Some(7), Some(5)));
        assert!(goaway(None, Some(7), Some(5)));
        assert!(!goaway(Some("GOAWAY"), Some(7), Some(7)));
        assert!(!goaway(Some("RST_STREAM"), Some(7), Some(5)));
        assert!(!goaway(Some("GOAWAY"), None, Some(5)));
    }
}
