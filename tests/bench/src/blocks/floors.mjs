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
/** The numbers of the method, of the verdict and of the reporter, as `core` has them. */
const GET = 1;
const RETRY = 1;
const AXIOS = 3;
/** What an item of the input is, as the crate's `wire` has it. */
const HEADER = 0x01;
const ERROR = 0x20;
const CODE = 0x21;
const NAME = 0x22;
const MESSAGE = 0x23;
/** A call whose answer came back. */
const ANSWERED = 1;
let kept = 0;

/** Puts bytes into the input; how many they are. */
function put(bytes) {
	const address = wasm.input_reserve(bytes.length);
	new Uint8Array(wasm.memory.buffer).set(bytes, address);
	return bytes.length;
}

const bytesOf = (text) => new TextEncoder().encode(text);
const item = (tag, ...payload) => [tag, payload.length & 0xff, payload.length >> 8, ...payload];

function upstreamOf(policy) {
	return wasm.upstream_new(wasm.policy_new(put(bytesOf(JSON.stringify(policy)))), 7, 0);
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

/**
 * Settles of one failure by numbers, without any JavaScript about them: what is left of a decision
 * when nothing is read of an error and no verdict is made. The input is written once.
 */
export function settlesByNumbers(policy, { status, headers = {}, code, message = 'failed' }) {
	const upstream = upstreamOf(policy);
	const calls = [];
	let error = 0;
	let input = 0;
	return {
		before(count) {
			for (let i = 0; i < count; i += 1) {
				if (calls[i] === undefined || wasm.call_resume(calls[i], 0) !== 1) {
					calls[i] = wasm.call_begin(upstream, GET, 0, 0, 0, WALL, 0);
				}
			}
			if (status === undefined) {
				error ||= wasm.error_intern(
					put([
						...item(ERROR, AXIOS, 0),
						...item(CODE, ...bytesOf(code)),
						...item(NAME, ...bytesOf('AxiosError')),
						...item(MESSAGE, ...bytesOf(message)),
					]),
				);
				return;
			}
			const ids = Object.keys(headers).map((name) => wasm.header_id(put(bytesOf(name))));
			const lines = Object.values(headers).map((value, at) =>
				item(HEADER, ids[at], ...bytesOf(value)),
			);
			input = put(lines.flat());
		},
		run(count) {
			const flags = error === 0 ? ANSWERED : 0;
			for (let i = 0; i < count; i += 1) {
				const verdict = wasm.call_settle(
					calls[i],
					flags,
					status ?? 0,
					error,
					0,
					WALL,
					Number.NaN,
					input,
				);
				if ((verdict & 3) !== RETRY) {
					throw new Error(`not a decision to retry: verdict ${verdict}`);
				}
			}
		},
	};
}

/**
 * The properties of an error that every rule about it needs, and one crossing that answers at once:
 * whoever decides in a module does both, however it decides.
 */
export const readingAndCrossing = (inputs) => (count) => {
	for (let i = 0; i < count; i += 1) {
		const { code, name, message, response } = inputs[i % inputs.length];
		kept += code.length + name.length + message.length + wasm.input_room();
		if (response !== undefined) {
			kept += response.status;
			for (const line in response.headers) {
				kept += line.length;
			}
		}
	}
};
