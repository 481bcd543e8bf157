/** The plugin and its instance: put in place and taken out, beside hooks and interceptors. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import axios from 'axios';
import { createUpstream, isPolicyError, isRetryRefused } from 'retrywise';
import { attach, verdictOf } from 'retrywise/axios';
import { callsUnderWay } from 'retrywise/internal';
import { inModes, SHORT, setUp } from './support/attach.mjs';
import { failure } from './support/promises.mjs';
import { startServer, statuses } from './support/server.mjs';

inModes((inMode, set, mode) => {
	inMode('it can be taken out, also twice, and in the middle of a wait', async (t) => {
		const before = callsUnderWay();
		let detach;
		const clock = { sleep: async () => detach() };
		const { server, client, attached } = await set(t, statuses(503), SHORT, { clock });
		detach = () => attached.detach();
		assert.equal((await failure(client.get('/'))).response.status, 503);
		attached.detach();
		const count = server.log.length;
		assert.equal(count, 1, 'what was waited for is not sent');
		await failure(client.get('/'));
		assert.equal(server.log.length, count + 1);
		assert.equal(callsUnderWay(), before);
	});

	inMode('taken out while an attempt is under way, the call ends with it', async (t) => {
		const before = callsUnderWay();
		const handle = (_request, response) => {
			all.attached.detach();
			response.writeHead(503).end();
		};
		const all = await set(t, handle);
		assert.equal((await failure(all.client.get('/'))).response.status, 503);
		assert.equal(all.server.log.length, 1);
		assert.equal(callsUnderWay(), before);
	});

	inMode('attached again, an instance follows the new policy alone', async (t) => {
		const { server, client } = await set(t, statuses(503));
		attach(client, { ...SHORT, maxRetries: 1 }, { mode });
		await failure(client.get('/'));
		assert.equal(server.log.length, 2);
	});

	inMode('a hook that only watches may throw; one that is awaited ends the call', async (t) => {
		const thrower = () => {
			throw new Error('hook');
		};
		const { client } = await set(t, statuses(503, 200), SHORT, {
			onAttempt: thrower,
			onSettled: thrower,
		});
		assert.equal((await client.get('/')).status, 200);
		const before = callsUnderWay();
		const veto = await set(t, statuses(503, 200), SHORT, {
			onRetry: () => Promise.reject(new Error('veto')),
		});
		assert.equal((await failure(veto.client.get('/'))).message, 'veto');
		assert.deepEqual(veto.settled, [[1, 'stop', 'cancelled']]);
		assert.equal(callsUnderWay(), before);
	});

	inMode('a config is used again, by the caller or after its error, as a new call', async (t) => {
		const { server, client } = await set(t, statuses(503));
		const config = { url: '/', headers: { 'x-own': '1' } };
		const error = await failure(client.request(config));
		assert.deepEqual(Object.keys(config), ['url', 'headers']);
		await failure(client.request(config));
		assert.equal(server.log.length, 8);
		await failure(client.request(error.config));
		assert.equal(server.log.length, 12);
	});

	inMode('a request can opt out, or say that an outer layer retries', async (t) => {
		const { server, client, settled } = await set(t, statuses(503));
		await failure(client.get('/', { retrywise: false }));
		assert.equal(server.log.length, 1);
		assert.equal(settled.length, 0);
		const error = await failure(client.get('/', { retrywise: { parent: true } }));
		assert.equal(verdictOf(error).reason, 'nested-layer');
		await failure(client.post('/', {}, { retrywise: { idempotent: true } }));
		assert.equal(server.log.length, 6);
	});

	inMode('virtual time: no real wait at all', async (t) => {
		let now = 0;
		const slept = [];
		const clock = {
			now: () => now,
			wall: () => Date.UTC(2026, 0, 15, 12) + now,
			async sleep(ms) {
				slept.push(ms);
				now += ms;
			},
		};
		const year = statuses([503, { 'retry-after': '31536000' }], 200);
		const policy = { maxRetries: 1, hint: { maxMs: 31_622_400_000 } };
		const { client } = await set(t, year, policy, { clock });
		assert.equal((await client.get('/')).status, 200);
		assert.deepEqual(slept, [31_536_000_000]);
	});

	inMode('it stands beside axios instances of the same kind', async (t) => {
		const first = await set(t, statuses(503, 200));
		const second = await set(t, statuses(503));
		const [, error] = await Promise.all([first.client.get('/'), failure(second.client.get('/'))]);
		// The config of one goes to the other.
		await failure(first.client.request({ ...error.config, baseURL: second.server.url }));
		assert.equal(second.server.log.length, 8);
	});
});

test('interceptors run for every attempt, or once for a call', async (t) => {
	for (const [mode, expected] of [
		['interceptor', ['request', 'error', 'request', 'error', 'request', 'ok']],
		['adapter', ['request', 'ok']],
	]) {
		const { client, server } = await setUp(t, statuses(503, 503, 200), SHORT, { mode });
		// What was added before sees each attempt; attach again so that ours is the last one.
		const seen = [];
		client.interceptors.request.use((config) => {
			seen.push('request');
			config.headers.set('x-token', String(seen.length));
			return config;
		});
		client.interceptors.response.use(
			(response) => {
				seen.push('ok');
				return response;
			},
			(error) => {
				seen.push('error');
				return Promise.reject(error);
			},
		);
		attach(client, SHORT, { mode });
		await client.get('/');
		assert.deepEqual(seen, expected, mode);
		const tokens = server.log.map(({ headers }) => headers['x-token']);
		assert.equal(new Set(tokens).size, mode === 'interceptor' ? 3 : 1);
	}
});

test('each origin has an upstream of its own, unless the key says otherwise', async (t) => {
	const policy = { maxRetries: 0, breaker: { kind: 'consecutive', failures: 1, openMs: 60_000 } };
	const [bad, good] = [await startServer(statuses(503)), await startServer(statuses(200))];
	t.after(() => Promise.all([bad.close(), good.close()]));
	const client = axios.create();
	attach(client, policy);
	await failure(client.get(`${bad.url}/a`));
	assert.equal((await failure(client.get(`${bad.url}/b`))).reason, 'breaker-open');
	assert.equal((await client.get(`${good.url}/`)).status, 200);
	const byPath = axios.create({ baseURL: bad.url });
	const attached = attach(byPath, policy, { upstreamKey: ({ url }) => url });
	await failure(byPath.get('/a'));
	assert.equal((await failure(byPath.get('/b'))).response.status, 503);
	assert.ok(isRetryRefused(await failure(byPath.get('/a'))));
	assert.equal(attached.upstream('/a').name, '/a');
	assert.equal(attached.upstream('/a'), attached.upstream('/a'));
});

test('an upstream that is given decides for several clients', async (t) => {
	const server = await startServer(statuses(503));
	t.after(() => server.close());
	const policy = { maxRetries: 0, breaker: { kind: 'consecutive', failures: 2, openMs: 60_000 } };
	const upstream = createUpstream(policy, { name: 'payments' });
	const clients = [0, 1, 2].map(() => axios.create({ baseURL: server.url }));
	for (const client of clients) {
		attach(client, upstream);
	}
	await failure(clients[0].get('/'));
	await failure(clients[1].get('/'));
	assert.ok(isRetryRefused(await failure(clients[2].get('/'))));
});

test('a policy that is none is refused when it is attached, and nothing is put in place', () => {
	const client = axios.create();
	assert.throws(() => attach(client, { maxRetries: 'many' }), isPolicyError);
	assert.equal(client.interceptors.request.handlers.length, 0);
});

test('an earlier interceptor that repairs an answer is left alone', async (t) => {
	const server = await startServer(statuses(401, 200));
	t.after(() => server.close());
	const client = axios.create({ baseURL: server.url });
	client.interceptors.response.use(null, (error) =>
		error.response?.status === 401 ? client.request(error.config) : Promise.reject(error),
	);
	const settled = [];
	attach(client, SHORT, { onSettled: ({ verdict }) => settled.push(verdict.reason) });
	assert.equal((await client.get('/')).status, 200);
	assert.deepEqual(settled, ['permanent', 'ok']);
	assert.equal(server.log.length, 2);
});

test('an interceptor that fails before a retry is sent ends the call', async (t) => {
	const before = callsUnderWay();
	const { client, settled } = await setUp(t, statuses(503));
	let count = 0;
	client.interceptors.request.use((config) => {
		count += 1;
		return count === 2
			? Promise.reject(Object.assign(new Error('no token'), { config }))
			: Promise.resolve(config);
	});
	// The one that fails comes after ours.
	attach(client, SHORT, { onSettled: ({ verdict }) => settled.push(verdict.reason) });
	assert.equal((await failure(client.get('/'))).message, 'no token');
	assert.deepEqual(settled, ['cancelled']);
	assert.equal(callsUnderWay(), before);
});
