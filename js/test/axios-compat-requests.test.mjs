/** The drop-in beside the published axios-retry: aborts, bodies, configs and several at once. */

import axios, { CanceledError } from 'axios';
import { end, same, telling } from './support/same.mjs';

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
	const api = client([503, 503, 200]);
	axiosRetry(api, telling(log));
	const wrap = (data) => {
		log.push(['encoded', data]);
		return `<${JSON.stringify(data)}>`;
	};
	await end(log, api.post('/', { a: 1 }, { transformRequest: [wrap] }));
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
