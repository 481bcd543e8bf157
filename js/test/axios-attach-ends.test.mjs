/** The plugin: what ends a call early, by its caller, its clock or its upstream. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import axios from 'axios';
import { isRetryRefused } from 'retrywise';
import { verdictOf } from 'retrywise/axios';
import { callsUnderWay } from 'retrywise/internal';
import { inModes, LONG, SHORT } from './support/attach.mjs';
import { failure, withResolvers } from './support/promises.mjs';
import { statuses } from './support/server.mjs';

inModes((inMode, set) => {
	inMode('an abort ends the wait at once and leaves nothing', async (t) => {
		const before = callsUnderWay();
		const abort = new AbortController();
		const { server, client, settled } = await set(t, statuses(503), LONG, {
			onRetry: () => void setTimeout(() => abort.abort(), 20),
		});
		const { signal } = abort;
		let listeners = 0;
		const [add, remove] = [signal.addEventListener, signal.removeEventListener];
		signal.addEventListener = (...args) => {
			listeners += 1;
			return add.apply(signal, args);
		};
		signal.removeEventListener = (...args) => {
			listeners -= 1;
			return remove.apply(signal, args);
		};
		const started = performance.now();
		const error = await failure(client.get('/', { signal }));
		assert.ok(performance.now() - started < 10_000);
		assert.ok(axios.isCancel(error));
		assert.equal(error.code, 'ERR_CANCELED');
		assert.equal(server.log.length, 1);
		assert.deepEqual(settled, [[1, 'stop', 'cancelled']]);
		assert.equal(listeners, 0);
		assert.equal(callsUnderWay(), before);
	});

	inMode('a cancel token ends the wait at once too', async (t) => {
		const before = callsUnderWay();
		const source = axios.CancelToken.source();
		const { server, client, settled } = await set(t, statuses(503), LONG, {
			onRetry: () => void setTimeout(() => source.cancel('enough'), 20),
		});
		const error = await failure(client.get('/', { cancelToken: source.token }));
		assert.ok(axios.isCancel(error));
		assert.equal(error.message, 'enough');
		assert.equal(server.log.length, 1);
		assert.deepEqual(settled, [[1, 'stop', 'cancelled']]);
		assert.equal(source.token._listeners?.length ?? 0, 0);
		assert.equal(callsUnderWay(), before);
	});

	inMode('a request that is cancelled while it is under way is not sent again', async (t) => {
		let cancel;
		const { server, client } = await set(t, () => cancel());
		for (const by of ['signal', 'token']) {
			const abort = new AbortController();
			const source = axios.CancelToken.source();
			cancel = () => (by === 'signal' ? abort.abort() : source.cancel());
			const config = { signal: abort.signal, cancelToken: source.token };
			assert.ok(axios.isCancel(await failure(client.get('/', config))));
		}
		assert.equal(server.log.length, 2);
	});

	inMode('an open breaker refuses before anything is sent; a fallback may stand in', async (t) => {
		const policy = { maxRetries: 0, breaker: { kind: 'consecutive', failures: 2, openMs: 60_000 } };
		const { server, client, settled } = await set(t, statuses(503), policy);
		await failure(client.get('/'));
		await failure(client.get('/'));
		const error = await failure(client.get('/'));
		assert.ok(isRetryRefused(error));
		assert.equal(error.reason, 'breaker-open');
		assert.ok(error.retryInMs > 50_000 && error.retryInMs <= 60_000);
		assert.equal(error.config.url, '/');
		assert.equal(server.log.length, 2);
		assert.deepEqual(settled.at(-1), [0, 'stop', 'breaker-open']);
		assert.match(verdictOf(error).explain(), /\w/);
		const degraded = await set(t, statuses(503), policy, {
			onGiveUp: (verdict, { attempts }) => ({ data: `${verdict.reason} ${attempts}` }),
		});
		const got = [];
		for (let i = 0; i < 3; i++) {
			got.push((await degraded.client.get('/')).data);
		}
		assert.deepEqual(got, ['retries-exhausted 1', 'retries-exhausted 1', 'breaker-open 0']);
	});

	inMode('a breaker that opens in the wait ends the call with its own last error', async (t) => {
		const policy = { ...SHORT, breaker: { kind: 'consecutive', failures: 3, openMs: 100_000 } };
		const { promise: others, resolve: done } = withResolvers();
		const { promise: waits, resolve: waiting } = withResolvers();
		const sleep = () => {
			waiting();
			return others;
		};
		const { client, server } = await set(t, statuses(503), policy, { clock: { sleep } });
		const first = failure(client.get('/slow'));
		await waits;
		await Promise.all([1, 2].map(() => failure(client.post('/', {}))));
		done();
		const error = await first;
		assert.equal(error.response.status, 503);
		assert.equal(verdictOf(error).reason, 'breaker-open');
		assert.equal(server.log.length, 3);
	});

	inMode('the budget bounds the load of all calls together', async (t) => {
		const policy = { ...SHORT, breaker: null, budget: { kind: 'tokens', capacity: 28 } };
		const { server, client } = await set(t, statuses(503), policy);
		const reasons = [];
		for (let i = 0; i < 4; i++) {
			reasons.push(verdictOf(await failure(client.get('/'))).reason);
		}
		assert.equal(server.log.length, 4 + 2);
		assert.equal(reasons.at(-1), 'budget-exhausted');
	});

	inMode('the deadline bounds attempts and waits, and the attempt under way', async (t) => {
		const hang = (_request, response, count) => count < 2 || response.end('ok');
		const { server, client } = await set(t, hang, { ...SHORT, deadlineMs: 400 });
		const started = performance.now();
		const error = await failure(client.get('/'));
		assert.ok(performance.now() - started < 5000);
		assert.equal(verdictOf(error).reason, 'deadline');
		assert.equal(server.log.length, 1);
	});

	inMode(
		"an attempt's timeout is the policy's where it is shorter, and the client's else",
		async (t) => {
			const hang = (_request, response, count) => count < 2 || response.end('ok');
			const { client } = await set(
				t,
				hang,
				{ ...SHORT, attemptTimeoutMs: 100 },
				{},
				{ timeout: 9000 },
			);
			const response = await client.get('/');
			assert.equal(response.config.timeout, 9000, 'the config says what its caller said');
			const other = await set(t, hang, { ...SHORT, attemptTimeoutMs: 9000 }, {}, { timeout: 300 });
			assert.equal((await other.client.get('/')).status, 200);
		},
	);

	inMode('each attempt is sent with the shorter of both limits', async (t) => {
		for (const [attemptTimeoutMs, timeout, expected] of [
			[100, 9000, 100],
			[9000, 300, 300],
			[100, 0, 100],
			[100, undefined, 100],
			[null, 300, 300],
		]) {
			const sent = [];
			const adapter = async (config) => {
				sent.push(config.timeout);
				return { status: 200, statusText: '', headers: {}, data: '', config };
			};
			const policy = { ...SHORT, attemptTimeoutMs };
			const { client } = await set(t, statuses(200), policy, {}, { adapter, timeout });
			await client.get('/');
			assert.deepEqual(sent, [expected], `${attemptTimeoutMs} ${timeout}`);
		}
	});
});

test('unref: a wait does not keep the process', async () => {
	const { execFile } = await import('node:child_process');
	const { promisify } = await import('node:util');
	const script = `
		import axios from 'axios';
		import { attach } from 'retrywise/axios';
		const client = axios.create({ adapter: async (config) => {
			throw new axios.AxiosError('no', 'ECONNREFUSED', config);
		} });
		attach(client, { maxRetries: 1, backoff: { jitter: 'none', baseMs: 30000 } }, { unref: true });
		client.get('http://127.0.0.1/').catch(() => {});
		process.on('exit', () => console.log('gone'));
	`;
	const { stdout } = await promisify(execFile)(
		process.execPath,
		['--input-type=module', '-e', script],
		{ cwd: new URL('.', import.meta.url), timeout: 20_000 },
	);
	assert.equal(stdout.trim(), 'gone');
});
