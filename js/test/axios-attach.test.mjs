import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import axios from 'axios';
import { createUpstream, isPolicyError, isRetryRefused } from 'retrywise';
import { attach, verdictOf } from 'retrywise/axios';
import { callsUnderWay } from 'retrywise/internal';
import { startServer, statuses } from './support/server.mjs';

/** Short waits without chance. */
const SHORT = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 20, capMs: 80 } };
/** A wait that no test waits for. */
const LONG = { maxRetries: 3, backoff: { jitter: 'none', baseMs: 30_000 } };

/** A client under a policy, a server, and all that the hooks told. */
async function setUp(t, handle, policy = SHORT, options = {}, config = {}) {
	const server = await startServer(handle);
	t.after(() => server.close());
	const client = axios.create({ baseURL: server.url, ...config });
	const told = { attempts: [], retries: [], settled: [] };
	const attached = attach(client, policy, {
		onAttempt: ({ attempt }) => told.attempts.push(attempt),
		onRetry: ({ attempt, delayMs, reason }) => void told.retries.push([attempt, delayMs, reason]),
		onSettled: ({ attempts, verdict }) =>
			told.settled.push([attempts, verdict.kind, verdict.reason]),
		...options,
	});
	return { server, client, attached, ...told };
}

const failure = (promise) =>
	promise.then(
		() => assert.fail('it resolved'),
		(error) => error,
	);

/** Cuts the connection at these requests, answers 200 to the others. */
const resets =
	(...at) =>
	(request, response, count) => {
		if (at.includes(count)) {
			request.socket.resetAndDestroy();
		} else {
			response.end('ok');
		}
	};

/** `Promise.withResolvers`, which Node 20 has not. */
function withResolvers() {
	let resolve;
	const promise = new Promise((settle) => {
		resolve = settle;
	});
	return { promise, resolve };
}

const MODES = ['interceptor', 'adapter'];

