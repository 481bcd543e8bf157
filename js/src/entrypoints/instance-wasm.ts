/** Where there is WebAssembly: the module is compiled, or was, and becomes an instance. */
import { load } from '#wasm';
import { initSync } from '../../wasm/retrywise.js';
import type { Exports, Memory } from '../engine.ts';
import { LoadError } from '../errors.ts';
import type { Utf8Decoder, Utf8Encoder } from '../utf8.ts';

/**
 * Makes the instance.
 *
 * @throws {LoadError} where the host has no WebAssembly, or forbids compiling it
 */
export function instantiate(): Exports {
	if (typeof WebAssembly === 'undefined') {
		throw new LoadError(MISSING);
	}
	let module: WebAssembly.Module;
	try {
		module = load();
	} catch (cause) {
		throw cause instanceof LoadError ? cause : new LoadError(FORBIDDEN, { cause });
	}
	return initSync({ module: ofThisRealm(module) });
}

/**
 * Edge runtimes compile in one realm and run in another. The glue asks by `instanceof`, and would
 * compile once more what is no module of its own realm.
 */
function ofThisRealm(module: WebAssembly.Module): WebAssembly.Module {
	if (!(module instanceof WebAssembly.Module)) {
		Object.setPrototypeOf(module, WebAssembly.Module.prototype);
	}
	return module;
}

/** Whether a view shows what the memory was before it grew: the host took its buffer away. */
export function isStale(view: { readonly length: number }, _memory: Memory): boolean {
	return view.length === 0;
}

/** The host's own: who has WebAssembly has them. */
export const newEncoder = (): Utf8Encoder => new TextEncoder();
export const newDecoder = (): Utf8Decoder => new TextDecoder();

const MISSING: string =
	"this host has no WebAssembly: import 'retrywise/nowasm', the same package in plain JavaScript";

const FORBIDDEN: string =
	"the WebAssembly module could not be compiled: a page's Content-Security-Policy has to allow " +
	"'wasm-unsafe-eval' in script-src, or import 'retrywise/nowasm', the same package in plain " +
	"JavaScript; where hosts take precompiled modules only, import 'retrywise/slim' and give it one";
