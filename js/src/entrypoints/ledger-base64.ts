/** Everywhere: the ledger's module lies inside the code, for hosts that read no files. */
import base64 from 'virtual:retrywise-wasm-base64/ledger';

/** Compiles the module. */
export function load(): WebAssembly.Module {
	return new WebAssembly.Module(Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)));
}
