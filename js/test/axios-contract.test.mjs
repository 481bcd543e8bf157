/** The contract of the drop-in, line by line, on real sockets; beside axios-retry where it can be. */

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import axios from 'axios';
import original from 'axios-retry';
import dropIn, * as names from 'retrywise/axios';
import { failure } from './support/promises.mjs';
import { startServer, statuses } from './support/server.mjs';

const reset = (request) => request.socket.resetAndDestroy();

/** Each line for both: what is written here is what axios-retry does. */
for (const [name, axiosRetry] of [
	['axios-retry', original],
	['the drop-in', dropIn],
]) {
	const keeps = (line, script) =>
		test(`${name} ${line}`, async (t) => {
			await script(async (handle, options, config = {}) => {
				const server = await startServer(handle);
				t.after(() => server.close());
				const client = axios.create({ baseURL: server.url, ...config });
				const ids = axiosRetry(client, options);
				return { server, client, ids };
			});
		});

	keeps('retries three times by default, at once', async (set) => {
		const { server, client } = await set(statuses(503));
		const error = await failure(client.get('/'));
		assert.equal(server.log.length, 4);
		assert.equal(error.config['axios-retry'].retryCount, 3);
		assert.ok(axios.isAxiosError(error), 'the last error, not a wrapper');
		assert.equal(error.response.status, 503);
	});

	keeps('repeats a POST whose connection broke, and not one that got a 503', async (set) => {
		const broken = await set(reset);
		await failure(broken.client.post('/', {}));
		assert.equal(broken.server.log.length, 4);
		const away = await set(statuses(503));
		await failure(away.client.post('/', {}));
		assert.equal(away.server.log.length, 1);
	});

	keeps('does not repeat a timeout, since that is ECONNABORTED', async (set) => {
		const { server, client } = await set(() => {}, undefined, { timeout: 250 });
		assert.equal((await failure(client.get('/'))).code, 'ECONNABORTED');
		assert.equal(server.log.length, 1);
	});

	keeps('waits as Retry-After asks, also with a schedule of its own', async (set) => {
		for (const retryDelay of [undefined, () => 1]) {
			const options = retryDelay === undefined ? {} : { retryDelay };
			const { server, client } = await set(statuses([429, { 'retry-after': '1' }], 200), options);
			await client.get('/');
			const [gap] = server.gaps();
			assert.equal(gap >= 990, retryDelay === undefined, String(gap));
		}
	});

	keeps('gives up at once where a timeout of 1 s meets a Retry-After of 2 s', async (set) => {
		const calls = [];
		const { server, client } = await set(
			statuses([503, { 'retry-after': '2' }], 200),
			{ onRetry: () => calls.push('retry'), onMaxRetryTimesExceeded: () => calls.push('exceeded') },
			{ timeout: 1000 },
		);
		const error = await failure(client.get('/'));
		assert.equal(error.response.status, 503);
		assert.equal(error.config['axios-retry'].retryCount, 1);
		assert.equal(server.log.length, 1);
		assert.deepEqual(calls, []);
	});

	keeps('shrinks the timeout with every attempt, or resets it', async (set) => {
		for (const shouldResetTimeout of [false, true]) {
			const left = [];
			const { client } = await set(
				statuses(503, 503, 200),
				{
					shouldResetTimeout,
					retryDelay: () => 30,
					onRetry: (_count, _error, { timeout }) => left.push(timeout),
				},
				{ timeout: 5000 },
			);
			await client.get('/');
			const [first, second] = left;
			if (shouldResetTimeout) {
				assert.deepEqual(left, [5000, 5000]);
			} else {
				assert.ok(first <= 4970 && second <= first - 30, String(left));
			}
		}
	});

	keeps(
		'fires onMaxRetryTimesExceeded for a plain 404 where no retries are allowed',
		async (set) => {
			const calls = [];
			const { client } = await set(statuses(404), {
				retries: 0,
				onMaxRetryTimesExceeded: (error, count) => calls.push([error.response.status, count]),
			});
			await failure(client.get('/'));
			assert.deepEqual(calls, [[404, 0]]);
		},
	);

	keeps('awaits onRetry before the wait, and its rejection is the end', async (set) => {
		const { server, client } = await set(statuses(503), {
			onRetry: () => Promise.reject(new Error('veto')),
		});
		assert.equal((await failure(client.get('/'))).message, 'veto');
		assert.equal(server.log.length, 1);
	});

	keeps(
		'runs request interceptors for every attempt, so that a token can be renewed',
		async (set) => {
			const { server, client } = await set(statuses(503, 503, 200));
			let token = 0;
			client.interceptors.request.use((config) => {
				token += 1;
				config.headers.set('authorization', `token ${token}`);
				return config;
			});
			await client.get('/');
			assert.deepEqual(
				server.log.map(({ headers }) => headers.authorization),
				['token 1', 'token 2', 'token 3'],
			);
		},
	);

	keeps('nests what was added after it and not what was added before it', async (set) => {
		const seen = [];
		const server = await set(statuses(200));
		const client = axios.create({ baseURL: server.server.url });
		const tell = (where) =>
			client.interceptors.response.use(
				(response) => {
					seen.push(`ok ${where}`);
					return response;
				},
				(error) => {
					seen.push(`error ${where}`);
					return Promise.reject(error);
				},
			);
		let count = 0;
		client.interceptors.request.use((config) => {
			count += 1;
			return { ...config, validateStatus: () => count === 3 };
		});
		tell('before');
		axiosRetry(client, { retryCondition: () => true });
		tell('after');
		await client.post('/');
		assert.deepEqual(seen, [
			'error before',
			'error before',
			'ok before',
			'ok after',
			'ok after',
			'ok after',
		]);
	});

	keeps('encodes a body once', async (set) => {
		const { server, client } = await set(statuses(503, 503, 200));
		await client.put('/', { a: 'ü' });
		assert.deepEqual(new Set(server.log.map(({ body }) => body)), new Set(['{"a":"ü"}']));
	});

	keeps('sends nothing where the body was a stream', async (set) => {
		const { server, client } = await set(statuses(503, 200), {}, { maxRedirects: 0 });
		await client.put('/', Readable.from(['abc'])).catch(() => {});
		assert.equal(server.log[0].body, 'abc');
		assert.ok(server.log.length === 1 || server.log[1].body === '');
	});

	keeps('ends the wait when the signal is aborted, and sends no more', async (set) => {
		const abort = new AbortController();
		const { server, client } = await set(statuses(503), {
			retryDelay: () => 30_000,
			onRetry: () => void setTimeout(() => abort.abort(), 20),
		});
		const error = await failure(client.get('/', { signal: abort.signal }));
		assert.equal(error.code, 'ERR_CANCELED');
		assert.equal(server.log.length, 1);
	});

	keeps(
		'lets the wait run out where a cancel token is used, and then fails as cancelled',
		async (set) => {
			const source = axios.CancelToken.source();
			const { server, client } = await set(statuses(503), {
				retryDelay: () => 150,
				onRetry: () => void setTimeout(() => source.cancel('enough'), 20),
			});
			const started = performance.now();
			const error = await failure(client.get('/', { cancelToken: source.token }));
			assert.ok(performance.now() - started >= 140);
			assert.equal(error.message, 'enough');
			assert.equal(server.log.length, 1);
		},
	);

	keeps('shares one state between two attachments', async (set) => {
		const { server, client } = await set(statuses(503));
		axiosRetry(client, { retries: 3 });
		await failure(client.get('/'));
		assert.equal(server.log.length, 4);
	});

	keeps(
		'starts anew with the own config and stays exhausted with that of an error',
		async (set) => {
			const { server, client } = await set(statuses(503), { retries: 1 });
			const config = { url: '/' };
			const error = await failure(client.request(config));
			await failure(client.request(config));
			assert.equal(server.log.length, 4);
			await failure(client.request(error.config));
			assert.equal(server.log.length, 5);
		},
	);

	keeps('judges every answer by validateResponse', async (set) => {
		const { server, client } = await set(statuses(200, 200, 202), {
			retryCondition: () => true,
			validateResponse: ({ status }) => status === 202,
		});
		assert.equal((await client.get('/')).status, 202);
		assert.equal(server.log.length, 3);
		const strictly = await set(statuses(200), { validateResponse: () => false });
		assert.equal((await failure(strictly.client.get('/'))).response.status, 200);
		assert.equal(strictly.server.log.length, 1, 'the default condition repeats no 200');
	});

	keeps('is ejected by its two ids', async (set) => {
		const { server, client, ids } = await set(statuses(503));
		assert.deepEqual(Object.keys(ids), ['requestInterceptorId', 'responseInterceptorId']);
		client.interceptors.request.eject(ids.requestInterceptorId);
		client.interceptors.response.eject(ids.responseInterceptorId);
		await failure(client.get('/'));
		assert.equal(server.log.length, 1);
	});

	keeps('has options for one request, which win', async (set) => {
		const { server, client } = await set(statuses(503), { retries: 5 });
		const { config } = await failure(client.get('/', { 'axios-retry': { retries: 1 } }));
		assert.equal(server.log.length, 2);
		assert.deepEqual(Object.keys(config['axios-retry']).sort(), [
			'lastRequestTime',
			'onMaxRetryTimesExceeded',
			'onRetry',
			'retries',
			'retryCondition',
			'retryCount',
			'retryDelay',
			'shouldResetTimeout',
			'validateResponse',
		]);
	});
}

