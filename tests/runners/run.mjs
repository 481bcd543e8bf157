// Both runners, each as users start it; the last line is `N passed, N failed`.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'retrywise-runners-'));
const RUNNERS = {
	vitest: (file) => ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${file}`],
	jest: (file) => ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${file}`],
};

let passed = 0;
let failed = 0;
for (const [name, words] of Object.entries(RUNNERS)) {
	const file = join(folder, `${name}.json`);
	const { status } = spawnSync(process.execPath, words(file), {
		cwd: here,
		env: { ...process.env, CI: '1' },
		stdio: ['ignore', 'ignore', 'ignore'],
		timeout: 240_000,
	});
	if (!existsSync(file)) {
		console.log(`${name} did not run: it ended with ${status}`);
		failed += 1;
		continue;
	}
	const report = JSON.parse(readFileSync(file, 'utf8'));
	passed += report.numPassedTests;
	failed += report.numFailedTests;
	for (const { message, assertionResults = [] } of report.testResults) {
		const broken = assertionResults.filter((one) => one.status === 'failed');
		if (assertionResults.length === 0) {
			console.log(`${name}: ${message}`);
			failed += 1;
		}
		for (const { title, failureMessages } of broken) {
			console.log(`${name}: ${title}\n${failureMessages.join('\n')}`);
		}
	}
	console.log(`${name}: ${report.numPassedTests} of ${report.numTotalTests}`);
}
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
