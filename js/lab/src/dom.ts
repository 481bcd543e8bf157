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
export function ltr(text: string, className?: string): HTMLElement {
	return h('bdi', { dir: 'ltr', class: className }, text);
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

/** A table; the first cell of a row is its heading. */
export function table(
	caption: string,
	headings: readonly string[],
	rows: readonly (readonly (string | Node)[])[],
): HTMLElement {
	return h(
		'div',
		{ class: 'scroll', role: 'region', tabindex: 0, 'aria-label': caption },
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
								: h('td', {}, typeof cell === 'string' ? ltr(cell) : cell),
						),
					),
				),
			),
		),
	);
}

function isShown(child: Child): child is Node | string | number {
	return child !== null && child !== undefined && child !== false;
}

function node(child: Node | string | number): Node | string {
	return typeof child === 'number' ? String(child) : child;
}
