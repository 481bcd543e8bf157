/**
 * The delays of a policy as bands.
 *
 * @module
 */

import { type Chart, chart } from '../chart.ts';
import { bdi, english, fill, h, select, sentence, table } from '../dom.ts';
import { desk, Problem } from '../engine.ts';
import { count, percent, plural, span } from '../figures.ts';
import type { Mounted, Page } from '../page.ts';

const DRAWS = 1000;

interface Range {
	readonly minMs: number;
	readonly lowMs: number;
	readonly medianMs: number;
	readonly highMs: number;
	readonly maxMs: number;
}

interface Answer {
	readonly maxRetries: number;
	readonly deadlineMs: number | null;
	readonly bands: readonly {
		readonly retry: number;
		readonly curveMs: number;
		readonly wait: Range;
		readonly total: Range;
		readonly inTime: number;
	}[];
}

/** The view; it follows the editor. */
export function delays(page: Page): Mounted {
	const { words, state } = page;
	const t = words.delays;
	const result = h('div', { class: 'result' });
	const mend = h('p', { class: 'invalid' });
	const problem = h('p', { class: 'invalid', role: 'alert' });
	let drawn: Chart | undefined;
	const ask = async (): Promise<void> => {
		fill(mend, page.policy === null && words.policy.mend);
		if (page.policy === null) {
			return;
		}
		const question = {
			experiment: 'bands',
			policy: page.policy,
			class: state.class,
			draws: DRAWS,
			seed: state.storm.seed,
		};
		try {
			const answer = await desk.ask<Answer>(question);
			fill(problem);
			drawn?.destroy();
			drawn = answer.bands.length === 0 ? undefined : draw(page, answer);
			fill(result, ...shown(page, answer, drawn));
		} catch (error) {
			if (!(error instanceof Problem)) {
				throw error;
			}
			fill(problem, english(error.message));
		}
	};
	const choice = select({ name: 'class' }, Object.entries(t.classes), state.class);
	choice.addEventListener('change', () => {
		state.class = choice.value;
		page.save();
		ask();
	});
	const element = h(
		'div',
		{ class: 'view' },
		h('h1', { tabindex: -1 }, t.title),
		h('p', { class: 'lead' }, sentence(t.lead, { draws: bdi(count(DRAWS)) })),
		h('div', { class: 'fields' }, h('label', {}, h('span', {}, t.class), choice)),
		mend,
		problem,
		result,
	);
	ask();
	return { element, policyChanged: () => void ask(), close: () => drawn?.destroy() };
}

function shown(page: Page, answer: Answer, drawn: Chart | undefined): HTMLElement[] {
	const t = page.words.delays;
	const last = answer.bands.at(-1);
	if (last === undefined || drawn === undefined) {
		return [h('p', { class: 'found' }, t.noRetries)];
	}
	const after = sentence(plural(t.after, last.retry), {
		retries: bdi(count(last.retry), 'figure'),
		median: bdi(span(last.total.medianMs), 'figure of-cool'),
		max: bdi(span(last.total.maxMs), 'figure'),
	});
	const deadline =
		answer.deadlineMs === null
			? []
			: [
					' ',
					...sentence(t.deadline, {
						deadline: bdi(span(answer.deadlineMs), 'figure'),
						share: bdi(percent(last.inTime), 'figure'),
					}),
				];
	const rows = answer.bands.map(({ retry, curveMs, wait, total, inTime }) => [
		bdi(count(retry)),
		span(curveMs),
		span(wait.minMs),
		span(wait.medianMs),
		span(wait.maxMs),
		span(total.medianMs),
		// Without a deadline there is nothing to be late for.
		...(answer.deadlineMs === null ? [] : [percent(inTime)]),
	]);
	const heads = answer.deadlineMs === null ? t.heads.slice(0, -1) : t.heads;
	return [h('p', { class: 'found' }, after, deadline), drawn.element, table(t.title, heads, rows)];
}

function draw({ words }: Page, { bands }: Answer): Chart {
	const t = words.delays;
	const of = (name: keyof Range) => bands.map(({ wait }) => wait[name]);
	const edge = { colour: 'cool', width: 0 };
	return chart({
		name: t.title,
		x: bands.map(({ retry }) => retry),
		lines: [
			{ label: t.all, values: of('maxMs'), ...edge, bandTo: 1 },
			{ label: '', values: of('minMs'), ...edge },
			{ label: t.most, values: of('highMs'), ...edge, bandTo: 3 },
			{ label: '', values: of('lowMs'), ...edge },
			{ label: t.median, values: of('medianMs'), colour: 'cool', width: 2.5 },
			{
				label: t.curve,
				values: bands.map(({ curveMs }) => curveMs),
				colour: 'muted',
				width: 1.5,
				dash: [5, 4],
			},
		],
		height: 300,
		xLabel: t.retry,
		yLabel: t.wait,
		yFormat: span,
	});
}
