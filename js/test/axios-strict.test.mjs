import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import axios from 'axios';
import { isPolicyError } from 'retrywise';
import axiosRetry, { verdictOf } from 'retrywise/axios';
import { failure } from './support/promises.mjs';
import { startServer, statuses } from './support/server.mjs';

/** Short waits without chance. */
const SHORT = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 20, capMs: 80 } };

async function setUp(t, handle, options = {}, config = {}) {
	const server = await startServer(handle);
	t.after(() => server.close());
	const client = axios.create({ baseURL: server.url, ...config });
	const ids = axiosRetry(client, { mode: 'strict', policy: SHORT, ...options });
	return { server, client, ids };
}

const reset = (request) => request.socket.resetAndDestroy();

test('the policy decides, and the stored state is still there', async (t) => {
	const { server, client } = await setUp(t, statuses(503, 503, 200));
	const { config } = await client.get('/');
	assert.equal(server.log.length, 3);
	assert.equal(config['axios-retry'].retryCount, 2);
	assert.ok(config['axios-retry'].lastRequestTime <= Date.now());
	const away = await setUp(t, statuses(503));
	const error = await failure(away.client.get('/'));
	assert.equal(error.config['axios-retry'].retryCount, 3);
	assert.equal(verdictOf(error).reason, 'retries-exhausted');
});

test('a POST on an ambiguous error is not sent twice', async (t) => {
	const { server, client } = await setUp(t, reset);
	assert.equal(verdictOf(await failure(client.post('/', {}))).reason, 'unsafe-to-repeat');
	assert.equal(server.log.length, 1);
});

test('a local error, a cancelled GET and a bad certificate are final', async (t) => {
	for (const [code, reason] of [
		['ERR_INVALID_URL', 'permanent'],
		['ERR_BAD_OPTION', 'permanent'],
		['ERR_FR_MAX_BODY_LENGTH_EXCEEDED', 'permanent'],
		['CERT_HAS_EXPIRED', 'permanent'],
		['ERR_CANCELED', 'cancelled'],
	]) {
		let attempts = 0;
		const { client } = await setUp(t, statuses(200));
		const error = await failure(
			client.get('/', {
				adapter: async (config) => {
					attempts += 1;
					throw new axios.AxiosError('x', code, config);
				},
			}),
		);
		assert.deepEqual([attempts, verdictOf(error).reason], [1, reason], code);
	}
});

test('a stream is refused instead of sending nothing', async (t) => {
	const { server, client } = await setUp(t, statuses(503, 200));
	const error = await failure(client.put('/', Readable.from(['abc'])));
	assert.equal(verdictOf(error).reason, 'body-consumed');
	assert.equal(server.log.length, 1);
});

test('a capitalised Retry-After is seen, junk is no wait of 0, and a hostile one is bounded', async (t) => {
	const slept = [];
	const clock = {
		async sleep(ms) {
			slept.push(ms);
		},
	};
	for (const value of ['1', 'junk', '86400']) {
		const handle = statuses([429, { 'Retry-After': value }], 200);
		const { client } = await setUp(t, handle, {
			policy: { ...SHORT, hint: { maxMs: 5000 } },
			clock,
		});
		await client.get('/', {
			transformResponse: [
				(data, headers) => {
					headers.delete?.('retry-after');
					return data;
				},
			],
		});
	}
	assert.deepEqual(slept, [1000, 20, 5000]);
});

test("a delay of the caller's is used where it is one, and never cuts a server's hint", async (t) => {
	const slept = [];
	const clock = {
		async sleep(ms) {
			slept.push(ms);
		},
	};
	for (const retryDelay of [
		() => 7,
		() => '8',
		() => Number.NaN,
		() => undefined,
		() => -5,
		() => Promise.resolve(9),
		axiosRetry.exponentialDelay,
	]) {
		const { client } = await setUp(t, statuses(503, 200), { retryDelay, clock });
		await client.get('/');
	}
	assert.deepEqual(slept.slice(0, -1), [7, 8, 20, 20, 20, 20]);
	assert.ok(slept.at(-1) >= 200 && slept.at(-1) < 240);
	const hinted = statuses([503, { 'retry-after': '1' }], 200);
	const { client } = await setUp(t, hinted, {
		retryDelay: () => 1,
		policy: { ...SHORT, hint: { maxMs: 5000 } },
		clock,
	});
	await client.get('/');
	assert.equal(slept.at(-1), 1000);
});

