//! The lists of exports. A binding hands a list a macro of its own, which gives every function of
//! [`abi`](crate::abi) a name in the binding's world: documentation, name, parameters, result.
//!
//! | list | what | `bindgen` | `raw` | `slim` | `ledger` | `whole` |
//! |---|---|---|---|---|---|---|
//! | `sharing` | the buffers | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | `reading` | what an answer or an error means, what to wait: no policy, no call | ✓ | ✓ | ✓ | | ✓ |
//! | `naming` | the names behind the codes | ✓ | ✓ | | | ✓ |
//! | `ruling` | policies | ✓ | ✓ | | | ✓ |
//! | `deciding` | upstreams, calls | ✓ | ✓ | | | ✓ |
//! | `explaining` | reasons as sentences | ✓ | | | | ✓ |
//! | `keeping` | ledger, trail, reviews, keys, the order of calls | | | | ✓ | ✓ |
//!
//! A list is left out where it would only be carried about: the linker drops what no export reaches.

/// The buffers that host and module share.
macro_rules! sharing {
    ($bind:ident) => {
        $bind! {
            /// The address of the input buffer, with room for at least `length` bytes; 0 above
            /// 1 MiB.
            fn input_reserve(length: u32) -> u32;
            /// How many bytes the input buffer holds.
            fn input_room() -> u32;
            /// The address of the eight output slots.
            fn output_address() -> u32;
            /// The value of an output slot.
            fn output(slot: u32) -> f64;
            /// The address of the last text.
            fn text_address() -> u32;
        }
    };
}
pub(crate) use sharing;

/// What is asked without a policy or a call.
#[cfg(any(feature = "bindgen", feature = "raw", feature = "slim"))]
macro_rules! reading {
    ($bind:ident) => {
        $bind! {
            /// Keeps the error in the input under a number.
            fn error_intern(length: u32) -> u32;
            /// Classifies an outcome; the packed classification, with HINT.
            fn classify(
                flags: u32, status: f64, error: u32, wall: f64, policy: u32, profile: u32,
                length: u32,
            ) -> u32;
            /// The source of the wait that an answer asks for, with HINT.
            fn hint(status: f64, wall: f64, profile: u32, length: u32) -> u32;
            /// The id of a response header; 0 when the core does not read it.
            fn header_id(length: u32) -> u32;
            /// The number of the vendor profile whose id is in the input.
            fn profile_find(length: u32) -> u32;
            /// Whether a method is safe (bit 0) and idempotent (bit 1).
            fn method_facts(method: u32) -> u32;
            /// The wait before a retry by a curve and a jitter alone, with PREVIOUS and POLLY.
            fn backoff(
                curve: u32, base: f64, factor: f64, cap: f64, jitter: u32, ratio: f64, retry: u32,
                high: u32, low: u32, previous: f64, polly: f64,
            ) -> f64;
        }
    };
}
#[cfg(any(feature = "bindgen", feature = "raw", feature = "slim"))]
pub(crate) use reading;

/// The names behind the codes.
#[cfg(any(feature = "bindgen", feature = "raw"))]
macro_rules! naming {
    ($bind:ident) => {
        $bind! {
            /// Writes a table of names, one `CODE NAME` a line; the text's length.
            fn table(table: u32) -> u32;
        }
    };
}
#[cfg(any(feature = "bindgen", feature = "raw"))]
pub(crate) use naming;

/// Reasons as sentences.
#[cfg(any(feature = "bindgen", feature = "whole"))]
macro_rules! explaining {
    ($bind:ident) => {
        $bind! {
            /// Writes a sentence that says why; the text's length.
            fn explain(
                reason: u32, refusal: u32, attempt: u32, delay: f64, hint: f64, retry_in: f64,
                language: u32,
            ) -> u32;
        }
    };
}
#[cfg(any(feature = "bindgen", feature = "whole"))]
pub(crate) use explaining;

/// Policies.
#[cfg(any(feature = "bindgen", feature = "raw"))]
macro_rules! ruling {
    ($bind:ident) => {
        $bind! {
            /// Keeps the policy whose document is in the input; 0 with its issues as text.
            fn policy_new(length: u32) -> u32;
            /// Writes what is wrong with the document in the input; the text's length.
            fn policy_validate(length: u32) -> u32;
            /// Lets a policy go.
            fn policy_free(policy: u32);
            /// Writes the terms of a ledger under a policy into the first eight slots; 0 when the
            /// policy is gone. 0 is the standard policy.
            fn policy_terms(policy: u32) -> u32;
        }
    };
}
#[cfg(any(feature = "bindgen", feature = "raw"))]
pub(crate) use ruling;

