//! WASI 0.3 middleware: sits in front of a component's HTTP and retries as the core decides.
//!
//! The core decides, the host sleeps, sends and draws; this crate carries requests from one to
//! the other. It reads no response body.
//!
//! | module | what |
//! |---|---|
//! | `bindings` | the world, made from `wit/`, and the one slot that is filled |
//! | `call` | one call: begin, send, settle, wait, resume |
//! | `attempt` | one attempt on its way, its body beside it |
//! | `tape` | the request body: streamed as it comes, kept to be sent again |
//! | `request` | the other parts of a request, for each attempt anew |
//! | `outcome` | answers and errors as the core reads them, refusals as the guest does |
//! | `upstreams` | what the calls of an instance share |
//! | `settings` | the policy and the bound, from the environment |
//! | `clock` | time, waits and chance |
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
// On this machine's own target std brings the allocator and the panic handler; `runtime` does in wasm.
#[cfg(not(target_family = "wasm"))]
extern crate std;

#[cfg(all(feature = "client", feature = "handler"))]
compile_error!("a component fills one slot: choose one of the features `client` and `handler`");
#[cfg(not(any(feature = "client", feature = "handler")))]
compile_error!("choose the slot: the feature `client` or `handler`");

mod attempt;
mod bindings;
mod call;
mod clock;
mod outcome;
mod request;
#[cfg(target_family = "wasm")]
mod runtime;
mod settings;
mod tape;
mod upstreams;