test('the order of the hooks is the old one', async (t) => {
	const seen = [];
	const { client } = await setUp(t, statuses(503), {
		policy: { ...SHORT, maxRetries: undefined },
		retries: 2,
		retryCondition: (error) => {
			seen.push(['condition', error.response.status]);
			return true;
		},
		retryDelay: (count) => {
			seen.push(['delay', count]);
			return 1;
		},
		onRetry: async (count, error, config) => {
			seen.push(['onRetry', count, error.response.status, config.url]);
		},
		onMaxRetryTimesExceeded: (_error, count) => void seen.push(['exceeded', count]),
	});
	await failure(client.get('/'));
	assert.deepEqual(seen, [
		['condition', 503],
		['delay', 1],
		['onRetry', 1, 503, '/'],
		['condition', 503],
		['delay', 2],
		['onRetry', 2, 503, '/'],
		['exceeded', 2],
	]);
});

test('a condition can forbid, and cannot allow', async (t) => {
	for (const answer of [false, Promise.resolve(false), Promise.resolve(undefined), 0]) {
		const { server, client } = await setUp(t, statuses(503), { retryCondition: () => answer });
		assert.equal((await failure(client.get('/'))).response.status, 503);
		assert.equal(server.log.length, 1);
	}
	const { server, client } = await setUp(t, statuses(404), { retryCondition: () => true });
	await failure(client.get('/'));
	assert.equal(server.log.length, 1);
});

test('onRetry vetoes by rejecting, with its own error', async (t) => {
	const { client } = await setUp(t, statuses(503), {
		onRetry: () => Promise.reject(new Error('veto')),
	});
	assert.equal((await failure(client.get('/'))).message, 'veto');
});

test('every bound that ends the retries is told, the budget for time included', async (t) => {
	const told = [];
	const onMaxRetryTimesExceeded = (error, count) =>
		void told.push([verdictOf(error)?.reason, count]);
	const cases = [
		[{ ...SHORT, maxRetries: 1 }, ['retries-exhausted', 1]],
		[{ ...SHORT, deadlineMs: 15 }, ['deadline', 0]],
		[{ ...SHORT, budget: { kind: 'tokens', capacity: 0 } }, ['budget-exhausted', 0]],
	];
	for (const [policy, expected] of cases) {
		const { client } = await setUp(t, statuses(503), { policy, onMaxRetryTimesExceeded });
		await failure(client.get('/'));
		assert.deepEqual(told.pop(), expected);
	}
	const { client } = await setUp(t, statuses(404), { onMaxRetryTimesExceeded });
	await failure(client.get('/'));
	assert.deepEqual(told, [], 'a 404 exceeds nothing');
});

test('a request has options of its own', async (t) => {
	const { server, client } = await setUp(t, statuses(503));
	await failure(client.get('/', { 'axios-retry': { retries: 0 } }));
	assert.equal(server.log.length, 1);
	await failure(client.get('/', { 'axios-retry': { retries: 1 } }));
	assert.equal(server.log.length, 3);
	await failure(client.get('/', { 'axios-retry': { retries: 9 } }));
	assert.equal(server.log.length, 7, 'the policy stays the bound');
});

test('validateResponse resolves what it accepts and rejects what it refuses', async (t) => {
	const validateResponse = ({ status }) => status === 404;
	const { client } = await setUp(t, statuses(404, 200), { validateResponse });
	assert.equal((await client.get('/')).status, 404);
	const error = await failure(client.get('/'));
	assert.ok(axios.isAxiosError(error));
	assert.equal(error.response.status, 200);
});

test('the ids eject it', async (t) => {
	const { server, client, ids } = await setUp(t, statuses(503));
	client.interceptors.request.eject(ids.requestInterceptorId);
	client.interceptors.response.eject(ids.responseInterceptorId);
	await failure(client.get('/'));
	assert.equal(server.log.length, 1);
});

test('what strict mode cannot follow is refused when it is set up', () => {
	const client = axios.create();
	const set = (options) => () => axiosRetry(client, { mode: 'strict', ...options });
	assert.throws(set({ policy: { maxRetries: 'many' } }), isPolicyError);
	assert.throws(set({ shouldResetTimeout: false }), /deadlineMs/);
	assert.equal(client.interceptors.request.handlers.length, 0);
});

test('where the module is fetched later, strict mode does the same', async (t) => {
	const { default: later } = await import('../dist/base64/axios.js');
	const server = await startServer(statuses(503, 503, 200));
	t.after(() => server.close());
	const client = axios.create({ baseURL: server.url });
	const { responseInterceptorId } = later(client, { mode: 'strict', policy: SHORT });
	assert.equal(typeof responseInterceptorId, 'number');
	assert.equal((await client.get('/')).status, 200);
	assert.equal(server.log.length, 3);
	const bad = axios.create({ baseURL: server.url });
	later(bad, { mode: 'strict', policy: { maxRetries: 'many' } });
	assert.equal((await failure(bad.get('/'))).name, 'PolicyError');
	// Attached again, the first one is out.
	later(client, { mode: 'strict', policy: { ...SHORT, maxRetries: 0 } });
	assert.equal((await client.get('/')).status, 200);
	assert.equal(server.log.length, 4);
});
