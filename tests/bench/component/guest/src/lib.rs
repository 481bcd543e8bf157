//! The interface `upstream` without an engine behind it: what is asked is read as the binding reads
//! it and let go, what is answered is always the same. What such a call costs is the boundary.
#![no_std]

extern crate alloc;
#[cfg(not(target_family = "wasm"))]
extern crate std;

mod answer;
mod policy;
#[cfg(target_family = "wasm")]
mod runtime;
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
mod wit {
    use super::Floor;

    wit_bindgen::generate!({
        path: ["../../../../wit", "../wit"],
        world: "retrywise:bench/decisions",
    });

    // Only a component exports them: a native program may not have symbols of these names.
    #[cfg(target_family = "wasm")]
    export!(Floor);
    #[cfg(not(target_family = "wasm"))]
    const _: Option<Floor> = None;
}

/// The implementation of the world.
struct Floor;

/// For what no bench asks.
fn unasked<T>() -> T {
    panic!("the floor answers begin, settle and end alone")
}
