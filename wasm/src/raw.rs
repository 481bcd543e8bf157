//! For runtimes that load no components: the same functions in the C ABI. The module imports
//! nothing; numbers are `i32` and `f64`.

#[cfg(feature = "whole")]
use crate::exports::explaining;
#[cfg(any(feature = "ledger", feature = "whole"))]
use crate::exports::keeping;
#[cfg(any(feature = "raw", feature = "slim"))]
use crate::exports::reading;
#[cfg(feature = "raw")]
use crate::exports::{deciding, naming, ruling};
use crate::{abi, exports::sharing, state::with};

macro_rules! bind {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $Type:ty),* $(,)?) $(-> $Result:ty)?;
    )*) => {
        $(
            $(#[$doc])*
            #[allow(clippy::too_many_arguments)] // numbers, one by one
            // A native program may have symbols of these names: only a module exports them.
            #[cfg_attr(target_family = "wasm", allow(unsafe_code), unsafe(no_mangle))]
            pub extern "C" fn $name($($argument: $Type),*) $(-> $Result)? {
                with(|state| abi::$name(state, $($argument),*))
            }
        )*
    };
}

sharing!(bind);
#[cfg(any(feature = "raw", feature = "slim"))]
reading!(bind);
#[cfg(feature = "raw")]
naming!(bind);
#[cfg(feature = "raw")]
ruling!(bind);
#[cfg(feature = "raw")]
deciding!(bind);
#[cfg(feature = "whole")]
explaining!(bind);
#[cfg(any(feature = "ledger", feature = "whole"))]
keeping!(bind);

/// Runs the experiment in the input; the text's length.
#[cfg(feature = "simulate")]
#[cfg_attr(target_family = "wasm", allow(unsafe_code), unsafe(no_mangle))]
pub extern "C" fn simulate(length: u32) -> u32 {
    with(|state| abi::simulate(state, length))
}
