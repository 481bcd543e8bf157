/**
 * The form that changes the storm.
 *
 * @module
 */

import { h } from '../dom.ts';
import type { Page } from '../page.ts';
import { bounded, TERMS, type Term } from '../state.ts';

/** A field for each term; `changed` hears of a new value. */
export function terms(page: Page, changed: () => void): HTMLElement {
	const { state, words } = page;
	const fields = (Object.keys(TERMS) as Term[]).map((name) => {
		const [usual, least, most] = TERMS[name];
		const input = h('input', {
			type: 'number',
			name,
			min: least,
			max: most,
			step: 1,
			dir: 'ltr',
			value: state.storm[name],
			onchange: () => {
				state.storm[name] = bounded(input.value, usual, least, most);
				input.value = String(state.storm[name]);
				page.save();
				changed();
			},
		});
		return h('label', {}, h('span', {}, words.storm.terms[name]), input);
	});
	const differs = (Object.keys(TERMS) as Term[]).some(
		(name) => state.storm[name] !== TERMS[name][0],
	);
	return h(
		'details',
		{ class: 'terms', open: differs },
		h('summary', {}, words.storm.change),
		h('div', { class: 'fields' }, fields),
	);
}
