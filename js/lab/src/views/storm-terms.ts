/**
 * The form that changes the storm.
 *
 * @module
 */

import { bdi, fill, h, sentence } from '../dom.ts';
import { count } from '../figures.ts';
import type { Page } from '../page.ts';
import { TERMS, type Term, whole } from '../state.ts';

/** A field for each term; `changed` hears of a new value that is in range. */
export function terms(page: Page, changed: () => void): HTMLElement {
	const { state, words } = page;
	const names = Object.keys(TERMS) as Term[];
	const differs = names.some((name) => state.storm[name] !== TERMS[name][0]);
	return h(
		'details',
		{ class: 'terms', open: differs },
		h('summary', {}, words.storm.change),
		h(
			'div',
			{ class: 'fields' },
			names.map((name) => field(page, name, changed)),
		),
	);
}

/** What is out of range stands there marked, with what is allowed, and changes nothing. */
function field({ state, words, save }: Page, name: Term, changed: () => void): HTMLElement {
	const [, least, most] = TERMS[name];
	const id = `limits-${name}`;
	const limits = h('small', { id, role: 'status' });
	const range = { least: bdi(count(least)), most: bdi(count(most)) };
	const show = (valid: boolean): void => {
		input.setAttribute('aria-invalid', String(!valid));
		limits.className = valid ? 'muted' : 'invalid';
		fill(limits, ...sentence(valid ? words.storm.range : words.storm.outOfRange, range));
	};
	const input = h('input', {
		type: 'number',
		name,
		min: least,
		max: most,
		step: 1,
		dir: 'ltr',
		value: state.storm[name],
		'aria-describedby': id,
		oninput: () => show(whole(input.value, least, most) !== null),
		onchange: () => {
			const value = whole(input.value, least, most);
			show(value !== null);
			if (value !== null && value !== state.storm[name]) {
				state.storm[name] = value;
				save();
				changed();
			}
		},
	});
	show(true);
	return h('label', {}, h('span', {}, words.storm.terms[name]), input, limits);
}
