/**
 * What no decision inside a WebAssembly module can be cheaper than: the crossing by itself, what
 * comes before any settle, the property reads that have to come before it; and the module without
 * any JavaScript about it.
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
const WALL = 1_768_478_400_000;
/** The numbers of the method and of the verdict, as `core` has them. */
const GET = 1;
const RETRY = 1;
let kept = 0;

function upstreamOf(policy) {
	const document = new TextEncoder().encode(JSON.stringify(policy));
	const input = wasm.input_reserve(document.length);
	new Uint8Array(wasm.memory.buffer).set(document, input);
	return wasm.upstream_new(wasm.policy_new(document.length), 7, 0);
}

/** An export that answers at once: the crossing by itself. */
export function crossing(count) {
	for (let i = 0; i < count; i += 1) {
		kept += wasm.input_room();
	}
}

/** A settle of a call that is not there: eight numbers cross and are read, nothing is decided. */
export function settleOfNone(count) {
	for (let i = 0; i < count; i += 1) {
		kept += wasm.call_settle(0, 1, 503, 0, 0, WALL, Number.NaN, 0);
	}
}

/** A whole call by numbers, without any JavaScript about it: begin, settle a 503, end. */
export function wholeCalls(policy) {
	const upstream = upstreamOf(policy);
	let now = 0;
	return (count) => {
		for (let i = 0; i < count; i += 1) {
			now += 100;
			const call = wasm.call_begin(upstream, GET, 0, 0, now, WALL, 0);
			const verdict = wasm.call_settle(call, 1, 503, 0, now, WALL, Number.NaN, 0);
			wasm.call_end(call, now);
			if (call === 0 || (verdict & 3) !== RETRY) {
				throw new Error(`not a decision to retry: call ${call}, verdict ${verdict}`);
			}
		}
	};
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
