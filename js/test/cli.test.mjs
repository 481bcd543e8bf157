import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'retrywise-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command to its end. */
function run(...args) {
	return new Promise((resolve) => {
		execFile(process.execPath, [MAIN, ...args], { timeout: 60_000 }, (error, out, problem) => {
			resolve({ code: error ? error.code : 0, out, problem });
		});
	});
}

function file(name, text) {
	const path = join(folder, name);
	writeFileSync(path, text);
	return path;
}

describe('retrywise', () => {
	it('helps with examples and exit codes, and refuses what it does not know', async () => {
		const help = await run('--help');
		assert.equal(help.code, 0);
		assert.match(help.out, /Exit codes:/);
		assert.match((await run('explain', '--help')).out, /Examples:/);
		assert.equal((await run('tea')).code, 2);
		assert.equal((await run('explain')).code, 2);
	});
});

describe('retrywise validate', () => {
	it('names line and column of each issue', async () => {
		const path = file(
			'bad.json',
			'{\n  "maxRetries": 3,\n  "backoff": { "baseMs": -1 },\n  "tea": 1\n}\n',
		);
		const { code, out } = await run('validate', path);
		assert.equal(code, 1);
		assert.match(out, /bad\.json:3:16: .*baseMs/);
		assert.match(out, /bad\.json:4:3: unknown-field/);
		assert.equal(out.includes('\x1b'), false, 'no colours outside a terminal');
	});

	it('takes a good policy, and says so to programs too', async () => {
		const path = file('good.json', '{ "maxRetries": 3 }');
		assert.equal((await run('validate', path)).code, 0);
		const { out } = await run('validate', '--json', path);
		assert.deepEqual(JSON.parse(out), [{ file: path, valid: true, issues: [] }]);
	});

	it('places a syntax error and tells an unreadable file apart', async () => {
		const broken = await run('validate', file('broken.json', '{\n  "maxRetries": }\n'));
		assert.equal(broken.code, 1);
		assert.match(broken.out, /broken\.json:2:\d+: syntax/);
		assert.equal((await run('validate', join(folder, 'none.json'))).code, 2);
	});
});

describe('retrywise explain', () => {
	it('answers what would be decided, and why', async () => {
		const { code, out } = await run(
			'explain',
			'--status',
			'429',
			'--header',
			'Retry-After: 5',
			'--json',
		);
		assert.equal(code, 0);
		const { verdict, reason, delayMs, class: found, hintSource } = JSON.parse(out);
		assert.deepEqual(
			{ verdict, reason, delayMs, found, hintSource },
			{
				verdict: 'retry',
				reason: 'server-hint',
				delayMs: 5000,
				found: 'throttled',
				hintSource: 'retry-after',
			},
		);
	});

	it('counts the attempts before, speaks Arabic, and gives the verdict as exit code on demand', async () => {
		const last = ['explain', '--status', '503', '--attempt', '6', '--lang', 'ar'];
		const { code, out } = await run(...last);
		assert.equal(code, 0);
		assert.match(out, /retries-exhausted/);
		assert.match(out, /[\u0600-\u06ff]{3}/);
		assert.equal((await run(...last, '--exit-code')).code, 11);
		assert.equal((await run('explain', '--error', 'ECONNREFUSED', '--exit-code')).code, 10);
	});
});

describe('retrywise simulate', () => {
	it('shows the four times, and what the budget makes of it', async () => {
		const { out } = await run('simulate', 'storm');
		assert.match(out, /naive +\S+ +4\.00×/);
		assert.match(out, /budget .*1\.11× +1\.11×/);
		const { out: text } = await run('simulate', 'storm', '--json');
		const { naive, budget } = JSON.parse(text);
		assert.equal(naive.peak, 4000);
		assert.equal(budget.withinBudget, true);
		assert.ok(budget.window <= budget.bound);
	});

	it('writes a table for spreadsheets, of one policy', async () => {
		const policy = file('one.json', '{ "maxRetries": 0, "breaker": null }');
		const { out } = await run('simulate', 'storm', '--policy', policy, '--csv', '--seconds', '20');
		const [heading, first] = out.split('\r\n');
		assert.equal(heading, 'policy,second,asked,sent,granted,succeeded,failed,refused');
		assert.match(first, /,0,1000,1000,0,989,0,0$/);
	});

	it('repeats the published contest and the layers', async () => {
		const exact = [
			'simulate',
			'contest',
			'--clients',
			'10',
			'--deviation-us',
			'0',
			'--runs',
			'1',
			'--json',
		];
		const rows = JSON.parse((await run(...exact)).out);
		assert.deepEqual(
			rows.slice(0, 2).map(({ strategy, calls, timeMs }) => [strategy, calls.mean, timeMs.mean]),
			[
				['none', 55, 400],
				['exponential', 55, 4950],
			],
		);
		const layers = await run('simulate', 'layers', '--calls', '1', '--json');
		assert.deepEqual(JSON.parse(layers.out), { sent: [3, 9] });
	});
});

describe('retrywise replay', () => {
	const steps = [
		{ at: 0, op: 'begin', call: 'a', expect: { admitted: true } },
		{
			at: 40,
			op: 'settle',
			call: 'a',
			outcome: { status: 429, headers: [['retry-after', '5']] },
			wall: '2026-01-15T12:00:00Z',
			expect: { verdict: 'retry', attempt: 2, delayMs: 5000, reason: 'server-hint' },
		},
		{ at: 5040, op: 'resume', call: 'a', expect: { admitted: true } },
		{ at: 5090, op: 'settle', call: 'a', outcome: { status: 200 }, expect: { verdict: 'accept' } },
	];
	const trace = (policy) => `${JSON.stringify({ id: 'hint', policy, seed: 7, steps })}\n`;

	it('tells each step with its reason, and finds no difference in a true recording', async () => {
		const { code, out } = await run('replay', file('true.jsonl', trace({ maxRetries: 2 })));
		assert.equal(code, 0, out);
		assert.match(out, /settle a: verdict retry, attempt 2, delayMs 5000, reason server-hint/);
		assert.match(out, /1 traces, 0 differences/);
	});

	it('shows where another policy decides otherwise', async () => {
		const { code, out } = await run(
			'replay',
			file('other.jsonl', trace({ hint: { mode: 'ignore' } })),
		);
		assert.equal(code, 1);
		assert.match(out, /recorded reason "server-hint", now "backoff"/);
		assert.equal((await run('replay', file('no.jsonl', '{}'))).code, 2);
	});
});

describe('retrywise serve', () => {
	it('serves what the script says until it is told to end', async () => {
		const server = spawn(process.execPath, [MAIN, 'serve', '--script', '503,201', '--json'], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		try {
			const line = await new Promise((resolve, reject) => {
				server.stdout.once('data', (data) => resolve(String(data)));
				server.once('exit', () => reject(new Error('the server ended')));
			});
			const { url } = JSON.parse(line);
			const post = () => fetch(url, { method: 'POST', body: '{}' });
			assert.deepEqual([(await post()).status, (await post()).status], [503, 201]);
		} finally {
			server.kill('SIGTERM');
		}
		const code = await new Promise((resolve) => server.once('exit', resolve));
		assert.equal(code, 0);
	});

	it('refuses a script that it does not understand', async () => {
		const { code, problem } = await run('serve', '--script', 'tea');
		assert.equal(code, 2);
		assert.match(problem, /tea/);
	});
});

it('the command is what the package names', () => {
	const { bin } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
	assert.equal(bin.retrywise, 'dist/cli/main.js');
});
