/** The drop-in beside the published axios-retry: options, hooks and the order of all calls. */

import { CODES, end, METHODS, real, STATUSES, same, stateOf, telling } from './support/same.mjs';

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
