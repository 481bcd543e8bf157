//! What can be asked without a call.

use alloc::boxed::Box;
use core::str;

use retrywise::{
    Ask, BackoffState, Class, Draw, Hint, HintSource, Millis, Policy, Reason,
    classify::{self, Context},
    delay::Delay,
    headers, hint,
    policy::{BackoffOptions, Curve, Jitter},
    profile::{self, Profile},
};

use crate::{
    abi::{
        State,
        call::to_method,
        error::kept,
        from_code,
        outcome::{Given, outcome_flag},
    },
    convert, packed,
    scratch::slot,
    wire::BY_NAME,
};

/// Header names that get ids. They are kept for good, so this bounds what they take.
const MAX_HEADER_IDS: usize = 254;
/// The longest header name that gets an id.
const MAX_HEADER_NAME: usize = 64;

/// Classifies an outcome: the packed classification, with HINT. `policy` and `profile` may be 0.
#[allow(clippy::too_many_arguments)] // numbers, one by one: that is what the boundary carries
pub fn classify(
    state: &mut State,
    flags: u32,
    status: f64,
    error: u32,
    wall: f64,
    policy: u32,
    profile: u32,
    length: u32,
) -> u32 {
    let State { engine, scratch, errors, headers, .. } = state;
    let kept = kept(errors, error);
    let policy = engine.policy(policy);
    let profile = to_profile(profile).or_else(|| policy.and_then(Policy::profile));
    let wall = convert::wall(wall);
    let (input, duration) = (scratch.input(length as usize), f64::NAN);
    let given = Given { flags, status, duration, kept, input, headers };
    let (found, hint) = given.read(|outcome| {
        let hint = outcome.response.and_then(|response| hint::read(&response, wall, profile));
        let mut context = Context::default();
        context.key_sent = flags & outcome_flag::KEY_SENT != 0;
        context.profile = profile;
        context.retry_on = policy.map(Policy::retry_on);
        context.hint = hint;
        (classify::classify(outcome, &context), hint)
    });
    scratch.set(slot::HINT, convert::from_span(hint.map(|hint| hint.delay)));
    packed::classification(&found, hint)
}

/// The wait that an answer asks for: its source, with HINT; 0 when it asks for none.
pub fn hint(state: &mut State, status: f64, wall: f64, profile: u32, length: u32) -> u32 {
    let State { scratch, headers, .. } = state;
    let input = scratch.input(length as usize);
    let (flags, duration) = (outcome_flag::ANSWERED, f64::NAN);
    let given = Given { flags, status, duration, kept: None, input, headers };
    let found = given.read(|outcome| {
        let response = outcome.response?;
        hint::read(&response, convert::wall(wall), to_profile(profile))
    });
    scratch.set(slot::HINT, convert::from_span(found.map(|hint| hint.delay)));
    found.map_or(0, |hint| hint.source.code().into())
}

/// The number of the vendor profile whose id is in the input; 0 when there is none.
pub fn profile_find(state: &mut State, length: u32) -> u32 {
    let id = core::str::from_utf8(state.scratch.input(length as usize)).unwrap_or_default();
    profiles().iter().position(|profile| profile.id == id).map_or(0, |at| at as u32 + 1)
}

/// The id of a response header by its name in the input, any case: 0 when the core does not read
/// it, so that it need not be passed; 255 when it is to be passed by name.
pub fn header_id(state: &mut State, length: u32) -> u32 {
    let Ok(name) = str::from_utf8(state.scratch.input(length as usize)) else { return 0 };
    if !is_read(name) {
        return 0;
    }
    if let Some(at) = state.headers.iter().position(|&known| known == name) {
        return at as u32 + 1;
    }
    if state.headers.len() >= MAX_HEADER_IDS || name.len() > MAX_HEADER_NAME {
        return u32::from(BY_NAME);
    }
    state.headers.push(Box::leak(Box::from(name)));
    state.headers.len() as u32
}

