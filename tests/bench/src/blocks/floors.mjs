/**
 * What no decision inside a WebAssembly module can be cheaper than: the crossing by itself, and the
 * property reads that have to come before it.
 *
 * @module
 */

import { readFileSync } from 'node:fs';

/** An instance of the module, without the package around it. */
function instance() {
	const path = new URL('../../../../js/wasm/retrywise_bg.wasm', import.meta.url);
	const module = new WebAssembly.Module(readFileSync(path));
	const imports = {};
	for (const { module: from, name } of WebAssembly.Module.imports(module)) {
		imports[from] ??= {};
		imports[from][name] = () => {};
	}
	return new WebAssembly.Instance(module, imports).exports;
}

const wasm = instance();
let kept = 0;

/** The eight numbers of a settle cross, for a call that is none: nothing is decided. */
export function crossing(count) {
	for (let i = 0; i < count; i += 1) {
		kept += wasm.call_settle(0, 1, 503, 0, 0, 1_768_478_400_000, Number.NaN, 0);
	}
}

/** The properties of an error that every rule about it needs, and nothing else. */
export const reading = (inputs) => (count) => {
	for (let i = 0; i < count; i += 1) {
		const { code, name, message, response } = inputs[i % inputs.length];
		kept += code.length + name.length + message.length;
		if (response !== undefined) {
			kept += response.status;
			for (const line in response.headers) {
				kept += line.length;
			}
		}
	}
};
