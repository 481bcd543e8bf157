/**
 * One call as a waterfall: each attempt, each wait, and why.
 *
 * @module
 */

import { parseSequence, ScriptError, type Step } from '../../../src/testing/script.ts';
import { bdi, english, fill, h, select, sentence } from '../dom.ts';
import { desk, Problem } from '../engine.ts';
import { span } from '../figures.ts';
import type { Mounted, Page } from '../page.ts';
import { type Lang, METHODS } from '../state.ts';

interface Attempt extends Readonly<Record<Lang, string>> {
	readonly attempt: number;
	readonly sentMs: number;
	readonly endedMs: number;
	readonly status: number | null;
	readonly fault: string | null;
	readonly timedOut: boolean;
	readonly class: string;
	readonly delivery: string;
	readonly verdict: string;
	readonly reason: string;
	readonly delayMs: number;
	readonly breaker: string | null;
	readonly steps: readonly Decided[];
}

/** One step of a decision; the question in both languages, the reason where it ended here. */
interface Decided extends Readonly<Record<Lang, string>> {
	readonly step: string;
	readonly number: number;
	readonly reason: string | null;
	/** What it rests on, in words. */
	readonly told: Readonly<Record<Lang, readonly string[]>>;
}

interface Answer {
	readonly attempts: readonly Attempt[];
	readonly refusal: (Readonly<Record<Lang, string>> & { readonly reason: string }) | null;
	readonly endedMs: number;
}

/** The view; it follows the editor. */
export function call(page: Page): Mounted {
	const { words, state } = page;
	const t = words.call;
	const result = h('div', { class: 'result' });
	const mend = h('p', { class: 'invalid' });
	const problem = h('div', { class: 'invalid', role: 'alert', id: 'script-problem' });
	/** What stands below belongs to this script and policy, or to the last ones that could be used. */
	const mark = (current: boolean, script: boolean): void => {
		result.classList.toggle('stale', !current);
		own.setAttribute('aria-invalid', String(!script));
	};
	const command = h('code', { dir: 'ltr' }, 'npx retrywise serve');
	const ask = async (): Promise<void> => {
		const { script, method, key } = state;
		fill(mend, page.policy === null && words.policy.mend);
		if (page.policy === null) {
			mark(false, own.getAttribute('aria-invalid') !== 'true');
			return;
		}
		try {
			const { steps, option } = stepsOf(script);
			command.textContent = `npx retrywise serve ${option}--script "${script}"`;
			const answer = await desk.ask<Answer>({
				experiment: 'call',
				policy: page.policy,
				script: steps.map(toStep),
				seed: state.storm.seed,
				method,
				...(key !== '' && { key }),
			});
			fill(problem);
			fill(result, ...waterfall(page, answer));
			mark(true, true);
		} catch (error) {
			if (!(error instanceof ScriptError || error instanceof Problem)) {
				throw error;
			}
			fill(
				problem,
				h('p', {}, t.badScript),
				...error.message.split('\n').map((line) => h('p', {}, english(line))),
			);
			mark(false, !(error instanceof ScriptError));
		}
	};
	const changed = (change: () => void) => () => {
		change();
		page.save();
		ask();
	};
	const own = h('input', {
		name: 'script',
		value: state.script,
		dir: 'ltr',
		spellcheck: 'false',
		'aria-label': t.own,
		'aria-describedby': 'script-problem',
	});
	const known = Object.entries(t.names);
	const scripts = select(
		{ name: 'scripts' },
		[...known, ['', t.own] as const],
		state.script in t.names ? state.script : '',
	);
	scripts.addEventListener(
		'change',
		changed(() => {
			if (scripts.value !== '') {
				own.value = scripts.value;
				state.script = scripts.value;
			}
		}),
	);
	own.addEventListener(
		'input',
		changed(() => {
			state.script = own.value;
			scripts.value = own.value in t.names ? own.value : '';
		}),
	);
	const method = select(
		{ name: 'method', dir: 'ltr' },
		METHODS.map((name) => [name, name] as const),
		state.method,
	);
	method.addEventListener(
		'change',
		changed(() => {
			state.method = method.value;
		}),
	);
	const key = h('input', { name: 'key', value: state.key, dir: 'ltr', spellcheck: 'false' });
	key.addEventListener(
		'input',
		changed(() => {
			state.key = key.value;
		}),
	);
	const element = h(
		'div',
		{ class: 'view call' },
		h('h1', { tabindex: -1 }, t.title),
		h('p', { class: 'lead' }, sentence(t.lead, { command })),
		h(
			'div',
			{ class: 'fields' },
			h('label', {}, h('span', {}, t.scripts), scripts),
			h('label', { class: 'wide' }, h('span', {}, t.own), own),
			h('label', {}, h('span', {}, t.method), method),
			h('label', {}, h('span', {}, t.key), key),
		),
		problem,
		mend,
		result,
	);
	ask();
	return { element, policyChanged: () => void ask(), close: () => {} };
}

/** The steps of a script: for HTTP/1.1, or for HTTP/2 where only that has its faults. */
function stepsOf(script: string): { readonly steps: readonly Step[]; readonly option: string } {
	try {
		return { steps: parseSequence(script, 'script', 'http1'), option: '' };
	} catch (error) {
		try {
			return { steps: parseSequence(script, 'script', 'http2'), option: '--http2 ' };
		} catch (other) {
			// What is wrong in both is wrong; the rest is only of the other protocol.
			const lines = (problem: unknown) => String(problem).split('\n').length;
			throw lines(other) < lines(error) ? other : error;
		}
	}
}

