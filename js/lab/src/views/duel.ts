/**
 * Two policies in the same storm, second by second.
 *
 * @module
 */

import type { StormReport } from '../../../src/simulator/simulator.ts';
import { type Chart, chart } from '../chart.ts';
import { bdi, fill, h, select, sentence, table } from '../dom.ts';
import { count, plural, span, times } from '../figures.ts';
import type { Page } from '../page.ts';
import { TACTICS, YOURS } from '../state.ts';
import type { Storms } from './storm-questions.ts';
import { policyName } from './storm-tables.ts';

/** Seconds of the storm that pass in one second of play. */
const SPEED = 8;

type Side = 'left' | 'right';
const SIDES = ['left', 'right'] as const;

interface Corner {
	readonly element: HTMLElement;
	readonly body: HTMLElement;
	readonly live: HTMLElement;
	chart: Chart | undefined;
}

/** The two corners, and the time that both show. */
export class Duel {
	readonly element: HTMLElement;
	readonly #page: Page;
	readonly #reports: Storms;
	readonly #shown: (at: number | null) => void;
	readonly #corners: Record<Side, Corner>;
	readonly #button: HTMLButtonElement;
	readonly #slider: HTMLInputElement;
	readonly #clock = h('output', { class: 'clock' });
	#frame: number | undefined;

