import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUpstream, isPolicyError, isRetryRefused } from 'retrywise';
import { verdictOf, withRetry } from 'retrywise/fetch';
import { callsUnderWay } from 'retrywise/internal';
import { virtualClock } from './support/clock.mjs';
import { failure } from './support/promises.mjs';
import { resets, startServer, statuses } from './support/server.mjs';

const SHORT = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 10, capMs: 40 } };
const LONG = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 30_000 } };
const KEYED = { ...SHORT, idempotency: { generate: true, honoured: true } };

async function setUp(t, handle, policy = SHORT, options = {}) {
	const server = await startServer(handle);
	t.after(() => server.close());
	const told = { attempts: [], retries: [], settled: [] };
	const send = withRetry(fetch, policy, {
		onAttempt: ({ attempt }) => told.attempts.push(attempt),
		onRetry: ({ attempt, delayMs, reason }) => void told.retries.push([attempt, delayMs, reason]),
		onSettled: ({ attempts, verdict }) =>
			told.settled.push([attempts, verdict.kind, verdict.reason]),
		...options,
	});
	return { server, send, ...told };
}

const stream = (...chunks) =>
	new ReadableStream({
		pull(controller) {
			const chunk = chunks.shift();
			if (chunk === undefined) {
				controller.close();
			} else {
				controller.enqueue(new TextEncoder().encode(chunk));
			}
		},
	});

test('a server that is away twice is asked three times, and the hooks are told', async (t) => {
	const { server, send, attempts, retries, settled } = await setUp(t, statuses(503, 503, 200));
	const response = await send(server.url);
	assert.equal(response.status, 200);
	assert.deepEqual(await response.json(), { status: 200 });
	assert.deepEqual(attempts, [1, 2, 3]);
	assert.deepEqual(retries, [
		[2, 10, 'backoff'],
		[3, 20, 'backoff'],
	]);
	assert.deepEqual(settled, [[3, 'accept', 'ok']]);
	assert.equal(verdictOf(response).reason, 'ok');
	assert.deepEqual(
		server.log.map(({ headers }) => headers['x-retry-layer']),
		['1', '2', '3'],
	);
});

test('a final bad status resolves with its response, untouched', async (t) => {
	const { server, send, settled } = await setUp(t, statuses(503));
	const response = await send(server.url);
	assert.deepEqual([response.status, await response.json()], [503, { status: 503 }]);
	assert.equal(server.log.length, 4);
	assert.deepEqual(settled, [[4, 'stop', 'retries-exhausted']]);
});

test('a 404 is handed on at once', async (t) => {
	const { server, send } = await setUp(t, statuses(404));
	assert.equal((await send(server.url)).status, 404);
	assert.equal(server.log.length, 1);
});

test('a last error is rejected with, unchanged', async (t) => {
	const { server, send } = await setUp(t, resets(1, 2, 3, 4));
	const error = await failure(send(server.url));
	assert.equal(error.message, 'fetch failed');
	assert.equal(verdictOf(error).reason, 'retries-exhausted');
	assert.equal(server.log.length, 4);
});

test('a POST that was cut off is not repeated, unless its key is honoured', async (t) => {
	const unsafe = await setUp(t, resets(1));
	const error = await failure(unsafe.send(unsafe.server.url, { method: 'POST', body: 'x' }));
	assert.equal(verdictOf(error).reason, 'unsafe-to-repeat');
	assert.equal(unsafe.server.log.length, 1);

	const safe = await setUp(t, resets(1), KEYED);
	const response = await safe.send(safe.server.url, { method: 'post', body: 'x' });
	assert.equal(response.status, 200);
	const keys = safe.server.log.map(({ headers }) => headers['idempotency-key']);
	assert.match(keys[0], /^[\da-f-]{36}$/);
	assert.deepEqual(keys, [keys[0], keys[0]]);
});

test('a Request with headers and a body is sent whole again', async (t) => {
	const { server, send } = await setUp(t, statuses(503, 503, 200));
	const request = new Request(server.url, {
		method: 'PUT',
		headers: { 'x-mine': 'yes' },
		body: 'the whole body',
	});
	assert.equal((await send(request)).status, 200);
	assert.deepEqual(
		server.log.map(({ body, headers }) => [body, headers['x-mine']]),
		Array.from({ length: 3 }, () => ['the whole body', 'yes']),
	);
});

