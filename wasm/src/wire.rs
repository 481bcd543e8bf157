//! The few strings that cross the boundary: a run of items in the input buffer.
//!
//! An item is a tag byte, the length of its payload as two bytes, the low one first, and the
//! payload. Items come in any number and order, an error's items after its [`tag::ERROR`]. What is
//! cut short ends the run; an unknown tag, text that is no UTF-8 and a header id that nobody gave
//! out are passed over: a decision never fails because of what a host wrote.

use core::str;

use arrayvec::ArrayVec;
use retrywise::{Body, Family, Header, TransportError, UnixMillis};

/// What an item is. Wire format: numbers are added, never changed.
pub mod tag {
    /// A header by the id that `header_id` gave: the id, then the raw value.
    pub const HEADER: u8 = 0x01;
    /// A header by name: the name's length, the name, the raw value.
    pub const NAMED_HEADER: u8 = 0x02;
    /// The error code of the body.
    pub const BODY_CODE: u8 = 0x10;
    /// The limit that was hit.
    pub const BODY_POLICY: u8 = 0x11;
    /// The problem type (RFC 9457).
    pub const BODY_PROBLEM_TYPE: u8 = 0x12;
    /// A protobuf JSON duration.
    pub const BODY_RETRY_DELAY: u8 = 0x13;
    /// Seconds to wait, as written in the body.
    pub const BODY_RETRY_AFTER_S: u8 = 0x14;
    /// Begins an error, or the cause of the one before: its family, then a byte of
    /// [flags](super::error_flag).
    pub const ERROR: u8 = 0x20;
    /// The error's code.
    pub const CODE: u8 = 0x21;
    /// The error's name.
    pub const NAME: u8 = 0x22;
    /// The error's message.
    pub const MESSAGE: u8 = 0x23;
    /// The system call that failed.
    pub const SYSCALL: u8 = 0x24;
    /// Where it failed.
    pub const PHASE: u8 = 0x25;
    /// Go: the operation.
    pub const OP: u8 = 0x26;
    /// Go: the error's type.
    pub const KIND: u8 = 0x27;
    /// DNS: the response code.
    pub const RCODE: u8 = 0x28;
    /// HTTP/2: the frame that carried the code.
    pub const FRAME: u8 = 0x29;
    /// gRPC: how far the attempt came.
    pub const PROGRESS: u8 = 0x2A;
    /// HTTP/2: the stream, in decimal digits.
    pub const STREAM_ID: u8 = 0x2B;
    /// HTTP/2: the last stream that a GOAWAY lets live, in decimal digits.
    pub const LAST_STREAM_ID: u8 = 0x2C;
    /// The caller's own idempotency key.
    pub const KEY: u8 = 0x30;
    /// The business event that the call carries out.
    pub const EVENT: u8 = 0x31;
    /// 16 random bytes.
    pub const ENTROPY: u8 = 0x32;
    /// The token of a method that has no code.
    pub const TOKEN: u8 = 0x33;
    /// When the key was first sent, by an earlier process: wall clock ms in decimal digits.
    pub const FIRST_SENT: u8 = 0x34;
    /// By what a call is known that was refused and begins again: decimal digits.
    pub const TICKET: u8 = 0x35;
}

/// Bits of the second byte of a [`tag::ERROR`].
pub mod error_flag {
    /// Go `net.DNSError`: the failure is temporary.
    pub const TEMPORARY: u8 = 1;
    /// Go `net.DNSError`: the name does not exist.
    pub const NOT_FOUND: u8 = 2;
    /// The request went out on a connection that had been used before.
    pub const REUSED: u8 = 4;
}

/// The id that names no header: pass it by name.
pub const BY_NAME: u8 = 255;
/// Headers read of one message; what comes after them is not looked at.
pub const MAX_HEADERS: usize = 64;
/// Errors read of one chain of causes, the outermost first.
pub const MAX_DEPTH: usize = 8;

/// What a run of items says.
#[derive(Debug, Default)]
pub struct Fields<'a> {
    // On the stack, and no place is written before something stands in it.
    headers: ArrayVec<Header<'a>, MAX_HEADERS>,
    errors: ArrayVec<TransportError<'a>, MAX_DEPTH>,
    /// More errors came than are read.
    too_deep: bool,
    /// The machine codes of the body.
    pub body: Body<'a>,
    /// The caller's own idempotency key. One that is no UTF-8 reads as empty, which no policy
    /// takes: a broken key is refused, not ignored.
    pub key: Option<&'a str>,
    /// The business event.
    pub event: Option<&'a str>,
    /// Random bits to make a key from.
    pub entropy: Option<[u8; 16]>,
    /// The token of a method that has no code.
    pub token: Option<&'a str>,
    /// When the key was first sent, by an earlier process.
    pub first_sent: Option<UnixMillis>,
    /// By what a call is known that was refused with `rate-limited` and begins again.
    pub ticket: Option<u64>,
}

