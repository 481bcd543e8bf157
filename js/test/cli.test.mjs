/** The command: policies, explanations, recordings, help and completion. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { file, folder, MAIN, run } from './support/cli.mjs';

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
		assert.match(out, /7 +retries +stop: retries-exhausted .*الإعادات حتى الآن: 5; .*maxRetries/);
		assert.match(out, /[\u0600-\u06ff]{3}/);
		assert.equal((await run(...last, '--exit-code')).code, 11);
		assert.equal((await run('explain', '--error', 'ECONNREFUSED', '--exit-code')).code, 10);
	});
});

describe('retrywise explain, as a table', () => {
	it('shows every step that was taken, with its numbers, to the one that ends it', async () => {
		const { out } = await run('explain', '--status', '429', '--header', 'Retry-After: 5');
		assert.match(out, /class +throttled, by status/);
		assert.match(out, /delivery +not_processed, proof: status/);
		assert.match(out, /hint +5000 ms, by Retry-After: 5/);
		assert.match(
			out,
			/ 9 +delay +pass .*the curve gives 500 ms.*the server asked for 5000 ms.*the wait is 5000 ms/,
		);
		assert.match(out, /14 +retry +retry: server-hint/);
		const { out: text } = await run('explain', '--status', '404', '--json');
		const { steps, reason } = JSON.parse(text);
		assert.deepEqual(
			steps.map(({ step, result }) => [step, result]),
			[
				['success', 'pass'],
				['cancelled', 'pass'],
				['veto', 'pass'],
				['permanent', 'stop'],
			],
		);
		assert.equal(steps.at(-1).reason, reason);
	});

	it('says what it cannot use', async () => {
		const policy = file('wrong.json', '{ "maxRetries": -1 }');
		const invalid = await run('explain', '--status', '503', '--policy', policy);
		assert.deepEqual([invalid.code, /maxRetries/.test(invalid.problem)], [2, true]);
		const late = await run('explain', '--status', '503', '--attempt', '9');
		assert.deepEqual([late.code, /attempt 7 is never sent/.test(late.problem)], [2, true]);
		assert.equal((await run('explain', '--status', '503', '--header', 'tea')).code, 2);
	});
});

describe('every command', () => {
	it('helps with examples', async () => {
		const { out } = await run('--help');
		const names = [...out.matchAll(/^ {2}([a-z]+) .*/gm)].map(([, name]) => name);
		const commands = names.filter((name) => name !== 'help' && !/^\d/.test(name));
		assert.ok(commands.length >= 7, commands.join());
		for (const name of commands) {
			const help = await run(name, '--help');
			assert.equal(help.code, 0, name);
			const [, further = ''] = help.out.split('\nCommands:\n');
			const below = [...further.matchAll(/^ {2}([a-z]+) .*/gm)].map(([, name]) => name);
			for (const deeper of below.filter((name) => name !== 'help')) {
				assert.match((await run(name, deeper, '--help')).out, /Examples:/, `${name} ${deeper}`);
			}
			if (below.length === 0) {
				assert.match(help.out, /Examples:/, name);
			}
		}
	});

	it('colours only on a terminal, and not where NO_COLOR says so', async () => {
		const path = file('tinted.json', '{}');
		// What Python starts this way has a terminal.
		const terminal = 'import pty, sys; pty.spawn(sys.argv[1:])';
		const onTerminal = (env) =>
			new Promise((resolve, reject) => {
				const words = ['-c', terminal, process.execPath, MAIN, 'validate', path];
				execFile('python3', words, { env: { ...process.env, ...env } }, (error, out) => {
					error ? reject(error) : resolve(out);
				});
			});
		const tinted = await onTerminal({ NO_COLOR: '' });
		assert.ok(tinted.includes('\x1b[32m'), tinted);
		assert.equal((await onTerminal({ NO_COLOR: '1' })).includes('\x1b['), false);
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
		const stricter = file('stricter.json', '{ "maxRetries": 0 }');
		const recorded = file('mine.jsonl', trace({ maxRetries: 2 }));
		const again = await run('replay', recorded, '--policy', stricter);
		assert.equal(again.code, 1);
		assert.match(again.out, /recorded verdict "retry", now "stop"/);
	});
});

describe('retrywise completion', () => {
	/** What bash would offer after these words. */
	const offered = async (...words) => {
		const script = file('complete.bash', (await run('completion', 'bash')).out);
		const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
		const ask = `source ${script}; ${set}; _retrywise; printf '%s\\n' "\${COMPREPLY[@]}"`;
		return new Promise((resolve, reject) => {
			execFile('bash', ['-c', ask], { cwd: folder }, (error, out) => {
				error ? reject(error) : resolve(out.trim().split('\n'));
			});
		});
	};

	it('completes commands, their options and choices in bash', async () => {
		assert.deepEqual(await offered('retrywise', 'ex'), ['explain']);
		assert.ok((await offered('retrywise', '')).includes('check'));
		assert.deepEqual(await offered('retrywise', 'simulate', 'st'), ['storm']);
		assert.ok((await offered('retrywise', 'simulate', 'storm', '--')).includes('--svg'));
		assert.deepEqual(await offered('retrywise', 'explain', '--lang', ''), ['en', 'ar']);
		assert.deepEqual(await offered('retrywise', 'completion', 'z'), ['zsh']);
		file('a-policy.json', '{}');
		const files = await offered('retrywise', 'validate', 'a-pol');
		assert.deepEqual(files, ['a-policy.json']);
	});

	it('prints scripts for zsh and fish, and knows no other shell', async () => {
		const zsh = (await run('completion', 'zsh')).out;
		assert.match(zsh, /^#compdef retrywise\n.*bashcompinit/s);
		const fish = (await run('completion', 'fish')).out;
		assert.match(fish, /complete -c retrywise .*-a simulate -d/);
		assert.match(fish, /__fish_seen_subcommand_from explain' -l lang -x -a 'en ar'/);
		assert.equal((await run('completion', 'cmd')).code, 2);
	});
});

it('the command is what the package names', () => {
	const { bin } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
	assert.equal(bin.retrywise, 'dist/cli/main.js');
});