/** A step of the faulty server as the core reads it. */
function toStep({ status, headers, delayMs, fault }: Step): Record<string, unknown> {
	const lines = Object.entries(headers ?? {}).map(([name, value]) => [
		name,
		typeof value === 'string' ? value : value.join(', '),
	]);
	return {
		...(status !== undefined && { status }),
		...(lines.length > 0 && { headers: Object.fromEntries(lines) }),
		...(delayMs !== undefined && { delayMs: Math.round(delayMs) }),
		...(fault !== undefined && { fault }),
	};
}

function waterfall(page: Page, { attempts, refusal, endedMs }: Answer): HTMLElement[] {
	const { words, state } = page;
	const t = words.call;
	const rows = attempts.map((attempt) => row(page, attempt, endedMs));
	if (refusal !== null) {
		rows.push(h('li', { class: 'row of-stop' }, h('h2', {}, t.refused), why(refusal, state.lang)));
	}
	const ended = sentence(t.ended, { ended: bdi(span(endedMs), 'figure of-cool') });
	return [
		h('p', { class: 'found' }, ended),
		legend(page, endedMs),
		h('ol', { class: 'waterfall' }, rows),
	];
}

/** What the bars mean, and the time that all of them share. */
function legend({ words }: Page, endedMs: number): HTMLElement {
	const { bars } = words.call;
	const items = [
		['bar of-accept', bars.good],
		['bar of-retry', bars.bad],
		['wait', bars.wait],
	].map(([kind = '', label]) => h('li', {}, h('i', { class: `swatch ${kind}` }), label));
	const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) =>
		h('span', {}, bdi(span(Math.round(endedMs * part)))),
	);
	return h(
		'div',
		{ class: 'scale', 'aria-hidden': 'true' },
		h('ul', { class: 'legend' }, items),
		h('div', { class: 'axis', dir: 'ltr' }, ticks),
	);
}

function row(page: Page, attempt: Attempt, endedMs: number): HTMLElement {
	const { words, state } = page;
	const t = words.call;
	const { sentMs, delayMs, verdict } = attempt;
	const took = attempt.endedMs - sentMs;
	const track = h('div', { class: 'track', dir: 'ltr', 'aria-hidden': 'true' });
	track.append(bar(`bar of-${verdict}`, sentMs, took, endedMs));
	if (delayMs > 0) {
		track.append(bar('wait', attempt.endedMs, delayMs, endedMs));
	}
	const outcome = attempt.timedOut
		? t.timedOut
		: attempt.status === null
			? (t.faults[attempt.fault ?? ''] ?? '')
			: sentence(t.answered, { status: bdi(String(attempt.status)) });
	return h(
		'li',
		{ class: `row of-${verdict}`, 'data-reason': attempt.reason },
		h(
			'h2',
			{},
			sentence(t.attempt, { attempt: bdi(String(attempt.attempt)) }),
			': ',
			outcome,
			' ',
			h('span', { class: `verdict of-${verdict}` }, t.verdicts[verdict] ?? verdict),
		),
		track,
		why(attempt, state.lang),
		unheardKey(page, attempt),
		h(
			'p',
			{ class: 'muted small' },
			sentence(t.sent, { at: bdi(span(sentMs)), took: bdi(span(took)) }),
			delayMs > 0 ? [' · ', ...sentence(t.waits, { delay: bdi(span(delayMs)) })] : [],
			' · ',
			sentence(t.facts, {
				class: bdi(attempt.class, 'code'),
				delivery: bdi(attempt.delivery, 'code'),
				reason: bdi(attempt.reason, 'code'),
			}),
			attempt.breaker === null
				? []
				: [' · ', ...sentence(t.breaker, { state: bdi(attempt.breaker, 'code') })],
		),
		how(page, attempt),
	);
}

/** Every step of the decision, and where it ended. */
function how({ words, state }: Page, { steps }: Attempt): HTMLElement {
	const t = words.call;
	const items = steps.map(({ number, reason, told, ...step }) => {
		const phrases = told[state.lang];
		return h(
			'li',
			{ value: number, class: reason === null ? 'passed' : 'ended' },
			h('span', { lang: state.lang }, step[state.lang]),
			' ',
			reason === null ? h('span', { class: 'muted' }, t.passed) : bdi(reason, 'code'),
			phrases.length > 0 &&
				h('span', { class: 'rests muted', lang: state.lang }, phrases.join(' · ')),
		);
	});
	return h('details', { class: 'how small' }, h('summary', {}, t.how), h('ol', {}, items));
}

/** A key that was sent and did not help: which field says that the server honours it. */
function unheardKey({ words, state }: Page, { reason }: Attempt): HTMLElement | null {
	return reason === 'unsafe-to-repeat' && state.key !== ''
		? h(
				'p',
				{ class: 'pointer' },
				sentence(words.call.unheardKey, {
					field: h('code', { dir: 'ltr' }, '"idempotency": { "honoured": true }'),
				}),
			)
		: null;
}

/** The core's own sentence. */
function why(said: Readonly<Record<Lang, string>>, lang: Lang): HTMLElement {
	const text = said[lang];
	return h('p', { class: 'why', lang }, `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}

/** A bar at its place in the time of the whole call; the shortest can still be seen. */
function bar(className: string, from: number, length: number, whole: number): HTMLElement {
	const element = h('i', { class: className });
	const share = (part: number) => `${(part / Math.max(1, whole)) * 100}%`;
	element.style.insetInlineStart = share(from);
	element.style.inlineSize = share(length);
	return element;
}
