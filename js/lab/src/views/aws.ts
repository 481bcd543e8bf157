/**
 * The AWS experiment: calls and time of five strategies, N = 10 … 190.
 *
 * @module
 */

import type { ContestRow } from '../../../src/simulator/simulator.ts';
import { type Chart, chart } from '../chart.ts';
import { bdi, fill, h, select, sentence, table } from '../dom.ts';
import { count, span } from '../figures.ts';
import { Job } from '../job.ts';
import type { Mounted, Page } from '../page.ts';

const WRITERS = Array.from({ length: 19 }, (_, index) => (index + 1) * 10);
const STRATEGIES = ['none', 'exponential', 'equal', 'full', 'decorrelated'] as const;
/** Where the published text compares. */
const COMPARED = 100;

type Rows = ReadonlyMap<number, readonly ContestRow[]>;

/** The view; the policy is no part of it. */
export function aws(page: Page): Mounted {
	const { words, state } = page;
	const t = words.aws;
	const job = new Job(page, () => run());
	const result = h('div', { class: 'result' });
	const lead = h('p', { class: 'lead' });
	let charts: Chart[] = [];
	const destroy = (): void => {
		for (const one of charts) {
			one.destroy();
		}
	};
	const run = (): void => {
		fill(lead, ...sentence(t.lead, { runs: bdi(count(state.runs)) }));
		const asked = WRITERS.flatMap((clients) =>
			STRATEGIES.map((strategy) => ({
				...{ experiment: 'occ', clients, strategy },
				...{ runs: state.runs, deviationUs: 2000, seed: state.storm.seed },
			})),
		);
		const rows = new Map<number, ContestRow[]>();
		job.run<{ rows: readonly ContestRow[] }>(
			asked,
			(index, answer) => {
				const clients = asked[index]?.clients ?? 0;
				rows.set(clients, [...(rows.get(clients) ?? []), ...answer.rows]);
			},
			() => {
				destroy();
				charts = [draw(page, rows, 'calls'), draw(page, rows, 'timeMs')];
				fill(result, ...shown(page, rows, charts));
			},
		);
	};
	const choices = ['5', '20', '100'];
	const runs = select(
		{ name: 'runs' },
		[...new Set([...choices, String(state.runs)])].map((text) => [text, text] as const),
		String(state.runs),
	);
	runs.addEventListener('change', () => {
		state.runs = Number(runs.value);
		page.save();
		run();
	});
	const element = h(
		'div',
		{ class: 'view aws' },
		h('h1', { tabindex: -1 }, t.title),
		lead,
		h('div', { class: 'fields' }, h('label', {}, h('span', {}, t.runs), runs)),
		job.element,
		result,
	);
	run();
	return {
		element,
		policyChanged: () => {},
		close() {
			job.close();
			destroy();
		},
	};
}

function shown({ words }: Page, rows: Rows, charts: readonly Chart[]): HTMLElement[] {
	const t = words.aws;
	const at = (strategy: string) => rows.get(COMPARED)?.find((row) => row.strategy === strategy);
	const figure = (value: string, colour = '') => bdi(value, `figure ${colour}`);
	const [exponential, full] = [at('exponential'), at('full')];
	const compared = sentence(t.at, {
		clients: figure(count(COMPARED)),
		exponential: figure(count(exponential?.calls.mean ?? 0), 'of-hot'),
		exponentialTime: figure(span(exponential?.timeMs.mean ?? 0), 'of-hot'),
		full: figure(count(full?.calls.mean ?? 0), 'of-cool'),
		fullTime: figure(span(full?.timeMs.mean ?? 0), 'of-cool'),
	});
	const cells = [...rows].flatMap(([clients, all]) =>
		all.map(({ strategy, calls, timeMs }) => [
			bdi(count(clients)),
			h('span', {}, t.strategies[strategy] ?? strategy),
			count(calls.mean),
			count(calls.sd),
			span(timeMs.mean),
			span(timeMs.sd),
		]),
	);
	return [
		h('p', { class: 'found' }, compared),
		h('p', { class: 'measure' }, t.note),
		h(
			'div',
			{ class: 'pair' },
			h('section', {}, h('h2', {}, t.calls), charts[0]?.element ?? ''),
			h('section', {}, h('h2', {}, t.time), charts[1]?.element ?? ''),
		),
		h(
			'details',
			{ class: 'as-table' },
			h('summary', {}, words.table),
			table(t.title, t.heads, cells),
		),
	];
}

const COLOURS: Readonly<Record<string, string>> = {
	none: 'muted',
	exponential: 'hot',
	equal: 'third',
	full: 'cool',
	decorrelated: 'fourth',
};

function draw({ words }: Page, rows: Rows, of: 'calls' | 'timeMs'): Chart {
	const t = words.aws;
	return chart({
		name: `${of === 'calls' ? t.calls : t.time}: ${t.title}`,
		x: WRITERS,
		lines: STRATEGIES.map((strategy) => ({
			label: t.strategies[strategy] ?? strategy,
			colour: COLOURS[strategy] ?? 'line',
			values: WRITERS.map(
				(clients) => rows.get(clients)?.find((row) => row.strategy === strategy)?.[of].mean ?? null,
			),
		})),
		height: 300,
		xLabel: t.writers,
		...(of === 'timeMs' && { yFormat: span }),
	});
}
