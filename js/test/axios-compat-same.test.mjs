/** The drop-in beside the published axios-retry: one script for both, and nothing may differ. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { afterEach, test } from 'node:test';
import axios, { AxiosError, CanceledError } from 'axios';
import theirs, * as theirNames from 'axios-retry';
import ours, * as ourNames from 'retrywise/axios';

const real = { setTimeout, clearTimeout, now: Date.now, random: Math.random };

afterEach(() => {
	Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
	Date.now = real.now;
	Math.random = real.random;
});

/** A world in which time is counted: each look at the clock takes 3 ms, and timers fire at once. */
function world(log) {
	let now = 1_700_000_000_000;
	let realMs = 1;
	Date.now = () => {
		now += 3;
		return now;
	};
	Math.random = () => 0.5;
	globalThis.setTimeout = (then, ms) => {
		log.push(['timer', String(ms)]);
		return real.setTimeout(() => {
			now += ms > 0 ? Math.min(ms, 1e6) : 0;
			then();
		}, realMs);
	};
	globalThis.clearTimeout = (timer) => {
		log.push(['timer cleared']);
		real.clearTimeout(timer);
	};
	return {
		advance: (ms) => {
			now += ms;
		},
		/** Something is to happen before a timer fires. */
		slowTimers: () => {
			realMs = 150;
		},
	};
}

/** Runs a script with one implementation; everything that could be seen of it. */
async function seen(axiosRetry, script) {
	const log = [];
	const { advance, slowTimers } = world(log);
	try {
		await script({ axiosRetry, log, slowTimers, client: clientOf(log, advance) });
	} finally {
		Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
		Date.now = real.now;
		Math.random = real.random;
	}
	return log;
}

/** Makes a client whose adapter plays the answers, and whose interceptors tell what they see. */
const clientOf =
	(log, advance) =>
	(answers, config = {}) => {
		let count = 0;
		const client = axios.create({
			...config,
			adapter: async (config) => {
				count += 1;
				log.push(['sent', stateOf(config), config.method, config.timeout, config.data]);
				log.push(['agents', 'httpAgent' in config, 'httpsAgent' in config, 'agent' in config]);
				advance(10);
				const answer = answers[Math.min(count, answers.length) - 1];
				if (typeof answer === 'string') {
					throw new AxiosError('broken', answer, config, {});
				}
				if (answer instanceof Error || typeof answer !== 'object') {
					if (typeof answer !== 'number') {
						throw answer;
					}
				}
				const [status, headers = {}] = Array.isArray(answer) ? answer : [answer];
				const response = { status, statusText: '', headers, data: { count }, config, request: {} };
				if (config.validateStatus === null || config.validateStatus(status)) {
					return response;
				}
				throw new AxiosError(`status ${status}`, undefined, config, {}, response);
			},
		});
		return client;
	};

const stateOf = (config) => {
	const state = config?.['axios-retry'];
	return (
		state &&
		Object.entries(state).map(([name, value]) => [
			name,
			typeof value === 'function' ? 'function' : String(value),
		])
	);
};

/** How a request ended. */
async function end(log, promise) {
	try {
		const { status, data, config } = await promise;
		log.push(['resolved', status, data, stateOf(config), config.timeout]);
	} catch (error) {
		const { message, code, response, config } = error ?? {};
		const kind = message?.startsWith('Cannot destructure') ? 'TypeError' : message;
		log.push(['rejected', error?.name, kind, code, response?.status, stateOf(config)]);
		log.push(['left', config?.timeout, config?.transformRequest?.length]);
	}
}

/** Hooks that tell of each call. */
const telling = (log, extra = {}) => ({
	retries: 2,
	retryCondition: (error) => {
		log.push(['condition', error.code, error.response?.status, stateOf(error.config)]);
		return true;
	},
	retryDelay: (count, error) => {
		log.push(['delay', count, error.code, error.response?.status]);
		return 5 * count;
	},
	onRetry: (count, error, config) => {
		log.push([
			'onRetry',
			count,
			error.code,
			stateOf(config),
			config.timeout,
			config === error.config,
		]);
	},
	onMaxRetryTimesExceeded: (error, count) => {
		log.push(['exceeded', error.code, error.response?.status, count]);
	},
	...extra,
});

const same = (name, script) =>
	test(name, async () => {
		const expected = await seen(theirs, script);
		assert.ok(expected.length > 0);
		const found = await seen(ours, script);
		for (const [i, line] of expected.entries()) {
			assert.deepEqual(
				found[i],
				line,
				`line ${i}: ${JSON.stringify(found[i])} ${JSON.stringify(line)}`,
			);
		}
		assert.equal(found.length, expected.length);
	});

