/** The same answers whichever adapter of axios sends: Node's, the browser's old one, fetch. */

import './support/xhr.mjs';
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import axios from 'axios';
import { attach, verdictOf } from 'retrywise/axios';
import { callsUnderWay } from 'retrywise/internal';
import { failure } from './support/promises.mjs';
import { startServer, statuses } from './support/server.mjs';

const SHORT = { maxRetries: 2, backoff: { jitter: 'none', baseMs: 10, capMs: 40 } };
const KEYED = { ...SHORT, idempotency: { honoured: true, generate: true } };

for (const adapter of ['http', 'xhr', 'fetch']) {
	for (const mode of ['interceptor', 'adapter']) {
		const on = (name, script) =>
			test(`${adapter}, ${mode} mode: ${name}`, async (t) => {
				await script(async (handle, policy = SHORT, config = {}) => {
					const server = await startServer(handle);
					t.after(() => server.close());
					const client = axios.create({ baseURL: server.url, adapter, ...config });
					const retries = [];
					attach(client, policy, {
						mode,
						onRetry: ({ reason, delayMs }) => void retries.push([reason, delayMs]),
					});
					return { server, client, retries };
				});
			});
		/** Answers nothing to the first requests. */
		const hangs = (count) => (_request, response, n) => n <= count || response.end('ok');

		on('a POST that timed out is not sent twice', async (set) => {
			for (const timeout of [{ timeout: 250 }, {}]) {
				const policy = timeout.timeout ? SHORT : { ...SHORT, attemptTimeoutMs: 250 };
				const { server, client } = await set(hangs(1), policy, timeout);
				const error = await failure(client.post('/', { amount: 5 }));
				const { reason, class: kind, delivery } = verdictOf(error);
				assert.deepEqual(
					[reason, kind, delivery],
					['unsafe-to-repeat', 'transient', 'maybe_processed'],
				);
				assert.equal(server.log.length, 1);
			}
		});

		on('unless its key is honoured: then with the same key', async (set) => {
			const { server, client } = await set(hangs(1), KEYED, { timeout: 250 });
			assert.equal((await client.post('/', { amount: 5 })).status, 200);
			const [first, second] = server.log.map(({ headers }) => headers['idempotency-key']);
			assert.equal(server.log.length, 2);
			assert.ok(first);
			assert.equal(first, second);
			assert.deepEqual(
				server.log.map(({ body }) => body),
				['{"amount":5}', '{"amount":5}'],
			);
		});

		on('a GET that timed out is repeated', async (set) => {
			const { server, client } = await set(hangs(2), SHORT, { timeout: 250 });
			assert.equal((await client.get('/')).data, 'ok');
			assert.equal(server.log.length, 3);
		});

		on(
			'a server that is away is asked again, its wish is heard, its answer is parsed',
			async (set) => {
				const handle = statuses(503, [429, { 'Retry-After': '1' }], 200);
				const { client, retries } = await set(handle, { ...SHORT, hint: { maxMs: 15 } });
				const { data, config } = await client.put('/', { a: 1 });
				assert.deepEqual(data, { status: 200 });
				assert.equal(config.url, '/');
				assert.deepEqual(retries, [
					['backoff', 10],
					['server-hint', 15],
				]);
			},
		);

		on('the last error is axios own, with config and parsed answer', async (set) => {
			const { client } = await set(statuses(503));
			const error = await failure(client.get('/', { headers: { 'x-own': '1' } }));
			assert.ok(axios.isAxiosError(error));
			assert.deepEqual(error.response.data, { status: 503 });
			assert.equal(error.config.headers.get('x-own'), '1');
			assert.equal(error.response.config, error.config);
		});

		on('a connection that broke is ambiguous for a POST', async (set) => {
			const { server, client } = await set((request) => request.socket.resetAndDestroy());
			assert.equal(verdictOf(await failure(client.post('/', {}))).reason, 'unsafe-to-repeat');
			assert.equal(server.log.length, 1);
			await failure(client.get('/'));
			assert.equal(server.log.length, 4);
		});

		on('an abort ends attempt or wait, and nothing is left', async (set) => {
			const before = callsUnderWay();
			const waits = { maxRetries: 2, backoff: { jitter: 'none', baseMs: 30_000 } };
			for (const handle of [() => {}, statuses(503)]) {
				const abort = new AbortController();
				const { server, client } = await set((...args) => {
					setTimeout(() => abort.abort(), 50);
					handle(...args);
				}, waits);
				assert.ok(axios.isCancel(await failure(client.get('/', { signal: abort.signal }))));
				assert.equal(server.log.length, 1);
			}
			assert.equal(callsUnderWay(), before);
		});

		on('headers that an interceptor took away stay away', async (set) => {
			const { server, client } = await set(statuses(503, 200), SHORT, {
				headers: { 'x-default': '1' },
			});
			client.interceptors.request.use((config) => {
				config.headers.delete('x-default');
				return config;
			});
			await client.get('/');
			assert.deepEqual(
				server.log.map(({ headers }) => headers['x-default']),
				[undefined, undefined],
			);
		});
	}
}

test('a refused connection proves that nothing was sent, where the adapter says so', async () => {
	const probe = createServer().listen(0, '127.0.0.1');
	await new Promise((resolve) => probe.once('listening', resolve));
	const { port } = probe.address();
	await new Promise((resolve) => probe.close(resolve));
	const reasons = {};
	for (const adapter of ['http', 'xhr', 'fetch']) {
		const client = axios.create({ baseURL: `http://127.0.0.1:${port}`, adapter });
		attach(client, SHORT);
		reasons[adapter] = verdictOf(await failure(client.post('/', {}))).reason;
	}
	// A browser tells scripts nothing of why: then it is ambiguous.
	assert.deepEqual(reasons, {
		http: 'retries-exhausted',
		xhr: 'unsafe-to-repeat',
		fetch: 'retries-exhausted',
	});
});
