import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import { hooks, verdictOf } from 'retrywise/axios';
import { callsUnderWay } from 'retrywise/internal';
import { failure } from './support/promises.mjs';
import { resets, startServer, statuses } from './support/server.mjs';

/** Short waits without chance. */
const SHORT = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 20, capMs: 80 } };

/** A client with the real axios-retry under a policy, a server, and what the hooks decided. */
async function setUp(
	t,
	handle,
	policy = SHORT,
	{ config = {}, options = {}, hookOptions = {} } = {},
) {
	const server = await startServer(handle);
	t.after(() => server.close());
	const client = axios.create({ baseURL: server.url, ...config });
	const delays = [];
	axiosRetry(client, {
		...hooks(policy, hookOptions),
		onRetry: (count, error) => void delays.push([count, verdictOf(error).delayMs]),
		...options,
	});
	return { server, client, delays };
}

test("a server that is away twice is asked three times, after the policy's waits", async (t) => {
	const { server, client, delays } = await setUp(t, statuses(503, 503, 200));
	const { status } = await client.get('/');
	assert.equal(status, 200);
	assert.deepEqual(delays, [
		[1, 20],
		[2, 40],
	]);
	const [first, second] = server.gaps();
	assert.ok(first >= 18 && second >= 38, `${first} ${second}`);
	assert.equal(server.log.length, 3);
});

test("the policy's retries are the bound, and the last error comes out", async (t) => {
	const { server, client } = await setUp(t, statuses(503));
	const error = await failure(client.get('/'));
	assert.equal(error.response.status, 503);
	assert.equal(server.log.length, 4);
	assert.equal(verdictOf(error).reason, 'retries-exhausted');
	assert.equal(error.config['axios-retry'].retryCount, 3);
});

test('onMaxRetryTimesExceeded is called when the retries are used up, and only then', async (t) => {
	const calls = [];
	const options = {
		onMaxRetryTimesExceeded: (error, count) => void calls.push([error.response.status, count]),
	};
	const { client } = await setUp(t, statuses(503), SHORT, { options });
	await failure(client.get('/'));
	assert.deepEqual(calls, [[503, 3]]);
	const { client: other } = await setUp(t, statuses(404), SHORT, { options });
	await failure(other.get('/'));
	assert.equal(calls.length, 1);
});

test('a 404 is final at once', async (t) => {
	const { server, client } = await setUp(t, statuses(404));
	const error = await failure(client.get('/'));
	assert.equal(verdictOf(error).reason, 'permanent');
	assert.equal(server.log.length, 1);
});

test('Retry-After is obeyed, in seconds and as a date, in any case', async (t) => {
	for (const headers of [
		{ 'Retry-After': '1' },
		{ 'retry-after': new Date(Date.now() + 2000).toUTCString() },
	]) {
		const { server, client, delays } = await setUp(t, statuses([429, headers], 200));
		await client.get('/');
		const [[, delay]] = delays;
		assert.ok(delay > 20 && delay <= 2000, String(delay));
		assert.ok(server.gaps()[0] >= delay - 2);
	}
});

test('a hostile Retry-After is bounded or given up on', async (t) => {
	const hostile = statuses([429, { 'Retry-After': '86400' }], 200);
	const { client, delays } = await setUp(t, hostile, { ...SHORT, hint: { maxMs: 50 } });
	await client.get('/');
	assert.deepEqual(delays, [[1, 50]]);
	const strict = await setUp(t, hostile, { ...SHORT, hint: { maxMs: 50, beyond: 'give-up' } });
	const error = await failure(strict.client.get('/'));
	assert.deepEqual(
		[verdictOf(error).reason, verdictOf(error).hintMs],
		['hint-too-long', 86_400_000],
	);
});

test('a POST whose connection broke is not sent again', async (t) => {
	const { server, client } = await setUp(t, resets(1));
	const error = await failure(client.post('/', { amount: 5 }));
	assert.equal(error.code, 'ECONNRESET');
	assert.equal(verdictOf(error).reason, 'unsafe-to-repeat');
	assert.equal(server.log.length, 1);
});

