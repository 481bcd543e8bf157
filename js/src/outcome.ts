/**
 * How an attempt ended, from the objects that hosts have to the numbers and few strings that the
 * module takes. Reads and converts; what it means is the module's to say.
 *
 * Nothing here throws on odd input: what is not of the documented type counts as absent.
 *
 * @module
 */

import { encodeBody, type Places } from './body-codes.ts';
import type { Engine } from './engine.ts';
import { encodeHeaders } from './headers.ts';
import type { AnswerFacts, Outcome } from './types.ts';
import { isThere } from './values.ts';

/** The outcome's part in numbers; its strings are in the input. */
export interface Encoded {
	readonly flags: number;
	readonly status: number;
	/** The number of a kept error; 0 when there is none, or when it is in the input. */
	readonly error: number;
}

const ANSWERED = 1;
const COMMITTED = 2;

/** Writes an outcome into the input. */
export function encodeOutcome(engine: Engine, outcome: Outcome, places: Places): Encoded {
	engine.input.clear();
	const committed = outcome.committed === true ? COMMITTED : 0;
	if (isThere(outcome.status)) {
		const { status, headers, body, codes } = outcome;
		encodeParts(engine, headers, body, codes, places);
		return { flags: committed | ANSWERED, status: numberOf(status), error: 0 };
	}
	const thrown = outcome.error;
	if (!isThere(thrown)) {
		return { flags: committed, status: 0, error: 0 };
	}
	const response = responseOf(thrown);
	if (response === undefined) {
		return { flags: committed, status: 0, error: engine.errors.numberOf(thrown) };
	}
	const { status, headers, data } = response;
	encodeParts(engine, headers, outcome.body ?? data, outcome.codes, places);
	return { flags: committed | ANSWERED, status, error: 0 };
}

/** Writes an answer into the input; its status. */
export function encodeAnswer(engine: Engine, answer: AnswerFacts, places: Places): number {
	engine.input.clear();
	encodeParts(engine, answer.headers, answer.body, answer.codes, places);
	return numberOf(answer.status);
}

function encodeParts(
	engine: Engine,
	headers: unknown,
	body: unknown,
	codes: AnswerFacts['codes'],
	places: Places,
): void {
	if (isThere(headers)) {
		encodeHeaders(engine, headers);
	}
	if (isThere(codes) || (typeof body === 'object' && body !== null && places.length > 0)) {
		encodeBody(engine.input, body, codes, places);
	}
}

/** The answer that an error carries. */
interface Carried {
	readonly status: number;
	readonly headers: unknown;
	readonly data: unknown;
}

function responseOf(thrown: unknown): Carried | undefined {
	try {
		const { response } = thrown as { response?: Carried };
		return typeof response?.status === 'number' ? response : undefined;
	} catch {
		return undefined;
	}
}

function numberOf(status: unknown): number {
	return typeof status === 'number' ? status : 0;
}