const METHODS = ['get', 'head', 'options', 'put', 'delete', 'post', 'patch'];
const CODES = [
	'ECONNRESET',
	'ECONNREFUSED',
	'EPIPE',
	'ETIMEDOUT',
	'EAI_AGAIN',
	'ERR_NETWORK',
	'ENOTFOUND',
	'ENETUNREACH',
	'CERT_HAS_EXPIRED',
	'ERR_CANCELED',
	'ECONNABORTED',
	'ERR_INVALID_URL',
	'ERR_BAD_OPTION',
	'ERR_FR_MAX_BODY_LENGTH_EXCEEDED',
	'ERR_INVALID_CHAR',
	'ERR_TLS_CERT_ALTNAME_INVALID',
];
const STATUSES = [
	200, 301, 400, 404, 408, 409, 425, 429, 499, 500, 501, 503, 505, 511, 520, 599, 600,
];

test('the same names are exported, with the same defaults', () => {
	const added = ['attach', 'hooks', 'noDelay', 'verdictOf'];
	assert.deepEqual(
		Object.keys(ourNames).filter((name) => !added.includes(name)),
		Object.keys(theirNames),
	);
	assert.deepEqual(
		Object.keys(ours)
			.filter((name) => name !== 'noDelay')
			.sort(),
		Object.keys(theirs).sort(),
	);
	assert.equal(ourNames.namespace, theirNames.namespace);
	const plain = ({ DEFAULT_OPTIONS }) =>
		Object.entries(DEFAULT_OPTIONS).map(([k, v]) => [k, typeof v === 'function' ? 'function' : v]);
	assert.deepEqual(plain(ourNames), plain(theirNames));
	assert.equal(ourNames.DEFAULT_OPTIONS.retryCondition, ours.isNetworkOrIdempotentRequestError);
	assert.equal(ourNames.DEFAULT_OPTIONS.retryDelay, ours.noDelay);
	assert.equal(ours.length, theirs.length);
});

test('CommonJS has the function under default, beside the names', () => {
	const require = createRequire(import.meta.url);
	const [our, their] = [require('retrywise/axios'), require('axios-retry')];
	assert.equal(our.__esModule, their.__esModule);
	assert.equal(typeof our, typeof their);
	assert.equal(typeof our.default, 'function');
	assert.equal(our.default.isNetworkError, our.isNetworkError);
});

test('every predicate answers the same, for every code, status and method', () => {
	const deny = [...Array.from({ length: 400 }, (_, i) => i + 200)];
	const names = Object.keys(theirNames).filter((name) => /^is/.test(name));
	let compared = 0;
	const compare = (error) => {
		for (const name of names) {
			assert.deepEqual(outcome(ourNames[name], error), outcome(theirNames[name], error), name);
			compared += 1;
		}
	};
	for (const method of [...METHODS, 'GET', 'trace', '', undefined]) {
		for (const code of [...CODES, '', undefined, null, 0, 7]) {
			compare({ code, config: { method } });
			compare({ code });
		}
		for (const status of [...STATUSES, ...deny, undefined, '503', null]) {
			compare({ response: { status }, config: { method } });
			compare({ code: 'ECONNABORTED', response: { status }, config: { method } });
		}
	}
	for (const odd of [
		{},
		{ config: null },
		{ response: 0 },
		{ response: {} },
		undefined,
		null,
		7,
		'x',
	]) {
		compare(odd);
	}
	assert.ok(compared > 10_000);
});

test('the deny list is the same, name by name', async () => {
	const { readFile } = await import('node:fs/promises');
	const list = createRequire(import.meta.url).resolve('is-retry-allowed');
	const codes = (await readFile(list, 'utf8')).match(/(?<=')[A-Z_]+(?=')/g);
	assert.equal(codes.length, 30);
	for (const code of codes) {
		assert.equal(ours.isNetworkError({ code }), false, code);
		assert.equal(theirs.isNetworkError({ code }), false, code);
	}
});

/** What a function gives or throws. */
function outcome(call, ...args) {
	try {
		return { value: call(...args) };
	} catch (error) {
		return { threw: error.constructor.name };
	}
}

