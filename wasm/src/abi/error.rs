//! Errors that come again: kept once, named by a number from then on.

use alloc::boxed::Box;

use retrywise::TransportError;

use crate::{abi::State, wire::Fields};

/// Errors that are kept by number. They are never let go, so that a settle borrows them for good;
/// this many bound what they take.
const MAX_INTERNED: usize = 512;

/// Keeps the error in the input under a number, so that it need not be written again; 0 when there
/// is none, or no room for it.
pub fn error_intern(state: &mut State, length: u32) -> u32 {
    if state.errors.len() >= MAX_INTERNED {
        return 0;
    }
    let fields = Fields::read(state.scratch.input(length as usize), &[]);
    let mut kept: Option<&'static TransportError<'static>> = None;
    for error in fields.errors().iter().rev() {
        kept = Some(Box::leak(Box::new(keep(error, kept))));
    }
    let Some(error) = kept else { return 0 };
    state.errors.push(error);
    state.errors.len() as u32
}

/// The error kept under a number.
pub(super) fn kept(
    errors: &[&'static TransportError<'static>],
    number: u32,
) -> Option<&'static TransportError<'static>> {
    errors.get((number as usize).checked_sub(1)?).copied()
}

/// A copy of an error that lives for good.
fn keep(
    error: &TransportError<'_>,
    cause: Option<&'static TransportError<'static>>,
) -> TransportError<'static> {
    fn text(text: Option<&str>) -> Option<&'static str> {
        text.map(|text| &*Box::leak(Box::<str>::from(text)))
    }
    let mut copy = TransportError::default();
    copy.family = error.family;
    copy.code = text(error.code);
    copy.name = text(error.name);
    copy.message = text(error.message);
    copy.syscall = text(error.syscall);
    copy.phase = text(error.phase);
    copy.op = text(error.op);
    copy.kind = text(error.kind);
    copy.rcode = text(error.rcode);
    copy.frame = text(error.frame);
    copy.progress = text(error.progress);
    copy.stream_id = error.stream_id;
    copy.last_stream_id = error.last_stream_id;
    copy.temporary = error.temporary;
    copy.not_found = error.not_found;
    copy.reused = error.reused;
    copy.cause = cause;
    copy
}
