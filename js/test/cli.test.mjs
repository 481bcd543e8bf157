import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
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
		assert.match(out, /7 +retries +stop: retries-exhausted .*retriesMade 5, maxRetries 5/);
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
		assert.match(out, / 8 +delay +pass .*curve 500 ms.*hint 5000 ms.*delay 5000 ms/);
		assert.match(out, /11 +retry +retry: server-hint/);
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

describe('retrywise simulate --svg', () => {
	it('draws the same figures, and says what it needs', async () => {
		for (const [name, mark, count] of [
			['storm', 'naive', 7],
			['contest', 'decorrelated', 2],
			['layers', 'layer 2', 1],
		]) {
			const path = join(folder, `${name}.svg`);
			const { code, problem } = await run('simulate', name, '--svg', path, '--json');
			assert.equal(code, 0, problem);
			const svg = readFileSync(path, 'utf8');
			assert.match(svg, /^<svg[^>]* xmlns="http:\/\/www.w3.org\/2000\/svg"/);
			assert.equal(svg.split(`>${mark}<`).length - 1, name === 'storm' ? 1 : count, name);
		}
		const nowhere = await run('simulate', 'layers', '--svg', join(folder, 'no', 'such.svg'));
		assert.equal(nowhere.code, 2);
	});
});

describe('retrywise check', () => {
	/** A client with two retries and no wait worth the name, in the language of its name. */
	const CLIENTS = {
		node: `
			const [, , url] = process.argv;
			for (let attempt = 1; ; attempt += 1) {
				const send = fetch(url, { method: 'POST', headers: { 'idempotency-key': 'k' }, body: '{}' });
				const answer = await send.catch(() => undefined);
				if (answer?.ok || attempt === 3) process.exit(answer?.ok ? 0 : 1);
				await new Promise((resolve) => setTimeout(resolve, 10));
			}`,
		python3: `
import os, sys, time, urllib.request, urllib.error
for attempt in range(3):
    try:
        request = urllib.request.Request(os.environ["RETRYWISE_URL"], b"{}", {"Idempotency-Key": "k"})
        urllib.request.urlopen(request)
        sys.exit(0)
    except (urllib.error.URLError, ConnectionError):
        time.sleep(0.01)
sys.exit(1)`,
	};
	const scenario = {
		name: 'an order',
		script: '503,reset-after,201',
		policy: { maxRetries: 2, backoff: { baseMs: 10, capMs: 10, jitter: 'none' } },
		expect: { attempts: 3, resources: 1, status: 201, headers: { 'idempotency-key': 'k' } },
	};
	const there = (program) =>
		new Promise((resolve) => execFile(program, ['--version'], (error) => resolve(!error)));

	for (const [program, extension] of [
		['node', 'mjs'],
		['python3', 'py'],
	]) {
		it(`judges a program in ${program}`, async (t) => {
			if (!(await there(program))) {
				t.skip(`${program} is not here`);
				return;
			}
			const client = file(`client.${extension}`, CLIENTS[program]);
			const path = file(`${program}.json`, JSON.stringify(scenario));
			const { code, out, problem } = await run('check', path, '--', program, client, '{url}');
			assert.equal(code, 0, out + problem);
			assert.match(out, /✓ an order/);
			assert.match(out, /✓ withinEnvelope: \d+ ms of 20 ms/);
			assert.match(out, /1 passed, 0 failed/);
		});
	}

	it('judges curl, and takes several scenarios from one file', async (t) => {
		if (!(await there('curl'))) {
			t.skip('curl is not here');
			return;
		}
		const path = file(
			'curl.json',
			JSON.stringify([
				{ name: 'in the end', script: '503;retry-after=0,200', expect: { attempts: 2 } },
				{ name: 'never', script: '404', expect: { succeeds: false, attempts: 1 } },
			]),
		);
		const words = ['curl', '--silent', '--fail', '--retry', '2', '--retry-delay', '1', '{url}/x'];
		const { code, out } = await run('check', path, '--', ...words);
		assert.equal(code, 0, out);
		assert.match(out, /2 passed, 0 failed/);
	});

	it('fails with a readable report, and one for programs', async () => {
		const path = file('strict.json', JSON.stringify({ ...scenario, script: '503,503,503' }));
		const client = file('client2.mjs', CLIENTS.node);
		const { code, out } = await run('check', path, '--', process.execPath, client, '{url}/orders');
		assert.equal(code, 1);
		assert.match(out, /✗ succeeds: expected true, found false \(exit code 1\)/);
		assert.match(out, /✗ resources: expected 1, found 0/);
		assert.match(out, /POST \/orders, key k/);
		const asJson = ['check', path, '--json', '--', process.execPath, client, '{url}/orders'];
		const [report] = JSON.parse((await run(...asJson)).out);
		assert.equal(report.passed, false);
		assert.equal(report.calls[0].requests.length, 3);
	});

	it('ends a program that never does', async () => {
		const path = file('long.json', '{ "script": "200", "timeoutMs": 300 }');
		const forever = file('forever.mjs', 'setInterval(() => {}, 1000);');
		const { code, out } = await run('check', path, '--', process.execPath, forever);
		assert.equal(code, 1);
		assert.match(out, /longer than 300 ms/);
	});

	it('tells a wrong file and a wrong command from a failed scenario', async () => {
		const wrong = [
			['{ "script": "503" ', /JSON/],
			['{ "scrip": "503" }', /no field "scrip" \(known: name, script/],
			['{ "script": "503,bang" }', /bang/],
			['{ "script": "200", "expect": { "attempts": "3" } }', /attempts must be a whole number/],
			['{ "script": "200", "policy": { "maxRetries": -1 } }', /maxRetries/],
			['{ "script": "200", "expect": { "withinEnvelope": true } }', /needs a policy/],
			['{}', /script is missing/],
			['[]', /no scenario/],
		];
		for (const [text, message] of wrong) {
			const { code, problem } = await run('check', file('wrong.json', text), '--', 'true');
			assert.equal(code, 2, text);
			assert.match(problem, message);
		}
		const good = file('good-scenario.json', '{ "script": "200" }');
		const { code, problem } = await run('check', good, '--', join(folder, 'no-such-program'));
		assert.deepEqual([code, /cannot be run/.test(problem)], [2, true]);
		assert.equal((await run('check', good)).code, 2);
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

	it('colours only on a terminal, and not where NO_COLOR says so', async (t) => {
		const path = file('tinted.json', '{}');
		// `script` gives a command a terminal.
		const onTerminal = (env) =>
			new Promise((resolve) => {
				const words = ['-qec', `'${process.execPath}' '${MAIN}' validate '${path}'`, '/dev/null'];
				execFile('script', words, { env: { ...process.env, ...env } }, (error, out) => {
					resolve(error?.code === 'ENOENT' ? undefined : out);
				});
			});
		const tinted = await onTerminal({ NO_COLOR: '' });
		if (tinted === undefined) {
			t.skip('script is not here');
			return;
		}
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

	it('speaks HTTP/2 on demand', async () => {
		const words = ['serve', '--http2', '--script', 'refused-stream,200', '--json'];
		const server = spawn(process.execPath, [MAIN, ...words], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		try {
			const line = await new Promise((resolve) => server.stdout.once('data', resolve));
			const session = connect(JSON.parse(String(line)).url);
			const ask = () =>
				new Promise((resolve) => {
					const stream = session.request({ ':path': '/' });
					stream.on('response', (head) => resolve(head[':status']));
					stream.on('error', (error) => resolve(error.code));
					stream.resume();
				});
			assert.deepEqual([await ask(), await ask()], ['ERR_HTTP2_STREAM_ERROR', 200]);
			session.destroy();
		} finally {
			server.kill('SIGTERM');
		}
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
