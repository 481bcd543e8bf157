import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { createUpstream, isPolicyError, isRetryRefused } from 'retrywise';
import { callsUnderWay } from 'retrywise/internal';
import { retrywise } from 'retrywise/undici';
import { Agent, fetch, request } from 'undici';
import { failure } from './support/promises.mjs';
import { startServer, statuses } from './support/server.mjs';

const SHORT = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 10, capMs: 40 } };
const LONG = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 30_000 } };

async function setUp(t, handle, policy = SHORT, options = {}) {
	const server = await startServer(handle);
	const agent = new Agent();
	const dispatcher = agent.compose(retrywise(policy, options));
	t.after(async () => {
		await agent.destroy();
		await server.close();
	});
	const send = (options = {}, path = '/') => request(server.url + path, { dispatcher, ...options });
	return { server, agent, dispatcher, send };
}

test('a server that is away twice is asked three times, with one connection', async (t) => {
	const ports = new Set();
	const { server, send } = await setUp(t, (incoming, response, count) => {
		ports.add(incoming.socket.remotePort);
		statuses(503, 503, 200)(incoming, response, count);
	});
	const { statusCode, body } = await send();
	assert.equal(statusCode, 200);
	assert.deepEqual(await body.json(), { status: 200 });
	assert.deepEqual(
		server.log.map(({ headers }) => headers['x-retry-layer']),
		['1', '2', '3'],
	);
	assert.equal(ports.size, 1);
	assert.equal(callsUnderWay(), 0);
});

test('a final bad status arrives as an answer, with its body', async (t) => {
	const { server, send } = await setUp(t, statuses([503, { 'x-last': 'yes' }]));
	const { statusCode, headers, body } = await send();
	assert.deepEqual(
		[statusCode, headers['x-last'], await body.json()],
		[503, 'yes', { status: 503 }],
	);
	assert.equal(server.log.length, 4);
	assert.equal((await send({}, '/')).statusCode, 503);
});

test('the wait that the server asks for is kept', async (t) => {
	const { server, send } = await setUp(t, statuses([429, { 'retry-after-ms': '120' }], 200), {
		...SHORT,
		hint: { maxMs: 1000 },
	});
	assert.equal((await send()).statusCode, 200);
	assert.ok(server.gaps()[0] >= 115, String(server.gaps()));
});

test('a reset is repeated for GET, and comes out unchanged for POST', async (t) => {
	const reset = (incoming, response, count) =>
		count % 2 === 1 ? incoming.socket.resetAndDestroy() : response.end('ok');
	const { server, send } = await setUp(t, reset);
	assert.equal(await (await send()).body.text(), 'ok');
	const error = await failure(send({ method: 'POST', body: 'x' }));
	assert.match(error.code, /^(UND_ERR_SOCKET|ECONNRESET)$/);
	assert.equal(server.log.length, 3);
	assert.equal(callsUnderWay(), 0);
});

test('a POST with a key that the server honours is repeated with the same key and body', async (t) => {
	const policy = { ...SHORT, idempotency: { honoured: true, generate: true } };
	const { server, send } = await setUp(t, statuses(503, 201), policy);
	const { statusCode } = await send({
		method: 'POST',
		body: 'order',
		headers: ['a', '1', 'b', '2'],
	});
	assert.equal(statusCode, 201);
	const [first, second] = server.log;
	assert.equal(first.headers['idempotency-key'].length, 36);
	assert.equal(second.headers['idempotency-key'], first.headers['idempotency-key']);
	assert.deepEqual([second.body, second.headers.a, second.headers.b], ['order', '1', '2']);
	await send({ method: 'POST', body: 'x', retrywise: { key: 'mine' }, headers: { A: '1' } });
	assert.equal(server.log[2].headers['idempotency-key'], 'mine');
});

test('a stream is sent once', async (t) => {
	const { server, send } = await setUp(t, statuses(503));
	const { statusCode } = await send({ method: 'PUT', body: Readable.from(['a', 'b']) });
	assert.equal(statusCode, 503);
	assert.equal(server.log.length, 1);
});

