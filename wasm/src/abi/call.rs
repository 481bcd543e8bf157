//! A call from its begin to its end.

use retrywise::{Method, Reason, Refusal, Request, Transition, Verdict};

use crate::{
    abi::{State, error::kept, from_code, outcome::Given, text_length},
    convert,
    engine::{Begin, Resume},
    packed,
    scratch::{Scratch, push_string, slot},
    wire::Fields,
};

/// Bits of `flags` in [`call_begin`].
pub mod begin_flag {
    /// The body can be sent only once.
    pub const BODY_ONCE: u32 = 1;
    /// A layer above retries this call already.
    pub const NESTED: u32 = 2;
    /// The request is idempotent, whatever its method says.
    pub const IDEMPOTENT: u32 = 4;
    /// The request is not idempotent, whatever its method says.
    pub const NOT_IDEMPOTENT: u32 = 8;
}

/// Begins a call. The input may hold a key, an event, entropy, a ticket and headers. Gives the call's
/// handle; or 0, with REASON and `RETRY_IN`, a REASON of −1 when the upstream is gone or a million
/// calls are under way.
#[allow(clippy::too_many_arguments)] // numbers, one by one: that is what the boundary carries
pub fn call_begin(
    state: &mut State,
    upstream: u32,
    method: u32,
    flags: u32,
    priority: f64,
    now: f64,
    wall: f64,
    length: u32,
) -> u32 {
    let begun = {
        let has = |flag| flags & flag != 0;
        let mut request = Request::new(to_method(method));
        request.replayable_body = !has(begin_flag::BODY_ONCE);
        request.nested = has(begin_flag::NESTED);
        request.idempotent = match (has(begin_flag::IDEMPOTENT), has(begin_flag::NOT_IDEMPOTENT)) {
            (_, true) => Some(false),
            (true, false) => Some(true),
            (false, false) => None,
        };
        request.priority = priority as i32;
        let mut fields;
        if length > 0 {
            fields = Fields::default();
            fields.read(state.scratch.input(length as usize), &state.headers);
            request.token = fields.token;
            request.key = fields.key;
            request.event = fields.event;
            request.entropy = fields.entropy;
            request.first_sent = fields.first_sent;
            request.ticket = fields.ticket;
            request.headers = fields.headers();
        }
        let now = convert::instant(now);
        state.engine.begin(upstream, &request, now, convert::wall(wall))
    };
    match begun {
        Begin::Admitted(call) => call,
        Begin::Refused(refusal) => {
            write_refusal(&mut state.scratch, &refusal);
            0
        }
        Begin::NoRoom => {
            state.scratch.set(slot::REASON, convert::NONE);
            state.scratch.set(slot::RETRY_IN, convert::NONE);
            0
        }
    }
}

/// Settles an attempt: the packed verdict, with DELAY, HINT, ATTEMPT, TRANSITION and SUSTAINED.
/// `error` is the number of a kept error, or 0: then the input may hold one. `duration` is the measured span of the
/// attempt, NaN when the clock between `begin` or `resume` and now is to count. A verdict other
/// than `retry` lets the call go; a call that is gone stays stopped, cancelled and stale.
#[allow(clippy::too_many_arguments)] // as above
pub fn call_settle(
    state: &mut State,
    call: u32,
    flags: u32,
    status: f64,
    error: u32,
    now: f64,
    wall: f64,
    duration: f64,
    length: u32,
) -> u32 {
    let State { engine, scratch, errors, headers, .. } = state;
    let kept = kept(errors, error);
    let (now, wall) = (convert::instant(now), convert::wall(wall));
    let input = scratch.input(length as usize);
    let given = Given { flags, status, duration, kept, input, headers };
    let verdict = given.read(|outcome| engine.settle(call, outcome, now, wall));
    answer(scratch, verdict)
}