test('a POST with a key that the server honours is sent again, with the same key', async (t) => {
	const policy = { ...SHORT, idempotency: { honoured: true } };
	const { server, client } = await setUp(t, resets(1), policy);
	const headers = { 'idempotency-key': 'order-1' };
	assert.equal((await client.post('/', { amount: 5 }, { headers })).status, 200);
	assert.deepEqual(
		server.log.map(({ headers, body }) => [headers['idempotency-key'], body]),
		[
			['order-1', '{"amount":5}'],
			['order-1', '{"amount":5}'],
		],
	);
	const unkeyed = await failure((await setUp(t, resets(1), policy)).client.post('/', {}));
	assert.equal(verdictOf(unkeyed).reason, 'unsafe-to-repeat');
});

test('a key that the policy would make does not count: the first attempt went without it', async (t) => {
	const policy = { ...SHORT, idempotency: { honoured: true, generate: true } };
	const { server, client } = await setUp(t, resets(1), policy);
	await failure(client.post('/', {}));
	assert.equal(server.log.length, 1);
	const get = await setUp(t, resets(1), policy);
	assert.equal((await get.client.get('/')).status, 200);
});

test('a connection that was refused is tried again, whatever the method', async (t) => {
	const probe = createServer().listen(0, '127.0.0.1');
	await new Promise((resolve) => probe.once('listening', resolve));
	const { port } = probe.address();
	await new Promise((resolve) => probe.close(resolve));
	const client = axios.create({ baseURL: `http://127.0.0.1:${port}` });
	const seen = [];
	axiosRetry(client, {
		...hooks(SHORT),
		onRetry: (count, error) => void seen.push([count, error.code]),
	});
	const error = await failure(client.post('/', {}));
	assert.deepEqual(seen, [
		[1, 'ECONNREFUSED'],
		[2, 'ECONNREFUSED'],
		[3, 'ECONNREFUSED'],
	]);
	assert.equal(verdictOf(error).reason, 'retries-exhausted');
	assert.ok(t);
});

test('a timed-out attempt is retried for a GET with the whole timeout, and not for a POST', async (t) => {
	const hang = (_request, response, count) => count < 3 || response.end('ok');
	const { server, client } = await setUp(t, hang, SHORT, { config: { timeout: 100 } });
	assert.equal((await client.get('/')).config.timeout, 100);
	assert.equal(server.log.length, 3);
	const post = await setUp(t, hang, SHORT, { config: { timeout: 100 } });
	assert.equal(verdictOf(await failure(post.client.post('/', {}))).reason, 'unsafe-to-repeat');
});

test('a cancelled request is not retried, and an abort ends the wait', async (t) => {
	const { server, client } = await setUp(t, statuses(503), {
		...SHORT,
		backoff: { jitter: 'none', baseMs: 30_000 },
	});
	const abort = new AbortController();
	setTimeout(() => abort.abort(), 60);
	const error = await failure(client.get('/', { signal: abort.signal }));
	assert.equal(error.code, 'ERR_CANCELED');
	assert.equal(verdictOf(error).reason, 'cancelled');
	assert.equal(server.log.length, 1);
});

test('the deadline counts from the first attempt, as axios-retry stamped it', async (t) => {
	const slow = (_request, response) => setTimeout(() => response.writeHead(503).end(), 120);
	const { server, client } = await setUp(t, slow, { ...SHORT, deadlineMs: 200 });
	const error = await failure(client.get('/'));
	assert.equal(verdictOf(error).reason, 'deadline');
	assert.equal(server.log.length, 2);
});

test('a body that is used up is not sent again', async (t) => {
	const { server, client } = await setUp(t, statuses(503, 200));
	const error = await failure(client.put('/', Readable.from(['abc'])));
	assert.equal(verdictOf(error).reason, 'body-consumed');
	assert.equal(server.log.length, 1);
});