test('an abort ends the wait at once and leaves nothing behind', async (t) => {
	const { server, send } = await setUp(t, statuses(503), LONG);
	const abort = new AbortController();
	const reason = new Error('enough');
	const waiting = failure(send({ signal: abort.signal }));
	setTimeout(() => abort.abort(reason), 60);
	assert.equal(await waiting, reason);
	assert.equal(server.log.length, 1);
	assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
	assert.equal(callsUnderWay(), 0);
	assert.equal(await failure(send({ signal: abort.signal })), reason);
	assert.equal(server.log.length, 1);
});

test('an abort ends an attempt, and nothing is repeated', async (t) => {
	const { server, send } = await setUp(t, () => {});
	const abort = new AbortController();
	const sent = failure(send({ signal: abort.signal }));
	setTimeout(() => abort.abort(), 50);
	assert.equal((await sent).name, 'AbortError');
	assert.equal(server.log.length, 1);
	assert.equal(callsUnderWay(), 0);
});

test('an attempt that takes too long is ended and repeated', async (t) => {
	const hang = (_incoming, response, count) => count > 1 && response.end('late');
	const { server, send } = await setUp(t, hang, { ...SHORT, attemptTimeoutMs: 100 });
	assert.equal(await (await send()).body.text(), 'late');
	assert.equal(server.log.length, 2);
});

test('an open breaker refuses with its reason and when to come back', async (t) => {
	const policy = { maxRetries: 0, breaker: { kind: 'consecutive', failures: 1, openMs: 60_000 } };
	const { server, send } = await setUp(t, statuses(503), policy);
	assert.equal((await send()).statusCode, 503);
	const error = await failure(send());
	assert.ok(isRetryRefused(error));
	assert.equal(error.reason, 'breaker-open');
	assert.ok(error.retryInMs > 50_000);
	assert.equal(server.log.length, 1);
});

test("a vendor's code in the body decides, and the body is handed on whole", async (t) => {
	const body = JSON.stringify({ error: { code: 'insufficient_quota', message: 'x'.repeat(1000) } });
	const { server, send } = await setUp(
		t,
		(_incoming, response) =>
			response.writeHead(429, { 'content-type': 'application/json' }).end(body),
		{ ...SHORT, profile: 'openai' },
	);
	const answer = await send();
	assert.deepEqual([answer.statusCode, await answer.body.text()], [429, body]);
	assert.equal(server.log.length, 1, 'a quota does not come back');
});

test('an answer without end is not waited for', async (t) => {
	const { server, send } = await setUp(t, (_incoming, response, count) => {
		response.writeHead(count === 1 ? 503 : 200);
		count === 1 ? response.write('endless') : response.end('ok');
	});
	assert.equal(await (await send()).body.text(), 'ok');
	assert.equal(server.log.length, 2);
});

test("undici's fetch goes through it, a refused connection as a fault", async (t) => {
	const { server, dispatcher } = await setUp(t, statuses(503, 200));
	const response = await fetch(server.url, { dispatcher });
	assert.deepEqual([response.status, await response.json()], [200, { status: 200 }]);
	const closed = createServer().listen(0, '127.0.0.1');
	await new Promise((resolve) => closed.once('listening', resolve));
	const { port } = closed.address();
	await new Promise((resolve) => closed.close(resolve));
	const error = await failure(fetch(`http://127.0.0.1:${port}`, { dispatcher }));
	assert.equal(error.cause.code, 'ECONNREFUSED');
});

test('requests can be left alone, and an outer layer is heeded', async (t) => {
	const { server, send } = await setUp(t, statuses(503));
	assert.equal((await send({ retrywise: false })).statusCode, 503);
	assert.equal(server.log.length, 1);
	assert.equal((await send({ headers: { 'x-retry-layer': '1' } })).statusCode, 503);
	assert.equal(server.log.length, 2);
});

test('upstreams are by origin, or the one given; a policy that is none is refused at once', async (t) => {
	assert.throws(() => retrywise({ maxRetrys: 1 }), isPolicyError);
	const upstream = createUpstream(SHORT);
	const { send } = await setUp(t, statuses(503, 200), upstream);
	assert.equal((await send()).statusCode, 200);
	assert.equal(retrywise(upstream).upstream('anything'), upstream);
	assert.equal(retrywise(SHORT).upstream('https://a.example').name, 'https://a.example');
});
