/**
 * Elements, made in one expression.
 *
 * @module
 */

type Child = Node | string | number | null | undefined | false;
type Props = Readonly<Record<string, unknown>>;

/** An element. Props that start with `on` are listeners; true and false set and leave out. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
	tag: Tag,
	props: Props = {},
	...children: readonly (Child | readonly Child[])[]
): HTMLElementTagNameMap[Tag] {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(props)) {
		if (name.startsWith('on') && typeof value === 'function') {
			element.addEventListener(name.slice(2), value as EventListener);
		} else if (value === true) {
			element.setAttribute(name, '');
		} else if (value !== false && value !== undefined && value !== null) {
			element.setAttribute(name, String(value));
		}
	}
	element.append(
		...children
			.flat()
			.filter((child) => isShown(child))
			.map(node),
	);
	return element;
}

/** Puts something else into an element. */
export function fill(element: Element, ...children: readonly Child[]): void {
	element.replaceChildren(...children.filter((child) => isShown(child)).map(node));
}

/** Figures and codes keep their direction inside a sentence that runs the other way. */
export function bdi(text: string, className?: string): HTMLElement {
	const dir = /\p{Script=Arabic}/u.test(text) ? 'rtl' : 'ltr';
	return h('bdi', { dir, class: className }, text);
}

/** What the core or a parser says, which speak English. */
export function english(text: string): HTMLElement {
	return h('bdi', { dir: 'ltr', lang: 'en' }, text);
}

/** A sentence with `{name}` in it, each replaced by an element or a text. */
export function sentence(
	template: string,
	values: Readonly<Record<string, Node | string>>,
): (Node | string)[] {
	return template
		.split(/\{(\w+)\}/)
		.map((part, index) => (index % 2 ? (values[part] ?? '') : part));
}

/** A choice of values. */
export function select(
	props: Props,
	options: readonly (readonly [value: string, label: string])[],
	chosen: string,
): HTMLSelectElement {
	const element = h(
		'select',
		props,
		options.map(([value, label]) => h('option', { value }, label)),
	);
	element.value = chosen;
	return element;
}

/** What a table says where it is wider than its place; set with the language of the page. */
let moreSideways = '';

export function sayMoreSideways(text: string): void {
	moreSideways = text;
}

/** A table; the first cell of a row is its heading. */
export function table(
	caption: string,
	headings: readonly string[],
	rows: readonly (readonly (string | Node)[])[],
): HTMLElement {
	const more = h('p', { class: 'more', hidden: true }, moreSideways);
	const scroll = h(
		'div',
		{ class: 'scroll' },
		h(
			'table',
			{},
			h('caption', { class: 'hidden' }, caption),
			h(
				'thead',
				{},
				h(
					'tr',
					{},
					headings.map((text) => h('th', { scope: 'col' }, text)),
				),
			),
			h(
				'tbody',
				{},
				rows.map((cells) =>
					h(
						'tr',
						{},
						cells.map((cell, index) =>
							index === 0
								? h('th', { scope: 'row' }, cell)
								: h('td', {}, typeof cell === 'string' ? bdi(cell) : cell),
						),
					),
				),
			),
		),
	);
	watchScroll(scroll, caption, more);
	return h('div', { class: 'table' }, scroll, more);
}

/** Only what scrolls is a stop of the keyboard; only what is cut sideways says so. */
function watchScroll(scroll: HTMLElement, caption: string, more: HTMLElement): void {
	const look = (): void => {
		const sideways = scroll.scrollWidth > scroll.clientWidth + 1;
		const scrolls = sideways || scroll.scrollHeight > scroll.clientHeight + 1;
		more.hidden = !sideways;
		const stop = { role: 'region', tabindex: '0', 'aria-label': caption };
		for (const [name, value] of Object.entries(stop)) {
			if (scrolls) {
				scroll.setAttribute(name, value);
			} else {
				scroll.removeAttribute(name);
			}
		}
	};
	// It ends with the element that it watches.
	new ResizeObserver(look).observe(scroll);
}

function isShown(child: Child): child is Node | string | number {
	return child !== null && child !== undefined && child !== false;
}

function node(child: Node | string | number): Node | string {
	return typeof child === 'number' ? String(child) : child;
}
