/**
 * The module, in workers: questions in, answers out, and a way to stop.
 *
 * @module
 */

import type { Issue } from '../../src/types.ts';
import moduleUrl from '../../wasm/retrywise_simulate.wasm?url';
import type { Order, Reply } from './worker.ts';

/** The core could not use the question; the message is its own. */
export class Problem extends Error {}

type Waiting = { resolve: (answer: unknown) => void; reject: (error: unknown) => void };
type Question = Readonly<Record<string, unknown>>;

/** Answers that are kept. */
const MOST_KNOWN = 500;

let compiled: Promise<WebAssembly.Module> | undefined;

function module(): Promise<WebAssembly.Module> {
	compiled ??= fetch(moduleUrl)
		.then((response) => response.arrayBuffer())
		.then((bytes) => WebAssembly.compile(bytes));
	return compiled;
}

/** One worker. What is asked is answered in order. */
export class Engine {
	#worker: Promise<Worker> | undefined;
	#waiting = new Map<number, Waiting>();
	#known = new Map<string, unknown>();
	#last = 0;

	/** The answer to a question of `retrywise::simulate::run`. */
	ask<Answer>(question: Question): Promise<Answer> {
		return this.#send<Answer>({ question });
	}

	/** What is wrong with a policy. */
	issues(policy: string): Promise<Issue[]> {
		return this.#send<Issue[]>({ policy });
	}

	/**
	 * Several questions, one after the other, with word of how many are answered, and of the last
	 * answer. What was answered before is not computed again.
	 *
	 * @throws DOMException `AbortError`, once `signal` is aborted; the question under way is left
	 */
	async all<Answer>(
		questions: readonly Question[],
		signal: AbortSignal,
		progress: (done: number, answer?: Answer) => void,
	): Promise<void> {
		const stop = (): void => this.#stop(signal.reason);
		signal.addEventListener('abort', stop, { once: true });
		try {
			progress(0);
			for (const [index, question] of questions.entries()) {
				signal.throwIfAborted();
				progress(index + 1, await this.#remembered<Answer>(question));
			}
		} finally {
			signal.removeEventListener('abort', stop);
		}
	}

	async #remembered<Answer>(question: Question): Promise<Answer> {
		const key = JSON.stringify(question);
		const known = this.#known.get(key);
		if (known !== undefined) {
			return known as Answer;
		}
		const answer = await this.ask<Answer>(question);
		if (this.#known.size >= MOST_KNOWN) {
			this.#known.clear();
		}
		this.#known.set(key, answer);
		return answer;
	}

	/** Ends the worker, whatever it is at; the next question starts another. */
	#stop(reason: unknown): void {
		this.#worker?.then((worker) => worker.terminate());
		this.#worker = undefined;
		for (const { reject } of this.#waiting.values()) {
			reject(reason);
		}
		this.#waiting.clear();
	}

	async #send<Answer>(
		order: { readonly question: Question } | { readonly policy: string },
	): Promise<Answer> {
		this.#last += 1;
		const id = this.#last;
		const answer = new Promise<unknown>((resolve, reject) => {
			this.#waiting.set(id, { resolve, reject });
		});
		this.#worker ??= this.#start();
		this.#worker.then(
			(worker) => worker.postMessage({ id, ...order } satisfies Order),
			(error) => this.#waiting.get(id)?.reject(error),
		);
		return (await answer) as Answer;
	}

	async #start(): Promise<Worker> {
		const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
		worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
			const waiting = this.#waiting.get(data.id);
			this.#waiting.delete(data.id);
			if (data.problem === undefined) {
				waiting?.resolve(data.answer);
			} else {
				waiting?.reject(new Problem(data.problem));
			}
		});
		worker.addEventListener('error', (event) => this.#stop(new Problem(event.message)));
		worker.postMessage({ module: await module() } satisfies Order);
		return worker;
	}
}

/** For what is answered at once. */
export const desk: Engine = new Engine();
/** For what may take a while, and may be stopped. */
export const bench: Engine = new Engine();
