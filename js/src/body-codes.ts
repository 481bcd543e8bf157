/**
 * The few places of an error body that a vendor's rules look at.
 *
 * @module
 */

import { type Input, tag } from './input.ts';
import type { AnswerFacts } from './types.ts';
import { isThere, property } from './values.ts';

/** Where to look in a body: JSON pointers by the tag of what they lead to. */
export type Places = readonly (readonly [tag: number, pointer: string])[];

/** Writes the machine codes of a body into the input; what the caller took out wins. */
export function encodeBody(
	input: Input,
	body: unknown,
	codes: AnswerFacts['codes'],
	places: Places,
): void {
	const taken = new Set<number>();
	const put = (tag: number, value: unknown): void => {
		if ((typeof value === 'string' || typeof value === 'number') && !taken.has(tag)) {
			taken.add(tag);
			input.text(tag, String(value));
		}
	};
	if (isThere(codes)) {
		put(tag.bodyCode, codes.code);
		put(tag.bodyPolicy, codes.policy);
		put(tag.bodyProblemType, codes.problemType);
		put(tag.bodyRetryDelay, codes.retryDelay);
		put(tag.bodyRetryAfterS, codes.retryAfterS);
	}
	if (typeof body === 'object' && body !== null) {
		for (const [tag, pointer] of places) {
			put(tag, at(body, pointer));
		}
	}
}

/** What a JSON pointer (RFC 6901) leads to. */
function at(body: object, pointer: string): unknown {
	let value: unknown = body;
	for (const part of pointer.split('/').slice(1)) {
		value = property(value, part.replaceAll('~1', '/').replaceAll('~0', '~'));
	}
	return value;
}
