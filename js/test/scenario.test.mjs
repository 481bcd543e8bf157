import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import axios from 'axios';
import { createUpstream, retry } from 'retrywise';
import { attach } from 'retrywise/axios';
import { withRetry } from 'retrywise/fetch';
import {
	envelopeOf,
	playScenario,
	recordTrace,
	runScenario,
	ScenarioFailed,
	startFaultyServer,
	virtualClock,
} from 'retrywise/testing';

const post = { method: 'POST', path: '/orders', body: '{"amount":5}', key: 'order-1' };
const honoured = { idempotency: { honoured: true } };

describe('a virtual clock', () => {
	it('passes at once, and fires what becomes due in its order', async () => {
		const clock = virtualClock();
		const fired = [];
		clock.after(50, () => fired.push(`second at ${clock.now()}`));
		const cancel = clock.after(40, () => fired.push('never'));
		clock.after(30, () => fired.push(`first at ${clock.now()}`));
		cancel();
		await clock.sleep(60_000);
		assert.deepEqual(fired, ['first at 30', 'second at 50']);
		assert.deepEqual([clock.now(), clock.wall() - Date.UTC(2026, 0, 15, 12)], [60_000, 60_000]);
		assert.deepEqual(clock.slept, [60_000]);
		assert.equal(clock.skip(), false);
		await assert.rejects(clock.sleep(1, AbortSignal.abort(new Error('gone'))), /gone/);
	});

	it('gives the same waits for the same seed, half a minute each, in no time', async () => {
		const waits = async () => {
			const clock = virtualClock();
			const policy = { maxRetries: 4, backoff: { baseMs: 30_000, jitter: 'equal' } };
			const failing = retry(() => Promise.reject(new Error('away')), policy, { clock, seed: 9 });
			await assert.rejects(failing, /away/);
			return clock.slept;
		};
		const first = await waits();
		assert.equal(first.length, 4);
		assert.ok(first.every((ms) => ms >= 15_000));
		assert.deepEqual(await waits(), first);
	});
});

describe('the envelope of a call', () => {
	it('is what the policy allows after these failures', () => {
		const failures = [{ status: 503 }, { status: 429, headers: [['retry-after', '30']] }];
		assert.deepEqual(envelopeOf({}, failures), {
			waits: [
				{ minMs: 0, maxMs: 500 },
				{ minMs: 30_000, maxMs: 30_000 },
			],
			total: { minMs: 30_000, maxMs: 30_500 },
			ends: null,
		});
		const { ends, waits } = envelopeOf({ maxRetries: 1 }, failures);
		assert.deepEqual([ends, waits.length], ['retries-exhausted', 1]);
		assert.throws(() => envelopeOf({ maxRetries: -1 }, failures), /maxRetries/);
	});

	it('holds every wait that an upstream chooses', () => {
		const headers = { 'retry-after-ms': '700' };
		const failures = [{ status: 503 }, { status: 429, headers }, { error: new Error('x') }];
		const policy = { hint: { spread: 0.5 }, backoff: { jitter: 'decorrelated' } };
		const { total } = envelopeOf(policy, [
			{ status: 503 },
			{ status: 429, headers: Object.entries(headers) },
			{ error: 'x' },
		]);
		for (let seed = 0; seed < 50; seed += 1) {
			const { call } = createUpstream(policy, { seed, clock: virtualClock() }).begin();
			let sum = 0;
			for (const failure of failures) {
				sum += call.settle(failure).delayMs;
				call.resume();
			}
			assert.ok(total.minMs <= sum && sum <= total.maxMs, `seed ${seed}: ${sum}`);
		}
	});
});

