//! The one state behind the exports. A module has one thread, and so has each of its instances.

use core::cell::RefCell;

#[cfg(not(feature = "component"))]
use crate::abi::State;
#[cfg(feature = "component")]
use crate::engine::Engine as State;

/// Runs one export on the state. Exports do not call exports, so it is never borrowed twice.
#[cfg(target_family = "wasm")]
pub(crate) fn with<R>(export: impl FnOnce(&mut State) -> R) -> R {
    struct SingleThread(RefCell<State>);

    // SAFETY: this module is built without the `atomics` feature: its memory is not shared, and
    // nothing in it starts a thread.
    #[allow(unsafe_code)]
    unsafe impl Sync for SingleThread {}

    #[cfg(target_feature = "atomics")]
    compile_error!("the state is for one thread: build without the `atomics` target feature");

    static STATE: SingleThread = SingleThread(RefCell::new(State::new()));

    export(&mut STATE.0.borrow_mut())
}

/// The same for native tests, a state for each thread.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn with<R>(export: impl FnOnce(&mut State) -> R) -> R {
    extern crate std;
    std::thread_local! {
        static STATE: RefCell<State> = const { RefCell::new(State::new()) };
    }
    STATE.with_borrow_mut(export)
}
