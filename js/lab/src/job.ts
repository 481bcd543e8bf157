/**
 * A computation with a bar and a way to stop it, and what became of it.
 *
 * @module
 */

import { bdi, english, fill, h, sentence } from './dom.ts';
import { bench, Problem } from './engine.ts';
import { count } from './figures.ts';
import type { Page } from './page.ts';

type Question = Readonly<Record<string, unknown>>;

/** One computation at a time: a new one stops the one before it. Its place in the page is kept. */
export class Job {
	readonly element: HTMLElement;
	readonly #page: Page;
	readonly #bar = h('progress', { max: 1, value: 0 });
	readonly #text = h('span', { class: 'muted' });
	readonly #busy: HTMLElement;
	readonly #said = h('span', { class: 'said', role: 'status' });
	readonly #again: HTMLButtonElement;
	#controller: AbortController | undefined;
	/** Whether something was computed before. */
	#shown = false;

	/** `again` computes anew what was cancelled. */
	constructor(page: Page, again: () => void) {
		this.#page = page;
		const { words } = page;
		this.#bar.setAttribute('aria-label', words.running);
		const cancel = h('button', { type: 'button', onclick: () => this.#cancel() }, words.cancel);
		this.#busy = h('div', { class: 'busy', hidden: true }, this.#bar, this.#text, cancel);
		this.#again = h('button', { type: 'button', hidden: true, onclick: again }, words.run);
		this.element = h('div', { class: 'job' }, this.#busy, this.#said, this.#again);
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
		this.#show(true);
		try {
			let asked = 0;
			await bench.all<Answer>(questions, controller.signal, (done, answer) => {
				if (answer !== undefined) {
					each(asked, answer);
					asked += 1;
				}
				this.#progress(done, questions.length);
			});
			this.#show(false);
			this.#shown = true;
			end();
			fill(this.#said, this.#page.words.ready);
		} catch (error) {
			if (this.#controller === controller) {
				this.#show(false);
			}
			if (error instanceof Problem) {
				fill(this.#said, english(error.message));
			} else if (!controller.signal.aborted) {
				throw error;
			}
		}
	}

	/** Stops without a word. */
	close(): void {
		this.#controller?.abort();
		this.#show(false);
	}

	#cancel(): void {
		this.close();
		const { words } = this.#page;
		fill(this.#said, this.#shown ? words.cancelled : words.cancelledFirst);
		this.#again.hidden = false;
		this.#again.focus();
	}

	#show(busy: boolean): void {
		this.#busy.hidden = !busy;
		this.element.toggleAttribute('data-busy', busy);
		if (busy) {
			fill(this.#said);
			this.#again.hidden = true;
		}
	}

	#progress(done: number, of: number): void {
		this.#bar.max = of;
		this.#bar.value = done;
		const { progress } = this.#page.words;
		fill(this.#text, ...sentence(progress, { done: bdi(count(done)), of: bdi(count(of)) }));
	}
}