describe('a scenario', () => {
	it('proves a call on real sockets in virtual time', async () => {
		const before = performance.now();
		const report = await runScenario({
			name: 'an order through an outage',
			script: '503,429;retry-after=30,reset-after,201',
			policy: honoured,
			request: post,
			expect: { attempts: 4, resources: 1, status: 201, headers: { 'idempotency-key': 'order-1' } },
		});
		assert.ok(performance.now() - before < 20_000, 'no half minute passed');
		assert.equal(report.passed, true);
		const [call] = report.calls;
		assert.equal(call.waits.length, 3);
		assert.equal(call.waits[1].waitedMs, 30_000);
		assert.deepEqual(call.waits[1].allowed, { minMs: 30_000, maxMs: 30_000 });
		assert.equal(report.elapsedMs, call.waitedMs);
		assert.equal(report.result.status, 201);
	});

	it('is the same every time', async () => {
		const scenario = { script: '503,503,503,200', policy: {}, seed: 4 };
		const waits = async () => (await runScenario(scenario)).calls[0].waits;
		const first = await waits();
		assert.ok(first.some(({ waitedMs }) => waitedMs > 0));
		assert.deepEqual(await waits(), first);
	});

	it('lets a client that waits for a hanging server run into its timeout at once', async () => {
		const policy = { attemptTimeoutMs: 5000, backoff: { jitter: 'none' } };
		const play = (script) => runScenario({ script, policy, expect: { attempts: 2 } });
		const hung = await play('hang,200;delay=4000');
		assert.equal(hung.elapsedMs, 5000 + 500 + 4000);
		const slow = await play('200;delay=9000,200');
		assert.equal(slow.elapsedMs, 5000 + 500);
		assert.equal(slow.calls[0].requests[0].status, undefined);
		assert.equal(slow.calls[0].waits[0].waitedMs, 500);
	});

	it('finds a key that changed once, and one that an attempt went without', async () => {
		for (const [keys, found] of [
			[['a', 'b'], /several keys: a, b/],
			[['a', undefined], /several keys: a, none/],
		]) {
			const run = async ({ url }) => {
				for (const key of keys) {
					const headers = key && { 'idempotency-key': key };
					await fetch(`${url}/orders`, { method: 'POST', headers, body: '{}' });
				}
			};
			await assert.rejects(runScenario({ script: '503,201', run, expect: {} }), found);
		}
	});

	it('reads hints that are dates by the same clock', async () => {
		const { calls } = await runScenario({
			script: [{ status: 503, retryAfterDate: 20 }, 200],
			policy: {},
		});
		assert.equal(calls[0].waits[0].waitedMs, 20_000);
	});

	it('says everything that is not as expected, with the requests beside it', async () => {
		const scenario = {
			name: 'a careless client',
			script: '503,503,201',
			policy: { maxRetries: 1, backoff: { baseMs: 1000, jitter: 'none' } },
			// It knows nothing of the policy, and makes a new key for each attempt.
			run: async ({ url }) => {
				for (const key of ['a', 'b', 'c']) {
					const headers = { 'idempotency-key': key };
					const { ok } = await fetch(`${url}/orders`, { method: 'POST', headers, body: '{}' });
					if (ok) {
						return;
					}
				}
			},
			expect: { attempts: { max: 2 }, resources: 0, headers: { 'x-trace': true } },
		};
		const failed = await runScenario(scenario).then(
			() => assert.fail('it passed'),
			(error) => error,
		);
		assert.ok(failed instanceof ScenarioFailed);
		const failing = failed.report.checks.filter(({ passed }) => !passed).map(({ name }) => name);
		assert.deepEqual(failing, ['attempts', 'resources', 'sameKey', 'header x-trace']);
		assert.match(failed.message, /✗ a careless client/);
		assert.match(failed.message, /✗ attempts: expected 0 to 2, found 3/);
		assert.match(failed.message, /several keys: a, b, c/);
		assert.match(failed.message, /POST \/orders, key a/);
		assert.match(failed.message, /1 +\d+ ms .*503/);
	});

	it('catches waits that are too short, too long, and attempts beyond the last', async () => {
		const naive =
			(times, wait) =>
			async ({ url, clock }) => {
				for (let n = 0; n < times; n += 1) {
					await fetch(url);
					await clock.sleep(wait);
				}
			};
		const policy = { maxRetries: 2, backoff: { baseMs: 1000, factor: 1, jitter: 'equal' } };
		const verdict = async (times, wait) => {
			const run = naive(times, wait);
			const { checks } = await playScenario({ script: '503', policy, run });
			return checks.find(({ name }) => name === 'withinEnvelope');
		};
		assert.equal((await verdict(3, 700)).passed, true);
		assert.match(
			(await verdict(3, 100)).message,
			/attempt 2 came after 100 ms, allowed 500…1000 ms/,
		);
		assert.match((await verdict(3, 1001)).message, /came after 1001 ms/);
		assert.match(
			(await verdict(4, 700)).message,
			/attempt 4 was sent in spite of retries-exhausted/,
		);
	});

	it('expects failure where that is right', async () => {
		const report = await runScenario({
			script: '404',
			policy: {},
			expect: { succeeds: false, attempts: 1, status: 404 },
		});
		assert.equal(report.result.status, 404);
		const refused = await playScenario({ script: '404', policy: {} });
		assert.equal(refused.passed, false);
	});

	it('plays in real time, with a client of its own', async () => {
		const report = await runScenario({
			time: 'real',
			script: '503,429;retry-after-ms=40,201',
			policy: { ...honoured, backoff: { baseMs: 10, capMs: 60 } },
			run: ({ url, policy, seed }) => {
				const client = axios.create();
				attach(client, policy, { seed });
				return client.post(`${url}/orders`, {}, { headers: { 'Idempotency-Key': 'k' } });
			},
			expect: { attempts: 3, resources: 1, headers: { 'idempotency-key': 'k' } },
		});
		assert.ok(report.calls[0].waits[1].waitedMs >= 38);
		assert.ok(report.elapsedMs > 40);
	});

	it('ends a client that never does', async () => {
		const { error, passed } = await playScenario({
			script: 'hang',
			timeoutMs: 100,
			run: ({ url }) => fetch(url),
		});
		assert.equal(passed, false);
		assert.match(error.message, /longer than 100 ms/);
	});
});

