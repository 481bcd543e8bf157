//! The guests, alone and with the middleware in front of them.

use std::{cell::RefCell, collections::BTreeMap, env, fs, path::PathBuf};

use retrywise_compose::{Settings, Slot, compose};
use wasmtime::{Result, component::Component, error::Context as _, format_err};

use crate::host::Host;

/// A component that cases run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Which {
    /// A guest that sends what it is told.
    Caller,
    /// The same with the middleware.
    Retrying,
    /// With two layers, one behind the other.
    Stacked,
    /// With a policy that came into it when it was composed: [`BAKED`].
    Baked,
    /// With the middleware, and made for a later version of WASI 0.3.
    Newer,
    /// A service that fails as often as it is told.
    Service,
    /// The same with the middleware.
    RetryingService,
}

/// The components' files, and those that were compiled so far: it takes seconds each.
pub(crate) struct Components {
    client: Vec<u8>,
    handler: Vec<u8>,
    caller: Vec<u8>,
    service: Vec<u8>,
    compiled: RefCell<BTreeMap<Which, Component>>,
}

/// What is baked in: one retry, where the environment of the test allows five.
const BAKED: &str = r#"{"maxRetries":1,"backoff":{"baseMs":1,"capMs":2}}"#;

impl Components {
    /// Reads the files from the two folders that the environment names.
    pub(crate) fn read() -> Result<Self> {
        Ok(Self {
            client: file("RETRYWISE_MIDDLEWARE", "retrywise-client.wasm")?,
            handler: file("RETRYWISE_MIDDLEWARE", "retrywise-handler.wasm")?,
            caller: file("RETRYWISE_GUESTS", "caller.wasm")?,
            service: file("RETRYWISE_GUESTS", "service.wasm")?,
            compiled: RefCell::default(),
        })
    }

    /// A component, compiled when it is first asked for.
    pub(crate) fn get(&self, host: &Host, which: Which) -> Result<Component> {
        if let Some(known) = self.compiled.borrow().get(&which) {
            return Ok(known.clone());
        }
        let component = host.compile(&self.bytes(which)?)?;
        self.compiled.borrow_mut().insert(which, component.clone());
        Ok(component)
    }

    /// Why the middleware is not put in front of the caller in this way.
    pub(crate) fn refusal(&self, slot: Slot, policy: &str) -> String {
        let made = self.put(&self.caller, slot, Some(policy));
        made.err().map(|error| error.to_string()).unwrap_or_default()
    }

    fn bytes(&self, which: Which) -> Result<Vec<u8>> {
        let client = |guest: &[u8], policy| self.put(guest, Slot::Client, policy);
        match which {
            Which::Caller => Ok(self.caller.clone()),
            Which::Retrying => client(&self.caller, None),
            Which::Stacked => client(&client(&self.caller, None)?, None),
            Which::Baked => client(&self.caller, Some(BAKED)),
            Which::Newer => client(&later(&self.caller), None),
            Which::Service => Ok(self.service.clone()),
            Which::RetryingService => self.put(&self.service, Slot::Handler, None),
        }
    }

    fn put(&self, guest: &[u8], slot: Slot, policy: Option<&str>) -> Result<Vec<u8>> {
        let middleware = if slot == Slot::Client { &self.client } else { &self.handler };
        let settings = Settings { policy: policy.map(str::to_owned), body_bytes: None };
        compose(guest.to_vec(), middleware.clone(), slot, &settings)
            .map_err(|error| format_err!("{error:#}"))
    }
}

/// The same component for WASI 0.3.2: versions stand in it as text, all of one length.
fn later(component: &[u8]) -> Vec<u8> {
    let (from, to) = (b"@0.3.0", b"@0.3.2");
    let mut bytes = component.to_vec();
    for at in 0..bytes.len().saturating_sub(from.len()) {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

fn file(folder: &str, name: &str) -> Result<Vec<u8>> {
    let folder = env::var_os(folder).with_context(|| format!("{folder} names no folder"))?;
    let path = PathBuf::from(folder).join(name);
    fs::read(&path).with_context(|| format!("{name} is missing: `cargo xtask middleware` makes it"))
}
