/**
 * `retrywise ledger list | find | show | trail | review`: what the ledger knows, changing nothing.
 *
 * @module
 */

import type {
	Cause,
	Ledger,
	LedgerState,
	Page,
	ReviewItem,
	ShownCall,
} from '../../ledger/index.ts';
import type { Language } from '../../types.ts';
import { colour, exit, json, type Output, table, UsageError } from '../output.ts';
import { counts, data, labelled, safe, shortKey, time, type Word, word } from './words.ts';

/** What every command is told. */
export interface Common {
	readonly store?: string;
	readonly lang: Language;
	readonly json?: boolean;
}

/** Which part of a list. */
export interface Part extends Common {
	readonly limit: number;
	readonly cursor?: string;
}

/** Whether the state is to be told by the exit code. */
export interface Asked {
	readonly exitCode?: boolean;
}

type Labels = Readonly<Record<string, string>>;

/** All calls, or those in one state. */
export async function list(
	ledger: Ledger,
	options: Part & {
		readonly state?: LedgerState;
		readonly cause?: Cause;
		readonly label: string[];
	},
	output: Output,
): Promise<number> {
	const { state, cause, limit, cursor } = options;
	const page = await ledger.list({
		...(state !== undefined && { state }),
		...(cause !== undefined && { cause }),
		labels: labelsOf(options.label),
		limit,
		...(cursor !== undefined && { cursor }),
	});
	printCalls(page, options, output);
	return exit.ok;
}

/** The calls with these labels. */
export async function find(
	ledger: Ledger,
	labels: readonly string[],
	options: Part & Asked,
	output: Output,
): Promise<number> {
	const { limit, cursor } = options;
	const page = await ledger.find(labelsOf(labels), {
		limit,
		...(cursor !== undefined && { cursor }),
	});
	printCalls(page, options, output);
	return answer(page.items, options);
}

/** One call, with all that is kept of it. */
export async function show(
	ledger: Ledger,
	event: string,
	options: Common & Asked,
	output: Output,
): Promise<number> {
	const call = await ledger.show(event);
	if (call === null) {
		return missing(event, options, output);
	}
	if (options.json) {
		output.out(json(call));
		return answer([call], options);
	}
	const { lang } = options;
	const { record, payload, labels, priority, value } = call;
	const [attempts, status] = counts(record);
	const { resolution } = record;
	const rows: readonly (readonly [Word, string | null])[] = [
		['event', safe(record.id)],
		['state', standing(call, lang, output)],
		['labels', labelled(labels) || null],
		['attempts', attempts],
		['status', status],
		['perhaps', record.maybeProcessed && record.state !== 'completed' ? word(lang, 'yes') : null],
		['created', time(record.createdAt)],
		['updated', time(record.updatedAt)],
		['due', record.dueAt === null ? null : time(record.dueAt)],
		['owner', record.owner === null ? null : safe(record.owner)],
		['key', shortKey(record.key)],
		['priority', String(priority)],
		['payload', data(payload)],
		['value', data(value)],
		[
			'decided',
			resolution === null
				? null
				: `${resolution.action}, ${safe(resolution.by)}: ${safe(resolution.why, 1024)}`,
		],
		['replaces', record.replaces === null ? null : safe(record.replaces)],
		['replacedBy', record.replacedBy === null ? null : safe(record.replacedBy)],
	];
	const known = rows.flatMap(([name, text]) => (text === null ? [] : [[word(lang, name), text]]));
	output.out(table([word(lang, 'question'), word(lang, 'answer')], known));
	return answer([call], options);
}

/** What happened to a call, as a story. */
export async function trail(
	ledger: Ledger,
	event: string,
	options: Common,
	output: Output,
): Promise<number> {
	const text = await ledger.trail(event, options.lang);
	if (text === null) {
		return missing(event, options, output);
	}
	output.out(options.json ? json(await ledger.entries(event)) : text);
	return exit.ok;
}

