import assert from 'node:assert/strict';
import { test } from 'node:test';
import ky from 'ky';
import { isRetryRefused } from 'retrywise';
import { callsUnderWay } from 'retrywise/internal';
import { kyOptions } from 'retrywise/ky';
import { startServer, statuses } from './support/server.mjs';

const SHORT = { maxRetries: 2, backoff: { jitter: 'none', baseMs: 10, capMs: 40 } };

async function setUp(t, handle, policy = SHORT) {
	const server = await startServer(handle);
	t.after(() => server.close());
	return { server, client: ky.create({ prefixUrl: server.url, ...kyOptions(policy) }) };
}

test('ky sends again as the policy says', async (t) => {
	const { server, client } = await setUp(t, statuses(503, 503, 200));
	assert.deepEqual(await client.get('orders').json(), { status: 200 });
	assert.equal(server.log.length, 3);
	assert.equal(callsUnderWay(), 0);
});

test('the last bad status is an HTTPError, after as many attempts as the policy allows', async (t) => {
	const { server, client } = await setUp(t, statuses(503));
	await assert.rejects(client.get('orders'), (error) => error.response.status === 503);
	assert.equal(server.log.length, 3);
});

test('a POST is repeated with a key that the server honours, and its body', async (t) => {
	const policy = { ...SHORT, idempotency: { honoured: true } };
	const { server, client } = await setUp(t, statuses(503, 201), policy);
	await client.post('orders', { json: { a: 1 }, retrywise: { key: 'order-1' } });
	assert.deepEqual(
		server.log.map(({ body, headers }) => [body, headers['idempotency-key']]),
		[
			['{"a":1}', 'order-1'],
			['{"a":1}', 'order-1'],
		],
	);
	await assert.rejects((await setUp(t, statuses(503))).client.post('orders', { json: {} }));
});

test('an open breaker refuses', async (t) => {
	const policy = { maxRetries: 0, breaker: { kind: 'consecutive', failures: 1 } };
	const { client } = await setUp(t, statuses(503), policy);
	await assert.rejects(client.get('orders'));
	await assert.rejects(client.get('orders'), isRetryRefused);
});
