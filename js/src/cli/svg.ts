/**
 * Experiments as SVG, drawn by Observable Plot on a light DOM: two packages that only this needs,
 * so they are optional and loaded when it is asked for.
 *
 * @module
 */

import { writeFileSync } from 'node:fs';
import type { ContestRow, StormReport } from '../simulator/simulator.ts';
import { UsageError } from './output.ts';

/** As much of Observable Plot as is used here; its own types need those of d3. */
interface Plot {
	plot(options: object): Element;
	areaY(data: readonly object[], options: object): object;
	barX(data: readonly object[], options: object): object;
	lineY(data: readonly object[], options: object): object;
	rectX(data: readonly object[], options: object): object;
	ruleX(data: readonly number[]): object;
	ruleY(data: readonly (object | number)[], options?: object): object;
	text(data: readonly object[], options: object): object;
}

/** Draws a chart with the package it is handed. */
export type Chart = (plot: Plot, document: Document) => Element;

/** Writes a chart into a file. */
export async function writeSvg(file: string, chart: Chart): Promise<void> {
	const [plot, { parseHTML }] = await packages();
	const { document } = parseHTML('<!doctype html><html><body></body></html>');
	const svg = chart(plot, document);
	svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
	// Readers of a file that stands alone know neither the page's colours nor its background.
	svg.setAttribute('style', 'background: white; color: black');
	try {
		writeFileSync(file, `${svg.outerHTML}\n`);
	} catch (error) {
		throw new UsageError(
			`${file} cannot be written: ${error instanceof Error ? error.message : error}`,
		);
	}
}

/** By names that no bundler and no compiler looks into: whoever draws has them, nobody else needs them. */
const [PLOT, DOM]: readonly [string, string] = ['@observablehq/plot', 'linkedom'];

async function packages(): Promise<[Plot, { parseHTML(text: string): { document: Document } }]> {
	try {
		return await Promise.all([import(PLOT), import(DOM)]);
	} catch {
		throw new UsageError(`--svg needs two packages beside this one: npm install ${PLOT} ${DOM}`);
	}
}

const WIDTH = 860;

/** Attempts a second, a row for each policy, the outage in grey. */
export function stormChart(
	reports: readonly (readonly [name: string, report: StormReport])[],
	outage: { readonly fromMs: number; readonly forMs: number },
): Chart {
	const names = reports.map(([name]) => name);
	const sent = reports.flatMap(([policy, { seconds }]) =>
		(seconds['sent'] ?? []).map((attempts, second) => ({ policy, second, attempts })),
	);
	const down = names.map((policy) => ({
		...{ policy, from: outage.fromMs / 1000 },
		to: (outage.fromMs + outage.forMs) / 1000,
	}));
	return (plot, document) =>
		plot.plot({
			...{ document, width: WIDTH, height: 60 + 90 * names.length, marginRight: 110 },
			x: { label: 'seconds' },
			y: { label: 'attempts a second', grid: true, ticks: 3 },
			fy: { domain: names, label: null },
			marks: [
				plot.rectX(down, { x1: 'from', x2: 'to', fy: 'policy', fill: '#ddd' }),
				plot.areaY(sent, {
					x: 'second',
					y: 'attempts',
					fy: 'policy',
					fill: '#4269d0',
					fillOpacity: 0.25,
				}),
				plot.lineY(sent, { x: 'second', y: 'attempts', fy: 'policy', stroke: '#4269d0' }),
				plot.ruleY([0]),
			],
		});
}

/** Calls and milliseconds of each strategy, with the standard deviation of the runs. */
export function contestChart(rows: readonly ContestRow[]): Chart {
	const bars = rows.flatMap(({ strategy, calls, timeMs }) => [
		{ strategy, figure: 'calls', ...calls },
		{ strategy, figure: 'ms', ...timeMs },
	]);
	const spread = bars.map((bar) => ({ ...bar, low: bar.mean - bar.sd, high: bar.mean + bar.sd }));
	return (plot, document) => {
		const one = (figure: string, fill: string): object[] => {
			const data = spread.filter((bar) => bar.figure === figure);
			return [
				plot.barX(data, { x: 'mean', y: 'strategy', fill }),
				plot.ruleY(data, { x1: 'low', x2: 'high', y: 'strategy' }),
			];
		};
		const figure = (name: string, fill: string): Element =>
			plot.plot({
				...{ document, width: WIDTH / 2, height: 220, marginLeft: 100 },
				x: { label: name, grid: true, ticks: 4 },
				y: { domain: rows.map(({ strategy }) => strategy), label: null },
				marks: [...one(name, fill), plot.ruleX([0])],
			});
		return beside(document, [figure('calls', '#4269d0'), figure('ms', '#efb118')]);
	};
}

/** Requests that each layer sent. */
export function layersChart(sent: readonly number[]): Chart {
	const rows = sent.map((requests, index) => ({ layer: `layer ${index + 1}`, requests }));
	return (plot, document) =>
		plot.plot({
			...{ document, width: WIDTH, height: 60 + 40 * rows.length, marginLeft: 80, marginRight: 60 },
			x: { label: 'requests', grid: true },
			y: { domain: rows.map(({ layer }) => layer), label: null },
			marks: [
				plot.barX(rows, { x: 'requests', y: 'layer', fill: '#4269d0' }),
				plot.text(rows, {
					x: 'requests',
					y: 'layer',
					text: 'requests',
					dx: 4,
					textAnchor: 'start',
				}),
				plot.ruleX([0]),
			],
		});
}

/** Several drawings in one, from left to right. */
function beside(document: Document, drawings: readonly Element[]): Element {
	const all = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	let left = 0;
	let height = 0;
	for (const drawing of drawings) {
		drawing.setAttribute('x', String(left));
		left += Number(drawing.getAttribute('width'));
		height = Math.max(height, Number(drawing.getAttribute('height')));
		all.append(drawing);
	}
	all.setAttribute('width', String(left));
	all.setAttribute('height', String(height));
	all.setAttribute('viewBox', `0 0 ${left} ${height}`);
	return all;
}
