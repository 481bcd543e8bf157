//! The world, and the one slot that is filled: what comes in by it goes to [`call`](crate::call).

pub(crate) use generated::{wasi::*, wit_future, wit_stream};

/// What `wit-bindgen` makes of the WIT package.
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
mod generated {
    use super::Middleware;

    #[cfg(feature = "client")]
    wit_bindgen::generate!({ path: "wit", world: "client", generate_all });
    #[cfg(feature = "handler")]
    wit_bindgen::generate!({ path: "wit", world: "handler", generate_all });

    // Only a component exports them: a native program may not have symbols of these names.
    #[cfg(target_family = "wasm")]
    export!(Middleware);
    #[cfg(not(target_family = "wasm"))]
    const _: Option<Middleware> = None;
}

#[cfg(feature = "client")]
use generated::exports::wasi::http::client::Guest;
#[cfg(feature = "handler")]
use generated::exports::wasi::http::handler::Guest;

/// The next one in the chain: the host, a service, or a layer like this one.
#[cfg(feature = "client")]
pub(crate) use generated::wasi::http::client::send as forward;
#[cfg(feature = "handler")]
pub(crate) use generated::wasi::http::handler::handle as forward;

use http::types::{ErrorCode, Request, Response};

/// The implementation of the world.
struct Middleware;

impl Guest for Middleware {
    #[cfg(feature = "client")]
    async fn send(request: Request) -> Result<Response, ErrorCode> {
        crate::call::run(request).await
    }

    #[cfg(feature = "handler")]
    async fn handle(request: Request) -> Result<Response, ErrorCode> {
        crate::call::run(request).await
    }
}
