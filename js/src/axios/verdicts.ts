/**
 * The verdicts on errors and answers, for logs and for tests.
 *
 * @module
 */

import type { Verdict } from '../types.ts';

/** Keeps what was decided on an error or an answer. */
export function remember(end: unknown, verdict: Verdict): void {
	if ((typeof end !== 'object' || end === null) && typeof end !== 'function') {
		return;
	}
	try {
		Decided.set(end, verdict);
	} catch {
		// Engines that let nobody add even this to a frozen object.
		frozen.set(end, verdict);
	}
}

/** What was decided on an error, or on the response that a request resolved with. */
export function verdictOf(end: unknown): Verdict | undefined {
	return typeof end === 'object' && end !== null
		? (Decided.get(end) ?? frozen.get(end))
		: undefined;
}

const frozen = new WeakMap<object, Verdict>();

/** Constructs what it is given: fields of a class on top of it are then added to that. */
class Given {
	constructor(end: object) {
		// biome-ignore lint/correctness/noConstructorReturn: it is what this class is for
		return end;
	}
}

/**
 * A private field of the error or the answer itself: nobody sees it, it goes when they go, and it
 * costs a hundredth of an entry in a weak table, which every success would have to pay for.
 */
class Decided extends Given {
	#verdict: Verdict;

	constructor(end: object, verdict: Verdict) {
		super(end);
		this.#verdict = verdict;
	}

	static set(end: object, verdict: Verdict): void {
		if (#verdict in end) {
			end.#verdict = verdict;
		} else {
			new Decided(end, verdict);
		}
	}

	static get(end: object): Verdict | undefined {
		return #verdict in end ? end.#verdict : undefined;
	}
}
