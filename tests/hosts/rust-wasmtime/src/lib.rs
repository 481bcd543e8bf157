//! The component in wasmtime, as a host written in Rust loads it.

mod bindings {
    #![allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
    wasmtime::component::bindgen!({ path: "../../../wit", world: "retrywise" });
}
pub use bindings::{Retrywise, exports::retrywise::policy as wit};

pub mod plain;

use std::path::Path;

use wasmtime::{
    Config, Engine, OptLevel, Result, Store,
    component::{Component, Linker},
};

/// A component, compiled and instantiated. It imports nothing, so nothing is linked.
pub struct Brain {
    /// The instance's memory and resources.
    pub store: Store<()>,
    /// Its exports.
    pub exports: Retrywise,
}

impl Brain {
    /// Loads a component file.
    ///
    /// # Errors
    /// The file is missing or no component of this world.
    pub fn load(file: &Path) -> Result<Self> {
        // Decisions take microseconds either way: compile fast rather than well.
        let mut config = Config::new();
        config.cranelift_opt_level(OptLevel::None);
        let engine = Engine::new(&config)?;
        let component = Component::from_file(&engine, file)?;
        let mut store = Store::new(&engine, ());
        let exports = Retrywise::instantiate(&mut store, &component, &Linker::new(&engine))?;
        Ok(Self { store, exports })
    }
}
