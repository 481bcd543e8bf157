//! For JavaScript: free functions with wasm-bindgen's glue. Numbers only, so the glue is thin and
//! nothing is copied, decoded or finalised behind the caller's back.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::{
    abi,
    exports::{deciding, explaining, naming, reading, ruling, sharing},
    state::with,
};

macro_rules! bind {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $Type:ty),* $(,)?) $(-> $Result:ty)?;
    )*) => {
        $(
            // Documented in `exports`; the glue would print the attribute as it stands.
            #[allow(missing_docs, clippy::too_many_arguments)]
            #[wasm_bindgen]
            pub fn $name($($argument: $Type),*) $(-> $Result)? {
                with(|state| abi::$name(state, $($argument),*))
            }
        )*
    };
}

sharing!(bind);
reading!(bind);
naming!(bind);
ruling!(bind);
deciding!(bind);
explaining!(bind);