test('the delays are the same numbers', () => {
	Date.now = () => Date.UTC(2026, 0, 15, 12);
	Math.random = () => 0.25;
	const errors = [undefined, null, {}, { response: undefined }, { response: {} }].concat(
		[
			undefined,
			'',
			'0',
			'1',
			'1.5',
			'-5',
			' 7 ',
			'abc',
			'1m30s',
			'120, 120',
			'1771404540',
			'0x10',
			'1e3',
			'Infinity',
			7,
			['3'],
			'Thu, 15 Jan 2026 12:00:30 GMT',
			'Thu, 15 Jan 2026 11:00:30 GMT',
			'Thursday, 15-Jan-26 12:00:30 GMT',
			'Thu Jan 15 12:00:30 2026',
			'2026-01-15T12:01:00Z',
		].map((value) => ({ response: { headers: { 'retry-after': value } } })),
		[{ response: { headers: { 'Retry-After': '5' } } }],
		[{ response: { headers: new Headers({ 'retry-after': '5' }) } }],
	);
	for (const error of errors) {
		assert.deepEqual(
			outcome(ourNames.retryAfter, error),
			outcome(theirNames.retryAfter, error),
			JSON.stringify(error),
		);
		for (const n of [undefined, 0, 1, 2, 3, 10, 25, 1024, 2000, -1, 1.5, Number.NaN, '3']) {
			const of = ({ exponentialDelay, linearDelay, DEFAULT_OPTIONS }) => [
				outcome(exponentialDelay, n, error),
				outcome(exponentialDelay, n, error, 1000),
				outcome(exponentialDelay, n, error, 0),
				outcome(linearDelay(), n, error),
				outcome(linearDelay(250), n, error),
				outcome(DEFAULT_OPTIONS.retryDelay, n, error),
			];
			assert.deepEqual(of(ourNames), of(theirNames), `${n} ${JSON.stringify(error)}`);
		}
	}
	assert.equal(ours.exponentialDelay.length, theirs.exponentialDelay.length);
});

for (const method of METHODS) {
	same(
		`${method}: every code and status under the defaults`,
		async ({ axiosRetry, log, client }) => {
			for (const answer of [...CODES, ...STATUSES]) {
				const api = client([answer]);
				axiosRetry(api);
				await end(log, api.request({ url: '/', method }));
			}
		},
	);
}

same('the order of all calls, with interceptors before and after', async (world) => {
	const { axiosRetry, log, client } = world;
	const api = client([503, 'ECONNRESET', 200]);
	const tell = (name) => {
		api.interceptors.request.use((config) => {
			log.push([`request ${name}`, stateOf(config)]);
			return config;
		});
		api.interceptors.response.use(
			(response) => {
				log.push([`ok ${name}`, stateOf(response.config)]);
				return response;
			},
			(error) => {
				log.push([`error ${name}`, error.code, error.response?.status]);
				return Promise.reject(error);
			},
		);
	};
	tell('before');
	const ids = axiosRetry(api, telling(log));
	log.push(['ids', ids]);
	tell('after');
	await end(log, api.post('/', { a: 1 }));
	await end(log, api.post('/', { a: 1 }));
	api.interceptors.request.eject(ids.requestInterceptorId);
	api.interceptors.response.eject(ids.responseInterceptorId);
	await end(log, api.post('/', { a: 1 }));
});

same('odd numbers of retries', async ({ axiosRetry, log, client }) => {
	for (const retries of [
		0,
		1,
		-1,
		Number.NaN,
		null,
		undefined,
		'2',
		1.5,
		Number.POSITIVE_INFINITY,
	]) {
		for (const answers of [
			[503, 503, 503, 503, 200],
			[404, 404, 200],
		]) {
			const api = client(answers);
			axiosRetry(api, telling(log, { retries }));
			await end(log, api.get('/'));
		}
	}
});

same('every kind of answer of the condition', async ({ axiosRetry, log, client }) => {
	const answers = [
		() => true,
		() => false,
		() => undefined,
		() => null,
		() => 0,
		() => 1,
		() => '',
		() => ({}),
		() => Promise.resolve(true),
		() => Promise.resolve(false),
		() => Promise.resolve(undefined),
		() => Promise.resolve(0),
		() => Promise.reject(new Error('asked in vain')),
		() => {
			throw new Error('thrown');
		},
	];
	for (const retryCondition of answers) {
		const api = client([503, 503, 200]);
		axiosRetry(api, telling(log, { retryCondition }));
		await end(log, api.get('/'));
	}
});

same('odd delays, with and without a timeout', async ({ axiosRetry, log, client }) => {
	const delays = [Number.NaN, undefined, null, -50, '30', 0.5, 2 ** 31, Number.POSITIVE_INFINITY];
	for (const delay of [...delays, Promise.resolve(4)]) {
		for (const timeout of [undefined, 0, 1000]) {
			const api = client([503, 503, 200], timeout === undefined ? {} : { timeout });
			axiosRetry(api, telling(log, { retryDelay: () => delay }));
			await end(log, api.get('/'));
		}
	}
});