	/** `changed` hears of another choice of policies, `shown` of the time that is looked at. */
	constructor(
		page: Page,
		reports: Storms,
		changed: () => void,
		shown: (at: number | null) => void,
	) {
		this.#page = page;
		this.#reports = reports;
		this.#shown = shown;
		const corner = (side: Side) => this.#corner(side, changed);
		this.#corners = { left: corner('left'), right: corner('right') };
		const t = page.words.storm;
		this.#button = h(
			'button',
			{ type: 'button', class: 'play', onclick: () => this.#toggle() },
			t.play,
		);
		this.#slider = h('input', {
			type: 'range',
			min: 0,
			step: 1,
			value: 0,
			dir: 'ltr',
			'aria-label': t.slider,
			oninput: () => {
				this.#pause();
				this.#goTo(Number(this.#slider.value));
				page.save();
			},
		});
		this.element = h(
			'section',
			{ class: 'duel', 'aria-label': t.versus },
			h('div', { class: 'corners' }, this.#corners.left.element, this.#corners.right.element),
			h('div', { class: 'transport' }, this.#button, this.#slider, this.#clock),
		);
	}

	/** Draws what the reports say. */
	show(): void {
		const found = SIDES.map((side) => this.#report(side));
		const series = found.flatMap((report) => [report?.seconds['sent'] ?? []]);
		const top = Math.max(0, ...series.flat());
		// The last answers may come in a second in which nothing is sent any more.
		const length = Math.max(1, ...series.map((sent) => sent.findLastIndex((n) => n > 0) + 1));
		this.#slider.max = String(length - 1);
		for (const [index, side] of SIDES.entries()) {
			this.#draw(side, found[index], top, length);
		}
		this.#goTo(this.#page.state.at);
	}

	/** The one sentence that says it: the same two measures of both. */
	found(): readonly (Node | string)[] {
		const [left, right] = SIDES.map((side) => this.#report(side));
		if (left === undefined || right === undefined) {
			return [];
		}
		const { state, words } = this.#page;
		return sentence(words.storm.found, {
			left: policyName(this.#page, state.left)[0],
			right: policyName(this.#page, state.right)[0],
			leftPeak: bdi(times(left.peak), 'figure of-hot'),
			rightPeak: bdi(times(right.peak), 'figure of-cool'),
			leftWindow: bdi(times(left.window), 'figure of-hot'),
			rightWindow: bdi(times(right.window), 'figure of-cool'),
			leftSpan: bdi(span(left.windowMs)),
			rightSpan: bdi(span(right.windowMs)),
		});
	}

	close(): void {
		this.#pause();
		for (const side of SIDES) {
			this.#corners[side].chart?.destroy();
		}
	}

	#report(side: Side): StormReport | undefined {
		return this.#reports.get(this.#page.state[side]);
	}

	#corner(side: Side, changed: () => void): Corner {
		const page = this.#page;
		const { state, words } = page;
		const names = [...TACTICS, YOURS].map((name) => [name, policyName(page, name)[0]] as const);
		const label = words.storm.choose[side === 'left' ? 0 : 1] ?? '';
		const choice = select({ 'aria-label': label, name: side }, names, state[side]);
		choice.addEventListener('change', () => {
			state[side] = choice.value;
			page.save();
			changed();
		});
		const body = h('div', {});
		const live = h('p', { class: 'live muted' });
		const colour = side === 'left' ? 'hot' : 'cool';
		const element = h('article', { class: `corner side-${colour}` }, choice, body, live);
		return { element, body, live, chart: undefined };
	}

	#draw(side: Side, report: StormReport | undefined, top: number, length: number): void {
		const page = this.#page;
		const { state, words } = page;
		const t = words.storm;
		const corner = this.#corners[side];
		corner.chart?.destroy();
		corner.chart = undefined;
		if (report === undefined) {
			const missing = state[side] === YOURS && page.policy === null;
			fill(
				corner.body,
				h('p', { class: missing ? 'invalid' : 'muted' }, missing ? t.missing : t.notYet),
			);
			return;
		}
		const [name, adds] = policyName(page, state[side]);
		const colour = side === 'left' ? 'hot' : 'cool';
		const x = Array.from({ length }, (_, second) => second);
		const column = (of: string) => x.map((second) => report.seconds[of]?.[second] ?? 0);
		const { downFromMs, downForMs, capacity } = state.storm;
		corner.chart = chart({
			name: `${t.chart}: ${name}`,
			x,
			lines: [
				{ label: t.sent, values: column('sent'), colour, filled: true },
				{ label: t.asked, values: column('asked'), colour: 'line', width: 1.5 },
				{
					label: t.capacity,
					values: x.map(() => capacity),
					colour: 'muted',
					width: 1,
					dash: [4, 4],
					word: t.capacity,
				},
			],
			height: 230,
			top: Math.max(top, capacity),
			xLabel: t.seconds,
			yLabel: t.perSecond,
			shade: { from: downFromMs / 1000, to: (downFromMs + downForMs) / 1000, label: t.outage },
		});
		fill(
			corner.body,
			h('p', { class: 'adds muted' }, does(page, adds, report)),
			...headline(page, report, colour),
			corner.chart.element,
			h(
				'details',
				{ class: 'as-table' },
				h('summary', {}, t.chart, ' · ', words.table),
				table(
					`${t.chart}: ${name}`,
					[t.seconds, t.asked, t.sent],
					x.map((second) =>
						[
							second,
							report.seconds['asked']?.[second] ?? 0,
							report.seconds['sent']?.[second] ?? 0,
						].map((figure) => bdi(count(figure))),
					),
				),
			),
		);
	}

	#toggle(): void {
		if (this.#frame !== undefined) {
			this.#pause();
			this.#page.save();
			return;
		}
		const end = Number(this.#slider.max);
		const from = this.#page.state.at ?? end;
		let at = from >= end ? 0 : from;
		let before: number | undefined;
		this.#button.textContent = this.#page.words.storm.pause;
		const step = (now: number): void => {
			at = Math.min(end, at + ((now - (before ?? now)) / 1000) * SPEED);
			before = now;
			if (at >= end) {
				this.#pause();
				this.#goTo(null);
				this.#page.save();
				return;
			}
			this.#goTo(at);
			this.#frame = requestAnimationFrame(step);
		};
		this.#frame = requestAnimationFrame(step);
	}

	#pause(): void {
		if (this.#frame !== undefined) {
			cancelAnimationFrame(this.#frame);
			this.#frame = undefined;
		}
		this.#button.textContent = this.#page.words.storm.play;
	}

	/** Shows this second; null, or the last one, is the end. */
	#goTo(at: number | null): void {
		const end = Number(this.#slider.max);
		const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
		const second = Math.floor(at ?? end);
		const over = at === null || at >= end;
		this.#page.state.at = over ? null : second;
		this.#slider.value = String(second);
		const t = this.#page.words.storm;
		this.#slider.setAttribute('aria-valuetext', t.now.replace('{at}', String(second)));
		fill(this.#clock, ...sentence(t.now, { at: bdi(String(second), 'figure') }));
		if (this.#frame === undefined) {
			this.#button.textContent = over ? t.again : t.play;
		}
		const until = over ? null : calm ? second : at;
		this.#shown(until);
		for (const side of SIDES) {
			const { chart: drawn, live } = this.#corners[side];
			drawn?.show(until);
			const report = this.#report(side);
			fill(live, ...(report === undefined ? [] : this.#told(report, over ? null : second)));
		}
	}

	/** The figures of a second, or those of the whole storm. */
	#told(report: StormReport, second: number | null): (Node | string)[] {
		const t = this.#page.words.storm;
		const figure = (whole: 'attempts' | 'succeeded' | 'failed', of: string) =>
			bdi(count(second === null ? report[whole] : (report.seconds[of]?.[second] ?? 0)), 'figure');
		return sentence(second === null ? t.total : t.live, {
			sent: figure('attempts', 'sent'),
			ok: figure('succeeded', 'succeeded'),
			failed: figure('failed', 'failed'),
		});
	}
}

/** The two figures that every policy is looked at for, each with its unit. */
function headline({ words }: Page, report: StormReport, colour: string): readonly HTMLElement[] {
	const t = words.storm;
	const { peak, window, windowMs, bound, budget } = report;
	const length = bdi(span(windowMs));
	const figure = (thousandths: number, unit: readonly (Node | string)[]) =>
		h(
			'p',
			{ class: 'headline' },
			bdi(times(thousandths), `huge of-${colour}`),
			h('span', {}, unit),
		);
	const allowed = {
		bound: bdi(times(bound), 'figure'),
		span: length.cloneNode(true),
		kind: bdi(budget ?? '', 'code'),
	};
	return [
		h(
			'div',
			{ class: 'measures' },
			figure(peak, [t.peak]),
			figure(window, sentence(t.window, { span: length })),
		),
		h(
			'p',
			{ class: 'beside' },
			sentence(bound !== null ? t.allows : budget !== null ? t.otherBudget : t.noBudget, allowed),
			bound !== null && peak > bound && [' ', t.saved],
		),
	];
}

/** What the policy does, and how often at most: a line each, so that both cards stay level. */
function does({ words }: Page, adds: string, { maxRetries }: StormReport): readonly HTMLElement[] {
	const retries = bdi(count(maxRetries));
	const tries = sentence(plural(words.storm.tries, maxRetries), { retries });
	return [h('span', {}, adds), h('span', {}, tries)];
}
