//! Errors that come again: kept once, named by a number from then on.

use alloc::boxed::Box;

use retrywise::{
    Outcome, TransportError,
    classify::{Context, classify},
};

use crate::{
    abi::State,
    wire::{Fields, linked},
};

/// Errors that are kept by number. They are never let go, so that a settle borrows them for good;
/// this many bound what they take.
const MAX_INTERNED: usize = 512;

/// Keeps the error in the input under a number, so that it need not be written and looked up
/// again; 0 when there is none, or no room for it.
pub fn error_intern(state: &mut State, length: u32) -> u32 {
    if state.errors.len() >= MAX_INTERNED {
        return 0;
    }
    let mut fields = Fields::default();
    fields.read(state.scratch.input(length as usize), &[]);
    let Some((outermost, causes)) = fields.errors().split_first() else { return 0 };
    let mut cause: Option<&'static TransportError<'static>> = None;
    for error in causes.iter().rev() {
        cause = Some(Box::leak(Box::new(keep(error, cause))));
    }
    let mut kept = keep(outermost, cause);
    kept.known = linked(fields.errors(), |error| {
        let outcome = Outcome::from_error(*error?);
        Some(classify(&outcome, &Context::default()))
    });
    state.errors.push(Box::leak(Box::new(kept)));
    state.errors.len() as u32
}

/// The error kept under a number.
pub(super) fn kept(
    errors: &[&'static TransportError<'static>],
    number: u32,
) -> Option<&'static TransportError<'static>> {
    errors.get((number as usize).checked_sub(1)?).copied()
}

/// What has to be kept of an error whose meaning is known: the words by which policies name it.
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
    copy.kind = text(error.kind);
    copy.cause = cause;
    copy
}
