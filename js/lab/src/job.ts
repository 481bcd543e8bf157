/**
 * A computation with a bar and a way to stop it.
 *
 * @module
 */

import { h, ltr, sentence } from './dom.ts';
import { bench, Problem } from './engine.ts';
import { count } from './figures.ts';
import type { Page } from './page.ts';

type Question = Readonly<Record<string, unknown>>;

/** One computation at a time: a new one stops the one before it. */
export class Job {
	readonly element: HTMLElement;
	readonly #page: Page;
	readonly #bar = h('progress', { max: 1, value: 0 });
	readonly #text = h('span', { class: 'muted' });
	#controller: AbortController | undefined;

	constructor(page: Page) {
		this.#page = page;
		const { words } = page;
		this.#bar.setAttribute('aria-label', words.running);
		const cancel = h('button', { type: 'button', onclick: () => this.#cancel() }, words.cancel);
		this.element = h('div', { class: 'job', hidden: true }, this.#bar, this.#text, cancel);
	}

	/** Asks the questions in order; `each` hears every answer, `end` that they are all there. */
	async run<Answer>(
		questions: readonly Question[],
		each: (index: number, answer: Answer) => void,
		end: () => void,
	): Promise<void> {
		this.close();
		const controller = new AbortController();
		this.#controller = controller;
		this.element.hidden = false;
		try {
			let asked = 0;
			await bench.all<Answer>(questions, controller.signal, (done, answer) => {
				if (answer !== undefined) {
					each(asked, answer);
					asked += 1;
				}
				this.#show(done, questions.length);
			});
			this.element.hidden = true;
			end();
			this.#page.say(this.#page.words.ready);
		} catch (error) {
			if (this.#controller === controller) {
				this.element.hidden = true;
			}
			if (error instanceof Problem) {
				this.#page.say(error.message);
			} else if (!controller.signal.aborted) {
				throw error;
			}
		}
	}

	/** Stops without a word. */
	close(): void {
		this.#controller?.abort();
		this.element.hidden = true;
	}

	#cancel(): void {
		this.close();
		this.#page.say(this.#page.words.cancelled);
	}

	#show(done: number, of: number): void {
		this.#bar.max = of;
		this.#bar.value = done;
		this.#text.replaceChildren(
			...sentence(this.#page.words.progress, { done: ltr(count(done)), of: ltr(count(of)) }),
		);
	}
}
