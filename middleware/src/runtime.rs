//! What the standard library would bring: an allocator and what a panic does.

/// Small, and enough: policies and calls are allocated, decisions are not.
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Nothing here panics; if something did, its state would be lost, so the instance ends.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
