/**
 * The figures of the storm, policy by policy.
 *
 * @module
 */

import type { StormReport } from '../../../src/simulator/simulator.ts';
import { type Chart, chart } from '../chart.ts';
import { bdi, h, sentence, table } from '../dom.ts';
import { count, percent, span, times } from '../figures.ts';
import type { Page } from '../page.ts';
import { TACTICS, YOURS } from '../state.ts';
import type { Words } from '../text/en.ts';
import { type Storms, VARIANTS, variantName } from './storm-questions.ts';

/** The name of a policy and what it adds. */
export function policyName({ words }: Page, name: string): readonly [name: string, adds: string] {
	return name === YOURS
		? [words.storm.yours, words.storm.yoursAdds]
		: (words.storm.tactics[name] ?? [name, '']);
}

/** A row for each policy; that of the editor stands there also while it is not valid. */
export function policyTable(
	page: Page,
	reports: Storms,
): { readonly element: HTMLElement; readonly charts: Chart[] } {
	const t = page.words.storm;
	const charts: Chart[] = [];
	const top = Math.max(...[...reports.values()].flatMap(({ seconds }) => seconds['sent'] ?? []));
	const [first = '', peak = '', window = '', allowed = '', ...rest] = t.heads;
	const rows = [...TACTICS, YOURS].map((name) => {
		const report = reports.get(name);
		if (report === undefined) {
			return [heading(page, name, t.notValid), ...Array(rest.length + 4).fill('–')];
		}
		const drawn = spark(page, name, report, top);
		charts.push(drawn);
		return [heading(page, name), ...loads(page, report), drawn.element, ...figures(page, report)];
	});
	const element = table(t.all, [first, peak, window, allowed, t.chart, ...rest], rows);
	element.classList.add('policies');
	return { element, charts };
}

function heading(page: Page, name: string, instead?: string): HTMLElement {
	const { left, right } = page.state;
	const side = name === left ? 'of-hot' : name === right ? 'of-cool' : '';
	const [title, adds] = policyName(page, name);
	return h(
		'span',
		{ 'data-policy': name },
		side !== '' && h('i', { class: `dot ${side}` }),
		h('b', {}, title),
		h('small', { class: instead === undefined ? '' : 'invalid' }, instead ?? adds),
	);
}

function loads({ words }: Page, { peak, window, windowMs, bound }: StormReport): (string | Node)[] {
	// A budget may look at another span than the rest; then its figure says so.
	const usual = windowMs === USUAL_MS;
	return [
		times(peak),
		usual
			? times(window)
			: h(
					'span',
					{},
					bdi(times(window)),
					h('small', {}, sentence(words.storm.inSpan, { span: bdi(span(windowMs)) })),
				),
		times(bound),
	];
}

/** What the heading of the column says. */
const USUAL_MS = 10_000;

function figures({ words }: Page, report: StormReport): (string | Node)[] {
	const { attempts, success, refused, cutOff } = report;
	return [
		cutOff
			? h('span', {}, bdi(count(attempts)), h('small', {}, words.storm.cutOff))
			: count(attempts),
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

/** What the breaker costs here, and what the shortest open times make of that: figures only. */
export function breakerFound({ words }: Page, reports: Storms): HTMLElement {
	const t = words.storm;
	const [usual, ...shorter] = VARIANTS.map(
		(variant) => [variant, reports.get(variantName(variant))] as const,
	);
	// The setting after which the fewest moments were lost; where none failed, none was.
	const last = shorter.reduce<(typeof shorter)[number] | undefined>(
		(best, one) => (lost(one[1]) < lost(best?.[1]) ? one : best),
		undefined,
	);
	const figure = (text: string) => bdi(text, 'figure');
	const after = (report: StormReport | undefined) => {
		const found = report === undefined ? '–' : recovery(words, report);
		return typeof found === 'string' ? figure(found) : found;
	};
	return h(
		'p',
		{ class: 'measure' },
		sentence(t.breakerLead, {
			recovery: after(usual?.[1]),
			without: after(reports.get('budget')),
			shorter: after(last?.[1]),
			load: figure(times(usual?.[1]?.outage ?? null)),
			shorterLoad: figure(times(last?.[1]?.outage ?? null)),
			open: h('code', { dir: 'ltr' }, 'breaker.openMs'),
			most: h('code', { dir: 'ltr' }, 'breaker.maxOpenMs'),
			openTo: figure(count(last?.[0][0] ?? 0)),
			mostTo: figure(count(last?.[0][1] ?? 0)),
		}),
	);
}

function lost(report: StormReport | undefined): number {
	return report === undefined ? Number.POSITIVE_INFINITY : (report.recoveryMs ?? -1);
}

/** What shorter open times do. */
export function breakerTable({ words }: Page, reports: Storms): HTMLElement {
	const rows = VARIANTS.flatMap((variant) => {
		const report = reports.get(variantName(variant));
		return report === undefined
			? []
			: [
					[
						bdi(variant.map(count).join(' / ')),
						times(report.outage),
						count(report.refused),
						recovery(words, report),
					],
				];
	});
	const element = table(words.storm.breaker, words.storm.breakerHeads, rows);
	element.classList.add('breakers');
	return element;
}
