/**
 * The experiments: the module `retrywise_simulate.wasm`, a JSON text in, a JSON text out.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import type { Issue } from '../types.ts';

interface Exports {
	readonly memory: WebAssembly.Memory;
	input_reserve(length: number): number;
	text_address(): number;
	simulate(length: number): number;
	policy_validate(length: number): number;
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
	/** How long the worst window is. */
	readonly windowMs: number;
	readonly bound: number | null;
	/** The kind of the policy's budget. */
	readonly budget: string | null;
	readonly maxRetries: number;
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
		const length = this.#write(JSON.stringify(question), 'the question');
		const [problem = '', answer = ''] = this.#strings(this.#wasm.simulate(length) >>> 0);
		if (problem !== '') {
			throw new RetrywiseError(problem);
		}
		return JSON.parse(answer) as Answer;
	}

	/** What is wrong with a policy document, everything at once. */
	issues(document: string): Issue[] {
		const length = this.#write(document, 'the document');
		const strings = this.#strings(this.#wasm.policy_validate(length) >>> 0);
		const found: Issue[] = [];
		for (let i = 0; i + 2 < strings.length; i += 3) {
			const [field = '', kind = '', message = ''] = strings.slice(i, i + 3);
			found.push({ field, kind, message });
		}
		return found;
	}

	/** Puts a text into the input; its length in bytes. */
	#write(text: string, what: string): number {
		const bytes = new TextEncoder().encode(text);
		const input = this.#wasm.input_reserve(bytes.length) >>> 0;
		if (input === 0) {
			throw new RetrywiseError(`${what} is longer than 1 MiB`);
		}
		new Uint8Array(this.#wasm.memory.buffer, input, bytes.length).set(bytes);
		return bytes.length;
	}

	/** The strings of the last text, each with four bytes of length before it. */
	#strings(total: number): string[] {
		const { memory } = this.#wasm;
		const view = new DataView(memory.buffer);
		const from = this.#wasm.text_address() >>> 0;
		const strings: string[] = [];
		for (let at = from; at + 4 <= from + total; ) {
			const length = view.getUint32(at, true);
			strings.push(new TextDecoder().decode(new Uint8Array(memory.buffer, at + 4, length)));
			at += 4 + length;
		}
		return strings;
	}
}
