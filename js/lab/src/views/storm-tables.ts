/**
 * The figures of the storm, policy by policy.
 *
 * @module
 */

import type { StormReport } from '../../../src/simulator/simulator.ts';
import { type Chart, chart } from '../chart.ts';
import { h, ltr, table } from '../dom.ts';
import { count, percent, span, times } from '../figures.ts';
import type { Page } from '../page.ts';
import { TACTICS, YOURS } from '../state.ts';
import type { Words } from '../text/en.ts';
import { type Storms, VARIANTS, variantName } from './storm-questions.ts';

/** The name of a policy and what it adds. */
export function policyName({ words }: Page, name: string): readonly [name: string, adds: string] {
	return name === YOURS ? [words.storm.yours, ''] : (words.storm.tactics[name] ?? [name, '']);
}

/** A row for each policy. */
export function policyTable(
	page: Page,
	reports: Storms,
): { readonly element: HTMLElement; readonly charts: Chart[] } {
	const t = page.words.storm;
	const charts: Chart[] = [];
	const top = Math.max(...[...reports.values()].flatMap(({ seconds }) => seconds['sent'] ?? []));
	const rows = [...TACTICS, YOURS].flatMap((name) => {
		const report = reports.get(name);
		if (report === undefined) {
			return [];
		}
		const drawn = spark(page, name, report, top);
		charts.push(drawn);
		return [[heading(page, name), drawn.element, ...figures(page, report)]];
	});
	const [first = '', ...rest] = t.heads;
	const element = table(t.all, [first, t.chart, ...rest], rows);
	element.classList.add('policies');
	return { element, charts };
}

function heading(page: Page, name: string): HTMLElement {
	const { left, right } = page.state;
	const side = name === left ? 'of-hot' : name === right ? 'of-cool' : '';
	const [title, adds] = policyName(page, name);
	return h(
		'span',
		{ 'data-policy': name },
		side !== '' && h('i', { class: `dot ${side}` }),
		h('b', {}, title),
		h('small', {}, adds),
	);
}

function figures({ words }: Page, report: StormReport): (string | Node)[] {
	const { attempts, peak, window, bound, success, refused, cutOff } = report;
	return [
		cutOff
			? h('span', {}, ltr(count(attempts)), h('small', {}, words.storm.cutOff))
			: count(attempts),
		times(peak),
		bound === null ? '–' : times(window),
		times(bound),
		percent(success),
		count(refused),
		recovery(words, report),
	];
}

/** How long after the outage the last call failed, if one did. */
function recovery(words: Words, { recoveryMs }: StormReport): string | Node {
	return recoveryMs === null ? h('span', {}, words.storm.none) : span(recoveryMs);
}

function spark(page: Page, name: string, report: StormReport, top: number): Chart {
	const all = report.seconds['sent'] ?? [];
	const sent = all.slice(0, all.findLastIndex((n) => n > 0) + 1);
	const { left, right } = page.state;
	const colour = name === left ? 'hot' : name === right ? 'cool' : 'line';
	return chart({
		name: `${page.words.storm.chart}: ${policyName(page, name)[0]}`,
		x: sent.map((_, second) => second),
		lines: [{ label: '', values: sent, colour, width: 1.5, filled: true }],
		height: 34,
		top,
		bare: true,
	});
}

/** What shorter open times do. */
export function breakerTable({ words }: Page, reports: Storms): HTMLElement {
	const rows = VARIANTS.flatMap((variant) => {
		const report = reports.get(variantName(variant));
		return report === undefined
			? []
			: [
					[
						ltr(variant.map(count).join(' / ')),
						times(report.outage),
						count(report.refused),
						recovery(words, report),
					],
				];
	});
	return table(words.storm.breaker, words.storm.breakerHeads, rows);
}