impl<'a> Fields<'a> {
    /// Reads a run of items into these fields, which the caller made where they stay: two kilobytes
    /// are not to be moved. `names` are the headers that have ids, from 1.
    #[inline(never)]
    pub fn read(&mut self, bytes: &'a [u8], names: &'a [&'static str]) {
        let mut rest = bytes;
        while let Some((tag, payload, after)) = split(rest) {
            self.take(tag, payload, names);
            rest = after;
        }
    }

    /// The headers, in order.
    pub fn headers(&self) -> &[Header<'a>] {
        &self.headers
    }

    /// The errors, the outermost first, each the cause of the one before.
    pub fn errors(&self) -> &[TransportError<'a>] {
        &self.errors
    }

    fn take(&mut self, tag: u8, payload: &'a [u8], names: &'a [&'static str]) {
        // The value of a header is no text, and there are more of them than of all others.
        let text = if tag == tag::HEADER { None } else { str::from_utf8(payload).ok() };
        match tag {
            tag::HEADER => {
                if let Some((&id, value)) = payload.split_first()
                    && let Some(&name) = usize::from(id).checked_sub(1).and_then(|at| names.get(at))
                {
                    self.push_header(Header::new(name, value));
                }
            }
            tag::NAMED_HEADER => {
                if let Some((&length, rest)) = payload.split_first()
                    && let Some((name, value)) = rest.split_at_checked(usize::from(length))
                    && let Ok(name) = str::from_utf8(name)
                {
                    self.push_header(Header::new(name, value));
                }
            }
            tag::BODY_CODE => self.body.code = text,
            tag::BODY_POLICY => self.body.policy = text,
            tag::BODY_PROBLEM_TYPE => self.body.problem_type = text,
            tag::BODY_RETRY_DELAY => self.body.retry_delay = text,
            tag::BODY_RETRY_AFTER_S => self.body.retry_after_s = text,
            tag::ERROR => self.push_error(payload),
            tag::KEY => self.key = Some(text.unwrap_or_default()),
            tag::EVENT => self.event = text,
            tag::TOKEN => self.token = text,
            tag::FIRST_SENT => {
                self.first_sent = text.and_then(|t| t.parse().ok()).map(UnixMillis::new);
            }
            tag::TICKET => self.ticket = text.and_then(|t| t.parse().ok()),
            tag::ENTROPY => self.entropy = payload.try_into().ok(),
            _ => self.take_error_field(tag, text),
        }
    }

    fn take_error_field(&mut self, tag: u8, text: Option<&'a str>) {
        // Too deep: it would be taken for a fact of the last one that fits.
        let Some(error) = self.errors.last_mut().filter(|_| !self.too_deep) else { return };
        match tag {
            tag::CODE => error.code = text,
            tag::NAME => error.name = text,
            tag::MESSAGE => error.message = text,
            tag::SYSCALL => error.syscall = text,
            tag::PHASE => error.phase = text,
            tag::OP => error.op = text,
            tag::KIND => error.kind = text,
            tag::RCODE => error.rcode = text,
            tag::FRAME => error.frame = text,
            tag::PROGRESS => error.progress = text,
            tag::STREAM_ID => error.stream_id = text.and_then(|t| t.parse().ok()),
            tag::LAST_STREAM_ID => error.last_stream_id = text.and_then(|t| t.parse().ok()),
            _ => {}
        }
    }

    fn push_header(&mut self, header: Header<'a>) {
        // What comes after the last place is not looked at.
        let _ = self.headers.try_push(header);
    }

    fn push_error(&mut self, payload: &[u8]) {
        let (family, flags) = match payload {
            [family, flags, ..] => (*family, *flags),
            [family] => (*family, 0),
            [] => (0, 0),
        };
        let mut error = TransportError::default();
        error.family = Family::from_code(family).unwrap_or_default();
        error.temporary = flags & error_flag::TEMPORARY != 0;
        error.not_found = flags & error_flag::NOT_FOUND != 0;
        error.reused = flags & error_flag::REUSED != 0;
        self.too_deep |= self.errors.try_push(error).is_err();
    }
}

/// Runs `read` with the errors linked into one, each the cause of the one before.
pub fn linked<R>(
    errors: &[TransportError<'_>],
    read: impl FnOnce(Option<&TransportError<'_>>) -> R,
) -> R {
    link(errors, None, read)
}

/// Links from the innermost outwards, so that each error lives on the stack while it is borrowed.
fn link<'a, R>(
    errors: &[TransportError<'a>],
    cause: Option<&'a TransportError<'a>>,
    read: impl FnOnce(Option<&TransportError<'_>>) -> R,
) -> R {
    let Some((&innermost, outer)) = errors.split_last() else { return read(cause) };
    let mut error = innermost;
    error.cause = cause;
    link(outer, Some(&error), read)
}

/// The first item and what follows it.
fn split(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let ([tag, low, high], rest) = bytes.split_first_chunk()?;
    let (payload, after) = rest.split_at_checked(usize::from(u16::from_le_bytes([*low, *high])))?;
    Some((*tag, payload, after))
}

#[cfg(test)]
#[path = "wire/tests.rs"]
mod tests;
