/** One script for the published axios-retry and for the drop-in; everything that it shows is compared. */

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import axios, { AxiosError } from 'axios';
import theirs from 'axios-retry';
import ours from 'retrywise/axios';

export const real = { setTimeout, clearTimeout, now: Date.now, random: Math.random };

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

export const stateOf = (config) => {
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
export async function end(log, promise) {
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
export const telling = (log, extra = {}) => ({
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

export const same = (name, script) =>
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

export const METHODS = ['get', 'head', 'options', 'put', 'delete', 'post', 'patch'];
export const CODES = [
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
export const STATUSES = [
	200, 301, 400, 404, 408, 409, 425, 429, 499, 500, 501, 503, 505, 511, 520, 599, 600,
];