for (const mode of MODES) {
	const inMode = (name, script) => test(`${mode} mode: ${name}`, script);
	const set = (t, handle, policy, options = {}, config = {}) =>
		setUp(t, handle, policy, { mode, ...options }, config);

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

	inMode('an abort ends the wait at once and leaves nothing', async (t) => {
		const before = callsUnderWay();
		const abort = new AbortController();
		const { server, client, settled } = await set(t, statuses(503), LONG, {
			onRetry: () => void setTimeout(() => abort.abort(), 20),
		});
		const { signal } = abort;
		let listeners = 0;
		const [add, remove] = [signal.addEventListener, signal.removeEventListener];
		signal.addEventListener = (...args) => {
			listeners += 1;
			return add.apply(signal, args);
		};
		signal.removeEventListener = (...args) => {
			listeners -= 1;
			return remove.apply(signal, args);
		};
		const started = performance.now();
		const error = await failure(client.get('/', { signal }));
		assert.ok(performance.now() - started < 10_000);
		assert.ok(axios.isCancel(error));
		assert.equal(error.code, 'ERR_CANCELED');
		assert.equal(server.log.length, 1);
		assert.deepEqual(settled, [[1, 'stop', 'cancelled']]);
		assert.equal(listeners, 0);
		assert.equal(callsUnderWay(), before);
	});

	inMode('a cancel token ends the wait at once too', async (t) => {
		const before = callsUnderWay();
		const source = axios.CancelToken.source();
		const { server, client, settled } = await set(t, statuses(503), LONG, {
			onRetry: () => void setTimeout(() => source.cancel('enough'), 20),
		});
		const error = await failure(client.get('/', { cancelToken: source.token }));
		assert.ok(axios.isCancel(error));
		assert.equal(error.message, 'enough');
		assert.equal(server.log.length, 1);
		assert.deepEqual(settled, [[1, 'stop', 'cancelled']]);
		assert.equal(source.token._listeners?.length ?? 0, 0);
		assert.equal(callsUnderWay(), before);
	});

	inMode('a request that is cancelled while it is under way is not sent again', async (t) => {
		let cancel;
		const { server, client } = await set(t, () => cancel());
		for (const by of ['signal', 'token']) {
			const abort = new AbortController();
			const source = axios.CancelToken.source();
			cancel = () => (by === 'signal' ? abort.abort() : source.cancel());
			const config = { signal: abort.signal, cancelToken: source.token };
			assert.ok(axios.isCancel(await failure(client.get('/', config))));
		}
		assert.equal(server.log.length, 2);
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

	inMode('an open breaker refuses before anything is sent; a fallback may stand in', async (t) => {
		const policy = { maxRetries: 0, breaker: { kind: 'consecutive', failures: 2, openMs: 60_000 } };
		const { server, client, settled } = await set(t, statuses(503), policy);
		await failure(client.get('/'));
		await failure(client.get('/'));
		const error = await failure(client.get('/'));
		assert.ok(isRetryRefused(error));
		assert.equal(error.reason, 'breaker-open');
		assert.ok(error.retryInMs > 50_000 && error.retryInMs <= 60_000);
		assert.equal(error.config.url, '/');
		assert.equal(server.log.length, 2);
		assert.deepEqual(settled.at(-1), [0, 'stop', 'breaker-open']);
		assert.match(verdictOf(error).explain(), /\w/);
		const degraded = await set(t, statuses(503), policy, {
			onGiveUp: (verdict, { attempts }) => ({ data: `${verdict.reason} ${attempts}` }),
		});
		const got = [];
		for (let i = 0; i < 3; i++) {
			got.push((await degraded.client.get('/')).data);
		}
		assert.deepEqual(got, ['retries-exhausted 1', 'retries-exhausted 1', 'breaker-open 0']);
	});

	inMode('a breaker that opens in the wait ends the call with its own last error', async (t) => {
		const policy = { ...SHORT, breaker: { kind: 'consecutive', failures: 3, openMs: 100_000 } };
		const { promise: others, resolve: done } = withResolvers();
		const { promise: waits, resolve: waiting } = withResolvers();
		const sleep = () => {
			waiting();
			return others;
		};
		const { client, server } = await set(t, statuses(503), policy, { clock: { sleep } });
		const first = failure(client.get('/slow'));
		await waits;
		await Promise.all([1, 2].map(() => failure(client.post('/', {}))));
		done();
		const error = await first;
		assert.equal(error.response.status, 503);
		assert.equal(verdictOf(error).reason, 'breaker-open');
		assert.equal(server.log.length, 3);
	});

	inMode('the budget bounds the load of all calls together', async (t) => {
		const policy = { ...SHORT, breaker: null, budget: { kind: 'tokens', capacity: 28 } };
		const { server, client } = await set(t, statuses(503), policy);
		const reasons = [];
		for (let i = 0; i < 4; i++) {
			reasons.push(verdictOf(await failure(client.get('/'))).reason);
		}
		assert.equal(server.log.length, 4 + 2);
		assert.equal(reasons.at(-1), 'budget-exhausted');
	});

	inMode('the deadline bounds attempts and waits, and the attempt under way', async (t) => {
		const hang = (_request, response, count) => count < 2 || response.end('ok');
		const { server, client } = await set(t, hang, { ...SHORT, deadlineMs: 400 });
		const started = performance.now();
		const error = await failure(client.get('/'));
		assert.ok(performance.now() - started < 5000);
		assert.equal(verdictOf(error).reason, 'deadline');
		assert.equal(server.log.length, 1);
	});

	inMode(
		"an attempt's timeout is the policy's where it is shorter, and the client's else",
		async (t) => {
			const hang = (_request, response, count) => count < 2 || response.end('ok');
			const { client } = await set(
				t,
				hang,
				{ ...SHORT, attemptTimeoutMs: 100 },
				{},
				{ timeout: 9000 },
			);
			const response = await client.get('/');
			assert.equal(response.config.timeout, 9000, 'the config says what its caller said');
			const other = await set(t, hang, { ...SHORT, attemptTimeoutMs: 9000 }, {}, { timeout: 300 });
			assert.equal((await other.client.get('/')).status, 200);
		},
	);

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
		const handle = (_request, response, count) => {
			response.writeHead(count < 3 ? 503 : 200).write('x'.repeat(100_000));
			return count < 3 ? undefined : response.end();
		};
		const { server, client } = await set(t, handle);
		const response = await client.get('/', { responseType: 'stream' });
		response.data.resume();
		assert.equal(response.status, 200);
		assert.equal(server.log.length, 3);
	});

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

	inMode('it stands beside axios instances of the same kind', async (t) => {
		const first = await set(t, statuses(503, 200));
		const second = await set(t, statuses(503));
		const [, error] = await Promise.all([first.client.get('/'), failure(second.client.get('/'))]);
		// The config of one goes to the other.
		await failure(first.client.request({ ...error.config, baseURL: second.server.url }));
		assert.equal(second.server.log.length, 8);
	});
}

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

test('unref: a wait does not keep the process', async () => {
	const { execFile } = await import('node:child_process');
	const { promisify } = await import('node:util');
	const script = `
		import axios from 'axios';
		import { attach } from 'retrywise/axios';
		const client = axios.create({ adapter: async (config) => {
			throw new axios.AxiosError('no', 'ECONNREFUSED', config);
		} });
		attach(client, { maxRetries: 1, backoff: { jitter: 'none', baseMs: 30000 } }, { unref: true });
		client.get('http://127.0.0.1/').catch(() => {});
		process.on('exit', () => console.log('gone'));
	`;
	const { stdout } = await promisify(execFile)(
		process.execPath,
		['--input-type=module', '-e', script],
		{ cwd: new URL('.', import.meta.url), timeout: 20_000 },
	);
	assert.equal(stdout.trim(), 'gone');
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
