/**
 * `retrywise explain`: what would be decided about one outcome, step by step, and why.
 *
 * @module
 */

import { simulator } from '../simulator/load.ts';
import type { Language, VerdictKind } from '../types.ts';
import { read } from './files.ts';
import { colour, exit, json, type Output, table, UsageError } from './output.ts';

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

/** One step of a decision, as the core tells it. */
export interface ToldStep {
	readonly number: number;
	readonly step: string;
	readonly question: string;
	readonly result: 'pass' | VerdictKind;
	readonly reason: string | null;
	readonly facts: Readonly<Record<string, string | number | boolean>>;
	/** The facts in words. */
	readonly told: readonly string[];
}

/** A decision, as the core tells it. */
interface Told {
	readonly verdict: VerdictKind;
	readonly attempt: number;
	readonly delayMs: number;
	readonly reason: string;
	readonly class: string;
	readonly delivery: string;
	readonly basis: string;
	readonly signal: string;
	readonly hintMs: number | null;
	readonly hintSource: string | null;
	readonly headersRead: readonly string[];
	readonly sentence: string;
	readonly forUsers: string;
	readonly steps: readonly ToldStep[];
}

/** Decides and prints; the exit code. */
export function explain(options: ExplainOptions, output: Output): number {
	const { status, error, attempt, method, key, seed, lang, policy } = options;
	if (status === undefined && error === undefined) {
		throw new UsageError('say --status or --error');
	}
	const told = simulator().ask<Told>({
		experiment: 'explain',
		...{ method, attempt, seed, lang },
		...(key !== undefined && { key }),
		...(policy !== undefined && { policy: read(policy) }),
		outcome: {
			...(status !== undefined && { status }),
			headers: options.header.map(headerOf),
			...(error !== undefined && { error }),
			wall: Date.now(),
		},
	});
	if (options.json) {
		output.out(json(told));
	} else {
		print(told, output);
	}
	if (!options.exitCode) {
		return exit.ok;
	}
	return { accept: exit.ok, retry: exit.retry, stop: exit.stop }[told.verdict];
}

function print(told: Told, output: Output): void {
	const { verdict, attempt, delayMs, hintMs, hintSource } = told;
	const line = told.headersRead.find((text) => text.toLowerCase().startsWith(`${hintSource}:`));
	const hint = hintMs === null ? 'none' : `${hintMs} ms, by ${line ?? hintSource}`;
	const next = verdict === 'retry' ? `, attempt ${attempt} in ${delayMs} ms` : '';
	output.out(
		table(
			['question', 'answer'],
			[
				['class', `${told.class}, by ${told.signal}`],
				['delivery', `${told.delivery}, proof: ${told.basis}`],
				['hint', hint],
				['verdict', verdict + next],
				['reason', told.reason],
			],
		),
	);
	output.out('\n');
	const rows = told.steps.map(({ number, step, question, result, reason, told }) => [
		`${number}`,
		step,
		reason === null ? 'pass' : `${result}: ${reason}`,
		question,
		told.join('; '),
	]);
	output.out(table(['#', 'step', 'result', 'question', 'what it rests on'], rows));
	const code = { accept: 32, retry: 33, stop: 31 } as const;
	output.out(`\n${colour(output, code[verdict], told.sentence)}\n`);
}

function headerOf(line: string): [string, string] {
	const colon = line.indexOf(':');
	if (colon < 1) {
		throw new UsageError(`${JSON.stringify(line)} is not a header: NAME: VALUE`);
	}
	return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}
