/**
 * The experiments: the module `retrywise_simulate.wasm`, a JSON text in, a JSON text out.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';

interface Exports {
	readonly memory: WebAssembly.Memory;
	input_reserve(length: number): number;
	text_address(): number;
	simulate(length: number): number;
}

/** A mean and the standard deviation of the runs. */
export interface Spread {
	readonly mean: number;
	readonly sd: number;
}

/** One strategy of the contest. */
export interface ContestRow {
	readonly strategy: string;
	readonly clients: number;
	readonly runs: number;
	readonly calls: Spread;
	readonly timeMs: Spread;
}

/** What came of a storm; ratios in thousandths. */
export interface StormReport {
	readonly calls: number;
	readonly attempts: number;
	readonly succeeded: number;
	readonly failed: number;
	readonly refused: number;
	readonly success: number;
	readonly outage: number;
	readonly peak: number;
	readonly window: number;
	readonly bound: number | null;
	readonly withinBudget: boolean | null;
	readonly recoveryMs: number | null;
	readonly cutOff: boolean;
	readonly seconds: Readonly<Record<string, readonly number[]>>;
}

/** Asks the module; the questions are those of `retrywise::simulate::run`. */
export class Simulator {
	readonly #wasm: Exports;

	constructor(module: WebAssembly.Module) {
		this.#wasm = new WebAssembly.Instance(module).exports as unknown as Exports;
	}

	/** @throws RetrywiseError when the question cannot be used */
	ask<Answer>(question: Readonly<Record<string, unknown>>): Answer {
		const bytes = new TextEncoder().encode(JSON.stringify(question));
		const input = this.#wasm.input_reserve(bytes.length) >>> 0;
		if (input === 0) {
			throw new RetrywiseError('the question is longer than 1 MiB');
		}
		new Uint8Array(this.#wasm.memory.buffer, input, bytes.length).set(bytes);
		this.#wasm.simulate(bytes.length);
		const [problem, answer] = this.#strings();
		if (problem !== '') {
			throw new RetrywiseError(problem);
		}
		return JSON.parse(answer) as Answer;
	}

	/** The two strings that the last call wrote, each with four bytes of length before it. */
	#strings(): [string, string] {
		const { memory } = this.#wasm;
		const view = new DataView(memory.buffer);
		let at = this.#wasm.text_address() >>> 0;
		const next = (): string => {
			const length = view.getUint32(at, true);
			const text = new TextDecoder().decode(new Uint8Array(memory.buffer, at + 4, length));
			at += 4 + length;
			return text;
		};
		return [next(), next()];
	}
}
