/** Where there is no WebAssembly, or a policy forbids it: the same module in plain JavaScript. */
import make from 'virtual:retrywise-nowasm';
import type { Exports, Memory } from '../exports.ts';
import { plainDecoder, plainEncoder, type Utf8Decoder, type Utf8Encoder } from '../utf8.ts';

/** Makes the instance; its memory is an ordinary buffer. */
export function instantiate(): Exports {
	return make();
}

/** Whether a view shows what the memory was before it grew: the old buffer stays as it was. */
export function isStale(view: { readonly buffer: ArrayBufferLike }, memory: Memory): boolean {
	return view.buffer !== memory.buffer;
}

/** The host's own, where it has them. */
export const newEncoder = (): Utf8Encoder =>
	typeof TextEncoder === 'function' ? new TextEncoder() : plainEncoder;
export const newDecoder = (): Utf8Decoder =>
	typeof TextDecoder === 'function' ? new TextDecoder() : plainDecoder;
