//! The WebAssembly bindings of retrywise: converts, decides nothing.
//!
//! Every function here turns numbers and buffers into types of the core, asks the core, and turns
//! the answer into numbers. The rules are the core's; the clocks, the seed and the sleeping are
//! the host's.
//!
//! | module | what |
//! |---|---|
//! | [`convert`] | numbers of the host to times, seeds, statuses |
//! | [`wire`] | the few strings of an event |
//! | [`scratch`] | the buffers that host and module share |
//! | [`engine`] | policies, upstreams and calls by handle |
//! | [`abi`] | the functions that every binding exports |
//! | `bindgen`, `raw` | their names in a binding's world |
//! | `component` | the WIT package, on the same engine |
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
// On this machine's own target std brings the allocator and the panic handler; `runtime` does in wasm.
#[cfg(not(target_family = "wasm"))]
extern crate std;

#[cfg(all(target_family = "wasm", feature = "bindgen", feature = "raw"))]
compile_error!("a module has one binding: choose one of the features `bindgen` and `raw`");
#[cfg(all(feature = "component", any(feature = "bindgen", feature = "raw")))]
compile_error!("a component is a binding of its own: choose no other beside it");

pub mod abi;
#[cfg(feature = "bindgen")]
pub mod bindgen;
#[cfg(feature = "component")]
mod component;
pub mod convert;
pub mod engine;
#[cfg(any(feature = "bindgen", feature = "raw", feature = "slim", feature = "ledger"))]
mod exports;
mod packed;
#[cfg(any(feature = "raw", feature = "slim", feature = "ledger"))]
pub mod raw;
#[cfg(target_family = "wasm")]
mod runtime;
pub mod scratch;
mod slab;
#[cfg(any(
    feature = "bindgen",
    feature = "raw",
    feature = "slim",
    feature = "ledger",
    feature = "component"
))]
mod state;
pub mod tables;
pub mod wire;
