/**
 * The input buffer: the few strings of an event, as the items that the crate's `wire` reads.
 *
 * @module
 */

import { isStale, newEncoder } from '#instance';
import type { Shared } from './exports.ts';

/** What an item of the input is. */
export const tag = {
	header: 0x01,
	namedHeader: 0x02,
	bodyCode: 0x10,
	bodyPolicy: 0x11,
	bodyProblemType: 0x12,
	bodyRetryDelay: 0x13,
	bodyRetryAfterS: 0x14,
	error: 0x20,
	code: 0x21,
	name: 0x22,
	message: 0x23,
	syscall: 0x24,
	phase: 0x25,
	op: 0x26,
	kind: 0x27,
	rcode: 0x28,
	frame: 0x29,
	progress: 0x2a,
	streamId: 0x2b,
	lastStreamId: 0x2c,
} as const;

/** Items about a call: apart, so that who only classifies does not carry them. */
export const callTag = {
	key: 0x30,
	event: 0x31,
	entropy: 0x32,
	token: 0x33,
	firstSent: 0x34,
	ticket: 0x35,
} as const;

/** The longest payload of one item: its length is two bytes. */
const MAX_PAYLOAD = 0xffff;

/** Writes the items of one event. */
export class Input {
	/** Bytes written so far. */
	length = 0;
	readonly #wasm: Shared;
	readonly #encoder = newEncoder();
	#bytes: Uint8Array<ArrayBuffer>;

	constructor(wasm: Shared) {
		this.#wasm = wasm;
		this.#bytes = this.#view(0) ?? new Uint8Array(0);
	}

	/** Begins a new event. */
	clear(): void {
		this.length = 0;
		if (isStale(this.#bytes, this.#wasm.memory)) {
			this.#bytes = this.#view(0) ?? this.#bytes;
		}
	}

	/** What was written so far, to be put back after a question that goes through the same buffer. */
	written(): Uint8Array {
		return this.#bytes.slice(0, this.length);
	}

	/** Puts back what was written. */
	restore(written: Uint8Array): void {
		this.clear();
		if (this.#room(written.length)) {
			this.#bytes.set(written);
			this.length = written.length;
		}
	}

	/** A document by itself, without a tag; false when it is too long. */
	document(text: string): boolean {
		this.clear();
		const bytes = this.#encoder.encode(text);
		if (!this.#room(bytes.length)) {
			return false;
		}
		this.#bytes.set(bytes);
		this.length = bytes.length;
		return true;
	}

	/** An item of text. What does not fit is left out. */
	text(tag: number, text: string): void {
		const start = this.#begin(tag, text.length);
		if (start < 0) {
			return;
		}
		for (let i = 0; i < text.length; i++) {
			const unit = text.charCodeAt(i);
			if (unit > 0x7f) {
				this.raw(tag, this.#encoder.encode(text));
				return;
			}
			this.#bytes[start + i] = unit;
		}
		this.length = start + text.length;
	}

	/** An item of bytes. What does not fit is left out. */
	raw(tag: number, bytes: Uint8Array): void {
		const start = this.#begin(tag, bytes.length);
		if (start >= 0) {
			this.#bytes.set(bytes, start);
			this.length = start + bytes.length;
		}
	}

	/** The begin of an error: who reported it, and its flags. */
	error(family: number, flags: number): void {
		const start = this.#begin(tag.error, 2);
		if (start >= 0) {
			this.#bytes[start] = family;
			this.#bytes[start + 1] = flags;
			this.length = start + 2;
		}
	}

	/** A header by its id. The value's units are bytes; one that is none becomes a byte that no field value has. */
	header(id: number, value: string): void {
		const start = this.#begin(tag.header, 1 + value.length);
		if (start >= 0) {
			this.#bytes[start] = id;
			this.#latin1(start + 1, value);
		}
	}

	/** A header by its name. */
	namedHeader(name: string, value: string): void {
		if (name.length > 0xff) {
			return;
		}
		const start = this.#begin(tag.namedHeader, 1 + name.length + value.length);
		if (start >= 0) {
			this.#bytes[start] = name.length;
			this.#latin1(start + 1, name);
			this.#latin1(start + 1 + name.length, value);
		}
	}

	#latin1(start: number, text: string): void {
		for (let i = 0; i < text.length; i++) {
			const unit = text.charCodeAt(i);
			// Cutting it to eight bits would make a digit of some letter.
			this.#bytes[start + i] = unit > 0xff ? 0xff : unit;
		}
		this.length = start + text.length;
	}

	/** Writes tag and length; where the payload starts, or −1 when it does not fit. */
	#begin(tag: number, payload: number): number {
		const start = this.length;
		if (payload > MAX_PAYLOAD || !this.#room(start + 3 + payload)) {
			return -1;
		}
		this.#bytes[start] = tag;
		this.#bytes[start + 1] = payload & 0xff;
		this.#bytes[start + 2] = payload >> 8;
		return start + 3;
	}

	#room(length: number): boolean {
		if (length <= this.#bytes.length && !isStale(this.#bytes, this.#wasm.memory)) {
			return true;
		}
		const view = this.#view(length);
		if (view === null) {
			return false;
		}
		this.#bytes = view;
		return true;
	}

	#view(length: number): Uint8Array<ArrayBuffer> | null {
		const address = this.#wasm.input_reserve(length) >>> 0;
		if (address === 0) {
			return null;
		}
		return new Uint8Array(this.#wasm.memory.buffer, address, this.#wasm.input_room() >>> 0);
	}
}
