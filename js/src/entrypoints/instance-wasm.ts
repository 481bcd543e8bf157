/** Where there is WebAssembly: the module is compiled, or was, and becomes an instance. */
import { load } from '#wasm';
import { initSync } from '../../wasm/retrywise.js';
import type { Exports, Memory } from '../exports.ts';
import type { Utf8Decoder, Utf8Encoder } from '../utf8.ts';
import { compiled } from './compiled.ts';

/**
 * Makes the instance.
 *
 * @throws {LoadError} where the host has no WebAssembly, or forbids compiling it
 */
export function instantiate(): Exports {
	return initSync({ module: compiled(load) });
}

/** Whether a view shows what the memory was before it grew: the host took its buffer away. */
export function isStale(view: { readonly length: number }, _memory: Memory): boolean {
	return view.length === 0;
}

/** The host's own: who has WebAssembly has them. */
export const newEncoder = (): Utf8Encoder => new TextEncoder();
export const newDecoder = (): Utf8Decoder => new TextDecoder();