/// The wait before a retry by itself, ms, as a settle would choose it; −1 with a REASON when the
/// hint is longer than the policy waits, or the upstream is gone. `retry` counts from 1, `class` is
/// a code, `hint` is −1 without one. `previous` and `polly` are what the call before left in
/// PREVIOUS and POLLY; −1 and 0 the first time.
pub fn delay(
    state: &mut State,
    upstream: u32,
    retry: u32,
    class: u32,
    hint: f64,
    previous: f64,
    polly: f64,
) -> f64 {
    let class = from_code(class, Class::from_code).unwrap_or(Class::Transient);
    let mut backoff = BackoffState::default();
    backoff.previous = convert::span(previous).map(Millis::new);
    backoff.v2_bits = polly.to_bits();
    let hint = convert::span(hint).map(|ms| Hint::new(Millis::new(ms), HintSource::RetryAfter));
    let chosen = state.engine.delay(upstream, Ask::new(retry, class), hint, &mut backoff);
    let (wait, reason) = match chosen {
        Some(Delay::Wait(wait, reason)) => (convert::from_millis(wait), reason),
        Some(Delay::TooLong) => (convert::NONE, Reason::HintTooLong),
        None => (convert::NONE, Reason::Cancelled),
    };
    state.scratch.set(slot::REASON, reason.code().into());
    state.scratch.set(slot::PREVIOUS, convert::from_span(backoff.previous));
    state.scratch.set(slot::POLLY, f64::from_bits(backoff.v2_bits));
    wait
}

/// The wait before retry `retry` (from 1), ms, by a curve and a jitter alone. `factor` counts in
/// thousandths, `ratio` in ten-thousandths; `high` and `low` are the 64 random bits of the one draw.
/// `previous` and `polly` are as for [`delay`]. Numbers out of range count as the nearest in it.
#[allow(clippy::too_many_arguments)] // numbers, one by one
pub fn backoff(
    state: &mut State,
    curve: u32,
    base: f64,
    factor: f64,
    cap: f64,
    jitter: u32,
    ratio: f64,
    retry: u32,
    high: u32,
    low: u32,
    previous: f64,
    polly: f64,
) -> f64 {
    let mut options = BackoffOptions::default();
    options.curve = from_code(curve, Curve::from_code).unwrap_or(options.curve);
    options.jitter = from_code(jitter, Jitter::from_code).unwrap_or(options.jitter);
    let span = |ms: f64| Millis::new(convert::span(ms).unwrap_or(0));
    (options.base, options.cap) = (span(base), span(cap));
    options.factor_thousandths = (factor as u32).clamp(1_000, 100_000);
    options.jitter_ratio = (ratio as u32).min(10_000);
    let mut memory = BackoffState::default();
    memory.previous = convert::span(previous).map(Millis::new);
    memory.v2_bits = polly.to_bits();
    let draw = Draw::from_bits(convert::join(high, low));
    let ask = Ask::new(retry, Class::Transient);
    let wait = retrywise::backoff(&options, &ask, &mut memory, draw).delay;
    state.scratch.set(slot::PREVIOUS, convert::from_span(memory.previous));
    state.scratch.set(slot::POLLY, f64::from_bits(memory.v2_bits));
    convert::from_millis(wait)
}

/// Whether a method is safe (bit 0) and idempotent (bit 1).
pub fn method_facts(_: &mut State, method: u32) -> u32 {
    let method = to_method(method);
    u32::from(method.is_safe()) | u32::from(method.is_idempotent()) << 1
}

pub(super) fn to_profile(number: u32) -> Option<&'static Profile> {
    profiles().get((number as usize).checked_sub(1)?).copied()
}

/// The small module goes without vendors: their tables are a seventh of it.
const HAS_PROFILES: bool =
    !cfg!(feature = "slim") || cfg!(any(feature = "bindgen", feature = "raw"));

fn profiles() -> &'static [&'static Profile] {
    if HAS_PROFILES { profile::ALL } else { &[] }
}

fn is_read(name: &str) -> bool {
    if HAS_PROFILES { headers::is_read(name) } else { headers::is_read_without_profile(name) }
}