/** What waits for a person, and what a person can do. */
export async function review(
	ledger: Ledger,
	options: Part & { readonly cause?: Cause; readonly label: string[] },
	output: Output,
): Promise<number> {
	const { cause, limit, cursor, lang } = options;
	const page = await ledger.review({
		...(cause !== undefined && { cause }),
		labels: labelsOf(options.label),
		limit,
		...(cursor !== undefined && { cursor }),
		lang,
	});
	if (options.json) {
		output.out(json(page));
		return exit.ok;
	}
	for (const item of page.items) {
		output.out(reviewed(item, lang, output));
	}
	printNext(page, lang, output);
	return exit.ok;
}

function reviewed(
	item: ReviewItem & { readonly labels: Labels },
	lang: Language,
	output: Output,
): string {
	const { id, cause, explanation, advice, attempt, status, since, actions } = item;
	const labels = labelled(item.labels);
	const facts = [
		`${word(lang, 'attempts')} ${attempt}`,
		...(status === null ? [] : [`HTTP ${status}`]),
		time(since),
		...(labels === '' ? [] : [labels]),
	];
	const commands = actions.map((action) => (action === 'retry-new-key' ? 'retry' : action));
	return [
		`${safe(id)}  ${colour(output, 31, cause)}  (${facts.join(', ')})`,
		`  ${explanation}`,
		`  ${advice}`,
		`  → ${commands.join(' | ')}`,
		'',
	].join('\n');
}

/** `NAME=VALUE` … as labels. */
export function labelsOf(pairs: readonly string[]): Labels {
	return Object.fromEntries(
		pairs.map((pair) => {
			const at = pair.indexOf('=');
			if (at < 1) {
				throw new UsageError(`${JSON.stringify(pair)} is not a label: NAME=VALUE`);
			}
			return [pair.slice(0, at), pair.slice(at + 1)];
		}),
	);
}

/** Says that there is no such call. */
export function missing(
	event: string,
	{ lang, json: forPrograms }: Common,
	output: Output,
): number {
	if (forPrograms) {
		output.out(json(null));
	} else {
		output.error(`${word(lang, 'none')}: ${safe(event)}\n`);
	}
	return exit.no;
}

function printCalls(page: Page<ShownCall>, { lang, json: raw }: Common, output: Output): void {
	if (raw) {
		output.out(json(page));
		return;
	}
	if (page.items.length === 0) {
		output.error(`${word(lang, 'none')}\n`);
		return;
	}
	const columns: readonly Word[] = ['event', 'state', 'attempts', 'status', 'updated', 'labels'];
	const rows = page.items.map((call) => [
		safe(call.event),
		standing(call, lang),
		...counts(call.record),
		time(call.record.updatedAt),
		labelled(call.labels),
	]);
	output.out(
		table(
			columns.map((name) => word(lang, name)),
			rows,
		),
	);
	printNext(page, lang, output);
}

function printNext({ next }: Page<unknown>, lang: Language, output: Output): void {
	if (next !== null) {
		output.out(`${word(lang, 'more')} ${JSON.stringify(next)}\n`);
	}
}

/** Where a call stands, and with what cause. */
function standing({ record }: ShownCall, lang: Language, output?: Output): string {
	const { state, cause } = record;
	const text = cause === null ? word(lang, state) : `${word(lang, state)} (${cause})`;
	const shade = { completed: 32, review: 31, abandoned: 33 } as const;
	return output !== undefined && state in shade
		? colour(output, shade[state as keyof typeof shade], text)
		: text;
}

/** 1 where there is none; with `--exit-code` how the worst of them stands. */
function answer(calls: readonly ShownCall[], { exitCode }: Asked): number {
	if (calls.length === 0) {
		return exit.no;
	}
	if (!exitCode) {
		return exit.ok;
	}
	const states = new Set(calls.map(({ record }) => record.state));
	if (states.has('review') || states.has('abandoned')) {
		return exit.stop;
	}
	return states.has('waiting') || states.has('in-progress') ? exit.retry : exit.ok;
}
