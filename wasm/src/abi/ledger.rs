//! The ledger, its trail and its reviews. Questions and answers are JSON texts: none of this is on
//! the way of a request that goes well.
//!
//! Each function writes two strings: what is wrong with the question, empty when nothing is; and
//! the answer.

use alloc::string::String;
use core::str;

use retrywise::{
    Key, KeyRule, Ledger, Millis, policy::KeyVersion, profile::KeyShape, review::Item, trail,
};

use crate::{
    abi::{State, from_code, text_length},
    convert,
    scratch::{Scratch, push_string},
    wire::Fields,
};

/// Applies the event in the input to the record beside it (`Ledger::apply_json`), under the terms
/// that `policy_terms` gave: what a ledger needs of a policy, so that a module that keeps one
/// reads no policies. A `retention` of −1 is for good; numbers out of range count as the default.
#[allow(clippy::too_many_arguments)] // numbers, one by one: that is what the boundary carries
pub fn ledger_op(
    state: &mut State,
    honoured: u32,
    window: f64,
    lease: f64,
    retention: f64,
    longest: u32,
    shape: u32,
    retries: u32,
    length: u32,
) -> u32 {
    let span = |ms: f64| Millis::new(convert::span(ms).unwrap_or_default());
    let mut terms = Ledger::bare();
    terms.honoured = honoured != 0;
    (terms.window, terms.lease) = (span(window), span(lease));
    terms.retention = convert::span(retention).map(Millis::new);
    terms.keys = key_rule(longest, shape);
    terms.max_retries = retries;
    answer(&mut state.scratch, length, |question| terms.apply_json(question));
    text_length(state)
}

/// Renders the trail in the input (`trail::render_json`).
pub fn trail_render(state: &mut State, length: u32) -> u32 {
    answer(&mut state.scratch, length, trail::render_json);
    text_length(state)
}

/// Writes what a person has to know about the record in the input (`Item::describe_json`).
pub fn review_item(state: &mut State, length: u32) -> u32 {
    answer(&mut state.scratch, length, Item::describe_json);
    text_length(state)
}

/// Makes a key: of the business event in the input; else of the random bits there, in this version;
/// checked against what the vendor takes. The numbers are those of `policy_terms`. The answer is
/// the key.
pub fn key_make(
    state: &mut State,
    version: u32,
    longest: u32,
    shape: u32,
    wall: f64,
    length: u32,
) -> u32 {
    let version = from_code(version, KeyVersion::from_code).unwrap_or(KeyVersion::V4);
    let made = {
        let mut fields = Fields::default();
        fields.read(state.scratch.input(length as usize), &[]);
        match (fields.event, fields.entropy) {
            (Some(event), _) => Some(Key::from_event(event)),
            (None, Some(entropy)) => Key::generate(version, entropy, convert::wall(wall)),
            (None, None) => None,
        }
    };
    let made = made.ok_or("a key needs a business event, or 16 random bytes and a clock").and_then(
        |key| {
            let taken = key_rule(longest, shape).check(key);
            taken.map_err(|_| "the vendor takes no key of this length or shape")
        },
    );
    let text = state.scratch.new_text();
    push_string(text, made.as_ref().err().copied().unwrap_or_default());
    push_string(text, made.as_ref().map_or("", |key| key.as_str()));
    text_length(state)
}

fn key_rule(longest: u32, shape: u32) -> KeyRule {
    let mut rule = KeyRule::default();
    rule.max_len = (longest as usize).clamp(1, rule.max_len);
    rule.shape = from_code(shape, KeyShape::from_code).unwrap_or(rule.shape);
    rule
}

/// Asks what the input says; writes what is wrong with it, and the answer.
pub(super) fn answer(
    scratch: &mut Scratch,
    length: u32,
    ask: impl FnOnce(&str) -> Result<String, String>,
) {
    let result = match str::from_utf8(scratch.input(length as usize)) {
        Ok(question) => ask(question),
        Err(_) => Err("the question is not UTF-8".into()),
    };
    let text = scratch.new_text();
    push_string(text, result.as_ref().err().map_or("", |error| error));
    push_string(text, result.as_ref().map_or("", |answer| answer));
}
