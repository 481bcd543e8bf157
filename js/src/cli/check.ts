/**
 * `retrywise check SCENARIO -- COMMAND`: a program in any language against the faulty server.
 *
 * @module
 */

import { spawn } from 'node:child_process';
import { scenarioFacts } from '../testing/facts.ts';
import { formatReport, playScenario, type Report, type ScenarioFacts } from '../testing/index.ts';
import { read } from './files.ts';
import { colour, exit, json, type Output, UsageError } from './output.ts';

/** How long a command may take where its scenario does not say, ms. */
const TIMEOUT_MS = 60_000;

/** Plays every scenario of a file with the command as its client; the exit code. */
export async function check(
	file: string,
	command: readonly string[],
	options: { readonly json?: boolean },
	output: Output,
): Promise<number> {
	const reports: Report[] = [];
	for (const facts of scenariosOf(file)) {
		const report = await play(facts, command);
		if (report.error instanceof UsageError) {
			throw report.error;
		}
		reports.push(report);
		if (!options.json) {
			output.out(formatReport(report, (good, text) => colour(output, good ? 32 : 31, text)));
		}
	}
	const failed = reports.filter(({ passed }) => !passed).length;
	if (options.json) {
		output.out(json(reports.map(plain)));
	} else {
		output.out(`\n${reports.length - failed} passed, ${failed} failed\n`);
	}
	return failed === 0 ? exit.ok : exit.no;
}

/** One scenario, or a list of them. */
function scenariosOf(file: string): ScenarioFacts[] {
	let value: unknown;
	try {
		value = JSON.parse(read(file));
	} catch (error) {
		throw error instanceof SyntaxError ? new UsageError(`${file}: ${error.message}`) : error;
	}
	const list = Array.isArray(value) ? value : [value];
	if (list.length === 0) {
		throw new UsageError(`${file} has no scenario`);
	}
	return list.map((one, index) => {
		const where = Array.isArray(value) ? `${file}[${index}]` : file;
		return { name: where, ...scenarioFacts(one, where) };
	});
}

function play(facts: ScenarioFacts, command: readonly string[]): Promise<Report> {
	const { timeoutMs = TIMEOUT_MS } = facts;
	return playScenario({
		...facts,
		timeoutMs,
		time: 'real',
		run: ({ url, policy, signal }) => {
			const [program = '', ...words] = command.map((word) => word.replaceAll('{url}', url));
			return run(program, words, {
				signal,
				env: { RETRYWISE_URL: url, RETRYWISE_POLICY: JSON.stringify(policy) },
			});
		},
	});
}

/** Runs a program to its end; rejects when it is not content. */
function run(
	program: string,
	words: readonly string[],
	{ env, signal }: { readonly env: Record<string, string>; readonly signal: AbortSignal },
): Promise<void> {
	return new Promise((resolve, reject) => {
		// What the program says goes to standard error: standard output is the report's.
		const child = spawn(program, words, {
			stdio: ['ignore', 2, 2],
			env: { ...process.env, ...env },
		});
		const stop = (): void => {
			child.kill('SIGKILL');
		};
		signal.addEventListener('abort', stop, { once: true });
		child.once('error', ({ message }) => {
			// The command itself is wrong: no scenario has failed.
			reject(new UsageError(`${program} cannot be run: ${message}`));
		});
		child.once('exit', (code, killed) => {
			signal.removeEventListener('abort', stop);
			if (code === 0) {
				resolve();
			} else {
				reject(new Error(killed === null ? `exit code ${code}` : `ended by ${killed}`));
			}
		});
	});
}

/** A report for programs; errors are no JSON. */
function plain({ error, result: _, ...report }: Report): object {
	return {
		...report,
		...(error !== undefined && { error: error instanceof Error ? error.message : String(error) }),
	};
}
