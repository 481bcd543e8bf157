/**
 * The command line: commands, options, help.
 *
 * @module
 */

import { Command, CommanderError } from 'commander';
import { RetrywiseError } from '../errors.ts';
import { type ExplainOptions, explain } from './explain.ts';
import { lab } from './lab.ts';
import { addLedger } from './ledger/program.ts';
import { examples, language, whole } from './options.ts';
import { exit, type Output, UsageError } from './output.ts';
import { replay } from './replay.ts';
import { serve } from './serve.ts';
import { contest, type Format, layers, storm } from './simulate.ts';
import { validate } from './validate.ts';

/** Runs a command; the exit code. */
export async function run(args: readonly string[], output: Output): Promise<number> {
	let code: number = exit.ok;
	const program = build(output, (found) => {
		code = found;
	});
	try {
		await program.parseAsync(args, { from: 'user' });
		return code;
	} catch (error) {
		if (error instanceof CommanderError) {
			return error.exitCode === 0 ? exit.ok : exit.usage;
		}
		if (error instanceof UsageError || error instanceof RetrywiseError || isListening(error)) {
			output.error(`retrywise: ${error.message}\n`);
			return exit.usage;
		}
		throw error;
	}
}

function build(output: Output, end: (code: number) => void): Command {
	const program = new Command('retrywise')
		.description('See what a retry policy decides, before production does.')
		.exitOverride()
		.configureOutput({ writeOut: output.out, writeErr: output.error })
		.addHelpText('after', EXIT_CODES);

	program
		.command('validate')
		.description('say what is wrong with policies, with line and column')
		.argument('<file...>', 'policy documents; - is standard input')
		.option('--json', 'for programs')
		.addHelpText('after', examples('retrywise validate retry.json'))
		.action((files: string[], options: { json?: boolean }) =>
			end(validate(files, options.json === true, output)),
		);

	program
		.command('explain')
		.description('say what would be decided about an outcome, and why')
		.option('--status <status>', 'the status of the answer', whole)
		.option('--header <header...>', 'a header of the answer, NAME: VALUE', [])
		.option('--error <code>', 'the code of a transport error, for example ECONNRESET')
		.option('--method <method>', 'the method', 'GET')
		.option('--key <key>', 'the idempotency key that was sent')
		.option('--attempt <n>', 'which attempt ended like this; those before it got 503', whole, 1)
		.option('--policy <file>', 'the policy; default: the standard one')
		.option('--seed <seed>', 'the seed of the delays', whole, 0)
		.addOption(language())
		.option('--json', 'for programs')
		.option('--exit-code', 'the verdict as exit code: 0 accept, 10 retry, 11 stop')
		.addHelpText(
			'after',
			examples(
				'retrywise explain --status 429 --header "Retry-After: 5"',
				'retrywise explain --error ECONNRESET --method POST --policy retry.json --lang ar',
			),
		)
		.action((options: ExplainOptions) => end(explain(options, output)));

	simulations(program, output, end);

	program
		.command('serve')
		.description('a faulty server that does what a script says')
		.requiredOption('--script <script>', 'statuses and faults, or a JSON file')
		.option('--port <port>', 'the port; 0 is any free one', whole, 0)
		.option('--host <host>', 'the address', '127.0.0.1')
		.option('--json', 'for programs')
		.addHelpText('after', examples('retrywise serve --script "503,429;retry-after=1,200"'))
		.action(async (options) => end(await serve(options, output)));

	program
		.command('lab')
		.description('a page on which to see policies at work, in the browser; prints its address')
		.option('--port <port>', 'the port; 0 is any free one', whole, 0)
		.option('--json', 'for programs')
		.addHelpText('after', examples('retrywise lab', 'retrywise lab --port 8080'))
		.action(async (options) => end(await lab(options, output)));

	program
		.command('replay')
		.description('what is decided about a recorded trace; 1 where the recording differs')
		.argument('<trace>', 'traces, one JSON object a line; - is standard input')
		.addOption(language())
		.option('--json', 'for programs, one step a line')
		.addHelpText('after', examples('retrywise replay trace.jsonl'))
		.action((file: string, options) => end(replay(file, options, output)));

	addLedger(program, output, end);

	for (const command of [program, ...program.commands.flatMap((c) => [c, ...c.commands])]) {
		command.exitOverride().configureOutput({ writeOut: output.out, writeErr: output.error });
	}
	return program;
}

