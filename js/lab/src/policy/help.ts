/**
 * What stands at the cursor: the field's description, its values and its default.
 *
 * @module
 */

import { getLocation } from 'jsonc-parser';
import { bdi, h, sentence } from '../dom.ts';
import type { Page } from '../page.ts';
import { type Field, fieldAt, namesIn } from './schema.ts';

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
		path.length === 0 ? standard(t.standard) : described(field),
		values === undefined ? null : h('p', {}, sentence(t.oneOf, { values: bdi(values, 'code') })),
		field === undefined || !('default' in field)
			? null
			: h('p', {}, sentence(t.default, { value: bdi(JSON.stringify(field.default), 'code') })),
		names.length === 0
			? null
			: h('p', { class: 'muted' }, `${t.fields}: `, bdi(names.join(', '), 'code')),
	];
	return shown.filter((element) => element !== null);
}

/** What the empty document means. */
function standard(template: string): HTMLElement {
	const code = (text: string) => h('code', { dir: 'ltr' }, text);
	const names = { empty: code('{}'), profile: code('profile'), extends: code('extends') };
	return h('p', {}, sentence(template, names));
}

/** What the schema says, which speaks English. */
function described(field: Field | undefined): HTMLElement | null {
	const said = [field, ...(field?.anyOf ?? [])].flatMap((one) => one?.description ?? []);
	return said.length === 0 ? null : h('p', { dir: 'ltr', lang: 'en' }, said.join(' / '));
}
