import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ScriptError, startFaultyServer } from 'retrywise/testing';

/** A server for one test. */
async function serving(t, options) {
	const server = await startFaultyServer(options);
	t.after(() => server.close());
	return server;
}

const post = (url, headers = {}, body = '{"amount":5}') =>
	fetch(url, { method: 'POST', headers, body });

test('statuses come in the order of the script and the last one stays', async (t) => {
	const server = await serving(t, { script: '503,503,200' });
	const statuses = [];
	for (let n = 0; n < 4; n += 1) {
		statuses.push((await fetch(server.url)).status);
	}
	assert.deepEqual(statuses, [503, 503, 200, 200]);
	assert.deepEqual(
		server.requests.map((r) => r.attempt),
		[1, 2, 3, 4],
	);
});

test('a step can be repeated, and steps can be numbers, words or objects', async (t) => {
	const server = await serving(t, {
		script: [{ status: 503, times: 2 }, 429, '404;x-why=gone', {}],
	});
	const answers = [];
	for (let n = 0; n < 5; n += 1) {
		const answer = await fetch(server.url);
		answers.push([answer.status, answer.headers.get('x-why')]);
	}
	assert.deepEqual(answers, [
		[503, null],
		[503, null],
		[429, null],
		[404, 'gone'],
		[200, null],
	]);
});

test('a wait is asked for in seconds, as a date, or in milliseconds', async (t) => {
	const script = [
		{ status: 429, retryAfter: 1 },
		{ status: 503, retryAfterDate: 30 },
		{ status: 429, retryAfterMs: 250 },
	];
	const server = await serving(t, { script });
	assert.equal((await fetch(server.url)).headers.get('retry-after'), '1');
	const before = Date.now();
	const date = (await fetch(server.url)).headers.get('retry-after');
	const wait = Date.parse(date) - before;
	assert.ok(wait >= 30_000 && wait <= 32_000, `${date} is ${wait} ms away`);
	assert.match(date, /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
	assert.equal((await fetch(server.url)).headers.get('retry-after-ms'), '250');
});

test('an answer can be slow', async (t) => {
	const server = await serving(t, { script: '200;delay=80' });
	const before = performance.now();
	await fetch(server.url);
	assert.ok(performance.now() - before >= 75);
});

test('a hanging request is never answered and close ends it', async () => {
	const server = await startFaultyServer({ script: 'hang' });
	const answer = fetch(server.url).then(
		() => 'answered',
		() => 'ended',
	);
	while (server.requests.length === 0) {
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	assert.equal(
		await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 60, 'silent'))]),
		'silent',
	);
	await server.close();
	assert.equal(await answer, 'ended');
	await server.close();
});

test('close ends idle connections and frees the port', async () => {
	const server = await startFaultyServer();
	const { port } = server;
	const socket = connect(port, '127.0.0.1');
	await new Promise((resolve) => socket.once('connect', resolve));
	const ended = new Promise((resolve) => socket.once('close', resolve));
	socket.on('error', () => {});
	await server.close();
	await ended;
	const again = await startFaultyServer({ port });
	assert.equal(again.port, port);
	await again.close();
});

test('a reset before processing creates nothing, one after it does', async (t) => {
	const server = await serving(t, { script: 'reset,reset-after,201' });
	const reset = (error) =>
		error.cause?.code === 'ECONNRESET' || error.cause?.code === 'UND_ERR_SOCKET';
	await assert.rejects(post(server.url), reset);
	assert.equal(server.resources.length, 0);
	await assert.rejects(post(server.url), reset);
	assert.equal(server.resources.length, 1);
	assert.equal((await post(server.url)).status, 201);
	assert.equal(server.resources.length, 2);
	assert.deepEqual(
		server.requests.map((r) => [r.processed, r.status]),
		[
			[false, undefined],
			[true, undefined],
			[true, 201],
		],
	);
});

test('an answer with wrong framing is no answer, though the request was processed', async (t) => {
	const server = await serving(t, { script: 'misframe,200' });
	await assert.rejects(async () => (await post(server.url)).text());
	assert.equal(server.resources.length, 1);
	assert.equal(server.requests[0].status, undefined);
	assert.equal((await fetch(server.url)).status, 200);
});

test('a chunk whose size is no number breaks the answer off, though the request was processed', async (t) => {
	const server = await serving(t, { script: 'bad-chunk,200' });
	await assert.rejects(async () => (await post(server.url)).text());
	assert.equal(server.resources.length, 1);
	assert.equal((await fetch(server.url)).status, 200);
});

test('a body can come long after its head', async (t) => {
	const server = await serving(t, { script: [{ bodyDelayMs: 80 }] });
	const answer = await fetch(server.url);
	const head = performance.now();
	assert.deepEqual(await answer.json(), { status: 200 });
	assert.ok(performance.now() - head >= 60);
});

test('a truncated body fails while it is read', async (t) => {
	const server = await serving(t, { script: 'truncate' });
	const answer = await fetch(server.url);
	assert.equal(answer.status, 200);
	await assert.rejects(answer.text());
});

