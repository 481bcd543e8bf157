/** Node: the ledger's module lies beside the code and is read when it is first needed. */
import { readFileSync } from 'node:fs';

/** Compiles the module. */
export function load(): WebAssembly.Module {
	return new WebAssembly.Module(
		readFileSync(new URL('../../wasm/retrywise_ledger.wasm', import.meta.url)),
	);
}