test('a stream is sent once, and kept on request up to a limit', async (t) => {
	const put = (body) => ({ method: 'PUT', body, duplex: 'half' });
	const refused = await setUp(t, statuses(503, 200));
	const response = await refused.send(refused.server.url, put(stream('a', 'b')));
	assert.equal(verdictOf(response).reason, 'body-consumed');
	assert.deepEqual(
		refused.server.log.map(({ body }) => body),
		['ab'],
	);

	const kept = await setUp(t, statuses(503, 200), SHORT, { replayLimit: 2 });
	assert.equal((await kept.send(kept.server.url, put(stream('a', 'b')))).status, 200);
	assert.deepEqual(
		kept.server.log.map(({ body }) => body),
		['ab', 'ab'],
	);

	const over = await setUp(t, statuses(503, 200), SHORT, { replayLimit: 2 });
	const last = await over.send(over.server.url, put(stream('a', 'b', 'c')));
	assert.equal(verdictOf(last).reason, 'body-consumed');
	assert.deepEqual(
		over.server.log.map(({ body }) => body),
		['abc'],
	);

	const cut = await setUp(t, resets(1), SHORT, { replayLimit: 2 });
	const error = await failure(cut.send(cut.server.url, put(stream('a', 'b', 'c'))));
	assert.equal(verdictOf(error).kind, 'stop', 'what was not kept whole is not sent in part');
	assert.equal(cut.server.log.length, 1);
});