test('another script begins anew: nothing is known of requests, resources and keys', async (t) => {
	const server = await serving(t, { script: '201' });
	const key = { 'idempotency-key': 'order-1' };
	await post(server.url, key);
	server.use('201');
	assert.deepEqual([server.requests.length, server.resources.length], [0, 0]);
	const answer = await post(server.url, key);
	assert.equal(answer.headers.get('idempotent-replayed'), null);
	assert.deepEqual([server.requests.length, server.resources.length], [1, 1]);
});

test('attempts are counted for each call: by method, path and key', async (t) => {
	const server = await serving(t, { script: '503' });
	for (const [path, key] of [
		['/a', 'one'],
		['/a', 'two'],
		['/b', 'one'],
		['/a', 'one'],
	]) {
		await post(`${server.url}${path}`, { 'idempotency-key': key });
	}
	await fetch(`${server.url}/a`, { headers: { 'idempotency-key': 'one' } });
	assert.deepEqual(
		server.requests.map(({ attempt }) => attempt),
		[1, 1, 1, 2, 1],
	);
});

test('the same key gets the stored answer and nothing is created twice', async (t) => {
	const server = await serving(t, { script: 'reset-after,201' });
	const key = { 'Idempotency-Key': 'order-1' };
	await assert.rejects(post(server.url, key));
	const answer = await post(server.url, key);
	assert.equal(answer.status, 201);
	assert.equal(answer.headers.get('idempotent-replayed'), 'true');
	assert.deepEqual(await answer.json(), { id: 1 });
	assert.equal(server.resources.length, 1);
	assert.deepEqual(
		server.requests.map((r) => [r.key, r.attempt, r.replayed]),
		[
			['order-1', 1, false],
			['order-1', 2, true],
		],
	);
	const other = await post(server.url, { 'Idempotency-Key': 'order-2' });
	assert.equal(other.headers.get('idempotent-replayed'), null);
	assert.equal(server.resources.length, 2);
});

test('a failure on the way leaves no memory behind', async (t) => {
	const server = await serving(t, { script: '503,201' });
	const key = { 'Idempotency-Key': 'k' };
	assert.equal((await post(server.url, key)).status, 503);
	const answer = await post(server.url, key);
	assert.equal(answer.headers.get('idempotent-replayed'), null);
	assert.equal(server.resources.length, 1);
});

test('a key with another payload is refused', async (t) => {
	const server = await serving(t);
	const key = { 'Idempotency-Key': 'k' };
	await post(server.url, key);
	assert.equal((await post(server.url, key, '{"amount":6}')).status, 422);
	assert.equal(server.resources.length, 1);
});

test('a server that does not honour keys creates again', async (t) => {
	const server = await serving(t, { honoursKeys: false });
	const key = { 'Idempotency-Key': 'k' };
	await post(server.url, key);
	await post(server.url, key);
	assert.equal(server.resources.length, 2);
});

test('the most particular sequence serves: key, then route, then default', async (t) => {
	const server = await serving(t, {
		script: {
			default: '200',
			routes: { 'GET /orders': '503,200', '/slow/*': '429' },
			keys: { special: '500' },
		},
	});
	const status = async (path, init) => (await fetch(server.url + path, init)).status;
	assert.equal(await status('/orders?page=2'), 503);
	assert.equal(await status('/orders', { method: 'POST' }), 200);
	assert.equal(await status('/slow/one'), 429);
	assert.equal(await status('/orders', { headers: { 'idempotency-key': 'special' } }), 500);
	assert.equal(await status('/orders'), 200);
	assert.equal(server.requests[0].query, '?page=2');
});

test('a new script forgets what was before', async (t) => {
	const server = await serving(t, { script: '503' });
	await post(server.url);
	server.use('201');
	assert.equal((await post(server.url)).status, 201);
	assert.equal(server.requests.length, 1);
	assert.equal(server.resources.length, 1);
});

test('an answer without a body has none', async (t) => {
	const server = await serving(t, { script: '204' });
	const answer = await fetch(server.url);
	assert.equal(answer.status, 204);
	assert.equal(answer.headers.get('content-length'), null);
});

test('a script that cannot be understood is refused with its place', async () => {
	const wrong = [
		['503,bang,,200', /default, step 2: "bang" is[\s\S]*\ndefault, step 3: an empty step/],
		['503;fast', /name=value/],
		['200;delay=soon', /delayMs/],
		[[], /no step/],
		[[{ status: 99 }], /status/],
		[[{ statsu: 200 }], /statsu/],
		[[{ fault: 'fire' }], /fire/],
		[[{ times: 0 }], /times/],
		[[{ headers: { x: 'a\r\nb: c' } }], /cannot be sent/],
		[{ route: {} }, /route/],
		[null, /text, a list or an object/],
		[{ default: 5 }, /default.*text or a list/],
		[{ routes: { '/x': '1' } }, /\/x/],
	];
	for (const [script, message] of wrong) {
		await assert.rejects(
			startFaultyServer({ script }),
			(error) => error instanceof ScriptError && message.test(error.message),
		);
	}
});
