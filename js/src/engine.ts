/**
 * The module, made at first use, and its buffers: WebAssembly, or the same in plain JavaScript.
 *
 * What crosses are numbers. The few strings of an event are written as items into the input buffer
 * ({@link Input}); answers come back as a packed word and a few output slots. The layout is that of
 * the `retrywise-wasm` crate: `wire`, `scratch`, `packed`.
 *
 * @module
 */

import { instantiate, isStale, newDecoder, newEncoder } from '#instance';

/** What is read and written of the module's memory: the buffer, another one after it grew. */
export interface Memory {
	readonly buffer: ArrayBuffer;
}

/** What every module exports: its buffers. `u32` results come as signed numbers: `>>> 0` mends them. */
export interface Shared {
	readonly memory: Memory;
	input_reserve(length: number): number;
	input_room(): number;
	output_address(): number;
	text_address(): number;
}

/** What the module exports that decides. */
export interface Exports extends Shared {
	policy_new(length: number): number;
	policy_validate(length: number): number;
	policy_free(policy: number): void;
	table(table: number): number;
	explain(
		reason: number,
		refusal: number,
		attempt: number,
		delay: number,
		hint: number,
		retryIn: number,
		language: number,
	): number;
	policy_max_retries(policy: number): number;
	policy_terms(policy: number): number;
	policy_generates_keys(policy: number): number;
	looks_for(policy: number, profile: number): number;
	upstream_new(policy: number, seed: number, flags: number): number;
	upstream_free(upstream: number): void;
	upstream_view(upstream: number, now: number): number;
	upstream_isolate(upstream: number): number;
	upstream_reset(upstream: number): number;
	rng_high(upstream: number): number;
	rng_low(upstream: number): number;
	rng_set(upstream: number, high: number, low: number): void;
	error_intern(length: number): number;
	call_begin(
		upstream: number,
		method: number,
		flags: number,
		priority: number,
		now: number,
		wall: number,
		length: number,
	): number;
	call_settle(
		call: number,
		flags: number,
		status: number,
		error: number,
		now: number,
		wall: number,
		duration: number,
		length: number,
	): number;
	call_resume(call: number, now: number): number;
	call_cancel(call: number, now: number): number;
	call_end(call: number, now: number): void;
	call_timeout(call: number, now: number): number;
	call_headers(call: number): number;
	call_key(call: number): number;
	calls(): number;
	classify(
		flags: number,
		status: number,
		error: number,
		wall: number,
		policy: number,
		profile: number,
		length: number,
	): number;
	hint(status: number, wall: number, profile: number, length: number): number;
	delay(
		upstream: number,
		retry: number,
		of: number,
		hint: number,
		previous: number,
		polly: number,
	): number;
	header_id(length: number): number;
	profile_find(length: number): number;
	method_facts(method: number): number;
}

/** Places in the output buffer. */
export const slot = {
	delay: 0,
	hint: 1,
	attempt: 2,
	reason: 3,
	retryIn: 4,
	transition: 5,
	previous: 6,
	polly: 7,
	balance: 8,
	sustained: 9,
} as const;

const OUTPUT_SLOTS = 10;

/** A table of names by code, and of codes by name. */
export class Names {
	readonly #names: readonly string[];
	readonly #codes: ReadonlyMap<string, number>;

	constructor(lines: string) {
		const names: string[] = [];
		const codes = new Map<string, number>();
		for (const line of lines.split('\n')) {
			const space = line.indexOf(' ');
			if (space > 0) {
				const code = Number(line.slice(0, space));
				names[code] = line.slice(space + 1);
				codes.set(line.slice(space + 1), code);
			}
		}
		this.#names = names;
		this.#codes = codes;
	}

	/** The name of a code; empty for one that is none. */
	name(code: number): string {
		return this.#names[code] ?? '';
	}

	/** The code of a name. */
	code(name: string): number | undefined {
		return this.#codes.get(name);
	}
}

/** A module and its buffers. */
export class Buffers<Module extends Shared> {
	readonly wasm: Module;
	readonly input: Input;
	readonly #decoder = newDecoder();
	#output: Float64Array;

	constructor(wasm: Module) {
		this.wasm = wasm;
		this.input = new Input(wasm);
		this.#output = this.#viewOutput();
	}

	/** The value of an output slot, as the last call left it. */
	output(place: number): number {
		if (isStale(this.#output, this.wasm.memory)) {
			this.#output = this.#viewOutput();
		}
		return this.#output[place] ?? 0;
	}

	/** The text that the last call wrote. */
	text(length: number): string {
		return length === 0 ? '' : this.#decoder.decode(this.#bytes(length));
	}

	/** The strings that the last call wrote, each with four bytes of length before it. */
	strings(length: number): string[] {
		const strings: string[] = [];
		if (length === 0) {
			return strings;
		}
		const bytes = this.#bytes(length);
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		for (let at = 0; at + 4 <= bytes.length; ) {
			const end = at + 4 + view.getUint32(at, true);
			strings.push(this.#decoder.decode(bytes.subarray(at + 4, end)));
			at = end;
		}
		return strings;
	}

	#bytes(length: number): Uint8Array {
		const address = this.wasm.text_address() >>> 0;
		return new Uint8Array(this.wasm.memory.buffer, address, length);
	}

	#viewOutput(): Float64Array {
		const address = this.wasm.output_address() >>> 0;
		return new Float64Array(this.wasm.memory.buffer, address, OUTPUT_SLOTS);
	}
}

/** The module that decides, and its tables. */
export class Engine extends Buffers<Exports> {
	readonly kinds: Names;
	readonly reasons: Names;
	readonly classes: Names;
	readonly deliveries: Names;
	readonly bases: Names;
	readonly signals: Names;
	readonly sources: Names;
	readonly families: Names;
	readonly methods: Names;
	readonly breakerStates: Names;
	readonly languages: Names;

	constructor(wasm: Exports) {
		super(wasm);
		const table = (number: number): Names => new Names(this.text(this.wasm.table(number)));
		this.kinds = table(0);
		this.reasons = table(1);
		this.classes = table(2);
		this.deliveries = table(3);
		this.bases = table(4);
		this.signals = table(5);
		this.sources = table(6);
		this.families = table(7);
		this.methods = table(8);
		this.breakerStates = table(9);
		this.languages = table(10);
	}
}

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

let loaded: Engine | undefined;

/** The engine; the first use makes it. */
export function engine(): Engine {
	loaded ??= new Engine(instantiate());
	return loaded;
}