/// Asks, after the wait, whether the next attempt may be sent: 1 for yes. 0 for not yet, with
/// REASON and `RETRY_IN`. Anything else is the packed verdict of a call that is over and gone, as
/// of [`call_settle`], with REASON.
pub fn call_resume(state: &mut State, call: u32, now: f64) -> u32 {
    match state.engine.resume(call, convert::instant(now)) {
        Some(Resume::Admitted) => 1,
        Some(Resume::Later(refusal)) => {
            write_refusal(&mut state.scratch, &refusal);
            0
        }
        Some(Resume::Over(refusal, verdict)) => {
            write_refusal(&mut state.scratch, &refusal);
            answer(&mut state.scratch, Some(verdict))
        }
        None => {
            state.scratch.set(slot::REASON, Reason::Cancelled.code().into());
            state.scratch.set(slot::RETRY_IN, convert::NONE);
            answer(&mut state.scratch, None)
        }
    }
}

/// Cancels a call, while sending or waiting: the packed verdict, as of [`call_settle`].
pub fn call_cancel(state: &mut State, call: u32, now: f64) -> u32 {
    let verdict = state.engine.cancel(call, convert::instant(now));
    answer(&mut state.scratch, verdict)
}

/// Ends a call that nobody will settle. Harmless when it is over already.
pub fn call_end(state: &mut State, call: u32, now: f64) {
    state.engine.end(call, convert::instant(now));
}

/// How long the next attempt may take, ms; −1 when the client's own timeout stands.
pub fn call_timeout(state: &mut State, call: u32, now: f64) -> f64 {
    let call = state.engine.call(call);
    convert::from_span(call.and_then(|(call, _)| call.timeout(convert::instant(now))))
}

/// The headers to send with every attempt, as strings: name, value, name, value.
pub fn call_headers(state: &mut State, call: u32) -> u32 {
    let text = state.scratch.new_text();
    if let Some((call, policy)) = state.engine.call(call)
        && let Some((name, value)) = call.key_header(policy)
    {
        push_string(text, name);
        push_string(text, &value);
        if let Some((name, date)) = call.first_sent_header(policy) {
            push_string(text, name);
            push_string(text, &date);
        }
    }
    text_length(state)
}

/// The call's key, as strings: the bare key, and the field of the request body that has to carry
/// it where the vendor takes it there; nothing for a call without a key.
pub fn call_key(state: &mut State, call: u32) -> u32 {
    let text = state.scratch.new_text();
    if let Some((call, policy)) = state.engine.call(call)
        && let Some(key) = call.key()
    {
        push_string(text, key);
        push_string(text, call.key_field(policy).map_or("", |(field, _)| field));
    }
    text_length(state)
}

/// How many calls are under way.
pub fn calls(state: &mut State) -> u32 {
    state.engine.calls() as u32
}

fn answer(scratch: &mut Scratch, verdict: Option<Verdict>) -> u32 {
    let Some(verdict) = verdict else {
        scratch.set(slot::DELAY, 0.0);
        scratch.set(slot::HINT, convert::NONE);
        scratch.set(slot::ATTEMPT, 0.0);
        scratch.set(slot::TRANSITION, convert::NONE);
        scratch.set(slot::SUSTAINED, 0.0);
        return packed::gone();
    };
    scratch.set(slot::DELAY, convert::from_millis(verdict.delay));
    scratch.set(slot::HINT, convert::from_span(verdict.hint.map(|hint| hint.delay)));
    scratch.set(slot::ATTEMPT, verdict.attempt.into());
    let change = |t: Transition| f64::from(t.from.code()) * 256.0 + f64::from(t.to.code());
    scratch.set(slot::TRANSITION, verdict.transition.map_or(convert::NONE, change));
    scratch.set(slot::SUSTAINED, f64::from(u8::from(verdict.sustained_throttling)));
    packed::verdict(&verdict)
}

fn write_refusal(scratch: &mut Scratch, refusal: &Refusal) {
    scratch.set(slot::REASON, refusal.reason.code().into());
    scratch.set(slot::RETRY_IN, convert::from_span(refusal.retry_in));
}

pub(super) fn to_method(code: u32) -> Method {
    from_code(code, Method::from_code).unwrap_or(Method::Other)
}
