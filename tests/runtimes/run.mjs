/**
 * The packed package on every runtime that this machine can start: one suite, the same answers.
 *
 * `node run.mjs [PART…]` runs those whose name holds one of the parts. A line for each runtime; what
 * cannot be started is named with the reason. Ends with `N passed, N failed`.
 *
 * @module
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { startLab } from './harness/lab.mjs';
import { makeProject } from './harness/project.mjs';
import { Report } from './harness/report.mjs';
import { browsers } from './runtimes/browser.mjs';
import { edge } from './runtimes/edge.mjs';
import { processes } from './runtimes/process.mjs';
import { tarball } from './runtimes/tarball.mjs';
import { workerd } from './runtimes/workerd.mjs';

const wanted = process.argv.slice(2);
const project = await makeProject();
const { startFaultyServer } = createRequire(project.at('package.json'))('retrywise/testing');
const lines = readFileSync(new URL('../vectors/signals.jsonl', import.meta.url), 'utf8');
const signals = lines
	.split('\n')
	.filter((line) => line.trim())
	.map((line) => JSON.parse(line))
	.map(({ id, input, now, expect }) => ({ id, input, now: now && Date.parse(now), expect }));
const lab = await startLab({ startFaultyServer, signals });
const report = new Report();
try {
	for (const group of [tarball, processes, browsers, workerd, edge]) {
		const isWanted = (name) => wanted.length === 0 || wanted.some((part) => name.includes(part));
		await group({ project, lab, report, isWanted });
	}
} finally {
	await lab.close();
	project.remove();
}
process.exitCode = report.close() ? 0 : 1;
