import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import got from 'got';
import { isRetryRefused } from 'retrywise';
import { gotOptions } from 'retrywise/got';
import { callsUnderWay } from 'retrywise/internal';
import { startServer, statuses } from './support/server.mjs';

const SHORT = { maxRetries: 2, backoff: { jitter: 'none', baseMs: 10, capMs: 40 } };

async function setUp(t, handle, policy = SHORT) {
	const server = await startServer(handle);
	t.after(() => server.close());
	return { server, client: got.extend({ prefixUrl: server.url }, gotOptions(policy)) };
}

test('got sends again as the policy says', async (t) => {
	const { server, client } = await setUp(t, statuses(503, 503, 200));
	assert.deepEqual(await client('orders').json(), { status: 200 });
	assert.equal(server.log.length, 3);
	const [first, second] = server.gaps();
	assert.ok(first >= 8 && second >= 18, `${first} ${second}`);
	assert.equal(callsUnderWay(), 0);
});

test('the last error comes out, after as many attempts as the policy allows', async (t) => {
	const { server, client } = await setUp(t, statuses(503));
	await assert.rejects(client('orders'), (error) => error.response.statusCode === 503);
	assert.equal(server.log.length, 3);
	const { statusCode } = await client('orders', { throwHttpErrors: false });
	assert.equal(statusCode, 503);
	assert.equal(callsUnderWay(), 0);
});

test('a reset is repeated for GET and not for POST', async (t) => {
	const { server, client } = await setUp(t, (incoming, response, count) =>
		count % 2 === 1 ? incoming.socket.resetAndDestroy() : response.end('ok'),
	);
	assert.equal(await client('orders').text(), 'ok');
	await assert.rejects(client.post('orders', { body: 'x' }), { code: 'ECONNRESET' });
	assert.equal(server.log.length, 3);
});

test('a POST is repeated with a key that the server honours, and its body', async (t) => {
	const policy = { ...SHORT, idempotency: { honoured: true, generate: true } };
	const { server, client } = await setUp(t, statuses(503, 201), policy);
	await client.post('orders', { json: { a: 1 } });
	const keys = server.log.map(({ headers }) => headers['idempotency-key']);
	assert.equal(keys[0].length, 36);
	assert.equal(keys[1], keys[0]);
	assert.equal(server.log[1].body, '{"a":1}');
	await client.post('orders', { json: {}, context: { retrywise: { key: 'mine' } } });
	assert.equal(server.log[2].headers['idempotency-key'], 'mine');
});

test('a stream is sent once', async (t) => {
	const { server, client } = await setUp(t, statuses(503));
	await assert.rejects(client.put('orders', { body: Readable.from(['a']) }));
	assert.equal(server.log.length, 1);
});

test('an open breaker refuses, as the cause of what got throws', async (t) => {
	const policy = { maxRetries: 0, breaker: { kind: 'consecutive', failures: 1 } };
	const { server, client } = await setUp(t, statuses(503), policy);
	await assert.rejects(client('orders'));
	await assert.rejects(client('orders'), ({ cause }) => isRetryRefused(cause));
	assert.equal(server.log.length, 1);
});

test('an attempt that takes too long is ended and repeated', async (t) => {
	const hang = (_incoming, response, count) => count > 1 && response.end('late');
	const { client } = await setUp(t, hang, { ...SHORT, attemptTimeoutMs: 100 });
	assert.equal(await client('orders').text(), 'late');
});
