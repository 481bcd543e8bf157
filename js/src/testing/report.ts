/**
 * A scenario's report as a text for people.
 *
 * @module
 */

import { table } from '../cli/output.ts';
import { type JudgedCall, type Report, range, span } from './judge.ts';

/** How marks are painted; the default does not. */
export type Paint = (passed: boolean, text: string) => string;

/** The report: each expectation, then each request with its answer and the wait before it. */
export function formatReport(report: Report, paint: Paint = (_, text) => text): string {
	const { name, passed, checks, calls } = report;
	const mark = (good: boolean): string => paint(good, good ? '✓' : '✗');
	const lines = checks.map((check) => `  ${mark(check.passed)} ${check.name}: ${check.message}\n`);
	return `${mark(passed)} ${name}\n${lines.join('')}${calls.map(requestsOf).join('')}`;
}

function requestsOf({ method, path, key, requests, waits }: JudgedCall): string {
	const title = `\n  ${method} ${path}${key === undefined ? '' : `, key ${key}`}\n`;
	const rows = requests.map((request, index) => {
		const wait = waits[index - 1];
		const { step, status, answerHeaders, processed, replayed } = request;
		const hints = ['retry-after', 'retry-after-ms'].filter((header) => header in answerHeaders);
		const answer = [
			status === undefined ? (step.fault ?? 'no answer') : `${status}`,
			...(status !== undefined && step.fault !== undefined ? [step.fault] : []),
			...hints.map((header) => `${header}: ${answerHeaders[header]}`),
			...(replayed ? ['replayed'] : processed ? ['processed'] : []),
		];
		return [
			`${index + 1}`,
			span(request.atMs),
			wait === undefined ? '–' : span(wait.waitedMs),
			wait === undefined ? '–' : wait.allowed === undefined ? 'not said' : range(wait.allowed),
			answer.join(', '),
		];
	});
	const text = table(['#', 'at', 'waited', 'allowed', 'answer'], rows);
	return title + text.replaceAll(/^(?=.)/gm, '    ');
}
