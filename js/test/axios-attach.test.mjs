/** The plugin: which outcomes are sent again, with what body and key, and what comes out. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import axios from 'axios';
import { attach, verdictOf } from 'retrywise/axios';
import { callsUnderWay } from 'retrywise/internal';
import { inModes, SHORT, setUp } from './support/attach.mjs';
import { failure } from './support/promises.mjs';
import { resets, startServer, statuses } from './support/server.mjs';

inModes((inMode, set) => {
	inMode('a server that is away twice is asked three times', async (t) => {
		const all = await set(t, statuses(503, 503, 200));
		const { status, data } = await all.client.get('/');
		assert.deepEqual([status, data], [200, { status: 200 }]);
		assert.equal(all.server.log.length, 3);
		assert.deepEqual(all.attempts, [1, 2, 3]);
		assert.deepEqual(all.retries, [
			[2, 20, 'backoff'],
			[3, 40, 'backoff'],
		]);
		assert.deepEqual(all.settled, [[3, 'accept', 'ok']]);
		const [first, second] = all.server.gaps();
		assert.ok(first >= 18 && second >= 38, `${first} ${second}`);
	});

	inMode('the last error comes out unchanged, with its verdict beside it', async (t) => {
		const { server, client, settled } = await set(t, statuses(503));
		const error = await failure(client.get('/'));
		assert.ok(axios.isAxiosError(error));
		assert.deepEqual([error.response.status, error.response.data], [503, { status: 503 }]);
		assert.equal(verdictOf(error).reason, 'retries-exhausted');
		assert.equal(server.log.length, 4);
		assert.deepEqual(settled, [[4, 'stop', 'retries-exhausted']]);
	});

	inMode('a 404 is final at once, and a 200 is told once', async (t) => {
		const { client, settled } = await set(t, statuses(404, 200));
		assert.equal(verdictOf(await failure(client.get('/'))).reason, 'permanent');
		assert.equal(verdictOf(await client.get('/')).reason, 'ok');
		assert.deepEqual(settled, [
			[1, 'stop', 'permanent'],
			[1, 'accept', 'ok'],
		]);
	});

	inMode('a body is encoded once and sent whole each time', async (t) => {
		const { server, client } = await set(t, statuses(503, 503, 200));
		await client.put('/', { amount: 5 });
		for (const { body, headers } of server.log) {
			assert.deepEqual([body, headers['content-length']], ['{"amount":5}', '12']);
			assert.match(headers['content-type'], /^application\/json/);
		}
		assert.equal(server.log.length, 3);
	});

	inMode(
		'a POST whose connection broke is sent again only with a key that is honoured',
		async (t) => {
			const plain = await set(t, resets(1));
			const error = await failure(plain.client.post('/', {}));
			assert.equal(verdictOf(error).reason, 'unsafe-to-repeat');
			assert.equal(plain.server.log.length, 1);
			const policy = { ...SHORT, idempotency: { honoured: true, generate: true } };
			const keyed = await set(t, resets(1, 2), policy);
			await keyed.client.post('/', { amount: 5 });
			const keys = keyed.server.log.map(({ headers }) => headers['idempotency-key']);
			assert.equal(keys.length, 3);
			assert.match(keys[0], /^[\w-]{16,}$/);
			assert.deepEqual(new Set(keys).size, 1, 'the same with every attempt');
			await keyed.client.post('/', { amount: 5 });
			assert.notEqual(keyed.server.log[3].headers['idempotency-key'], keys[0]);
			const own = await set(t, resets(1), policy);
			await own.client.post('/', {}, { headers: { 'idempotency-key': 'order-1' } });
			await own.client.post('/', {}, { retrywise: { key: 'order-2' } });
			assert.deepEqual(
				own.server.log.map(({ headers }) => headers['idempotency-key']),
				['order-1', 'order-1', 'order-2'],
			);
		},
	);

	inMode('a body that is used up is not sent again, and the reason says so', async (t) => {
		const { server, client } = await set(t, statuses(503, 200));
		const error = await failure(client.put('/', Readable.from(['abc'])));
		assert.equal(verdictOf(error).reason, 'body-consumed');
		assert.equal(server.log.length, 1);
	});

	inMode(
		'a status that the caller accepts is still retried, and resolves in the end',
		async (t) => {
			const config = { validateStatus: () => true };
			const { server, client } = await set(t, statuses(503, 503, 200), SHORT, {}, config);
			assert.equal((await client.get('/')).status, 200);
			assert.equal(server.log.length, 3);
			const away = await set(t, statuses(503), SHORT, {}, config);
			const response = await away.client.get('/');
			assert.equal(response.status, 503);
			assert.equal(verdictOf(response).reason, 'retries-exhausted');
		},
	);

	inMode('streamed answers of failed attempts let their connections go', async (t) => {
		const gone = [];
		const handle = (_request, response, count) => {
			response.on('close', () => gone.push(count));
			response.writeHead(count < 3 ? 503 : 200).write('x'.repeat(100_000));
			return count < 3 ? undefined : response.end();
		};
		const { server, client } = await set(t, handle);
		const response = await client.get('/', { responseType: 'stream' });
		response.data.resume();
		assert.equal(response.status, 200);
		assert.equal(server.log.length, 3);
		for (let turn = 0; turn < 500 && !(gone.includes(1) && gone.includes(2)); turn += 1) {
			await new Promise((resolve) => setTimeout(resolve, 10));
		}
		assert.ok(gone.includes(1) && gone.includes(2), `${gone}`);
	});

	inMode('Retry-After means what the tables say, where peers disagree', async (t) => {
		const wall = Date.UTC(2026, 0, 15, 12);
		const own = 20;
		const cases = [
			['0', own],
			['1', 1000],
			['1.5', 1500],
			['1771404540', 600_000],
			['-5', own],
			['abc', own],
			['1m30s', own],
			['120, 120', 120_000],
			['45', 45_000],
			['0x10', own],
			['1e3', own],
			['Thu, 15 Jan 2026 12:00:30 GMT', 30_000],
			['Thursday, 15-Jan-26 12:00:30 GMT', 30_000],
			['Thu Jan 15 12:00:30 2026', 30_000],
			['Thu, 15 Jan 2026 11:00:30 GMT', own],
		];
		for (const [value, expected] of cases) {
			let now = 0;
			const clock = {
				now: () => now,
				wall: () => wall,
				async sleep(ms) {
					now += ms;
				},
			};
			const policy = { ...SHORT, hint: { maxMs: 600_000 } };
			const { client, retries } = await set(
				t,
				statuses([503, { 'Retry-After': value, Date: new Date(wall).toUTCString() }], 200),
				policy,
				{ clock },
			);
			await client.get('/');
			assert.equal(retries[0][1], expected, value);
		}
	});

	inMode('many at once keep their own counts, and hold nothing when they are done', async (t) => {
		const before = callsUnderWay();
		const counts = new Map();
		const handle = (request, response) => {
			const count = (counts.get(request.url) ?? 0) + 1;
			counts.set(request.url, count);
			response.writeHead(count <= Number(request.url.slice(-1)) ? 503 : 200).end();
		};
		const { client, settled } = await set(t, handle, { ...SHORT, budget: null, breaker: null });
		await Promise.all(Array.from({ length: 40 }, (_, i) => client.get(`/${i}/${i % 4}`)));
		assert.deepEqual(
			[...counts].filter(([url, count]) => count !== Number(url.slice(-1)) + 1),
			[],
		);
		assert.equal(settled.length, 40);
		assert.equal(callsUnderWay(), before);
	});
});

test('inner layers are told by a header, unless that is off', async (t) => {
	const layers = ({ server }) => server.log.map(({ headers }) => headers['x-retry-layer']);
	const told = await setUp(t, statuses(503, 503, 200));
	await told.client.get('/');
	assert.deepEqual(layers(told), ['1', '2', '3']);
	const silent = await setUp(t, statuses(503, 200), SHORT, { layerHeader: false });
	await silent.client.get('/');
	assert.deepEqual(layers(silent), [undefined, undefined]);
	const inner = await setUp(t, statuses(503));
	const error = await failure(inner.client.get('/', { headers: { 'X-Retry-Layer': '1' } }));
	assert.equal(verdictOf(error).reason, 'nested-layer');
});

test("machine codes in a body are read where the policy's vendor has them", async (t) => {
	const quota = JSON.stringify({
		error: { code: 'insufficient_quota', type: 'insufficient_quota' },
	});
	const handle = (_request, response) =>
		response.writeHead(429, { 'content-type': 'application/json' }).end(quota);
	const { server, client } = await setUp(t, handle, { ...SHORT, profile: 'openai' });
	const error = await failure(client.get('/'));
	assert.equal(verdictOf(error).reason, 'permanent');
	assert.equal(server.log.length, 1);
});

test('a success is looked into where the vendor reports failures as successes', async (t) => {
	const answer = (_request, response, count) =>
		response
			.writeHead(200, { 'content-type': 'application/json' })
			.end(JSON.stringify(count === 1 ? { ok: false, error: 'ratelimited' } : { ok: true }));
	const { server, client } = await setUp(t, answer, { ...SHORT, profile: 'slack' });
	assert.deepEqual((await client.get('/')).data, { ok: true });
	assert.equal(server.log.length, 2);
	const other = await setUp(t, answer, SHORT);
	assert.equal((await other.client.get('/')).data.error, 'ratelimited');
	assert.equal(other.server.log.length, 1);
});

test('a connection that was refused is tried again, whatever the method', async () => {
	const probe = createServer().listen(0, '127.0.0.1');
	await new Promise((resolve) => probe.once('listening', resolve));
	const { port } = probe.address();
	await new Promise((resolve) => probe.close(resolve));
	const client = axios.create({ baseURL: `http://127.0.0.1:${port}` });
	const seen = [];
	attach(client, SHORT, { onRetry: ({ error }) => void seen.push(error.code) });
	const error = await failure(client.post('/', {}));
	assert.deepEqual(seen, ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
	assert.equal(verdictOf(error).reason, 'retries-exhausted');
});

test('the CommonJS builds work together', async (t) => {
	const require = createRequire(import.meta.url);
	const server = await startServer(statuses(503, 200));
	t.after(() => server.close());
	const client = require('axios').create({ baseURL: server.url });
	require('retrywise/axios').attach(client, SHORT);
	assert.equal((await client.get('/')).status, 200);
	assert.equal(server.log.length, 2);
});
