/**
 * Bodies of answers: read for machine codes, or thrown away before the next attempt.
 *
 * @module
 */

import type { AxiosResponse } from 'axios';
import { property } from '../values.ts';

/** Characters of an error body that are parsed for its codes; such bodies are small. */
const MAX_BODY = 65_536;

/** The parsed body of an answer; an adapter gives its text. */
export function answerBody({ data }: AxiosResponse): unknown {
	if (typeof data !== 'string') {
		return data;
	}
	if (data.length > MAX_BODY) {
		return undefined;
	}
	try {
		return JSON.parse(data);
	} catch {
		return undefined;
	}
}

/** Lets go of a streamed body that nobody will read, and so of its connection. */
export function discard(data: unknown): void {
	const destroy = property(data, 'destroy');
	const cancel = property(data, 'cancel');
	try {
		if (typeof destroy === 'function') {
			destroy.call(data);
		} else if (typeof cancel === 'function') {
			Promise.resolve(cancel.call(data)).catch(() => {});
		}
	} catch {
		// It was not ours to open: what its end throws tells nobody anything.
	}
}
