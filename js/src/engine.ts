/**
 * The module, made at first use, and its buffers: WebAssembly, or the same in plain JavaScript.
 *
 * What crosses are numbers. The few strings of an event are written as items into the input buffer
 * ({@link Input}); answers come back as a packed word and a few output slots. The layout is that of
 * the `retrywise-wasm` crate: `wire`, `scratch`, `packed`.
 *
 * @module
 */

import { instantiate, isStale, newDecoder } from '#instance';
import { ErrorNumbers } from './error-numbers.ts';
import { type Exports, OUTPUT_SLOTS, type Shared } from './exports.ts';
import { HeaderIds } from './headers.ts';
import { Input } from './input.ts';
import { Names } from './names.ts';

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
		return this.outputs()[place] ?? 0;
	}

	/** The output slots, good until the next call. */
	outputs(): Float64Array {
		if (isStale(this.#output, this.wasm.memory)) {
			this.#output = this.#viewOutput();
		}
		return this.#output;
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

/** The families that a shape alone shows, by their numbers. */
export type Reporters = Readonly<
	Record<'unknown' | 'node' | 'undici' | 'axios' | 'fetch' | 'dom', number>
>;

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
	readonly reporters: Reporters;
	readonly errors: ErrorNumbers = new ErrorNumbers(this);
	readonly headers: HeaderIds = new HeaderIds(this);

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
		const number = (family: string): number => this.families.code(family) ?? 0;
		this.reporters = {
			unknown: number('unknown'),
			node: number('node'),
			undici: number('undici'),
			axios: number('axios'),
			fetch: number('fetch'),
			dom: number('dom'),
		};
	}
}

let loaded: Engine | undefined;

/** The engine; the first use makes it. */
export function engine(): Engine {
	loaded ??= new Engine(instantiate());
	return loaded;
}