test('noDelay, which its documentation shows, exists', async (t) => {
	const server = await startServer(statuses(503, 200));
	t.after(() => server.close());
	const client = axios.create({ baseURL: server.url });
	dropIn(client, { retryDelay: dropIn.noDelay });
	assert.equal((await client.get('/')).status, 200);
	assert.equal(names.noDelay, dropIn.noDelay);
	assert.equal(dropIn.noDelay(), 0);
	assert.equal(dropIn.noDelay(3, { response: { headers: { 'retry-after': '2' } } }), 2000);
});

test('the drop-in compiles no WebAssembly', async () => {
	const { execFile } = await import('node:child_process');
	const { promisify } = await import('node:util');
	const script = `
		for (const name of ['Module', 'Instance']) {
			WebAssembly[name] = class { constructor() { throw new Error('compiled'); } };
		}
		const axios = require('axios');
		const axiosRetry = require('retrywise/axios').default;
		let attempts = 0;
		const client = axios.create({ adapter: async (config) => {
			attempts += 1;
			throw new axios.AxiosError('no', 'ECONNRESET', config);
		} });
		axiosRetry(client);
		client.post('http://127.0.0.1/').catch(() => console.log(attempts));
	`;
	const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
		cwd: new URL('.', import.meta.url),
	});
	assert.equal(stdout.trim(), '4');
});
