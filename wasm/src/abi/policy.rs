//! Policies, and the upstreams made of them.

use alloc::vec::Vec;
use core::str;

use retrywise::{
    Breaker, Ledger, Policy, Rng, Upstream,
    policy::{IssueKind, Issues},
    profile::{Pointers, Profile},
};

use crate::{
    abi::{State, read::to_profile, text_length},
    convert,
    engine::Reports,
    scratch::{push_string, slot},
};

/// Reads the policy document in the input and keeps the policy: its handle, or 0 with the issues
/// as text.
pub fn policy_new(state: &mut State, length: u32) -> u32 {
    match read_policy(state.scratch.input(length as usize)) {
        Ok(policy) => {
            state.scratch.new_text();
            state.engine.add_policy(policy).unwrap_or_default()
        }
        Err(issues) => {
            write_issues(state.scratch.new_text(), issues.as_ref());
            0
        }
    }
}

/// What is wrong with the policy document in the input, as text: each issue three strings (field,
/// kind, message), a string four bytes of length and its UTF-8. Gives the text's length.
pub fn policy_validate(state: &mut State, length: u32) -> u32 {
    let policy = read_policy(state.scratch.input(length as usize));
    let text = state.scratch.new_text();
    if let Err(issues) = policy {
        write_issues(text, issues.as_ref());
    }
    text_length(state)
}

/// Lets a policy go; upstreams that were made of it keep it.
pub fn policy_free(state: &mut State, policy: u32) {
    state.engine.remove_policy(policy);
}

/// How many retries a policy allows; 0 for a policy that is gone.
pub fn policy_max_retries(state: &mut State, policy: u32) -> u32 {
    state.engine.policy(policy).map_or(0, Policy::max_retries)
}

/// Whether a policy makes keys, so that `begin` needs random bits.
pub fn policy_generates_keys(state: &mut State, policy: u32) -> u32 {
    state.engine.policy(policy).is_some_and(|policy| policy.idempotency().generate).into()
}

/// What a ledger needs of a policy, in the first eight slots: whether keys are honoured, the window,
/// the lease and the retention (ms, −1 for good), the longest key, its shape by its code, the
/// version of generated keys by its code, the retries allowed. `policy` 0 is the standard policy; the answer is 0 when
/// the policy is gone.
pub fn policy_terms(state: &mut State, policy: u32) -> u32 {
    let standard;
    let policy = match (policy, state.engine.policy(policy)) {
        (_, Some(policy)) => policy,
        (0, None) => {
            standard = Policy::standard();
            &standard
        }
        (_, None) => return 0,
    };
    let terms = Ledger::new(policy);
    let version = policy.idempotency().version;
    for (slot, value) in [
        terms.honoured.into(),
        convert::from_millis(terms.window),
        convert::from_millis(terms.lease),
        convert::from_span(terms.retention),
        terms.keys.max_len as f64,
        terms.keys.shape.code().into(),
        version.code().into(),
        terms.max_retries.into(),
    ]
    .into_iter()
    .enumerate()
    {
        state.scratch.set(slot, value);
    }
    1
}

/// What a host has to look for, as strings: the name of the key header, then for each place in an
/// error body its [tag](crate::wire::tag) in decimal and a JSON pointer (RFC 6901). Of the pointers with one tag the
/// first that leads to a string or a number wins. `policy` 0 gives the places that need no policy,
/// `profile` wins over the policy's own.
pub fn looks_for(state: &mut State, policy: u32, profile: u32) -> u32 {
    let policy = state.engine.policy(policy);
    let profile = to_profile(profile).or_else(|| policy.and_then(Policy::profile));
    let text = state.scratch.new_text();
    push_string(text, policy.map_or("", |policy| &policy.idempotency().header));
    let pointers = profile.map_or(&Pointers::STANDARD, |profile| profile.pointers);
    // `wire::tag::BODY_*` in decimal.
    for (tag, pointers) in [
        ("16", pointers.code),
        ("17", pointers.policy),
        ("18", pointers.problem_type),
        ("19", pointers.retry_delay),
        ("20", pointers.retry_after_s),
    ] {
        for pointer in pointers {
            push_string(text, tag);
            push_string(text, pointer);
        }
    }
    text_length(state)
}

