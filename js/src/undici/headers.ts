/**
 * Request headers in the forms that undici takes: a flat list, pairs, an object, or none.
 *
 * @module
 */

import type { Dispatcher } from 'undici';

type UndiciHeaders = Dispatcher.DispatchOptions['headers'];
type Pair = readonly [name: string, value: unknown];

/** The lines, one pair each. */
export function pairsOf(headers: UndiciHeaders): readonly Pair[] {
	if (headers === undefined || headers === null) {
		return [];
	}
	if (Array.isArray(headers) && !Array.isArray(headers[0])) {
		const pairs: Pair[] = [];
		for (let i = 0; i + 1 < headers.length; i += 2) {
			pairs.push([String(headers[i]), headers[i + 1]]);
		}
		return pairs;
	}
	const isIterable = typeof (headers as Iterable<Pair>)[Symbol.iterator] === 'function';
	return isIterable ? [...(headers as Iterable<Pair>)] : Object.entries(headers);
}

/** The headers with these in them, in the place of those of the same names. */
export function withHeaders(
	headers: UndiciHeaders,
	added: Readonly<Record<string, string>>,
): UndiciHeaders {
	const names = new Set(Object.keys(added).map((name) => name.toLowerCase()));
	if (names.size === 0) {
		return headers;
	}
	const kept = pairsOf(headers).filter(([name]) => !names.has(name.toLowerCase()));
	// A flat list keeps lines that have one name.
	return [...kept, ...Object.entries(added)].flat() as string[];
}
