/** `retrywise check` and `serve`: programs in any language against the faulty server. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { file, folder, MAIN, run } from './support/cli.mjs';

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
	for (const [program, extension] of [
		['node', 'mjs'],
		['python3', 'py'],
	]) {
		it(`judges a program in ${program}`, async () => {
			const client = file(`client.${extension}`, CLIENTS[program]);
			const path = file(`${program}.json`, JSON.stringify(scenario));
			const { code, out, problem } = await run('check', path, '--', program, client, '{url}');
			assert.equal(code, 0, out + problem);
			assert.match(out, /✓ an order/);
			assert.match(out, /✓ withinEnvelope: \d+ ms of 20 ms/);
			assert.match(out, /1 passed, 0 failed/);
		});
	}

	it('judges curl, and takes several scenarios from one file', async () => {
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
