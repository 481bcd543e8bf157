/**
 * `retrywise ledger`: its commands, options, help.
 *
 * @module
 */

import { Argument, type Command, Option } from 'commander';
import { RetrywiseError } from '../../errors.ts';
import { createLedger, isStoreError, type Ledger } from '../../ledger/index.ts';
import type { Policy } from '../../types.ts';
import { read } from '../files.ts';
import { examples, language, parsed, whole } from '../options.ts';
import { type Output, UsageError } from '../output.ts';
import { ACTIONS, due, handlerOf, recover, resolve } from './act.ts';
import { type Common, find, list, review, show, trail } from './look.ts';
import { FORMS, type Opened, openStore } from './open.ts';
import { safe } from './words.ts';

const STATES = ['in-progress', 'waiting', 'completed', 'review', 'abandoned'];
const CAUSES = [
	'exhausted',
	'ambiguous',
	'permanent',
	'cancelled',
	'hint-too-long',
	'deadline',
	'key-expired',
];

type End = (code: number) => void;

/** Adds the command to the program. */
export function addLedger(program: Command, output: Output, end: End): void {
	const ledger = program
		.command('ledger')
		.description('what became of the calls that must be carried out once')
		.addHelpText(
			'after',
			examples(
				'retrywise ledger find customer=Nour --store sqlite:ledger.db',
				'retrywise ledger trail renewal/42/2026 --store sqlite:ledger.db --lang ar',
				'retrywise ledger resolve renewal/42/2026 confirm --by ann --why "in the portal"',
			),
		);
	lookingCommands(ledger, output, end);
	actingCommands(ledger, output, end);
}

function lookingCommands(ledger: Command, output: Output, end: End): void {
	const state = new Option('--state <state>', 'where they stand').choices(STATES);
	const exitCode =
		'how they stand as exit code: 0 confirmed, 10 not yet, 11 in review or abandoned';

	paged(command(ledger, 'list', 'calls, oldest first', 'retrywise ledger list --state waiting'))
		.addOption(state)
		.addOption(cause())
		.addOption(label())
		.action((options) => withLedger(options, (book) => list(book, options, output)).then(end));
	paged(
		command(
			ledger,
			'find',
			'did it go through? the calls with these labels; 1 where there is none',
			'retrywise ledger find customer=Nour order=42',
			'retrywise ledger find order=42 --exit-code',
		),
	)
		.argument('<label...>', 'NAME=VALUE, compared exactly')
		.option('--exit-code', exitCode)
		.action((labels: string[], options) =>
			withLedger(options, (book) => find(book, labels, options, output)).then(end),
		);
	command(ledger, 'show', 'all that is kept of a call', 'retrywise ledger show renewal/42/2026')
		.argument('<event>', EVENT)
		.option('--exit-code', exitCode)
		.action((event: string, options) =>
			withLedger(options, (book) => show(book, event, options, output)).then(end),
		);
	command(
		ledger,
		'trail',
		'the story of a call',
		'retrywise ledger trail renewal/42/2026 --lang ar',
	)
		.argument('<event>', EVENT)
		.action((event: string, options) =>
			withLedger(options, (book) => trail(book, event, options, output)).then(end),
		);
	paged(
		command(
			ledger,
			'review',
			'what people have to decide about, with advice',
			'retrywise ledger review --cause ambiguous --label customer=Nour',
		),
	)
		.addOption(cause())
		.addOption(label())
		.action((options) => withLedger(options, (book) => review(book, options, output)).then(end));
}

