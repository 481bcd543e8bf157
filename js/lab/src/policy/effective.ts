/**
 * What a policy comes to: every value that holds, and the load that its budget allows.
 *
 * @module
 */

import { bdi, fill, h, sentence } from '../dom.ts';
import { desk } from '../engine.ts';
import { count, span, times } from '../figures.ts';
import type { Page } from '../page.ts';

interface Answer {
	readonly policy: unknown;
	/** Thousandths of the calls; null without a ratio budget. */
	readonly allowed: number | null;
	readonly windowMs: number | null;
	readonly doubles: boolean;
}

/** Stands under the editor, for the last valid text. */
export class Effective {
	readonly element: HTMLElement = h('div', { class: 'effective' });
	#asked = '';

	/** Asks the core, and shows it. */
	async show({ words, state }: Page, policy: string): Promise<void> {
		const t = words.policy;
		const { rate, clients } = state.storm;
		this.#asked = policy;
		const answer = await desk.ask<Answer>({ experiment: 'effective', policy, rate, clients });
		if (this.#asked !== policy) {
			return;
		}
		const open = this.element.querySelector('details')?.open ?? false;
		const values = {
			allowed: bdi(times(answer.allowed), 'figure'),
			span: bdi(span(answer.windowMs)),
			rate: bdi(count(rate)),
			clients: bdi(count(clients)),
			field: h('code', { dir: 'ltr' }, 'budget'),
		};
		fill(
			this.element,
			answer.allowed !== null &&
				h(
					'p',
					{ class: answer.doubles ? 'allowed warn' : 'allowed' },
					sentence(t.allowed, values),
					answer.doubles && [' ', ...sentence(t.doubles, values)],
				),
			h(
				'details',
				{ open },
				h('summary', {}, t.whole),
				h(
					'pre',
					{ dir: 'ltr', tabindex: 0, 'aria-label': t.whole },
					JSON.stringify(answer.policy, null, 2),
				),
			),
		);
	}

	clear(): void {
		this.#asked = '';
		fill(this.element);
	}
}
