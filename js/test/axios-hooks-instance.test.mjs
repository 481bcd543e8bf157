/** Hooks that know their instance: budget, breaker, limiter, keys and timeouts under axios-retry. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import axios from 'axios';
import original from 'axios-retry';
import { isRetryRefused } from 'retrywise';
import dropIn, { hooks, verdictOf } from 'retrywise/axios';
import { callsUnderWay } from 'retrywise/internal';
import { failure } from './support/promises.mjs';
import { resets, startServer, statuses } from './support/server.mjs';

const SHORT = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 10, capMs: 40 } };

for (const [name, axiosRetry] of [
	['axios-retry', original],
	['the drop-in', dropIn],
]) {
	const under = (what, script) =>
		test(`${name}: ${what}`, async (t) => {
			await script(async (handle, policy = SHORT, options = {}, config = {}) => {
				const server = await startServer(handle);
				t.after(() => server.close());
				const client = axios.create({ baseURL: server.url, ...config });
				const made = hooks(policy, { instance: client });
				axiosRetry(client, { ...made, ...options });
				return { server, client, made };
			});
		});

	under('the policy decides, attempt by attempt', async (set) => {
		const delays = [];
		const onRetry = (count, error) => void delays.push([count, verdictOf(error).delayMs]);
		const { server, client } = await set(statuses(503, 503, 200), SHORT, { onRetry });
		assert.equal((await client.put('/', { a: 1 })).status, 200);
		assert.deepEqual(delays, [
			[1, 10],
			[2, 20],
		]);
		assert.deepEqual(
			server.log.map(({ body }) => body),
			['{"a":1}', '{"a":1}', '{"a":1}'],
		);
		const calls = [];
		const away = await set(statuses(503), SHORT, {
			onMaxRetryTimesExceeded: (_error, count) => void calls.push(count),
		});
		const error = await failure(away.client.get('/'));
		assert.equal(verdictOf(error).reason, 'retries-exhausted');
		assert.equal(away.server.log.length, 4);
		assert.deepEqual(calls, [3]);
	});

	under('an open breaker refuses before anything is sent, and closes by successes', async (set) => {
		const policy = {
			maxRetries: 0,
			breaker: { kind: 'consecutive', failures: 2, openMs: 80, probes: 1, successes: 1 },
		};
		const { server, client } = await set(statuses(503, 503, 200), policy);
		await failure(client.get('/'));
		await failure(client.get('/'));
		const refused = await failure(client.get('/'));
		assert.ok(isRetryRefused(refused));
		assert.equal(refused.reason, 'breaker-open');
		assert.equal(server.log.length, 2);
		await new Promise((resolve) => setTimeout(resolve, 120));
		assert.equal((await client.get('/')).status, 200);
		assert.equal((await client.get('/')).status, 200);
	});

	under('successes between failures keep a breaker closed', async (set) => {
		const policy = { maxRetries: 0, breaker: { kind: 'consecutive', failures: 2, openMs: 60_000 } };
		const { server, client } = await set(statuses(503, 200, 503, 200, 503), policy);
		for (let i = 0; i < 5; i++) {
			await client.get('/').catch(() => {});
		}
		assert.equal(server.log.length, 5);
	});

	under('the budget bounds all calls together', async (set) => {
		const policy = { ...SHORT, breaker: null, budget: { kind: 'tokens', capacity: 28 } };
		const { server, client } = await set(statuses(503), policy);
		const reasons = [];
		for (let i = 0; i < 3; i++) {
			reasons.push(verdictOf(await failure(client.get('/'))).reason);
		}
		assert.equal(server.log.length, 3 + 2);
		assert.equal(reasons.at(-1), 'budget-exhausted');
	});

	under('a key is made before the first attempt, the same for all', async (set) => {
		const policy = { ...SHORT, idempotency: { honoured: true, generate: true } };
		const { server, client } = await set(resets(1, 2), policy);
		assert.equal((await client.post('/', { amount: 5 })).status, 200);
		const keys = server.log.map(({ headers }) => headers['idempotency-key']);
		assert.equal(keys.length, 3);
		assert.ok(keys[0]);
		assert.equal(new Set(keys).size, 1);
		const unkeyed = await set(resets(1));
		assert.equal(verdictOf(await failure(unkeyed.client.post('/', {}))).reason, 'unsafe-to-repeat');
	});

	under("an attempt has the policy's timeout", async (set) => {
		const hang = (_request, response, count) => count < 3 || response.end('ok');
		const { server, client } = await set(hang, { ...SHORT, attemptTimeoutMs: 250 });
		assert.equal((await client.get('/')).data, 'ok');
		assert.equal(server.log.length, 3);
	});

	under('a breaker that opens in the wait ends the call with its own last error', async (set) => {
		const policy = { ...SHORT, breaker: { kind: 'consecutive', failures: 3, openMs: 100_000 } };
		// onRetry is awaited before the wait, so the others can be done by then.
		const onRetry = () => Promise.all([1, 2].map(() => failure(client.post('/', {}))));
		const { server, client } = await set(statuses(503), policy, { onRetry });
		const first = failure(client.get('/'));
		const error = await first;
		assert.equal(error.response.status, 503);
		assert.equal(verdictOf(error).reason, 'breaker-open');
		assert.equal(server.log.length, 3);
	});

	under(
		'many at once, used configs, aborts: counts stay apart and nothing is left',
		async (set) => {
			const counts = new Map();
			const handle = (request, response) => {
				const count = (counts.get(request.url) ?? 0) + 1;
				counts.set(request.url, count);
				response.writeHead(count <= Number(request.url.slice(-1)) ? 503 : 200).end();
			};
			const policy = { ...SHORT, budget: null, breaker: null };
			const { client } = await set(handle, policy);
			await Promise.all(Array.from({ length: 40 }, (_, i) => client.get(`/${i}/${i % 4}`)));
			assert.deepEqual(
				[...counts].filter(([url, count]) => count !== Number(url.slice(-1)) + 1),
				[],
			);
			const away = await set(statuses(503), policy);
			const config = { url: '/' };
			const error = await failure(away.client.request(config));
			await failure(away.client.request(config));
			assert.equal(away.server.log.length, 8);
			await failure(away.client.request(error.config));
			assert.equal(away.server.log.length, 9, "axios-retry's own count is used up");
			const before = callsUnderWay();
			const waits = await set(statuses(503), {
				maxRetries: 1,
				backoff: { jitter: 'none', baseMs: 30_000 },
			});
			const abort = new AbortController();
			setTimeout(() => abort.abort(), 60);
			assert.ok(axios.isCancel(await failure(waits.client.get('/', { signal: abort.signal }))));
			assert.equal(waits.server.log.length, 1);
			assert.equal(callsUnderWay(), before);
		},
	);

	under('nothing is off, and the watch can be taken off', async (set) => {
		const { server, client, made } = await set(statuses(503));
		assert.deepEqual(made.off, []);
		assert.ok(!Object.keys(made).includes('detach'));
		made.detach();
		made.detach();
		await failure(client.get('/'));
		assert.equal(server.log.length, 1, 'without the watch nothing is decided, so nothing is sent');
	});

	under('an attempt on its way while the watch is taken off is the last one', async (set) => {
		const before = callsUnderWay();
		let made;
		const watched = await set((_request, response) => {
			made.detach();
			response.writeHead(503).end();
		});
		({ made } = watched);
		const error = await failure(watched.client.get('/'));
		assert.equal(watched.server.log.length, 1);
		assert.equal(verdictOf(error).reason, 'cancelled');
		assert.equal(callsUnderWay(), before, 'and nothing of it is left');
	});
}

test('two instances have hooks of their own', async (t) => {
	const server = await startServer(statuses(503));
	t.after(() => server.close());
	const clients = [1, 2].map((maxRetries) => {
		const client = axios.create({ baseURL: server.url });
		original(client, hooks({ ...SHORT, maxRetries }, { instance: client }));
		return client;
	});
	const [first, second] = clients;
	const error = await failure(first.get('/'));
	assert.equal(server.log.length, 2);
	await failure(second.get('/'));
	assert.equal(server.log.length, 5);
	// A config of the one in the other: counted by axios-retry, decided by its own instance.
	await failure(second.request({ ...error.config, 'axios-retry': undefined }));
	assert.equal(server.log.length, 8);
});
