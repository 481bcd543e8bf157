/**
 * What `fetch` is called with, read.
 *
 * @module
 */

import type { RetryInit } from './options.ts';

/** The init of a call that brings none. */
export const NOTHING: RequestInit = {};

/** A method as `fetch` writes it. */
export function normalized(method: string): string {
	return method !== 'GET' && NORMALIZED.test(method) ? method.toUpperCase() : method;
}

/** The methods that `fetch` writes in upper case by itself. */
const NORMALIZED = /^(?:delete|get|head|options|post|put)$/i;

/** The init without what is ours. */
export function plain(init: RetryInit): RequestInit {
	const { retrywise: _, ...rest } = init;
	return rest;
}

/** Requests of another realm, or of a polyfill, have no common class. */
export function isRequest(input: RequestInfo | URL): input is Request {
	return typeof input === 'object' && 'url' in input && 'headers' in input;
}

/** The stream of a body that can be sent only once. */
export function streamOf(body: BodyInit): ReadableStream<Uint8Array> {
	if (typeof (body as ReadableStream).getReader === 'function') {
		return body as ReadableStream<Uint8Array>;
	}
	const chunks = (body as unknown as AsyncIterable<Uint8Array | string>)[Symbol.asyncIterator]();
	const encoder = new TextEncoder();
	return new ReadableStream({
		async pull(controller) {
			const { done, value } = await chunks.next();
			if (done) {
				controller.close();
			} else {
				controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
			}
		},
		async cancel() {
			await chunks.return?.();
		},
	});
}
