/**
 * What stands at the cursor: the field's description, its values and its default.
 *
 * @module
 */

import { getLocation } from 'jsonc-parser';
import { h, ltr, sentence } from '../dom.ts';
import type { Page } from '../page.ts';
import { fieldAt, namesIn } from './schema.ts';

/** Help for the place in the text. */
export function help({ words }: Page, text: string, offset: number): readonly HTMLElement[] {
	const t = words.policy;
	const path = getLocation(text, offset).path.filter((part) => part !== '');
	const field = fieldAt(path);
	const name = path.join('.');
	const about = path.length === 0 ? t.noHelp : field === undefined ? t.unknown : '';
	const values = field?.enum?.map((value) => JSON.stringify(value)).join(', ');
	const names = namesIn(field);
	const shown = [
		name === '' ? null : h('p', {}, h('code', { dir: 'ltr' }, name)),
		about === '' ? null : h('p', { class: 'muted' }, about),
		// The schema speaks English.
		field?.description === undefined ? null : h('p', { dir: 'ltr', lang: 'en' }, field.description),
		values === undefined ? null : h('p', {}, sentence(t.oneOf, { values: ltr(values, 'code') })),
		field === undefined || !('default' in field)
			? null
			: h('p', {}, sentence(t.default, { value: ltr(JSON.stringify(field.default), 'code') })),
		names.length === 0
			? null
			: h('p', { class: 'muted' }, `${t.fields}: `, ltr(names.join(', '), 'code')),
	];
	return shown.filter((element) => element !== null);
}
