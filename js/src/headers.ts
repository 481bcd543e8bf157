/**
 * Headers, from the objects that hosts keep them in to the lines that the module reads.
 *
 * @module
 */

import type { Engine } from './engine.ts';
import { property } from './values.ts';

/** Writes the lines that the module reads, by id, or by name where ids ran out. */
export function encodeHeaders(engine: Engine, headers: unknown): void {
	const ids = engine.headers;
	if (!isRecord(headers)) {
		forEachHeader(headers, ids.write);
		return;
	}
	// The usual case by itself: nothing is made, and most names are passed over.
	for (const name in headers) {
		if (ids.idOf(name) !== 0 && Object.hasOwn(headers, name)) {
			visitLines(name, headers[name], ids.write);
		}
	}
}

/** Whether the module reads a header of this name. */
export function isRead(engine: Engine, name: string): boolean {
	return engine.headers.idOf(name) !== 0;
}

/** Visits each line, whatever kind of object holds them. */
export function forEachHeader(
	headers: unknown,
	visit: (name: string, value: unknown) => void,
): void {
	if (typeof headers !== 'object' || headers === null) {
		return;
	}
	if (Array.isArray(headers)) {
		for (const pair of headers) {
			visitLines(property(pair, '0'), property(pair, '1'), visit);
		}
	} else if (isRecord(headers)) {
		for (const name of Object.keys(headers)) {
			visitLines(name, headers[name], visit);
		}
	} else {
		(headers as Visited).forEach((value, name) => {
			visitLines(name, value, visit);
		});
	}
}

/** `Headers`, `Map`. */
interface Visited {
	forEach(visit: (value: unknown, name: unknown) => void): void;
}

/** Whether the lines are properties. `AxiosHeaders` is iterable too, but keeps them so. */
function isRecord(headers: unknown): headers is Readonly<Record<string, unknown>> {
	if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
		return false;
	}
	const { forEach, [Symbol.iterator]: iterator } = headers as Partial<Visited & Iterable<unknown>>;
	return typeof forEach !== 'function' || typeof iterator !== 'function';
}

/** One line, or each of several that came under one name. */
function visitLines(
	name: unknown,
	value: unknown,
	visit: (name: string, value: unknown) => void,
): void {
	if (typeof name !== 'string') {
		return;
	}
	if (Array.isArray(value)) {
		for (const line of value) {
			visit(name, line);
		}
	} else {
		visit(name, value);
	}
}

const BY_NAME = 255;

/** The ids of header names, asked for once each. */
export class HeaderIds {
	readonly #engine: Engine;
	readonly #ids = new Map<string, number>();

	constructor(engine: Engine) {
		this.#engine = engine;
	}

	/** Writes a line that the module reads. Bound once, so that no answer makes a function. */
	readonly write = (name: string, value: unknown): void => {
		const id = this.idOf(name);
		if (id === 0) {
			return;
		}
		const text = typeof value === 'number' ? String(value) : value;
		if (typeof text !== 'string') {
			return;
		}
		if (id === BY_NAME) {
			this.#engine.input.namedHeader(name, text);
		} else {
			this.#engine.input.header(id, text);
		}
	};

	/** The number that stands for a name; 0 where the module does not read it. */
	idOf(name: string): number {
		return this.#ids.get(name) ?? this.#ask(name);
	}

	#ask(name: string): number {
		const { input, wasm } = this.#engine;
		// The question goes through the buffer in which the lines before this one stand.
		const before = input.written();
		const id = input.document(name) ? wasm.header_id(input.length) >>> 0 : 0;
		input.restore(before);
		// A server that makes names up must not fill the memory.
		if (this.#ids.size < 1024) {
			this.#ids.set(name, id);
		}
		return id;
	}
}
