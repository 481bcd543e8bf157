/**
 * Payloads and outcomes as text: what a store keeps, and what tells one payload from another.
 *
 * @module
 */

import canonicalize from 'canonicalize';

import type { Outcome } from '../types.ts';

/**
 * A payload as canonical JSON (RFC 8785): the same text for the same data, whatever the order of
 * its fields. Null for none.
 *
 * @throws where JSON cannot say it: NaN, infinities, a bigint, a circle
 */
export function canonicalOf(payload: unknown): string | null {
	return payload === undefined ? null : (canonicalize(payload) ?? null);
}

/** SHA-256 over that text, in hexadecimal digits; of no text, where there is none. */
export async function fingerprintOf(canonical: string | null): Promise<string> {
	const bytes = new TextEncoder().encode(canonical ?? '');
	const digest = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytes));
	return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The payload that a store gave back. */
export function payloadOf(canonical: string | null): unknown {
	return canonical === null ? undefined : JSON.parse(canonical);
}

/** An answer, where a function returned one: anything with a numeric `status`. */
interface Answer {
	readonly status: number;
	readonly headers?: Outcome['headers'];
	readonly body?: unknown;
	/** Where axios has the body. */
	readonly data?: unknown;
}

/** What a function returned, as an outcome to settle with. Anything without a status is a success. */
export function outcomeOf(value: unknown): Outcome {
	if (!isAnswer(value)) {
		return { status: 200 };
	}
	const { status, headers } = value;
	return { status, headers, body: bodyOf(value) };
}

/** The status of an answer, or of the answer that an error carries. */
export function statusOf(value: unknown): number | undefined {
	const carrier = isAnswer(value) ? value : (value as { response?: unknown } | null)?.response;
	const status = isAnswer(carrier) ? carrier.status : Number.NaN;
	return Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined;
}

/**
 * What is kept of what a function returned, for who asks later: JSON. Of an answer only `status`,
 * `body` and `data`, since its headers and settings may hold secrets. Null where JSON has no words
 * for it: the call is completed all the same.
 */
export function keptOf(value: unknown): string | null {
	try {
		if (!isAnswer(value)) {
			return JSON.stringify(value) ?? null;
		}
		const { status, data } = value;
		return JSON.stringify({ status, body: isStream(value.body) ? undefined : value.body, data });
	} catch {
		return null;
	}
}

function isAnswer(value: unknown): value is Answer {
	return (
		typeof value === 'object' &&
		value !== null &&
		typeof (value as { status?: unknown }).status === 'number'
	);
}

function bodyOf({ body, data }: Answer): unknown {
	return isStream(body) ? undefined : (body ?? data);
}

function isStream(body: unknown): boolean {
	const { getReader, pipe } = (body ?? {}) as { getReader?: unknown; pipe?: unknown };
	return typeof getReader === 'function' || typeof pipe === 'function';
}
