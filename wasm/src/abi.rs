//! What every binding exports: functions of numbers over one [`State`], written once.
//!
//! A binding only gives these functions names in its own world. Numbers are `u32` and `f64`: no
//! `i64`, which JavaScript and wasm2js carry badly. Clocks: `now` is the host's monotonic clock and
//! `wall` its wall clock (NaN: none), both in milliseconds; [`convert`] says what
//! odd numbers mean. `length` is the number of bytes that the host wrote into the input buffer. No
//! function fails or panics, whatever it is given.

mod call;
mod dispatch;
mod error;
mod ledger;
mod outcome;
mod policy;
mod read;
#[cfg(feature = "simulate")]
mod simulate;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::fmt;

use retrywise::{
    Dispatch, Millis, Reason, TransportError,
    explain::{self, Facts, Lang},
};

#[cfg(feature = "simulate")]
pub use self::simulate::simulate;
pub use self::{
    call::{
        begin_flag, call_begin, call_cancel, call_end, call_headers, call_key, call_resume,
        call_settle, call_timeout, calls,
    },
    dispatch::{
        dispatch_add, dispatch_done, dispatch_free, dispatch_new, dispatch_next, dispatch_put_back,
        dispatch_remove, dispatch_view,
    },
    error::error_intern,
    ledger::{key_make, ledger_op, review_item, trail_render},
    outcome::outcome_flag,
    policy::{
        looks_for, looks_from, policy_free, policy_generates_keys, policy_max_retries, policy_new,
        policy_terms, policy_validate, rng_high, rng_low, rng_set, upstream_flag, upstream_free,
        upstream_isolate, upstream_new, upstream_reset, upstream_view,
    },
    read::{backoff, classify, delay, header_id, hint, method_facts, profile_find},
};
use crate::{convert, engine::Engine, scratch::Scratch, slab::Slab, tables::Table};

/// All that one module holds.
#[derive(Debug)]
pub struct State {
    engine: Engine,
    dispatches: Slab<Dispatch>,
    scratch: Scratch,
    /// Errors by their numbers, from 1.
    errors: Vec<&'static TransportError<'static>>,
    /// Response headers by their ids, from 1.
    headers: Vec<&'static str>,
}

impl State {
    /// A state that holds nothing.
    pub const fn new() -> Self {
        Self {
            engine: Engine::new(),
            dispatches: Slab::new(),
            scratch: Scratch::new(),
            errors: Vec::new(),
            headers: Vec::new(),
        }
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

/// The address of the input buffer, with room for at least `length` bytes (and for 4096); 0 when
/// that is more than 1 MiB.
pub fn input_reserve(state: &mut State, length: u32) -> u32 {
    state.scratch.reserve(length as usize).map_or(0, |input| address(input.as_ptr()))
}

/// How many bytes the input buffer holds.
pub fn input_room(state: &mut State) -> u32 {
    state.scratch.input(usize::MAX).len() as u32
}

/// The address of the output slots, an `f64` each, for as long as the module lives.
pub fn output_address(state: &mut State) -> u32 {
    address(state.scratch.output().as_ptr())
}

/// The value of an output slot, for hosts without a view of the memory.
pub fn output(state: &mut State, slot: u32) -> f64 {
    state.scratch.output().get(slot as usize).copied().unwrap_or_default()
}

/// The address of the last text.
pub fn text_address(state: &mut State) -> u32 {
    address(state.scratch.text().as_ptr())
}

/// A table of names, one `CODE NAME` a line; [`Table`] numbers them.
pub fn table(state: &mut State, table: u32) -> u32 {
    Table::write(table, state.scratch.new_text());
    text_length(state)
}

/// Writes why, as a sentence for people: a `reason` by its code, whether it is a `refusal` (not 0),
/// and the numbers of the verdict or refusal (−1 where there is none). Gives the text's length, 0
/// for a reason that nobody gave.
#[allow(clippy::too_many_arguments)] // numbers, one by one: that is what the boundary carries
pub fn explain(
    state: &mut State,
    reason: u32,
    refusal: u32,
    attempt: u32,
    delay: f64,
    hint: f64,
    retry_in: f64,
    language: u32,
) -> u32 {
    let text = state.scratch.new_text();
    if let Some(reason) = from_code(reason, Reason::from_code) {
        let mut facts = Facts::new(reason);
        facts.refusal = refusal != 0;
        facts.attempt = attempt;
        facts.delay = Millis::new(convert::span(delay).unwrap_or_default());
        facts.hint = convert::span(hint).map(Millis::new);
        facts.retry_in = convert::span(retry_in).map(Millis::new);
        let language = from_code(language, Lang::from_code).unwrap_or(Lang::English);
        // Writing to memory does not fail.
        let _ = explain::sentence(&mut Text(text), &facts, language);
    }
    text_length(state)
}

/// The value with this code, if it is one.
fn from_code<T>(code: u32, from: impl FnOnce(u8) -> Option<T>) -> Option<T> {
    u8::try_from(code).ok().and_then(from)
}

fn text_length(state: &State) -> u32 {
    state.scratch.text().len() as u32
}

fn address<T>(pointer: *const T) -> u32 {
    pointer.addr() as u32
}

/// Writes into a text.
struct Text<'a>(&'a mut Vec<u8>);

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
