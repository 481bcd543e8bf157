/**
 * `retrywise replay TRACE`: what is decided, step by step, and where a recording differs.
 *
 * @module
 */

import type { Call, Language, Outcome, RequestFacts, Upstream } from '../types.ts';
import { createUpstream } from '../upstream.ts';
import { read } from './files.ts';
import { colour, exit, json, type Output, UsageError } from './output.ts';

interface Step {
	readonly at: number;
	readonly op: string;
	readonly call?: string;
	readonly request?: RequestFacts;
	readonly outcome?: Outcome;
	readonly wall?: string;
	readonly expect?: Readonly<Record<string, unknown>>;
}

interface Trace {
	readonly id?: string;
	readonly policy?: object | string;
	readonly seed?: number;
	readonly draws?: readonly unknown[];
	readonly steps: readonly Step[];
}

type Facts = Readonly<Record<string, unknown>>;

/** Replays every trace of a file, one a line; the exit code. */
export function replay(
	file: string,
	options: { readonly json?: boolean; readonly lang: Language; readonly policy?: string },
	output: Output,
): number {
	const lines = read(file)
		.split('\n')
		.map((text, index) => ({ text, line: index + 1 }))
		.filter(({ text }) => text.trim() !== '');
	const policy = options.policy === undefined ? undefined : read(options.policy);
	let differences = 0;
	for (const { text, line } of lines) {
		const recorded = parse(text, `${file}:${line}`);
		const trace = policy === undefined ? recorded : { ...recorded, policy };
		const name = trace.id ?? `${file}:${line}`;
		for (const { step, facts, sentence, differs } of play(trace, name, options.lang)) {
			differences += differs.length;
			if (options.json) {
				output.out(`${JSON.stringify({ trace: name, ...step, decided: facts, differs })}\n`);
				continue;
			}
			const said = Object.entries(facts)
				.filter(([, value]) => value !== null)
				.map(([key, value]) => `${key} ${value}`)
				.join(', ');
			output.out(`${name}  ${step.at} ms  ${step.op} ${step.call ?? ''}: ${said}\n`);
			if (sentence !== '') {
				output.out(`    ${sentence}\n`);
			}
			for (const { field, recorded, decided } of differs) {
				const text = `recorded ${field} ${json(recorded).trim()}, now ${json(decided).trim()}`;
				output.out(`    ${colour(output, 31, text)}\n`);
			}
		}
	}
	if (!options.json) {
		output.out(`${lines.length} traces, ${differences} differences\n`);
	}
	return differences === 0 ? exit.ok : exit.no;
}

function parse(text: string, where: string): Trace {
	let trace: Trace;
	try {
		trace = JSON.parse(text) as Trace;
	} catch (error) {
		throw new UsageError(`${where}: ${error instanceof Error ? error.message : error}`);
	}
	if (!Array.isArray(trace?.steps)) {
		throw new UsageError(`${where}: a trace has a list of steps`);
	}
	if (trace.draws !== undefined) {
		throw new UsageError(`${where}: replay takes a seed, not draws`);
	}
	return trace;
}

interface Played {
	readonly step: Step;
	readonly facts: Facts;
	readonly sentence: string;
	readonly differs: readonly { field: string; recorded: unknown; decided: unknown }[];
}

function* play(trace: Trace, name: string, lang: Language): Generator<Played> {
	const time = { now: 0, wall: 0 };
	const clock = { now: () => time.now, wall: () => time.wall };
	using upstream = createUpstream(trace.policy ?? {}, { seed: trace.seed ?? 0, clock });
	const calls = new Map<string, Call>();
	for (const step of trace.steps) {
		time.now = step.at;
		time.wall = step.wall === undefined ? step.at : Date.parse(step.wall);
		const [facts, sentence] = act(step, upstream, calls, `${name}, ${step.at} ms`, lang);
		const differs = Object.entries(step.expect ?? {})
			.map(([field, recorded]) => ({ field, recorded, decided: facts[field] }))
			.filter(({ recorded, decided }) => !agrees(recorded, decided));
		yield { step, facts, sentence, differs };
	}
}

function act(
	step: Step,
	upstream: Upstream,
	calls: Map<string, Call>,
	where: string,
	lang: Language,
): [Facts, string] {
	const id = step.call ?? '';
	if (step.op === 'begin') {
		const begun = upstream.begin(step.request);
		if (!begun.admitted) {
			return [{ ...begun }, ''];
		}
		calls.set(id, begun.call);
		return [{ admitted: true }, ''];
	}
	const call = calls.get(id);
	if (call === undefined) {
		throw new UsageError(`${where}: no call ${JSON.stringify(id)} was begun`);
	}
	switch (step.op) {
		case 'settle': {
			const verdict = call.settle(step.outcome ?? {});
			const { kind, attempt, delayMs, reason, hintMs, hintSource, delivery, stale } = verdict;
			return [
				{
					verdict: kind,
					attempt,
					delayMs,
					reason,
					class: verdict.class,
					delivery,
					hintMs,
					hintSource,
					stale,
				},
				verdict.explain(lang),
			];
		}
		case 'resume':
			return [{ ...call.resume() }, ''];
		case 'cancel': {
			const verdict = call.cancel();
			return [{ verdict: verdict.kind, reason: verdict.reason }, verdict.explain(lang)];
		}
		case 'end':
			call.end();
			return [{}, ''];
		default:
			throw new UsageError(`${where}: replay knows no op ${JSON.stringify(step.op)}`);
	}
}

function agrees(recorded: unknown, decided: unknown): boolean {
	if (typeof recorded === 'object' && recorded !== null && 'min' in recorded && 'max' in recorded) {
		const { min, max } = recorded as { min: number; max: number };
		return typeof decided === 'number' && min <= decided && decided <= max;
	}
	return Object.is(recorded, decided);
}
