//! The ledger, its trail and its reviews. Questions and answers are JSON texts: none of this is on
//! the way of a request that goes well.
//!
//! Each function writes two strings: what is wrong with the question, empty when nothing is; and
//! the answer.

use alloc::{borrow::Cow, string::String};
use core::str;

use retrywise::{Key, KeyRule, Ledger, Policy, review::Item, trail};

use crate::{
    abi::{State, text_length},
    convert,
    scratch::{Scratch, push_string},
    wire::Fields,
};

/// Applies the event in the input to the record beside it (`Ledger::apply_json`). Policy 0 is the
/// standard policy.
pub fn ledger_op(state: &mut State, policy: u32, length: u32) -> u32 {
    let State { engine, scratch, .. } = state;
    let terms = match (policy, engine.policy(policy)) {
        (_, Some(policy)) => Some(Ledger::new(policy)),
        (0, None) => Some(Ledger::new(&Policy::standard())),
        (_, None) => None,
    };
    answer(scratch, length, |question| match terms {
        Some(terms) => terms.apply_json(question),
        None => Err("the policy is gone".into()),
    });
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

/// Makes a key under a policy: of the business event in the input; else of the random bits there,
/// in the policy's version; checked against what the vendor takes. The answer is the key.
pub fn key_make(state: &mut State, policy: u32, wall: f64, length: u32) -> u32 {
    let State { engine, scratch, .. } = state;
    let policy = match (policy, engine.policy(policy)) {
        (_, Some(policy)) => Some(Cow::Borrowed(policy)),
        (0, None) => Some(Cow::Owned(Policy::standard())),
        (_, None) => None,
    };
    let made = policy.map_or(Err("the policy is gone"), |policy| {
        let fields = Fields::read(scratch.input(length as usize), &[]);
        let made = match (fields.event, fields.entropy) {
            (Some(event), _) => Some(Key::from_event(event)),
            (None, Some(entropy)) => {
                Key::generate(policy.idempotency().version, entropy, convert::wall(wall))
            }
            (None, None) => None,
        };
        let made = made.ok_or("a key needs a business event, or 16 random bytes and a clock")?;
        KeyRule::of(policy.profile())
            .check(made)
            .map_err(|_| "the vendor takes no key of this length or shape")
    });
    let text = scratch.new_text();
    push_string(text, made.as_ref().err().copied().unwrap_or_default());
    push_string(text, made.as_ref().map_or("", |key| key.as_str()));
    text_length(state)
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
