/**
 * The page: its head, its views, its address.
 *
 * @module
 */

import './style/base.css';
import './style/storm.css';
import './style/views.css';
import { bdi, english, fill, h, sayMoreSideways, sentence } from './dom.ts';
import { count, speak } from './figures.ts';
import type { Mounted, Page } from './page.ts';
import { Editor } from './policy/editor.ts';
import { format, parse, VIEWS, type View } from './state.ts';
import { ar } from './text/ar.ts';
import { en, type Words } from './text/en.ts';
import { initialTheme, setTheme, systemIsDark, THEMES, type Theme } from './theme.ts';
import { aws } from './views/aws.ts';
import { call } from './views/call.ts';
import { delays } from './views/delays.ts';
import { storm } from './views/storm.ts';

const WORDS: Readonly<Record<string, Words>> = { en, ar };
const MAKERS: Readonly<Record<View, (page: Page) => Mounted>> = { storm, delays, call, aws };

let state = parse(location.hash);
let theme = initialTheme();
let valid: string | null = null;
let mounted: Mounted | undefined;
let saving: ReturnType<typeof setTimeout> | undefined;

/** Browsers refuse to be told a new address at every move of a slider. */
const SAVE_MS = 150;

const words = (): Words => WORDS[state.lang] ?? en;

const page: Page = {
	get state() {
		return state;
	},
	get words() {
		return words();
	},
	get policy() {
		return valid;
	},
	save() {
		clearTimeout(saving);
		saving = setTimeout(write, SAVE_MS);
	},
};

/** The address says what is seen. */
function write(): void {
	clearTimeout(saving);
	history.replaceState(null, '', format(state));
}

/** Puts the whole page up: at the start, and when language, colours or address change. */
function render(): void {
	mounted?.close();
	mounted = undefined;
	const { lang } = state;
	speak(lang);
	sayMoreSideways(words().more);
	document.documentElement.lang = lang;
	document.documentElement.dir = lang === 'ar' ? 'rtl' : 'ltr';
	document.title = `${words().title} · ${words().views[state.view]}`;
	const view = h('div', { id: 'view' });
	const editor = new Editor(page, (found) => {
		if (found !== valid || mounted === undefined) {
			valid = found;
			mounted?.policyChanged();
		}
	});
	document.body.replaceChildren(
		h('a', { class: 'skip', href: '#view', onclick: skip }, words().skip),
		head(),
		h(
			'main',
			{ 'data-view': state.view },
			refusals(),
			view,
			state.view === 'aws' ? null : editor.element,
		),
		h('footer', {}, h('p', {}, words().figures)),
	);
	// The view asks about a policy that was checked.
	editor.check().then(
		() => {
			if (view.isConnected && mounted === undefined) {
				mounted = MAKERS[state.view](page);
				view.append(mounted.element);
			}
		},
		(error) =>
			view.append(
				h('p', { class: 'invalid', role: 'alert' }, words().broken, ' ', english(String(error))),
			),
	);
}

/** What the address asked for in vain. */
function refusals(): HTMLElement | null {
	const t = words();
	const items = state.refused.map(({ name, value, least, most }) =>
		h(
			'li',
			{},
			sentence(t.refusedValue, {
				value: bdi(`${name}=${value}`, 'code'),
				least: bdi(count(least)),
				most: bdi(count(most)),
			}),
		),
	);
	return items.length === 0
		? null
		: h('div', { class: 'invalid refusals', role: 'status' }, t.refusedValues, h('ul', {}, items));
}

function head(): HTMLElement {
	const t = words();
	const links = VIEWS.map((view) =>
		h(
			'a',
			{
				href: format({ ...state, view }),
				'aria-current': view === state.view ? 'page' : undefined,
				onclick: (event: MouseEvent) => {
					event.preventDefault();
					go(view);
				},
			},
			t.views[view],
		),
	);
	const colours = h('select', { 'aria-label': t.theme, name: 'theme' });
	for (const name of THEMES) {
		colours.append(h('option', { value: name }, `${t.theme}: ${t.themes[name]}`));
	}
	colours.value = theme;
	colours.addEventListener('change', () => {
		theme = setTheme(colours.value as Theme);
		render();
		document.querySelector<HTMLElement>('select[name=theme]')?.focus();
	});
	const other = state.lang === 'ar' ? 'en' : 'ar';
	const language = h(
		'button',
		{
			type: 'button',
			lang: other,
			name: 'lang',
			onclick: () => {
				state.lang = other;
				page.save();
				render();
				document.querySelector<HTMLElement>('button[name=lang]')?.focus();
			},
		},
		t.otherLang,
	);
	const share = h(
		'span',
		{ class: 'share' },
		h('button', { type: 'button', name: 'share', onclick: copy }, t.share),
		h('span', { class: 'said', id: 'status', role: 'status' }),
	);
	return h(
		'header',
		{},
		h(
			'div',
			{ class: 'brand' },
			h('p', { class: 'title' }, h('bdi', { dir: 'ltr' }, 'retrywise ', h('span', {}, 'lab'))),
			h('p', { class: 'muted' }, t.tagline),
		),
		h('nav', { 'aria-label': t.pages }, links),
		h('div', { class: 'tools' }, share, language, colours),
	);
}

function go(view: View): void {
	write();
	state.view = view;
	history.pushState(null, '', format(state));
	render();
	document.querySelector<HTMLElement>(`nav a[aria-current]`)?.focus();
}

function skip(event: MouseEvent): void {
	event.preventDefault();
	document.querySelector<HTMLElement>('h1')?.focus();
}

/** So long the answer of the button is seen, ms. */
const SAID_MS = 6000;
let unsaying: ReturnType<typeof setTimeout> | undefined;

/** Says beside the button what came of it. */
async function copy(): Promise<void> {
	write();
	const said = await navigator.clipboard.writeText(location.href).then(
		() => words().shared,
		() => words().notShared,
	);
	const status = document.getElementById('status');
	if (status !== null) {
		fill(status, said);
		clearTimeout(unsaying);
		unsaying = setTimeout(() => fill(status), SAID_MS);
	}
}

/** Somebody went back, or put another address in. */
function arrive(): void {
	clearTimeout(saving);
	if (location.hash !== format(state)) {
		state = parse(location.hash);
		render();
	}
}

addEventListener('popstate', arrive);
systemIsDark().addEventListener('change', () => {
	if (theme === 'auto') {
		setTheme(theme);
		render();
	}
});
setTheme(theme);
render();
