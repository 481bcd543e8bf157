/**
 * The policy: a text, what is wrong with it, and what its fields mean.
 *
 * @module
 */

import { type Place, placesIn } from '../../../src/cli/places.ts';
import type { Issue } from '../../../src/types.ts';
import { bdi, fill, h, sentence } from '../dom.ts';
import { desk, Problem } from '../engine.ts';
import type { Page } from '../page.ts';
import { documents } from '../views/storm-questions.ts';
import { Effective } from './effective.ts';
import { help } from './help.ts';
import { vendors } from './schema.ts';

/** So long nobody types before the text is checked, ms. */
const PAUSE_MS = 250;

/** The editor of the page; it lives as long as its language. */
export class Editor {
	readonly element: HTMLElement;
	readonly #page: Page;
	readonly #found: (valid: string | null) => void;
	readonly #text: HTMLTextAreaElement;
	readonly #issues = h('div', { class: 'issues', 'aria-live': 'polite', id: 'issues' });
	readonly #help = h('div', { class: 'help' });
	readonly #whole = new Effective();
	readonly #menu: HTMLSelectElement;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#asked = 0;

	/** `found` hears the text where it is valid, else null. */
	constructor(page: Page, found: (valid: string | null) => void) {
		this.#page = page;
		this.#found = found;
		const t = page.words.policy;
		this.#text = h('textarea', {
			id: 'policy',
			rows: 10,
			spellcheck: 'false',
			autocapitalize: 'off',
			autocomplete: 'off',
			dir: 'ltr',
			'aria-describedby': 'issues',
			oninput: () => this.#edited(),
		});
		this.#text.value = page.state.policy;
		for (const event of ['click', 'keyup', 'focus']) {
			this.#text.addEventListener(event, () => this.#showHelp());
		}
		const download = h('button', { type: 'button', onclick: () => this.#download() }, t.download);
		this.#menu = h('select', { 'aria-label': t.from, name: 'preset' });
		this.#offer(this.#menu);
		this.element = h(
			'section',
			{ class: 'policy', 'aria-labelledby': 'policy-title' },
			h('h2', { id: 'policy-title' }, t.title),
			h('div', { class: 'tools' }, this.#menu, download),
			h('label', { for: 'policy', class: 'hidden' }, t.label),
			this.#text,
			this.#issues,
			this.#whole.element,
			h('h3', {}, t.help),
			this.#help,
		);
		this.#showHelp();
	}

	/** Checks what stands there. */
	async check(): Promise<void> {
		this.#asked += 1;
		const asked = this.#asked;
		const text = this.#text.value;
		const issues = await desk.issues(text).catch((error: unknown) => {
			if (error instanceof Problem) {
				return [{ field: '', kind: 'syntax', message: error.message }];
			}
			throw error;
		});
		if (asked === this.#asked) {
			this.#show(text, issues);
			if (issues.length === 0) {
				await this.#whole.show(this.#page, text);
			} else {
				this.#whole.clear();
			}
			this.#found(issues.length === 0 ? text : null);
		}
	}

	#edited(): void {
		this.#page.state.policy = this.#text.value;
		this.#choose();
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			this.#page.save();
			this.check();
		}, PAUSE_MS);
	}

	#show(text: string, issues: readonly Issue[]): void {
		const t = this.#page.words.policy;
		this.#text.setAttribute('aria-invalid', String(issues.length > 0));
		if (issues.length === 0) {
			fill(this.#issues, h('p', { class: 'valid' }, t.valid));
			return;
		}
		const placeOf = placesIn(text);
		const placed = issues.map((issue) => ({ issue, place: placeOf(issue) }));
		placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
		const items = placed.map(({ issue, place }) => {
			const line = String(place.line);
			const column = String(place.column);
			return h(
				'li',
				{},
				h(
					'button',
					{ type: 'button', class: 'place', onclick: () => this.#select(place) },
					sentence(t.at, { line: bdi(line), column: bdi(column) }),
				),
				h('span', { dir: 'ltr', lang: 'en' }, issue.message),
			);
		});
		const title = sentence(t.invalid, { count: bdi(String(issues.length)) });
		fill(this.#issues, h('p', { class: 'invalid' }, title), h('ul', {}, items));
	}

	/** Puts the cursor there. */
	#select({ line, column }: Place): void {
		const lines = this.#text.value.split('\n').slice(0, line - 1);
		const at = lines.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
		this.#text.focus();
		this.#text.setSelectionRange(at, at);
		this.#showHelp();
	}

	#showHelp(): void {
		fill(this.#help, ...help(this.#page, this.#text.value, this.#text.selectionStart));
	}

	/** Fills the menu of documents to start from. */
	async #offer(menu: HTMLSelectElement): Promise<void> {
		const { words } = this.#page;
		const t = words.policy;
		const { presets, tactics } = await documents(3);
		const named = (list: ReadonlyMap<string, string>, label: (name: string) => string) =>
			[...list].map(([name, policy]) => [pretty(policy), label(name)] as const);
		const groups = [
			[t.groups.presets, named(presets, (name) => name)],
			[t.groups.tactics, named(tactics, (name) => words.storm.tactics[name]?.[0] ?? name)],
			[
				t.groups.profiles,
				vendors().map((name) => [pretty(JSON.stringify({ profile: name })), name] as const),
			],
		] as const;
		fill(
			menu,
			h('option', { value: '' }, t.from),
			...groups.map(([label, options]) =>
				h(
					'optgroup',
					{ label },
					options.map(([value, name]) => h('option', { value }, name)),
				),
			),
		);
		menu.addEventListener('change', () => {
			if (menu.value !== '') {
				this.#text.value = menu.value;
				this.#edited();
			}
		});
		this.#choose();
	}

	/** The menu names the document that stands in the editor, as long as it is one of its own. */
	#choose(): void {
		const text = this.#text.value;
		const known = [...this.#menu.options].some(({ value }) => value === text);
		this.#menu.value = known ? text : '';
	}

	#download(): void {
		const url = URL.createObjectURL(
			new Blob([`${this.#text.value.trimEnd()}\n`], { type: 'application/json' }),
		);
		h('a', { href: url, download: 'retry-policy.json' }).click();
		setTimeout(() => URL.revokeObjectURL(url), 0);
	}
}

/** A document as people read it. */
function pretty(document: string): string {
	return JSON.stringify(JSON.parse(document), null, 2);
}