test('what counts as used up are streams and generators, of any kind', () => {
	const { retryCondition } = hooks(SHORT);
	const isRepeated = (data) =>
		retryCondition({ config: { method: 'put', data }, response: { status: 503 } });
	const form = new FormData();
	for (const data of [undefined, null, 'x', new Uint8Array(1), {}, form, new Blob(['x'])]) {
		assert.equal(isRepeated(data), true);
	}
	const generator = async function* () {};
	for (const data of [{ pipe() {} }, { getReader() {} }, generator()]) {
		assert.equal(isRepeated(data), false);
	}
});

test('a config that is used again starts from nothing, one that failed stays failed', async (t) => {
	const { server, client } = await setUp(t, statuses(503));
	const config = { url: '/', headers: { 'x-own': '1' } };
	const first = await failure(client.request(config));
	await failure(client.request(config));
	assert.equal(server.log.length, 8);
	await failure(client.request(first.config));
	assert.equal(server.log.length, 9, 'sent once, and not retried');
	const stopped = await failure((await setUp(t, statuses(404))).client.get('/'));
	const again = await failure(client.request(stopped.config));
	assert.equal(verdictOf(again).kind, 'stop');
});

test('many requests at once keep their own counts', async (t) => {
	const counts = new Map();
	const handle = (request, response) => {
		const count = (counts.get(request.url) ?? 0) + 1;
		counts.set(request.url, count);
		response.writeHead(count <= Number(request.url.slice(-1)) ? 503 : 200).end();
	};
	const { client } = await setUp(t, handle);
	await Promise.all(Array.from({ length: 40 }, (_, i) => client.get(`/${i}/${i % 4}`)));
	assert.deepEqual(
		[...counts].filter(([url, count]) => count !== Number(url.slice(-1)) + 1),
		[],
	);
});

test('attached twice, a request is not retried twice as often', async (t) => {
	const { server, client } = await setUp(t, statuses(503));
	axiosRetry(client, hooks(SHORT));
	await failure(client.get('/'));
	assert.equal(server.log.length, 4);
});

test('equal seeds give equal waits', async (t) => {
	const policy = { maxRetries: 4, backoff: { baseMs: 10, capMs: 40 } };
	const run = async (seed) => {
		const { client, delays } = await setUp(t, statuses(503), policy, { hookOptions: { seed } });
		await failure(client.get('/'));
		return delays;
	};
	assert.deepEqual(await run(5), await run(5));
	assert.notDeepEqual(await run(5), await run(6));
});

test('an error object that comes back for every attempt is decided each time', async () => {
	const client = axios.create();
	let attempts = 0;
	const shared = new axios.AxiosError('always', 'ECONNREFUSED');
	client.defaults.adapter = (config) => {
		attempts += 1;
		shared.config = config;
		return Promise.reject(shared);
	};
	axiosRetry(client, hooks(SHORT));
	assert.equal(await failure(client.get('http://127.0.0.1/')), shared);
	assert.equal(attempts, 4);
});

test('lost state ends in time all the same', async () => {
	const client = axios.create();
	let attempts = 0;
	client.defaults.adapter = (config) => {
		attempts += 1;
		delete config['axios-retry'].retrywise;
		if (attempts > 20) {
			return Promise.resolve({ status: 200, config });
		}
		return Promise.reject(new axios.AxiosError('x', 'ECONNREFUSED', config));
	};
	axiosRetry(client, hooks(SHORT));
	await failure(client.get('http://127.0.0.1/'));
	assert.equal(attempts, 5, "the first, and axios-retry's own bound of one more than the policy's");
});

