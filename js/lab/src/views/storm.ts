/**
 * The storm: two policies side by side in time, and all of them in a table.
 *
 * @module
 */

import type { StormReport } from '../../../src/simulator/simulator.ts';
import type { Chart } from '../chart.ts';
import { bdi, fill, h, sentence } from '../dom.ts';
import { count, plural, span } from '../figures.ts';
import { Job } from '../job.ts';
import type { Mounted, Page } from '../page.ts';
import { Duel } from './duel.ts';
import { documents, questions, type Storms } from './storm-questions.ts';
import { breakerFound, breakerTable, policyTable } from './storm-tables.ts';
import { terms } from './storm-terms.ts';

/** The landing view. */
export function storm(page: Page): Mounted {
	const { words } = page;
	const t = words.storm;
	const reports: Storms = new Map();
	const lead = h('p', { class: 'lead' });
	const found = h('p', { class: 'found reserved' });
	const mend = h('p', { class: 'invalid' });
	const tables = h('div', {});
	let charts: readonly Chart[] = [];

	const job = new Job(page, () => void run());
	const duel = new Duel(
		page,
		reports,
		() => void run(),
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
			breakerFound(page, reports),
			breakerTable(page, reports),
		);
	};

	const run = async (): Promise<void> => {
		fill(lead, ...told(page));
		fill(mend, ...(page.policy === null ? mending(page) : []));
		const asked = questions(page, await documents(page.state.storm.retries));
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
		mend,
		job.element,
		duel.element,
		tables,
		terms(page, () => void run()),
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

/** The terms in a sentence; an outage as long as it is inside the storm. */
function told({ state, words }: Page): (Node | string)[] {
	const t = words.storm;
	const { rate, capacity, downFromMs, downForMs, seconds } = state.storm;
	const down = Math.max(0, Math.min(downForMs, seconds * 1000 - downFromMs));
	const values = {
		rate: bdi(count(rate)),
		capacity: bdi(count(capacity)),
		down: bdi(span(down)),
		asked: bdi(span(downForMs)),
		end: bdi(span(seconds * 1000)),
	};
	const outage = down === 0 ? t.leadCalm : down < downForMs ? t.leadCut : t.leadDown;
	return [...sentence(plural(t.lead, rate), values), ' ', ...sentence(outage, values)];
}

/** Wherever one looks: the policy in the editor is not in these figures. */
function mending({ words }: Page): Node[] {
	const go = (event: MouseEvent): void => {
		event.preventDefault();
		document.getElementById('policy')?.focus();
	};
	return [h('a', { href: '#policy', onclick: go }, words.storm.missing)];
}

function replace(reports: Storms, fresh: Storms): void {
	reports.clear();
	for (const [name, report] of fresh) {
		reports.set(name, report);
	}
}
