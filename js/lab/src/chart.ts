/**
 * Charts by uPlot in the colours of the page, each a figure with a name.
 *
 * @module
 */

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { h } from './dom.ts';
import { count, short } from './figures.ts';

/** One line. Colours are names of custom properties, without their dashes. */
export interface Line {
	readonly label: string;
	readonly values: readonly (number | null)[];
	readonly colour: string;
	readonly width?: number;
	readonly dash?: readonly number[];
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

/** Draws; the chart takes the width of the place it is put in. */
export function chart(drawing: Drawing): Chart {
	const { name, bare = false, height } = drawing;
	// Time and counts run from left to right in every language.
	const place = h('div', { class: 'plot', dir: 'ltr', role: 'img', 'aria-label': name });
	const element = h('figure', { class: bare ? 'chart bare' : 'chart' }, place);
	if (drawing.legend ?? !bare) {
		element.append(legend(drawing.lines));
	}
	let until: number | null = null;
	let plot: uPlot | undefined;
	const style = getComputedStyle(document.documentElement);
	const colour = (property: string): string => style.getPropertyValue(`--${property}`).trim();

	const draw = (width: number): void => {
		const data = [drawing.x, ...drawing.lines.map((line) => line.values)];
		plot = new uPlot(
			options(drawing, colour, width, () => until),
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

function legend(lines: readonly Line[]): HTMLElement {
	return h(
		'ul',
		{ class: 'legend', 'aria-hidden': 'true' },
		lines
			.filter(({ label }) => label !== '')
			.map(({ label, colour, dash, bandTo }) => {
				const kind = dash ? 'dashed' : bandTo === undefined ? 'line' : `wash depth-${bandTo}`;
				return h('li', {}, h('i', { class: `key ${kind} of-${colour}` }), label);
			}),
	);
}

type Colour = (property: string) => string;

function options(
	drawing: Drawing,
	colour: Colour,
	width: number,
	until: () => number | null,
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
		cursor: { show: false },
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
			drawClear: [(plot) => shade(plot, drawing, colour, font)],
			draw: [(plot) => veil(plot, until(), colour)],
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

/** The outage, behind everything. */
function shade(plot: uPlot, { shade: span, bare }: Drawing, colour: Colour, font: string): void {
	if (span === undefined) {
		return;
	}
	const { ctx, bbox } = plot;
	const from = Math.max(bbox.left, plot.valToPos(span.from, 'x', true));
	const to = Math.min(bbox.left + bbox.width, plot.valToPos(span.to, 'x', true));
	ctx.save();
	ctx.fillStyle = colour('outage');
	ctx.fillRect(from, bbox.top, Math.max(0, to - from), bbox.height);
	if (!bare) {
		ctx.fillStyle = colour('muted');
		ctx.font = font.replace('12px', `${12 * devicePixelRatio}px`);
		ctx.textAlign = 'left';
		ctx.textBaseline = 'top';
		ctx.fillText(span.label, to + 6 * devicePixelRatio, bbox.top + 4 * devicePixelRatio);
	}
	ctx.restore();
}

/** What has not happened yet. */
function veil(plot: uPlot, until: number | null, colour: Colour): void {
	if (until === null) {
		return;
	}
	const { ctx, bbox } = plot;
	const at = Math.min(bbox.left + bbox.width, Math.max(bbox.left, plot.valToPos(until, 'x', true)));
	ctx.save();
	ctx.globalAlpha = 0.86;
	ctx.fillStyle = colour('card');
	ctx.fillRect(at, bbox.top, bbox.left + bbox.width - at, bbox.height);
	ctx.globalAlpha = 1;
	ctx.fillStyle = colour('ink');
	ctx.fillRect(at, bbox.top, devicePixelRatio, bbox.height);
	ctx.restore();
}

function highest(lines: readonly Line[]): number {
	return Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
}