same('the timeout is for all attempts, or for each', async ({ axiosRetry, log, client }) => {
	for (const shouldResetTimeout of [false, true, undefined]) {
		for (const timeout of [20, 100, 130, 1000]) {
			const api = client([503, 503, 503, 200], { timeout });
			axiosRetry(api, telling(log, { shouldResetTimeout, retries: 5, retryDelay: () => 30 }));
			await end(log, api.get('/'));
		}
	}
	const api = client([[503, { 'retry-after': '2' }], 200], { timeout: 1000 });
	axiosRetry(api, { onMaxRetryTimesExceeded: () => log.push(['exceeded']) });
	await end(log, api.get('/'));
});

same('hooks that wait, reject, throw, are undefined or no functions', async (world) => {
	const { axiosRetry, log, client } = world;
	const late = (ms) => new Promise((resolve) => real.setTimeout(resolve, ms));
	const variants = [
		{ onRetry: () => late(2).then(() => void log.push(['waited'])) },
		{ onRetry: () => Promise.reject(new Error('veto')) },
		{
			onRetry: () => {
				throw new Error('veto');
			},
		},
		{ onRetry: undefined },
		{
			onRetry: function () {
				log.push(['this', this === undefined]);
			},
		},
		{ retryDelay: undefined },
		{
			retryDelay: () => {
				throw new Error('no delay');
			},
		},
		{ retryCondition: undefined },
		{ onMaxRetryTimesExceeded: undefined },
		{ onMaxRetryTimesExceeded: () => late(2).then(() => void log.push(['waited'])) },
		{ onMaxRetryTimesExceeded: () => Promise.reject(new Error('instead')) },
		{ validateResponse: undefined },
	];
	for (const variant of variants) {
		for (const answers of [[503, 200], [503]]) {
			const api = client(answers);
			axiosRetry(api, telling(log, variant));
			await end(log, api.get('/'));
		}
	}
});

same('options merge: defaults, instance, request', async ({ axiosRetry, log, client }) => {
	const requests = [
		undefined,
		{},
		{ retries: 1 },
		{ retries: 0 },
		{ retries: undefined },
		{ retryCount: 1 },
		{ lastRequestTime: 5 },
		{ extra: 'kept' },
		{ retryCondition: () => false },
		null,
	];
	for (const options of [undefined, null, {}, { retries: 4 }, { unknown: 1 }]) {
		for (const own of requests) {
			const api = client([503]);
			axiosRetry(api, options);
			await end(log, api.get('/', own === undefined ? {} : { 'axios-retry': own }));
		}
	}
});

same('validateResponse judges every answer', async ({ axiosRetry, log, client }) => {
	const judge = ({ status, data }) => {
		log.push(['judged', status, data]);
		return status === 202 || data.count === 3;
	};
	for (const [answers, extra] of [
		[[200, 202], {}],
		[[202], {}],
		[[404, 404, 404], {}],
		[['ECONNRESET', 202], {}],
		[[500], {}],
		[[200], { retryCondition: undefined }],
	]) {
		const api = client(answers);
		api.interceptors.response.use(null, (error) => {
			log.push(['before', error.message, error.code, error.response?.status]);
			return Promise.reject(error);
		});
		axiosRetry(api, telling(log, { validateResponse: judge, ...extra }));
		await end(log, api.get('/'));
	}
	const plain = client([200]);
	axiosRetry(plain, { validateResponse: () => false });
	await end(log, plain.get('/'));
	await end(log, plain.get('/', { 'axios-retry': { validateResponse: null } }));
});

same('aborts: before, while it is asked, and in the wait', async (world) => {
	const { axiosRetry, log, client } = world;
	world.slowTimers();
	for (const when of ['before', 'condition', 'onRetry', 'wait']) {
		const abort = new AbortController();
		const at = (name) => name === when && abort.abort();
		at('before');
		const api = client([503]);
		axiosRetry(
			api,
			telling(log, {
				retries: 2,
				retryCondition: (error) => {
					at('condition');
					return axios.isCancel(error) ? false : error.response !== undefined;
				},
				onRetry: () => {
					at('onRetry');
					setImmediate(at, 'wait');
				},
			}),
		);
		await end(log, api.get('/', { signal: abort.signal }));
	}
});

