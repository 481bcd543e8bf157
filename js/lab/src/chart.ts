/**
 * Charts by uPlot in the colours of the page, each a figure with a name.
 *
 * @module
 */

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { shade, veil, words } from './chart-marks.ts';
import { fill, h } from './dom.ts';
import { count, short } from './figures.ts';

/** One line. Colours are names of custom properties, without their dashes. */
export interface Line {
	readonly label: string;
	readonly values: readonly (number | null)[];
	readonly colour: string;
	readonly width?: number;
	readonly dash?: readonly number[];
	/** Written at the line itself. */
	readonly word?: string;
	/** Filled down to zero. */
	readonly filled?: boolean;
	/** Filled down to the line with this number (from 0). */
	readonly bandTo?: number;
}

/** What is drawn. */
export interface Drawing {
	/** What the chart shows, for those who do not see it. */
	readonly name: string;
	readonly x: readonly number[];
	readonly lines: readonly Line[];
	readonly height: number;
	/** The highest value of the vertical axis; default: that of the lines. */
	readonly top?: number | undefined;
	readonly xLabel?: string;
	readonly yLabel?: string;
	/** No axes: a chart beside a figure. */
	readonly bare?: boolean;
	/** A span of x with a name. */
	readonly shade?: { readonly from: number; readonly to: number; readonly label: string };
	readonly yFormat?: (value: number) => string;
	/** Where a legend would say what is written beside the chart, there is none. */
	readonly legend?: boolean;
}

/** A chart in the page. */
export interface Chart {
	readonly element: HTMLElement;
	/** Shows x up to here; what comes later is veiled. Null shows all. */
	show(at: number | null): void;
	destroy(): void;
}

/** Gives the value of a custom property. */
export type Colour = (property: string) => string;

/** Draws; the chart takes the width of the place it is put in. */
export function chart(drawing: Drawing): Chart {
	const { name, bare = false, height } = drawing;
	// Time and counts run from left to right in every language.
	const place = h('div', { class: 'plot', dir: 'ltr', role: 'img', 'aria-label': name });
	const element = h('figure', { class: bare ? 'chart bare' : 'chart' }, place);
	const values = (drawing.legend ?? !bare) ? new Legend(drawing) : undefined;
	if (values !== undefined) {
		element.append(values.element);
	}
	let until: number | null = null;
	let plot: uPlot | undefined;
	const style = getComputedStyle(document.documentElement);
	const colour: Colour = (property) => style.getPropertyValue(`--${property}`).trim();

	const draw = (width: number): void => {
		const data = [drawing.x, ...drawing.lines.map((line) => line.values)];
		plot = new uPlot(
			options(drawing, colour, width, () => until, values),
			data as unknown as uPlot.AlignedData,
			place,
		);
	};
	const watch = new ResizeObserver(([entry]) => {
		const width = Math.floor(entry?.contentRect.width ?? 0);
		if (width < 20) {
			return;
		}
		if (plot === undefined) {
			draw(width);
		} else if (plot.width !== width) {
			plot.setSize({ width, height });
		}
	});
	watch.observe(place);
	return {
		element,
		show(at) {
			until = at;
			plot?.redraw(false);
		},
		destroy() {
			watch.disconnect();
			plot?.destroy();
		},
	};
}

/** What the lines are, and their values under the pointer. Who does not see it has the table. */
class Legend {
	readonly element: HTMLElement;
	readonly #drawing: Drawing;
	readonly #x = h('b', {});
	readonly #values: readonly HTMLElement[];

	constructor(drawing: Drawing) {
		this.#drawing = drawing;
		this.#values = drawing.lines.map(() => h('b', {}));
		const items = drawing.lines.flatMap(({ label, colour, dash, bandTo }, index) => {
			if (label === '') {
				return [];
			}
			const kind = dash ? 'dashed' : bandTo === undefined ? 'line' : `wash depth-${bandTo}`;
			const key = h('i', { class: `key ${kind} of-${colour}` });
			return [h('li', {}, key, label, ' ', this.#values[index])];
		});
		const at = h('li', { class: 'at' }, drawing.xLabel ?? '', ' ', this.#x);
		this.element = h('ul', { class: 'legend', 'aria-hidden': 'true' }, items, at);
	}

	/** The values at this place of x; nowhere, none. */
	show(index: number | null | undefined): void {
		const { x, lines, yFormat = count } = this.#drawing;
		const here = index ?? -1;
		this.element.classList.toggle('pointed', here >= 0);
		fill(this.#x, here < 0 ? '' : count(x[here] ?? 0));
		for (const [at, { values, bandTo }] of lines.entries()) {
			const tell = (value: number | null | undefined) =>
				value === null || value === undefined ? '' : yFormat(value);
			const low = bandTo === undefined ? undefined : lines[bandTo]?.values[here];
			const text = here < 0 ? '' : tell(values[here]);
			const element = this.#values[at];
			if (element !== undefined) {
				fill(
					element,
					h('bdi', {}, low === undefined || here < 0 ? text : `${tell(low)} – ${text}`),
				);
			}
		}
	}
}

function options(
	drawing: Drawing,
	colour: Colour,
	width: number,
	until: () => number | null,
	values: Legend | undefined,
): uPlot.Options {
	const { lines, height, bare = false, yFormat = short } = drawing;
	const font = `12px ${getComputedStyle(document.body).fontFamily}`;
	const axis: uPlot.Axis = {
		stroke: colour('muted'),
		font,
		labelFont: font,
		labelSize: 20,
		labelGap: 2,
		grid: { stroke: colour('grid'), width: 1 },
		ticks: { show: false },
	};
	const top = drawing.top ?? highest(lines);
	return {
		width,
		height,
		padding: bare ? [2, 0, 2, 0] : [10, 12, 0, 0],
		legend: { show: false },
		cursor: {
			show: values !== undefined,
			y: false,
			drag: { x: false, y: false },
			points: { size: 7 },
		},
		scales: { x: { time: false }, y: { range: () => [0, top === 0 ? 1 : top * 1.04] } },
		axes: bare
			? [{ show: false }, { show: false }]
			: [
					{
						...axis,
						size: 32,
						// Seconds, retries and writers are whole.
						incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500],
						values: (_, ticks) => ticks.map((tick) => count(tick)),
						...labelled(drawing.xLabel),
					},
					{
						...axis,
						size: 58,
						values: (_, ticks) => ticks.map((tick) => yFormat(tick)),
						...labelled(drawing.yLabel),
					},
				],
		series: [{}, ...lines.map((line) => series(line, colour))],
		bands: lines.flatMap(({ bandTo, colour: of }, index) =>
			bandTo === undefined
				? []
				: [{ series: [index + 1, bandTo + 1] as [number, number], fill: colour(`${of}-wash`) }],
		),
		hooks: {
			drawClear: [(plot) => shade(plot, drawing, colour)],
			draw: [
				(plot) => veil(plot, until(), colour),
				(plot) => {
					if (!bare) {
						words(plot, drawing, colour, font);
					}
				},
			],
			setCursor: [(plot) => values?.show(plot.cursor.idx)],
		},
	};
}

function labelled(label: string | undefined): { label?: string } {
	return label === undefined ? {} : { label };
}

function series(line: Line, colour: Colour): uPlot.Series {
	return {
		label: line.label,
		stroke: colour(line.colour),
		width: line.width ?? 2,
		points: { show: false },
		...(line.dash !== undefined && { dash: [...line.dash] }),
		...(line.filled === true && { fill: colour(`${line.colour}-wash`) }),
	};
}

function highest(lines: readonly Line[]): number {
	return Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
}
