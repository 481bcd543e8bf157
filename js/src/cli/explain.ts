/**
 * `retrywise explain`: what would be decided about one outcome, and why.
 *
 * @module
 */

import { classify } from '../classify.ts';
import type { Language, Outcome, Verdict } from '../types.ts';
import { createUpstream } from '../upstream.ts';
import { read } from './files.ts';
import { exit, json, type Output, table, UsageError } from './output.ts';

/** What is asked about. */
export interface ExplainOptions {
	readonly status?: number;
	readonly header: readonly string[];
	readonly error?: string;
	readonly method: string;
	readonly key?: string;
	readonly attempt: number;
	readonly policy?: string;
	readonly seed: number;
	readonly lang: Language;
	readonly json?: boolean;
	readonly exitCode?: boolean;
}

/** Attempts before the one asked about fail like this: a plain, retryable answer. */
const EARLIER: Outcome = { status: 503 };

/** Decides and prints; the exit code. */
export function explain(options: ExplainOptions, output: Output): number {
	const { status, error, attempt, method, key, seed, lang } = options;
	if (status === undefined && error === undefined) {
		throw new UsageError('say --status or --error');
	}
	const policy = options.policy === undefined ? {} : JSON.parse(read(options.policy));
	const outcome: Outcome = {
		...(status !== undefined && { status }),
		headers: options.header.map(headerOf),
		...(error !== undefined && { error: Object.assign(new Error(error), { code: error }) }),
	};
	const verdict = decide(policy, outcome, { attempt, method, key, seed });
	const found = classify(outcome, { policy });
	const sentence = verdict.explain(lang);
	if (options.json) {
		const { kind, delayMs, reason, hintMs, hintSource, delivery, basis } = verdict;
		output.out(
			json({
				verdict: kind,
				attempt: verdict.attempt,
				delayMs,
				reason,
				class: verdict.class,
				delivery,
				basis,
				signal: found.reason,
				hintMs,
				hintSource,
				sentence,
			}),
		);
	} else {
		output.out(
			table(
				['question', 'answer'],
				[
					['class', `${verdict.class} (by ${found.reason})`],
					['delivery', `${verdict.delivery} (proof: ${verdict.basis})`],
					[
						'hint',
						verdict.hintMs === null ? 'none' : `${verdict.hintMs} ms by ${verdict.hintSource}`,
					],
					['verdict', verdict.kind],
					['reason', verdict.reason],
					['wait', verdict.kind === 'retry' ? `${verdict.delayMs} ms` : 'none'],
				],
			),
		);
		output.out(`${sentence}\n`);
	}
	if (!options.exitCode) {
		return exit.ok;
	}
	return { accept: exit.ok, retry: exit.retry, stop: exit.stop }[verdict.kind];
}

function decide(
	policy: object,
	outcome: Outcome,
	asked: { attempt: number; method: string; key: string | undefined; seed: number },
): Verdict {
	let now = 0;
	const clock = { now: () => now };
	using upstream = createUpstream(policy, { seed: asked.seed, clock });
	const { method, key } = asked;
	const begun = upstream.begin({ method, ...(key !== undefined && { key }) });
	if (!begun.admitted) {
		throw new UsageError(`the call is refused: ${begun.reason}`);
	}
	const { call } = begun;
	for (let earlier = 1; earlier < asked.attempt; earlier++) {
		const verdict = call.settle(EARLIER);
		if (verdict.kind !== 'retry') {
			throw new UsageError(`attempt ${earlier + 1} is never sent: ${verdict.reason}`);
		}
		now += verdict.delayMs;
		call.resume();
	}
	return call.settle(outcome);
}

function headerOf(line: string): [string, string] {
	const colon = line.indexOf(':');
	if (colon < 1) {
		throw new UsageError(`${JSON.stringify(line)} is not a header: NAME: VALUE`);
	}
	return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}
