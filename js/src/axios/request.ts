/**
 * What an axios config says about its request.
 *
 * @module
 */

import type { HeadersLike, RequestFacts } from '../types.ts';
import { property } from '../values.ts';

/**
 * The facts of a request. axios writes methods in lower case, HTTP in upper case; a key header that
 * the config has is the caller's own key.
 */
export function requestOf(config: unknown): RequestFacts {
	const method = property(config, 'method');
	return {
		method: method === 'get' || typeof method !== 'string' ? 'GET' : method.toUpperCase(),
		headers: property(config, 'headers') as HeadersLike | undefined,
		replayableBody: !isOneShot(property(config, 'data')),
	};
}

/** Whether a body is used up by sending it: a stream, a form that is one, a generator. */
export function isOneShot(body: unknown): boolean {
	if (typeof body !== 'object' || body === null) {
		return false;
	}
	const is = (name: string): boolean => typeof property(body, name) === 'function';
	if (is('pipe') || is('getReader')) {
		return true;
	}
	const iterable = (body as Record<symbol, unknown>)[Symbol.asyncIterator];
	return typeof iterable === 'function';
}