test('the condition of another and the delay of ours: a wait is chosen for any retry', () => {
	const { retryDelay } = hooks({ ...SHORT, hint: { maxMs: 5000 } });
	const answer = (status, headers = {}) => ({
		response: { status, headers },
		config: { method: 'get' },
	});
	assert.equal(retryDelay(1, answer(503)), 20);
	assert.equal(retryDelay(2, answer(404)), 40, 'a stop has a wait of its own');
	assert.equal(retryDelay(3, answer(404, { 'retry-after': '2' })), 2000);
	for (const count of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, undefined, '3', 1e9]) {
		for (const error of [undefined, null, 7, 'x', {}, answer(404), new Error('x')]) {
			const delay = retryDelay(count, error);
			assert.ok(Number.isInteger(delay) && delay >= 0 && delay <= 80, String(delay));
		}
	}
});

test('no delay is longer than a timer takes', () => {
	const year = { maxRetries: 3, hint: { maxMs: 31_622_400_000 } };
	const { retryDelay } = hooks(year);
	const headers = { 'retry-after': '31622400' };
	assert.equal(
		retryDelay(1, { response: { status: 503, headers }, config: { method: 'get' } }),
		2 ** 31 - 1,
	);
});

test('hooks never throw, whatever they are asked about', () => {
	const hostile = new Proxy(
		{},
		{
			get() {
				throw new Error('do not touch');
			},
		},
	);
	const { retryCondition, retryDelay } = hooks(SHORT);
	const circular = { config: {} };
	circular.cause = circular;
	const odd = [
		undefined,
		null,
		0,
		'x',
		Symbol('x'),
		hostile,
		{ config: hostile },
		circular,
		{ config: 7 },
		{ config: Object.freeze({ method: 'get' }) },
		{ config: { 'axios-retry': Object.freeze({ retryCount: 0 }), method: 'get' } },
		{ response: hostile },
		{ response: { status: Number.NaN } },
		{ response: { status: 99 } },
		{ response: { status: 1000 }, config: { method: 'get' } },
		{ response: { status: 503, headers: hostile } },
		{ config: { method: 'brew', headers: hostile } },
		{ config: { method: 7 } },
	];
	for (const error of odd) {
		assert.equal(typeof retryCondition(error), 'boolean');
		const delay = retryDelay(1, error);
		assert.ok(Number.isInteger(delay) && delay >= 0 && delay <= 80);
	}
	assert.equal(retryCondition(undefined), false);
	assert.equal(verdictOf('x'), undefined);
});

test('what hooks cannot do is listed, and stays out of the config', async (t) => {
	const asked = hooks({ ...SHORT, budget: { kind: 'tokens', capacity: 0 } });
	assert.deepEqual(asked.off, [
		'budget',
		'breaker',
		'limiter',
		'clientThrottling',
		'attemptTimeoutMs',
		'idempotency.generate',
	]);
	assert.deepEqual(Object.keys(asked).sort(), [
		'retries',
		'retryCondition',
		'retryDelay',
		'shouldResetTimeout',
	]);
	const { server, client } = await setUp(t, statuses(503, 200), {
		...SHORT,
		budget: { kind: 'tokens', capacity: 0 },
	});
	assert.equal((await client.get('/')).status, 200);
	assert.equal(server.log.length, 2);
});

test('a policy that is none is refused when the hooks are made', () => {
	assert.throws(() => hooks({ maxRetries: 'many' }), /maxRetries/);
});

test('the CommonJS builds work together', async (t) => {
	const require = createRequire(import.meta.url);
	const server = await startServer(statuses(503, 200));
	t.after(() => server.close());
	const client = require('axios').create({ baseURL: server.url });
	require('axios-retry').default(client, require('retrywise/axios').hooks(SHORT));
	assert.equal((await client.get('/')).status, 200);
	assert.equal(server.log.length, 2);
});

test('finished requests hold nothing', async (t) => {
	const before = callsUnderWay();
	const { client } = await setUp(t, statuses(503));
	for (let i = 0; i < 5; i++) {
		await failure(client.get('/'));
	}
	assert.equal(callsUnderWay(), before);
});
