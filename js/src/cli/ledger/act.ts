/**
 * `retrywise ledger resolve | recover`: what changes the ledger.
 *
 * @module
 */

import { existsSync } from 'node:fs';
import { resolve as absolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RetrywiseError } from '../../errors.ts';
import {
	createLedger,
	type Ledger,
	type LedgerRecord,
	type LedgerStore,
	type Lookup,
	type ReviewAction,
	type RunResult,
	type Send,
} from '../../ledger/index.ts';
import type { Policy } from '../../types.ts';
import { exit, json, type Output, table, UsageError } from '../output.ts';
import { type Common, missing } from './look.ts';
import { counts, safe, time, word } from './words.ts';

/** The actions as they are typed. */
export const ACTIONS: Readonly<Record<string, ReviewAction>> = {
	confirm: 'confirm',
	retry: 'retry-new-key',
	'retry-new-key': 'retry-new-key',
	abandon: 'abandon',
};

/** Records what a person decided; 1 where there is nothing to decide. */
export async function resolve(
	ledger: Ledger,
	event: string,
	action: string,
	options: Common & {
		readonly by: string;
		readonly why: string;
		readonly newEvent?: string;
		readonly newKey?: string;
	},
	output: Output,
): Promise<number> {
	if ((await ledger.show(event)) === null) {
		return missing(event, options, output);
	}
	const { by, why, newEvent, newKey, lang } = options;
	let record: LedgerRecord;
	try {
		record = await ledger.resolve(event, {
			action: ACTIONS[action] as ReviewAction,
			by,
			why,
			...(newEvent !== undefined && { newEvent }),
			...(newKey !== undefined && { newKey }),
		});
	} catch (error) {
		if (!(error instanceof RetrywiseError)) {
			throw error;
		}
		output.error(`retrywise: ${safe(error.message, 1000)}\n`);
		return exit.no;
	}
	output.out(options.json ? json(record) : `${safe(record.id)}: ${word(lang, record.state)}\n`);
	return exit.ok;
}

/** What a module given with `--with` exports. */
interface Handler {
	/** Makes one attempt, as the function given to `ledger.run`. */
	readonly default: Send<unknown>;
	/** The policy, where `--policy` says none. */
	readonly policy?: Policy | string;
	/** The vendor's own status call. */
	readonly lookup?: Lookup;
}

/** The module that knows how to send. */
export async function handlerOf(path: string): Promise<Handler> {
	const file = absolute(path);
	if (!existsSync(file)) {
		throw new UsageError(`${path} cannot be read: there is no such file`);
	}
	let module: Partial<Handler>;
	try {
		module = (await import(pathToFileURL(file).href)) as Partial<Handler>;
	} catch (error) {
		throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (typeof module.default !== 'function') {
		throw new UsageError(
			`${path} has to export the function that makes an attempt as its default: ` +
				'export default async ({ event, payload, headers, signal }) => …',
		);
	}
	return module as Handler;
}

/** How many calls are taken up at a time. */
const BATCH = 100;

/** What is due, highest priority first; nothing is sent. */
export async function due(store: LedgerStore, options: Common, output: Output): Promise<number> {
	const calls = await store.due(Date.now(), 1000);
	if (options.json) {
		output.out(json(calls.map(({ record, facts }) => ({ event: record.id, record, ...facts }))));
		return exit.ok;
	}
	const { lang } = options;
	const rows = calls.map(({ record, facts }) => [
		safe(record.id),
		word(lang, record.state),
		...counts(record),
		time(record.dueAt ?? record.leaseUntil),
		String(facts.priority),
	]);
	const columns = ['event', 'state', 'attempts', 'status', 'due', 'priority'] as const;
	output.out(
		table(
			columns.map((name) => word(lang, name)),
			rows,
		),
	);
	return exit.ok;
}

/**
 * Takes up what is due until nothing is, or until the upstream lets nothing through; 1 where a
 * call went to a person. SIGINT ends it after what is on its way; what was not sent stays due.
 */
export async function recover(
	store: LedgerStore,
	handler: Handler,
	options: Common & { readonly policy?: Policy | string; readonly limit: number },
	output: Output,
): Promise<number> {
	const { default: send, lookup } = handler;
	const policy = options.policy ?? handler.policy;
	using ledger = createLedger({
		store,
		owner: 'retrywise ledger recover',
		...(policy !== undefined && { policy }),
		...(lookup !== undefined && { lookup }),
	});
	const isStopped = stopped();
	const results: RunResult[] = [];
	for (let left = options.limit; left > 0 && !isStopped(); ) {
		const most = Math.min(left, BATCH);
		const some = await ledger.recover(send, { limit: most });
		for (const result of some) {
			results.push(result);
			if (!options.json) {
				output.out(told(result, options));
			}
		}
		// A refusal leaves a call as it was: asking again at once would be the same again.
		if (some.length < most || some.some((result) => 'reason' in result)) {
			break;
		}
		left -= some.length;
	}
	if (options.json) {
		output.out(json(results.map(plain)));
	}
	return results.some(({ state }) => state === 'review') ? exit.no : exit.ok;
}

function told(result: RunResult, { lang }: Common): string {
	const { event, state, attempts } = result;
	const cause = state === 'review' ? ` (${result.cause})` : '';
	return `${safe(event)}: ${word(lang, state)}${cause}, ${word(lang, 'attempts')} ${attempts}\n`;
}

/** What came of a call, without what JSON cannot say. */
function plain(result: RunResult): object {
	const { event, state, attempts, record } = result;
	return { event, state, attempts, record };
}

/** Whether the person at the terminal has had enough. */
function stopped(): () => boolean {
	let stop = false;
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => {
			stop = true;
		});
	}
	return () => stop;
}