/// Upstreams and calls.
#[cfg(any(feature = "bindgen", feature = "raw"))]
macro_rules! deciding {
    ($bind:ident) => {
        $bind! {
            /// How many retries a policy allows.
            fn policy_max_retries(policy: u32) -> u32;
            /// Whether a policy makes keys.
            fn policy_generates_keys(policy: u32) -> u32;
            /// Writes what a host has to look for; the text's length.
            fn looks_for(policy: u32, profile: u32) -> u32;
            /// The lowest status of an answer whose body a host has to look into.
            fn looks_from(policy: u32, profile: u32) -> u32;
            /// Makes an upstream of a policy.
            fn upstream_new(policy: u32, seed: f64, flags: u32) -> u32;
            /// Lets an upstream go.
            fn upstream_free(upstream: u32);
            /// The breaker's state plus 1, 0 where there is none, with `RETRY_IN` and BALANCE.
            fn upstream_view(upstream: u32, now: f64) -> u32;
            /// Holds the breaker open by hand; 0 where there is none.
            fn upstream_isolate(upstream: u32) -> u32;
            /// Closes the breaker by hand; 0 where there is none.
            fn upstream_reset(upstream: u32) -> u32;
            /// The upper half of an upstream's random state.
            fn rng_high(upstream: u32) -> u32;
            /// The lower half of an upstream's random state.
            fn rng_low(upstream: u32) -> u32;
            /// Sets an upstream's random state.
            fn rng_set(upstream: u32, high: u32, low: u32);
            /// Begins a call; 0 with REASON and `RETRY_IN`.
            fn call_begin(
                upstream: u32, method: u32, flags: u32, priority: f64, now: f64, wall: f64,
                length: u32,
            ) -> u32;
            /// Settles an attempt; the packed verdict, with DELAY, HINT, ATTEMPT, TRANSITION.
            fn call_settle(
                call: u32, flags: u32, status: f64, error: u32, now: f64, wall: f64,
                duration: f64, length: u32,
            ) -> u32;
            /// Asks, after the wait, whether to send: 1, or 0 with REASON and `RETRY_IN`, or the
            /// packed verdict of a call that is over.
            fn call_resume(call: u32, now: f64) -> u32;
            /// Cancels a call; the packed verdict.
            fn call_cancel(call: u32, now: f64) -> u32;
            /// Ends a call that nobody will settle.
            fn call_end(call: u32, now: f64);
            /// How long the next attempt may take; −1 for the client's own timeout.
            fn call_timeout(call: u32, now: f64) -> f64;
            /// Writes the headers to send; the text's length.
            fn call_headers(call: u32) -> u32;
            /// Writes a call's key and the body's field for it; the text's length.
            fn call_key(call: u32) -> u32;
            /// How many calls are under way.
            fn calls() -> u32;
            /// The wait before a retry by itself, with REASON, PREVIOUS, POLLY.
            fn delay(
                upstream: u32, retry: u32, class: u32, hint: f64, previous: f64, polly: f64,
            ) -> f64;
        }
    };
}
#[cfg(any(feature = "bindgen", feature = "raw"))]
pub(crate) use deciding;

/// The ledger and what belongs to it.
#[cfg(any(feature = "ledger", feature = "whole"))]
macro_rules! keeping {
    ($bind:ident) => {
        $bind! {
            /// Makes a key of random bits and a time, or of a business event; the text's length.
            fn key_make(
                version: u32, longest: u32, shape: u32, wall: f64, length: u32,
            ) -> u32;
            /// Applies an event to a record of the ledger; the text's length.
            fn ledger_op(
                honoured: u32, window: f64, lease: f64, retention: f64, longest: u32, shape: u32,
                retries: u32, length: u32,
            ) -> u32;
            /// Renders a trail; the text's length.
            fn trail_render(length: u32) -> u32;
            /// Writes what a person has to know about a record in review; the text's length.
            fn review_item(length: u32) -> u32;
            /// Makes a dispatch; 0 when a million are kept.
            fn dispatch_new(concurrency: u32, capacity: u32, step: f64) -> u32;
            /// Lets a dispatch go.
            fn dispatch_free(dispatch: u32);
            /// Adds a call by a number of the host's, not 0; 0 when it is full.
            fn dispatch_add(dispatch: u32, id: u32, priority: f64, due: f64, now: f64) -> u32;
            /// The call to start; 0 with `RETRY_IN`, −1 where a call has to come or end first.
            fn dispatch_next(dispatch: u32, now: f64) -> u32;
            /// The upstream refused a call that was started; 0 when it was not.
            fn dispatch_put_back(dispatch: u32, id: u32, retry_in: f64, now: f64) -> u32;
            /// A call that was started ended; 0 when it was not.
            fn dispatch_done(dispatch: u32, id: u32) -> u32;
            /// Takes a call out that was not started; 0 when it is not there.
            fn dispatch_remove(dispatch: u32, id: u32) -> u32;
            /// How many calls are not due (0), wait (1), run (2).
            fn dispatch_view(dispatch: u32, which: u32) -> u32;
        }
    };
}
#[cfg(any(feature = "ledger", feature = "whole"))]
pub(crate) use keeping;
