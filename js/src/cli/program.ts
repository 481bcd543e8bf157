/**
 * The command line: commands, options, help.
 *
 * @module
 */

import { Argument, Command, CommanderError } from 'commander';
import { RetrywiseError } from '../errors.ts';
import { check } from './check.ts';
import { completion, SHELLS } from './completion.ts';
import { type ExplainOptions, explain } from './explain.ts';
import { CHECK, FAULTS } from './help.ts';
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
		.description('say what would be decided about an outcome, step by step, and why')
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
		.option('--http2', 'speak HTTP/2 without TLS, with GOAWAY and refused streams among the faults')
		.option('--json', 'for programs')
		.addHelpText(
			'after',
			examples(
				'retrywise serve --script "503,429;retry-after=1,200"',
				'retrywise serve --script faults.json --port 8080',
				'retrywise serve --http2 --script "refused-stream,goaway,200"',
			) + FAULTS,
		)
		.action(async (options) => end(await serve(options, output)));

	program
		.command('lab')
		.description('a page on which to see policies at work, in the browser; prints its address')
		.option('--port <port>', 'the port; 0 is any free one', whole, 0)
		.option('--json', 'for programs')
		.addHelpText('after', examples('retrywise lab', 'retrywise lab --port 8080'))
		.action(async (options) => end(await lab(options, output)));

	program
		.command('check')
		.description('run a program, in any language, against the faulty server, and judge it')
		.argument('<scenario>', 'a JSON file: one scenario or a list; - is standard input')
		.argument('<command...>', 'the program, after --; {url} stands for the address')
		.option('--json', 'the reports for programs')
		.addHelpText(
			'after',
			examples(
				'retrywise check order.json -- node order.js',
				'retrywise check order.json -- python3 order.py {url}/orders',
				"retrywise check order.json -- curl --fail --retry 3 '{url}/orders'",
			) + CHECK,
		)
		.action(async (file: string, command: string[], options) =>
			end(await check(file, command, options, output)),
		);

	program
		.command('replay')
		.description('what is decided about a recorded trace; 1 where the recording differs')
		.argument('<trace>', 'traces, one JSON object a line; - is standard input')
		.option('--policy <file>', 'decide under this policy, not under the recorded one')
		.addOption(language())
		.option('--json', 'for programs, one step a line')
		.addHelpText(
			'after',
			examples('retrywise replay trace.jsonl', 'retrywise replay trace.jsonl --policy new.json'),
		)
		.action((file: string, options) => end(replay(file, options, output)));

	program
		.command('completion')
		.description('print a script that completes commands and options')
		.addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
		.addHelpText(
			'after',
			examples(
				'source <(retrywise completion bash)',
				'source <(retrywise completion zsh)',
				'retrywise completion fish > ~/.config/fish/completions/retrywise.fish',
			),
		)
		.action((shell: string) => output.out(completion(program, shell)));

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
			.option('--svg <file>', 'a chart as well (needs @observablehq/plot and linkedom)')
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
		.addHelpText(
			'after',
			examples(
				'retrywise simulate storm --policy retry.json --csv',
				'retrywise simulate storm --svg storm.svg',
			),
		)
		.action(async (options) => {
			const { policy, clients, rate, seconds, capacity, queue, seed, retries } = options;
			const terms = {
				...{ clients, rate, seconds, capacity, queue, seed },
				...(policy === undefined && { retries }),
				downFromMs: options.downFrom,
				downForMs: options.downFor,
			};
			end(await storm({ policy, terms, format: formatOf(options), svg: options.svg }, output));
		});
	common(simulate.command('contest').description('the AWS experiment: writers compete for a row'))
		.option('--clients <n>', 'writers', whole, 100)
		.option('--runs <n>', 'runs of each strategy', whole, 20)
		.option('--deviation-us <us>', 'how hops differ; 0 is exact', whole, 2000)
		.addHelpText('after', examples('retrywise simulate contest --clients 50 --runs 100'))
		.action(async (options) => {
			const { clients, runs, deviationUs, seed } = options;
			const terms = { clients, runs, deviationUs, seed };
			end(await contest({ terms, format: formatOf(options), svg: options.svg }, output));
		});
	common(simulate.command('layers').description('what retries in several layers multiply to'))
		.option('--depth <n>', 'layers', whole, 2)
		.option('--tries <n>', 'tries in each layer', whole, 3)
		.option('--calls <n>', 'calls from above', whole, 1000)
		.option('--budget <n>', 'a budget in each layer, ten-thousandths', whole)
		.option('--told', 'each layer tells the one below that it retries', false)
		.addHelpText('after', examples('retrywise simulate layers --depth 3 --told'))
		.action(async (options) => {
			const { depth, tries, calls, budget, told, seed } = options;
			const terms = { depth, tries, calls, told, seed, ...(budget !== undefined && { budget }) };
			end(await layers({ terms, format: formatOf(options), svg: options.svg }, output));
		});
}

const EXIT_CODES = `
Exit codes:
  0   all is well
  1   the answer is no: an invalid policy, a recording that differs, a failed scenario, no such
      call in the ledger
  2   the command was not understood, or a file or a store cannot be read
  10  --exit-code of explain: retry; of ledger find and show: not yet
  11  --exit-code of explain: stop; of ledger find and show: in review or abandoned

NO_COLOR is honoured; colours are for terminals only.
`;

/** The port is taken, or not ours. */
function isListening(error: unknown): error is Error {
	return error instanceof Error && 'syscall' in error && error.syscall === 'listen';
}
