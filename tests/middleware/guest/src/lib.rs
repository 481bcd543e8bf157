//! The components that the middleware is tested in front of: a caller and a service. Neither knows
//! of it, and neither retries.
#![no_std]

extern crate alloc;
#[cfg(not(target_family = "wasm"))]
extern crate std;

#[cfg(feature = "caller")]
mod caller;
#[cfg(target_family = "wasm")]
mod runtime;
#[cfg(all(feature = "service", not(feature = "caller")))]
mod service;
