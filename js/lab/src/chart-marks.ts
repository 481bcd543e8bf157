/**
 * What is drawn on a chart beside its lines: a shaded span, words, the veil over what is to come.
 *
 * @module
 */

import type uPlot from 'uplot';
import type { Colour, Drawing } from './chart.ts';

/** The span, behind everything. */
export function shade(plot: uPlot, { shade: span }: Drawing, colour: Colour): void {
	const edges = span && edgesOf(plot, span.from, span.to);
	if (edges === undefined) {
		return;
	}
	const { ctx, bbox } = plot;
	ctx.save();
	ctx.fillStyle = colour('outage');
	ctx.fillRect(edges.from, bbox.top, edges.to - edges.from, bbox.height);
	ctx.restore();
}

/** The words of the span and of the lines: over the grid and the veil, so that nothing cuts them. */
export function words(plot: uPlot, drawing: Drawing, colour: Colour, font: string): void {
	const { bbox } = plot;
	const gap = 4 * devicePixelRatio;
	const { shade: span, lines } = drawing;
	const edges = span && edgesOf(plot, span.from, span.to);
	if (span !== undefined && edges !== undefined) {
		const middle = (edges.from + edges.to) / 2;
		write(plot, span.label, middle, bbox.top + gap, 'middle', colour, font);
	}
	for (const { word, values } of lines) {
		const height = values[0];
		if (word !== undefined && height !== null && height !== undefined) {
			const y = plot.valToPos(height, 'y', true) - 16 * devicePixelRatio;
			write(plot, word, bbox.left + bbox.width - gap, y, 'end', colour, font);
		}
	}
}

/** What has not happened yet. */
export function veil(plot: uPlot, until: number | null, colour: Colour): void {
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

/** A span inside the chart; none where all of it lies outside. */
function edgesOf(
	plot: uPlot,
	from: number,
	to: number,
): { readonly from: number; readonly to: number } | undefined {
	const { left, width } = plot.bbox;
	const place = (x: number) => Math.min(left + width, Math.max(left, plot.valToPos(x, 'x', true)));
	const edges = { from: place(from), to: place(to) };
	return edges.to > edges.from ? edges : undefined;
}

/** A word on a plate of the card's colour, moved until it is inside the chart. */
function write(
	plot: uPlot,
	word: string,
	x: number,
	y: number,
	align: 'middle' | 'end',
	colour: Colour,
	font: string,
): void {
	const { ctx, bbox } = plot;
	const unit = devicePixelRatio;
	ctx.save();
	ctx.font = font.replace('12px', `${12 * unit}px`);
	const width = ctx.measureText(word).width + 6 * unit;
	const wanted = align === 'middle' ? x - width / 2 : x - width;
	const left = Math.min(bbox.left + bbox.width - width, Math.max(bbox.left, wanted));
	ctx.globalAlpha = 0.82;
	ctx.fillStyle = colour('card');
	ctx.fillRect(left, y, width, 15 * unit);
	ctx.globalAlpha = 1;
	ctx.fillStyle = colour('muted');
	ctx.textAlign = 'left';
	ctx.textBaseline = 'top';
	ctx.fillText(word, left + 3 * unit, y + 2 * unit);
	ctx.restore();
}
