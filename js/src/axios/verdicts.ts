/**
 * The verdicts on errors and answers, for logs and for tests.
 *
 * @module
 */

import type { Verdict } from '../types.ts';

const verdicts = new WeakMap<object, Verdict>();

/** Keeps what was decided on an error or an answer. */
export function remember(end: unknown, verdict: Verdict): void {
	if ((typeof end === 'object' && end !== null) || typeof end === 'function') {
		verdicts.set(end, verdict);
	}
}

/** What was decided on an error, or on the response that a request resolved with. */
export function verdictOf(end: unknown): Verdict | undefined {
	return typeof end === 'object' && end !== null ? verdicts.get(end) : undefined;
}
