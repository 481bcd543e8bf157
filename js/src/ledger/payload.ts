/**
 * Payloads and outcomes as text: what a store keeps, and what tells one payload from another.
 *
 * @module
 */

import canonicalize from 'canonicalize';

import type { Outcome } from '../types.ts';

/** A payload as a store keeps it, and as it is told from others. */
export interface Payload {
	/** Canonical JSON, or bytes as a `data:` URL, which no JSON text looks like; null for none. */
	readonly text: string | null;
	/** What the fingerprint is of: the bytes themselves, or those of the text. */
	readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * A payload as text. Data as canonical JSON (RFC 8785): the same text for the same data, whatever
 * the order of its fields. Bytes (`Uint8Array`, any other view, `ArrayBuffer`) as they are.
 *
 * @throws where JSON cannot say it: NaN, infinities, a bigint, a circle
 */
export function payloadFrom(payload: unknown): Payload {
	const given = bytesOf(payload);
	if (given !== null) {
		return { text: dataUrl(given), bytes: given };
	}
	const text = payload === undefined ? null : (canonicalize(payload) ?? null);
	return { text, bytes: new TextEncoder().encode(text ?? '') };
}

/** SHA-256 in hexadecimal digits. */
export async function fingerprintOf({ bytes }: Payload): Promise<string> {
	const digest = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytes));
	return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The payload, or the outcome, that a store gave back. */
export function payloadOf(text: string | null): unknown {
	if (text === null) {
		return undefined;
	}
	return text.startsWith(BYTES)
		? Uint8Array.from(atob(text.slice(BYTES.length)), (char) => char.charCodeAt(0))
		: JSON.parse(text);
}

const BYTES = 'data:application/octet-stream;base64,';

/** A copy: nobody changes it meanwhile. */
function bytesOf(value: unknown): Uint8Array<ArrayBuffer> | null {
	if (ArrayBuffer.isView(value)) {
		return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
	}
	return value instanceof ArrayBuffer ? new Uint8Array(value).slice() : null;
}

function dataUrl(bytes: Uint8Array): string {
	let text = '';
	// In parts: a call takes only so many arguments.
	for (let at = 0; at < bytes.length; at += PART) {
		text += String.fromCharCode(...bytes.subarray(at, at + PART));
	}
	return BYTES + btoa(text);
}

const PART = 0x2000;

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
 * What is kept of what a function returned, for who asks later: JSON, or bytes. Of an answer only
 * `status`, `body` and `data`, since its headers and settings may hold secrets; bytes in it become
 * `data:` URLs. Null where JSON has no words for it: the call is completed all the same.
 */
export function keptOf(value: unknown): string | null {
	try {
		const bytes = bytesOf(value);
		if (bytes !== null) {
			return dataUrl(bytes);
		}
		if (!isAnswer(value)) {
			return JSON.stringify(value, spelled) ?? null;
		}
		const { status, data } = value;
		const body = isStream(value.body) ? undefined : value.body;
		return JSON.stringify({ status, body, data }, spelled);
	} catch {
		return null;
	}
}

/** Spells bytes out. `this` holds what was there before a `toJSON` had its way. */
function spelled(this: unknown, name: string, value: unknown): unknown {
	const bytes = bytesOf((this as Record<string, unknown>)[name]);
	return bytes === null ? value : dataUrl(bytes);
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