/// The lowest status of an answer whose body is to be looked into; `policy` and `profile` as in
/// [`looks_for`].
pub fn looks_from(state: &mut State, policy: u32, profile: u32) -> u32 {
    let of_policy = || state.engine.policy(policy).and_then(Policy::profile);
    Profile::looks_from(to_profile(profile).or_else(of_policy)).into()
}

/// Bits of `flags` in [`upstream_new`].
pub mod upstream_flag {
    /// The host reports failures only: budget, breaker and limiter are off, they would count
    /// wrongly.
    pub const FAILURES_ONLY: u32 = 1;
}

/// Makes an upstream of a policy: its handle, or 0 when the policy is gone.
pub fn upstream_new(state: &mut State, policy: u32, seed: f64, flags: u32) -> u32 {
    let failures_only = flags & upstream_flag::FAILURES_ONLY != 0;
    let reports = if failures_only { Reports::Failures } else { Reports::All };
    state.engine.add_upstream(policy, convert::seed(seed), reports).unwrap_or_default()
}

/// Lets an upstream go, and its calls with it.
pub fn upstream_free(state: &mut State, upstream: u32) {
    state.engine.remove_upstream(upstream);
}

/// Holds an upstream's breaker open until [`upstream_reset`]; 0 where it has none.
pub fn upstream_isolate(state: &mut State, upstream: u32) -> u32 {
    state.engine.breaker_mut(upstream).map(Breaker::isolate).map_or(0, |_| 1)
}

/// Closes an upstream's breaker by hand, its past forgotten; 0 where it has none.
pub fn upstream_reset(state: &mut State, upstream: u32) -> u32 {
    state.engine.breaker_mut(upstream).map(Breaker::reset).map_or(0, |_| 1)
}

/// How an upstream stands: the code of the breaker's state plus 1, or 0 where there is no breaker;
/// `RETRY_IN` says how long an open one stays so, BALANCE what the budget has left.
pub fn upstream_view(state: &mut State, upstream: u32, now: f64) -> u32 {
    let now = convert::instant(now);
    let upstream = state.engine.upstream(upstream);
    let breaker = upstream.and_then(Upstream::breaker).map(|breaker| breaker.view(now));
    let budget = upstream.and_then(Upstream::budget).map(|b| b.balance_thousandths(now));
    let retry_in = breaker.and_then(|view| view.retry_in);
    state.scratch.set(slot::RETRY_IN, convert::from_span(retry_in));
    state.scratch.set(slot::BALANCE, budget.map_or(convert::NONE, |balance| balance as f64));
    breaker.map_or(0, |view| u32::from(view.state.code()) + 1)
}

/// The upper half of the generator's state.
pub fn rng_high(state: &mut State, upstream: u32) -> u32 {
    state.engine.rng(upstream).map_or(0, |rng| (rng.state() >> 32) as u32)
}

/// The lower half of the generator's state.
pub fn rng_low(state: &mut State, upstream: u32) -> u32 {
    state.engine.rng(upstream).map_or(0, |rng| rng.state() as u32)
}

/// Continues from a saved state of the generator.
pub fn rng_set(state: &mut State, upstream: u32, high: u32, low: u32) {
    state.engine.set_rng(upstream, Rng::new(convert::join(high, low)));
}

/// The policy of a document; no issues where it is no UTF-8.
fn read_policy(document: &[u8]) -> Result<Policy, Option<Issues>> {
    Policy::from_json(str::from_utf8(document).map_err(|_| None)?).map_err(Some)
}

fn write_issues(text: &mut Vec<u8>, issues: Option<&Issues>) {
    let mut write = |field: &str, kind: IssueKind, message: &str| {
        push_string(text, field);
        push_string(text, kind.name());
        push_string(text, message);
    };
    let Some(issues) = issues else {
        return write("", IssueKind::Syntax, "the document is not UTF-8");
    };
    for issue in issues {
        write(&issue.field, issue.kind, &issue.message);
    }
}
