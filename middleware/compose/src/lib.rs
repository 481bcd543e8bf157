//! Puts the middleware in front of a WASI 0.3 component: a guest that sends requests, or a service
//! that answers them. Neither is changed, and no source of it is needed.
//!
//! ```no_run
//! # fn main() -> anyhow::Result<()> {
//! use retrywise_compose::{Settings, Slot, compose};
//!
//! let guest = std::fs::read("guest.wasm")?;
//! let middleware = std::fs::read("retrywise-client.wasm")?;
//! let settings = Settings { policy: Some(r#"{"maxRetries":2}"#.into()), ..Settings::default() };
//! std::fs::write("guest.retrying.wasm", compose(guest, middleware, Slot::Client, &settings)?)?;
//! # Ok(())
//! # }
//! ```

#![allow(clippy::std_instead_of_alloc, reason = "a tool that always has std")]

mod baked;

use anyhow::{Context, Result, bail, ensure};
use retrywise::policy::Policies;
use wac_graph::{
    CompositionGraph, EncodeOptions, PackageId, plug,
    types::{Package, are_semver_compatible},
};

/// Where the middleware stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// Behind a guest, before the host: what it sends by `wasi:http/client`.
    Client,
    /// Before a service: what it is asked by `wasi:http/handler`.
    Handler,
}

/// What the middleware is told by the composed file instead of by its environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// A policy or a policy set, as JSON. Default: the environment's.
    pub policy: Option<String>,
    /// How much of a request body is kept to be sent again, in bytes, 0 to 64 MiB. Default: the
    /// environment's where no policy is baked in, else 1 MiB.
    pub body_bytes: Option<u32>,
}

/// The largest [`Settings::body_bytes`].
pub const MAX_BODY_BYTES: u32 = 64 << 20;

impl Slot {
    /// The interface that is passed through, without its version.
    pub const fn interface(self) -> &'static str {
        match self {
            Self::Client => "wasi:http/client",
            Self::Handler => "wasi:http/handler",
        }
    }
}

/// The component with the middleware in front of it: it exports what `guest` exports, and imports
/// what the two import.
///
/// With any setting given, the middleware no longer reads its environment; what is not given then
/// has its default.
///
/// # Errors
/// The settings are wrong, all that is wrong at once; a file is no component; or the component has
/// no place for the middleware, and what it has instead.
pub fn compose(
    guest: Vec<u8>,
    middleware: Vec<u8>,
    slot: Slot,
    settings: &Settings,
) -> Result<Vec<u8>> {
    let variables = variables(settings)?;
    let mut graph = CompositionGraph::new();
    let mut middleware = middleware;
    if !variables.is_empty() {
        let mut inner = CompositionGraph::new();
        let baked = add(&mut inner, "settings", baked::environment(&variables))?;
        let socket = add(&mut inner, "middleware", middleware)?;
        middleware =
            join(inner, baked, socket).context("the settings do not fit the middleware")?;
    }
    let middleware = add(&mut graph, "middleware", middleware)?;
    let guest = add(&mut graph, "guest", guest)?;
    match slot {
        Slot::Client => {
            needs(&graph, guest, slot, Side::Import)?;
            join(graph, middleware, guest)
        }
        Slot::Handler => {
            needs(&graph, guest, slot, Side::Export)?;
            join(graph, guest, middleware)
        }
    }
}

/// What is baked in, by the names that the middleware reads.
fn variables(settings: &Settings) -> Result<Vec<(&'static str, String)>> {
    let mut variables = Vec::new();
    if let Some(policy) = &settings.policy {
        Policies::from_json(policy)
            .map_err(|issues| anyhow::anyhow!("the policy is not valid: {issues}"))?;
        variables.push(("RETRYWISE_POLICY", policy.clone()));
    }
    if let Some(bytes) = settings.body_bytes {
        ensure!(bytes <= MAX_BODY_BYTES, "{bytes} bytes are more than {MAX_BODY_BYTES} (64 MiB)");
        variables.push(("RETRYWISE_BODY_BYTES", bytes.to_string()));
    }
    Ok(variables)
}

fn add(graph: &mut CompositionGraph, name: &str, bytes: Vec<u8>) -> Result<PackageId> {
    let package = Package::from_bytes(name, None, bytes, graph.types_mut())
        .with_context(|| format!("the {name} cannot be read"))?;
    Ok(graph.register_package(package)?)
}

/// What `plug` exports goes to what `socket` imports.
fn join(mut graph: CompositionGraph, from: PackageId, socket: PackageId) -> Result<Vec<u8>> {
    plug(&mut graph, vec![from], socket)?;
    Ok(graph.encode(EncodeOptions::default())?)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Import,
    Export,
}

/// A sentence for a component that has no place for the middleware.
fn needs(graph: &CompositionGraph, guest: PackageId, slot: Slot, side: Side) -> Result<()> {
    let world = &graph.types()[graph[guest].ty()];
    let (verb, names) = match side {
        Side::Import => ("import", &world.imports),
        Side::Export => ("export", &world.exports),
    };
    let wanted = format!("{}@0.3.0", slot.interface());
    if names.keys().any(|name| *name == wanted || are_semver_compatible(&wanted, name)) {
        return Ok(());
    }
    let http: Vec<_> = names.keys().filter(|name| name.starts_with("wasi:http/")).collect();
    if http.iter().any(|name| name.contains("@0.2.")) {
        bail!(
            "the component speaks WASI 0.2 ({}): this middleware is for 0.3, which has `{wanted}`",
            http.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        );
    }
    bail!(
        "the component does not {verb} `{wanted}`, so there is nothing to put the middleware in front of"
    );
}
