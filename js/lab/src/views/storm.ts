/**
 * The storm: two policies side by side in time, and all of them in a table.
 *
 * @module
 */

import type { StormReport } from '../../../src/simulator/simulator.ts';
import type { Chart } from '../chart.ts';
import { fill, h, ltr, sentence } from '../dom.ts';
import { count, span } from '../figures.ts';
import { Job } from '../job.ts';
import type { Mounted, Page } from '../page.ts';
import { Duel } from './duel.ts';
import { documents, questions, type Storms } from './storm-questions.ts';
import { breakerTable, policyTable } from './storm-tables.ts';
import { terms } from './storm-terms.ts';

/** The landing view. */
export function storm(page: Page): Mounted {
	const { words, state } = page;
	const t = words.storm;
	const job = new Job(page);
	const reports: Storms = new Map();
	const lead = h('p', { class: 'lead' });
	const found = h('p', { class: 'found' });
	const tables = h('div', {});
	let charts: readonly Chart[] = [];

	const duel = new Duel(
		page,
		reports,
		() => run(),
		(at) => {
			for (const chart of charts) {
				chart.show(at);
			}
		},
	);

	const showAll = (): void => {
		for (const chart of charts) {
			chart.destroy();
		}
		const all = policyTable(page, reports);
		charts = all.charts;
		tables.replaceChildren(
			h('h2', {}, t.all),
			h('p', { class: 'muted' }, t.allLead),
			all.element,
			h('p', { class: 'note' }, t.legend),
			h('h2', {}, t.breaker),
			breakerLead(page, reports),
			breakerTable(page, reports),
		);
	};

	const run = async (): Promise<void> => {
		const { rate, capacity, retries, downForMs } = state.storm;
		lead.replaceChildren(
			...sentence(t.lead, {
				rate: ltr(count(rate)),
				capacity: ltr(count(capacity)),
				retries: ltr(count(retries)),
				down: ltr(span(downForMs)),
			}),
		);
		const asked = questions(page, await documents(state.storm.retries));
		const fresh: Storms = new Map();
		await job.run<StormReport>(
			asked.map(([, question]) => question),
			(index, answer) => {
				fresh.set(asked[index]?.[0] ?? '', answer);
				// The two that are looked at first were asked first; later on nothing is shown by halves.
				if (index === 1 && reports.size === 0) {
					replace(reports, fresh);
					duel.show();
					fill(found, ...duel.found());
				}
			},
			() => {
				replace(reports, fresh);
				showAll();
				duel.show();
				fill(found, ...duel.found());
			},
		);
	};

	const element = h(
		'div',
		{ class: 'view storm' },
		h('h1', { tabindex: -1 }, t.title),
		lead,
		found,
		duel.element,
		job.element,
		tables,
		terms(page, () => run()),
	);
	run();
	return {
		element,
		policyChanged: () => void run(),
		close() {
			job.close();
			duel.close();
			for (const chart of charts) {
				chart.destroy();
			}
		},
	};
}

function replace(reports: Storms, fresh: Storms): void {
	reports.clear();
	for (const [name, report] of fresh) {
		reports.set(name, report);
	}
}

function breakerLead({ words }: Page, reports: Storms): HTMLElement {
	return h(
		'p',
		{ class: 'measure' },
		sentence(words.storm.breakerLead, {
			recovery: ltr(span(reports.get('breaker')?.recoveryMs ?? null), 'figure'),
			without: ltr(span(reports.get('budget')?.recoveryMs ?? null), 'figure'),
			open: h('code', { dir: 'ltr' }, 'breaker.openMs'),
			most: h('code', { dir: 'ltr' }, 'breaker.maxOpenMs'),
		}),
	);
}