it('a server on a virtual clock logs its times', async (t) => {
	const clock = virtualClock();
	const server = await startFaultyServer({ clock, script: '200;delay=70' });
	t.after(() => server.close());
	clock.advance(5);
	await (await fetch(server.url)).text();
	const [{ atMs, endedMs, answerHeaders }] = server.requests;
	assert.deepEqual([atMs, endedMs], [5, 75]);
	assert.equal(answerHeaders.date, 'Thu, 15 Jan 2026 12:00:00 GMT');
});

it('a recording is replayed without a difference, and shows what another policy changes', async () => {
	const policy = {
		idempotency: { honoured: true },
		breaker: { kind: 'consecutive', failures: 3, openMs: 400 },
		backoff: { baseMs: 100 },
	};
	const clock = virtualClock();
	const upstream = createUpstream(policy, { seed: 11, clock });
	const trace = recordTrace(upstream, { id: 'an afternoon', policy, seed: 11 });
	const hint = [{ status: 429, retryAfterMs: 250, headers: { 'set-cookie': 'secret=1' } }, 200];
	const server = await startFaultyServer({
		clock,
		script: { default: '503', routes: { '/hint': hint, '/reset': 'reset,reset,200' } },
	});
	const send = withRetry(fetch, upstream);
	const key = { 'Idempotency-Key': 'order-1', authorization: 'secret=2' };
	await (await send(`${server.url}/hint`)).text();
	await (await send(`${server.url}/reset`, { method: 'POST', headers: key, body: '{}' })).text();
	await send(`${server.url}/down`);
	await assert.rejects(send(`${server.url}/down`), /breaker-open/);
	await server.close();

	const text = JSON.stringify(trace);
	assert.equal(text.includes('secret'), false, text);
	assert.ok(trace.steps.length >= 12, text);
	const folder = mkdtempSync(join(tmpdir(), 'retrywise-trace-'));
	try {
		const [recording, other] = [join(folder, 'trace.jsonl'), join(folder, 'policy.json')];
		writeFileSync(recording, `${text}\n`);
		writeFileSync(other, '{ "hint": { "mode": "ignore" }, "idempotency": { "honoured": true } }');
		const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
		const replayed = spawnSync(process.execPath, [main, 'replay', recording], { encoding: 'utf8' });
		assert.equal(replayed.status, 0, replayed.stdout + replayed.stderr);
		assert.match(replayed.stdout, /1 traces, 0 differences/);
		const words = [main, 'replay', recording, '--policy', other];
		const changed = spawnSync(process.execPath, words, { encoding: 'utf8' });
		assert.equal(changed.status, 1);
		assert.match(changed.stdout, /recorded reason "server-hint", now "backoff"/);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