function simulations(program: Command, output: Output, end: (code: number) => void): void {
	const simulate = program
		.command('simulate')
		.description('experiments in virtual time, by the functions that decide in production');
	const formatOf = ({ json, csv }: { json?: boolean; csv?: boolean }): Format =>
		json ? 'json' : csv ? 'csv' : 'table';
	const common = (command: Command): Command =>
		command
			.option('--seed <seed>', 'the seed', whole, 1)
			.option('--csv', 'for spreadsheets')
			.option('--json', 'for programs');

	common(simulate.command('storm').description('a server that is down for a while'))
		.option('--policy <file>', 'one policy; default: seven tactics side by side')
		.option('--retries <n>', 'at most so many retries, for the tactics', whole, 3)
		.option('--clients <n>', 'client processes', whole, 10)
		.option('--rate <n>', 'calls a second, of all clients together', whole, 1000)
		.option('--seconds <n>', 'how long calls keep coming', whole, 60)
		.option('--capacity <n>', 'answers a second', whole, 1200)
		.option('--queue <n>', 'requests that may wait at the server', whole, 600)
		.option('--down-from <ms>', 'when the outage begins', whole, 10_000)
		.option('--down-for <ms>', 'how long it lasts', whole, 5000)
		.addHelpText('after', examples('retrywise simulate storm --policy retry.json --csv'))
		.action((options) => {
			const { policy, clients, rate, seconds, capacity, queue, seed, retries } = options;
			const terms = {
				...{ clients, rate, seconds, capacity, queue, seed },
				...(policy === undefined && { retries }),
				downFromMs: options.downFrom,
				downForMs: options.downFor,
			};
			end(storm({ policy, terms, format: formatOf(options) }, output));
		});
	common(simulate.command('contest').description('the AWS experiment: writers compete for a row'))
		.option('--clients <n>', 'writers', whole, 100)
		.option('--runs <n>', 'runs of each strategy', whole, 20)
		.option('--deviation-us <us>', 'how hops differ; 0 is exact', whole, 2000)
		.addHelpText('after', examples('retrywise simulate contest --clients 50 --runs 100'))
		.action((options) => {
			const { clients, runs, deviationUs, seed } = options;
			const terms = { clients, runs, deviationUs, seed };
			end(contest({ terms, format: formatOf(options) }, output));
		});
	common(simulate.command('layers').description('what retries in several layers multiply to'))
		.option('--depth <n>', 'layers', whole, 2)
		.option('--tries <n>', 'tries in each layer', whole, 3)
		.option('--calls <n>', 'calls from above', whole, 1000)
		.option('--budget <n>', 'a budget in each layer, ten-thousandths', whole)
		.option('--told', 'each layer tells the one below that it retries', false)
		.addHelpText('after', examples('retrywise simulate layers --depth 3 --told'))
		.action((options) => {
			const { depth, tries, calls, budget, told, seed } = options;
			const terms = { depth, tries, calls, told, seed, ...(budget !== undefined && { budget }) };
			end(layers({ terms, format: formatOf(options) }, output));
		});
}

const EXIT_CODES = `
Exit codes:
  0   all is well
  1   the answer is no: an invalid policy, a recording that differs, no such call in the ledger
  2   the command was not understood, or a file or a store cannot be read
  10  --exit-code of explain: retry; of ledger find and show: not yet
  11  --exit-code of explain: stop; of ledger find and show: in review or abandoned

NO_COLOR is honoured; colours are for terminals only.
`;

/** The port is taken, or not ours. */
function isListening(error: unknown): error is Error {
	return error instanceof Error && 'syscall' in error && error.syscall === 'listen';
}
