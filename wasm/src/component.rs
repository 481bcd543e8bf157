//! The component: the WIT package `retrywise:policy` on the [`engine`](crate::engine).
//!
//! Resources hold handles of the engine, so a call of a dropped upstream, or one that is over, is
//! harmless here too. Records become borrowed types of the core for as long as one call takes.

mod classify;
mod dispatch;
mod given;
mod ledger;
mod policy;
mod said;
#[cfg(feature = "lab")]
mod simulator;
mod upstream;

/// What `wit-bindgen` makes of the WIT package; its documentation is there.
#[allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    unnameable_types,
    clippy::all,
    clippy::pedantic
)]
#[allow(clippy::std_instead_of_core, clippy::alloc_instead_of_core, clippy::exhaustive_enums)]
#[allow(clippy::use_self, unused_qualifications, rust_2018_idioms, dead_code)]
pub(crate) mod wit {
    use super::Component;

    #[cfg(not(feature = "lab"))]
    wit_bindgen::generate!({
        path: "../wit",
        world: "retrywise",
    });
    #[cfg(feature = "lab")]
    wit_bindgen::generate!({
        path: "../wit",
        world: "retrywise-lab",
    });

    // Only a component exports them: a native program may not have symbols of these names.
    #[cfg(target_family = "wasm")]
    export!(Component);
    #[cfg(not(target_family = "wasm"))]
    const _: Option<Component> = None;
}

/// The implementation of the world.
struct Component;

/// How many policies, upstreams or calls are kept at one time.
const ROOM: u32 = 1 << 20;