test('an abort in the wait ends it with its reason and leaves nothing', async (t) => {
	const { server, send, settled } = await setUp(t, statuses(503), LONG);
	const before = callsUnderWay();
	const abort = new AbortController();
	const pending = failure(send(server.url, { signal: abort.signal }));
	while (server.log.length === 0) {
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	const reason = new Error('enough');
	setTimeout(() => abort.abort(reason), 20);
	assert.equal(await pending, reason);
	assert.deepEqual(settled, [[1, 'stop', 'cancelled']]);
	assert.equal(callsUnderWay(), before);
});

test('an aborted signal sends nothing', async (t) => {
	const { server, send } = await setUp(t, statuses(200));
	const error = await failure(send(server.url, { signal: AbortSignal.abort() }));
	assert.equal(error.name, 'AbortError');
	assert.equal(server.log.length, 0);
});

test('an attempt has its time; a GET that overran it is repeated, a POST is not', async (t) => {
	const hangsOnce = (_request, response, count) => {
		if (count > 1) {
			response.end('ok');
		}
	};
	const policy = { ...SHORT, attemptTimeoutMs: 150 };
	const get = await setUp(t, hangsOnce, policy);
	assert.equal((await get.send(get.server.url)).status, 200);
	const post = await setUp(t, hangsOnce, policy);
	const error = await failure(post.send(post.server.url, { method: 'POST', body: 'x' }));
	assert.deepEqual([error.name, verdictOf(error).reason], ['TimeoutError', 'unsafe-to-repeat']);
	assert.equal(post.server.log.length, 1);
});

test('what the server asks for is waited, to the millisecond', async (t) => {
	const clock = virtualClock();
	const { server, send } = await setUp(
		t,
		statuses([429, { 'retry-after': '7' }], 200),
		{},
		{ clock },
	);
	await send(server.url);
	assert.deepEqual(clock.slept, [7000]);
});

test('a refusal rejects, says when, and nothing is sent', async (t) => {
	const breaker = { kind: 'consecutive', failures: 2, openMs: 60_000 };
	const { server, send, settled } = await setUp(t, statuses(500), {
		...SHORT,
		maxRetries: 0,
		breaker,
	});
	await send(server.url);
	await send(server.url);
	const error = await failure(send(server.url));
	assert.ok(isRetryRefused(error));
	assert.equal(error.reason, 'breaker-open');
	assert.ok(error.retryInMs > 50_000 && error.retryInMs <= 60_000);
	assert.equal(server.log.length, 2);
	assert.deepEqual(settled.at(-1), [0, 'stop', 'breaker-open']);
});

test('a fallback stands in when a call stops, and not when it was cancelled', async (t) => {
	const onGiveUp = ({ reason }) => new Response(reason);
	const { server, send } = await setUp(t, statuses(404), SHORT, { onGiveUp });
	assert.equal(await (await send(server.url)).text(), 'permanent');
	assert.equal(
		(await failure(send(server.url, { signal: AbortSignal.abort() }))).name,
		'AbortError',
	);
});

test('a hook that rejects ends the call with its error, and one that watches cannot', async (t) => {
	const stop = new Error('not again');
	const { server, send } = await setUp(t, statuses(503), SHORT, {
		onRetry: () => Promise.reject(stop),
		onAttempt: () => {
			throw new Error('ignored');
		},
	});
	assert.equal(await failure(send(server.url)), stop);
	assert.equal(server.log.length, 1);
});

test('an origin is read to its end, however much the URL before it began alike', async () => {
	const names = [];
	const send = withRetry(async () => new Response(), SHORT, {
		onSettled: ({ upstream }) => names.push(upstream),
	});
	const urls = [
		'https://api.example/a',
		'https://api.example/b?c#d',
		'https://api.example?c',
		'https://api.example#d',
		'https://api.example',
		'https://api.example.org/a',
		'https://api.example:8443/a',
		'https://api.example@other.example/a',
		'https://api.example\\@other.example/a',
		'http://api.example/a',
		'HTTPS://API.example/a',
		'https://api.example\t.org/a',
		'https://api.example/a',
	];
	for (const url of urls) {
		await send(url);
	}
	assert.deepEqual(
		names,
		urls.map((url) => new URL(url).origin),
	);
});

test('what was decided is told of an answer that nobody may change', async () => {
	const answer = Object.freeze(new Response());
	const send = withRetry(async () => answer, SHORT);
	assert.equal(await send('https://api.example/'), answer);
	assert.equal(verdictOf(answer).reason, 'ok');
	await send('https://api.example/');
	assert.equal(verdictOf(answer).kind, 'accept');
	for (const other of [new Response(), null, '']) {
		assert.equal(verdictOf(other), undefined);
	}
	assert.deepEqual(Reflect.ownKeys(answer), Reflect.ownKeys(new Response()));
});

test('each origin has an upstream of its own, unless one is given', async (t) => {
	const names = [];
	const options = { onSettled: ({ upstream }) => names.push(upstream) };
	const a = await setUp(t, statuses(200));
	const b = await setUp(t, statuses(200));
	const send = withRetry(fetch, {}, options);
	await send(a.server.url);
	await send(new URL('/path', b.server.url));
	assert.deepEqual(names, [a.server.url, b.server.url]);
	const one = withRetry(fetch, createUpstream({}, { name: 'all' }), options);
	await one(a.server.url);
	assert.equal(names.at(-1), 'all');
});

test('a fetch inside a fetch does not retry as well', async (t) => {
	const { server, send } = await setUp(t, statuses(503));
	const outer = withRetry(send, SHORT);
	await outer(server.url);
	assert.equal(server.log.length, 4, 'not sixteen');
	await outer(server.url, { retrywise: false });
	assert.equal(server.log.length, 8, 'left alone, the inner one retries');
});

test('a redirect that is left to the caller is final', async (t) => {
	const { server, send } = await setUp(t, statuses([302, { location: '/x' }]));
	const response = await send(server.url, { redirect: 'manual' });
	assert.equal(response.status, 302);
	assert.equal(server.log.length, 1);
});

test('opaque answers are final, and no failures: nobody may know their status', async () => {
	for (const type of ['opaque', 'opaqueredirect']) {
		let sent = 0;
		const opaque = () => {
			sent += 1;
			return Object.defineProperties(new Response(), {
				type: { value: type },
				status: { value: 0 },
				ok: { value: false },
			});
		};
		const response = await withRetry(async () => opaque(), SHORT)('http://localhost/');
		assert.deepEqual([sent, verdictOf(response).reason], [1, 'ok'], type);
	}
});

test('an attempt that is cancelled is no failure: nothing is announced, no breaker opens', async (t) => {
	const upstream = createUpstream({ ...SHORT, breaker: { kind: 'consecutive', failures: 1 } });
	const abort = new AbortController();
	const reason = Object.assign(new Error('enough'), { code: 'ECONNRESET' });
	const handle = () => abort.abort(reason);
	const { server, send, retries, settled } = await setUp(t, handle, upstream);
	assert.equal(await failure(send(server.url, { signal: abort.signal })), reason);
	assert.deepEqual([retries, settled], [[], [[1, 'stop', 'cancelled']]]);
	assert.equal(upstream.view().breaker, 'closed');
});

test('a short answer that failed leaves its connection to the next attempt', async (t) => {
	const ports = new Set();
	const { server, send } = await setUp(t, (request, response, count) => {
		ports.add(request.socket.remotePort);
		// The body comes after the head: one that was not read would have to be cut off.
		response.writeHead(count < 3 ? 503 : 200, { 'content-length': 4 }).flushHeaders();
		setTimeout(() => response.end('late'), 10);
	});
	assert.equal((await send(server.url)).status, 200);
	assert.deepEqual([server.log.length, ports.size], [3, 1]);
});

test('the limit of an attempt ends with the head of its answer', async (t) => {
	const limits = new Set();
	const after = (ms) => {
		limits.add(ms);
		return () => limits.delete(ms);
	};
	const upstream = createUpstream({ ...SHORT, attemptTimeoutMs: 1000 }, { clock: { after } });
	const seen = [];
	const handle = (_request, response) => {
		seen.push(...limits);
		response.end('ok');
	};
	const { server, send } = await setUp(t, handle, upstream);
	const response = await send(server.url);
	assert.deepEqual([seen, [...limits]], [[1000], []]);
	assert.equal(await response.text(), 'ok');
});

test('an answer that is an error of the network is sent again', async () => {
	const answers = [Response.error(), new Response('ok')];
	const send = withRetry(async () => answers.shift(), SHORT);
	assert.equal(await (await send('http://localhost/')).text(), 'ok');
});

test('a method counts as fetch writes it: put is PUT', async (t) => {
	const { server, send } = await setUp(t, resets(1));
	assert.equal((await send(server.url, { method: 'put', body: 'x' })).status, 200);
	assert.deepEqual(
		server.log.map(({ method }) => method),
		['PUT', 'PUT'],
	);
});

test('a signal of null takes that of the Request away, as with fetch', async (t) => {
	const { server, send } = await setUp(t, statuses(503, 200));
	const request = new Request(server.url, { signal: AbortSignal.abort() });
	assert.equal((await send(request, { signal: null })).status, 200);
	assert.equal((await failure(send(request))).name, 'AbortError');
});

test('a call says for itself what the upstream is to know', async (t) => {
	const lost = await setUp(t, resets(1));
	const post = (retrywise) => ({ method: 'POST', body: '{}', retrywise });
	assert.equal((await lost.send(lost.server.url, post({ idempotent: true }))).status, 200);
	assert.equal(lost.server.log.length, 2, 'its caller knows that it may be repeated');
	const keyed = await setUp(t, statuses(200), KEYED);
	await keyed.send(keyed.server.url, post({ key: 'order-7' }));
	await keyed.send(keyed.server.url, post({ event: 'order/7' }));
	const [own, derived] = keyed.server.log.map(({ headers }) => headers['idempotency-key']);
	assert.equal(own, 'order-7');
	assert.match(derived, /^\S{16,}$/);
	const inner = await setUp(t, statuses(503));
	await inner.send(inner.server.url, { retrywise: { parent: true } });
	assert.equal(inner.server.log.length, 1, 'an outer layer retries');
});

test('machine codes are read by the profile from a copy of the body', async (t) => {
	const quota = (_request, response) =>
		response
			.writeHead(429, { 'content-type': 'application/json' })
			.end(JSON.stringify({ error: { code: 'insufficient_quota' } }));
	const { server, send } = await setUp(t, quota, { ...SHORT, profile: 'openai' });
	const response = await send(server.url);
	assert.equal(server.log.length, 1, 'a spent quota is not retried');
	assert.equal((await response.json()).error.code, 'insufficient_quota');
});

test('a success is looked into where the vendor reports failures as successes', async (t) => {
	const answer = (_request, response, count) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		// In pieces: nobody says how long it will be.
		response.write('{"ok":');
		response.end(count === 1 ? 'false,"error":"ratelimited"}' : 'true,"error":null}');
	};
	const { server, send } = await setUp(t, answer, { ...SHORT, profile: 'slack' });
	const response = await send(server.url);
	assert.equal((await response.json()).ok, true);
	assert.equal(server.log.length, 2);
});

test('nobody else has a success read before the caller gets it', async () => {
	const json = { headers: { 'content-type': 'application/json', 'content-length': '2' } };
	let copies = 0;
	const watched = () => {
		const response = new Response('{}', json);
		response.clone = () => {
			copies += 1;
			return response;
		};
		return response;
	};
	for (const policy of [{}, { profile: 'openai' }]) {
		const response = await withRetry(async () => watched(), policy)('http://127.0.0.1/');
		assert.deepEqual([await response.json(), copies], [{}, 0]);
	}
});

test('a policy that is none is refused at once', () => {
	assert.throws(() => withRetry(fetch, { maxRetrys: 1 }), isPolicyError);
});