same('signals of another make, and cancel tokens', async ({ axiosRetry, log, client }) => {
	for (const signal of [{}, { aborted: false }, { aborted: true }, null]) {
		const api = client([503, 200]);
		axiosRetry(api, telling(log));
		await end(log, api.get('/', { signal }));
	}
	const source = axios.CancelToken.source();
	const api = client([503, 200]);
	axiosRetry(api, telling(log, { onRetry: () => source.cancel('enough') }));
	await end(log, api.get('/', { cancelToken: source.token }));
});

same(
	'what is rejected without a config, and what is no error',
	async ({ axiosRetry, log, client }) => {
		for (const thrown of [
			new Error('plain'),
			new CanceledError('gone'),
			{},
			'text',
			undefined,
			null,
		]) {
			const api = client([200]);
			axiosRetry(api, telling(log));
			api.interceptors.request.use(() => Promise.reject(thrown));
			await end(log, api.get('/'));
			const late = client([200]);
			late.interceptors.response.use(() => Promise.reject(thrown));
			axiosRetry(late, telling(log));
			await end(log, late.get('/'));
		}
	},
);

same('bodies are encoded once', async ({ axiosRetry, log, client }) => {
	for (const body of [{ a: 1 }, '"text"', [1, 2], new URLSearchParams('a=1'), 'plain', null, 0]) {
		const api = client([503, 503, 200]);
		axiosRetry(api, telling(log));
		await end(log, api.post('/', body));
		await end(log, api.post('/', body, { headers: { 'content-type': 'application/json' } }));
	}
});

same(
	'agents of the instance go, agents of the request stay',
	async ({ axiosRetry, log, client }) => {
		const [a, b] = [{ one: 1 }, { two: 2 }];
		for (const defaults of [{}, { httpAgent: a }, { httpsAgent: a }, { agent: a }]) {
			for (const own of [{}, { httpAgent: b }, { httpAgent: a, httpsAgent: a, agent: a }]) {
				const api = client([503, 200], defaults);
				axiosRetry(api, telling(log));
				await end(log, api.get('/', own));
			}
		}
	},
);

same('two attachments share one state', async ({ axiosRetry, log, client }) => {
	const api = client([503]);
	axiosRetry(api, telling(log, { retries: 3 }));
	axiosRetry(api, telling(log, { retries: 5 }));
	await end(log, api.get('/'));
});

same('a config is used again: the own one afresh, the one of an error as it was', async (world) => {
	const { axiosRetry, log, client } = world;
	const api = client([503]);
	axiosRetry(api, telling(log));
	const config = { url: '/', method: 'get' };
	await end(log, api.request(config));
	await end(log, api.request(config));
	log.push(['config', Object.keys(config)]);
	const error = await api.request(config).catch((error) => error);
	await end(log, api.request(error.config));
});

same('an interceptor renews a header at each attempt', async ({ axiosRetry, log, client }) => {
	const api = client([503, 401, 200]);
	let token = 0;
	api.interceptors.request.use((config) => {
		token += 1;
		config.headers.set('x-token', String(token));
		log.push(['token', config.headers.get('x-token')]);
		return config;
	});
	axiosRetry(api, telling(log));
	await end(log, api.get('/'));
});

same('onRetry changes the request', async ({ axiosRetry, log, client }) => {
	const api = client([503, 200]);
	axiosRetry(
		api,
		telling(log, {
			onRetry: (_count, _error, config) => {
				config.url = '/elsewhere';
				config.method = 'put';
				config.timeout = 77;
			},
		}),
	);
	await end(log, api.get('/'));
});

same('the delay functions as they are handed over', async ({ axiosRetry, log, client }) => {
	for (const retryDelay of [
		axiosRetry.exponentialDelay,
		axiosRetry.linearDelay(),
		axiosRetry.linearDelay(7),
		(count, error) => axiosRetry.exponentialDelay(count, error, 3),
	]) {
		const api = client([503, [429, { 'retry-after': '1' }], [503, { 'retry-after': 'soon' }], 200]);
		axiosRetry(api, { retryDelay });
		await end(log, api.get('/'));
	}
});

same('many at once', async ({ axiosRetry, log, client }) => {
	const api = client([503, 503, 503, 503, 503, 200]);
	axiosRetry(api, { retries: 4 });
	const results = await Promise.allSettled(Array.from({ length: 6 }, () => api.get('/')));
	log.push(results.map(({ status }) => status));
});

same('the default axios itself, and a callable instance', async ({ axiosRetry, log, client }) => {
	const api = client([503, 200]);
	log.push(['ids', axiosRetry(api), axiosRetry(api)]);
	await end(log, api('/'));
	await end(log, api({ url: '/', method: 'delete' }));
});