function actingCommands(ledger: Command, output: Output, end: End): void {
	command(
		ledger,
		'resolve',
		'record what a person decided about a call in review; 1 where it is not in review',
		'retrywise ledger resolve renewal/42/2026 confirm --by ann --why "it is in the portal"',
		'retrywise ledger resolve renewal/42/2026 retry --by ann --why "the portal knows nothing of it"',
	)
		.argument('<event>', EVENT)
		.addArgument(
			new Argument(
				'<action>',
				'confirm: it was done; retry: it was not, send it under a new key; abandon: send nothing',
			).choices(Object.keys(ACTIONS)),
		)
		.requiredOption('--by <name>', 'who decides')
		.requiredOption('--why <reason>', 'why')
		.option('--new-event <event>', 'retry: what the new call is known by; default: EVENT#2, #3 …')
		.option('--new-key <key>', 'retry: its key; default: made from the new event')
		.addOption(policyFile())
		.action((event: string, action: string, options) =>
			withLedger(options, (book) => resolve(book, event, action, options, output)).then(end),
		);
	command(
		ledger,
		'recover',
		'take up what is due: calls that waited, calls whose worker is gone; 1 where some went to review',
		'retrywise ledger recover --with ./send.mjs',
		'retrywise ledger recover --dry-run',
	)
		.option(
			'--with <module>',
			'how to send: its default export is the function that ledger.run is given; it may export `policy` and `lookup`',
		)
		.option('--dry-run', 'show what is due, and send nothing')
		.option('--limit <n>', 'at most so many calls', whole, 10_000)
		.addOption(policyFile())
		.action(async (options) => {
			const { with: module, dryRun } = options;
			if (module === undefined && !dryRun) {
				throw new UsageError(
					'recover sends requests and has to be told how: --with ./send.mjs, or --dry-run',
				);
			}
			const handler = dryRun ? undefined : await handlerOf(module);
			const asked = { ...options, policy: policyOf(options) };
			const code = await withStore(options, ({ store }) =>
				handler === undefined ? due(store, asked, output) : recover(store, handler, asked, output),
			);
			end(code);
		});
}

const EVENT = 'what the call is known by';

function command(parent: Command, name: string, what: string, ...lines: string[]): Command {
	const store = new Option('--store <store>', FORMS).env('RETRYWISE_STORE');
	return parent
		.command(name)
		.description(what)
		.addOption(store)
		.addOption(language())
		.option('--json', 'for programs')
		.addHelpText('after', examples(...lines));
}

function paged(made: Command): Command {
	return made
		.option('--limit <n>', 'at most so many, 1 to 1000', whole, 50)
		.option('--cursor <cursor>', 'go on where the last page ended');
}

function cause(): Option {
	return new Option('--cause <cause>', 'why they are in review').choices(CAUSES);
}

function label(): Option {
	return new Option('--label <label...>', 'with these labels, NAME=VALUE').default([]);
}

function policyFile(): Option {
	return new Option('--policy <file>', 'the policy; default: the standard one');
}

interface WithPolicy extends Common {
	readonly policy?: string;
}

function policyOf({ policy }: WithPolicy): Policy | undefined {
	return policy === undefined ? undefined : (parsed(policy, read(policy)) as Policy);
}

/** What a store throws is told, not thrown about: a file that is no database, a server that is away. */
async function withStore<T>({ store }: Common, use: (opened: Opened) => Promise<T>): Promise<T> {
	let opened: Opened | undefined;
	try {
		opened = await openStore(store);
		return await use(opened);
	} catch (error) {
		if (!isStoreError(error) && (error instanceof UsageError || error instanceof RetrywiseError)) {
			throw error;
		}
		const told = isStoreError(error) ? error.cause : error;
		const { message, code } = told as { readonly message?: string; readonly code?: unknown };
		throw new UsageError(`the ledger cannot be used: ${safe(message || String(code ?? told))}`);
	} finally {
		await opened?.close();
	}
}

function withLedger(
	options: WithPolicy,
	use: (ledger: Ledger) => Promise<number>,
): Promise<number> {
	return withStore(options, async ({ store }) => {
		const policy = policyOf(options);
		using ledger = createLedger({ store, ...(policy !== undefined && { policy }) });
		return await use(ledger);
	});
}
