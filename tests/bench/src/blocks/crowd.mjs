/**
 * Many calls that wait at once: what each holds, and what it costs beyond the wait.
 *
 * @module
 */

import axios, { AxiosError } from 'axios';
import axiosRetry from 'axios-retry';
import pRetry from 'p-retry';
import { processorNs } from '../measure.mjs';
import { attach, retry } from './ours.mjs';

const WAIT = 400;

const policy = {
	backoff: { curve: 'constant', baseMs: WAIT, jitter: 'none' },
	budget: null,
	breaker: null,
};

/** An adapter that fails the first attempt of each URL. */
function failing() {
	const seen = new Set();
	return async (config) => {
		if (seen.delete(config.url)) {
			return { status: 200, statusText: 'OK', data: '', headers: {}, config, request: {} };
		}
		seen.add(config.url);
		const response = { status: 503, statusText: '', data: '', headers: {}, config, request: {} };
		throw new AxiosError('failed', 'ERR_BAD_RESPONSE', config, {}, response);
	};
}

function byAxios(set) {
	const client = axios.create({ adapter: failing() });
	set(client);
	let calls = 0;
	return () => {
		calls += 1;
		return client.get(`https://api.example.com/orders/${calls}`);
	};
}

const byFunction = (run) => () => {
	let first = true;
	return run(async () => {
		if (first) {
			first = false;
			throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
		}
		return 1;
	});
};

const PAIRS = [
	['axios', 'retrywise attach()', 'axios-retry'],
	['functions', 'retrywise retry()', 'p-retry'],
];

async function crowd(quick) {
	const count = quick ? 500 : 10_000;
	const contestants = {
		'retrywise attach()': byAxios((client) => attach(client, policy)),
		'axios-retry': byAxios((client) => axiosRetry(client, { retries: 3, retryDelay: () => WAIT })),
		'retrywise retry()': byFunction((work) => retry(work, policy)),
		'p-retry': byFunction((work) =>
			pRetry(work, { retries: 3, minTimeout: WAIT, factor: 1, shouldRetry: () => true }),
		),
	};
	const memory = {};
	const time = {};
	for (let round = 0; round < (quick ? 2 : 6); round += 1) {
		for (const [who, call] of Object.entries(contestants)) {
			globalThis.gc?.();
			const before = process.memoryUsage().heapUsed + process.memoryUsage().external;
			const [processor, start] = [processorNs(), performance.now()];
			const calls = Array.from({ length: count }, () => call());
			await new Promise((resolve) => setTimeout(resolve, WAIT / 2));
			const spent = processorNs() - processor;
			globalThis.gc?.();
			const after = process.memoryUsage().heapUsed + process.memoryUsage().external;
			// Collecting is the measurement's own work.
			const resumed = processorNs();
			await Promise.all(calls);
			if (round > 0) {
				memory[who] ??= { held: [] };
				memory[who].held.push((after - before) / count);
				time[who] ??= { processor: [], wall: [] };
				time[who].processor.push((spent + processorNs() - resumed) / count);
				time[who].wall.push(((performance.now() - start - WAIT) * 1e6) / count);
			}
		}
	}
	const pick = (from, ...names) => Object.fromEntries(names.map((who) => [who, from[who]]));
	return PAIRS.flatMap(([what, ours, peer]) => [
		{
			name: `${count} calls in backoff, ${what}: bytes a call`,
			ours,
			targets: { [peer]: 1 },
			unit: 'B',
			times: pick(memory, ours, peer),
		},
		{
			name: `${count} calls in backoff, ${what}: time a call`,
			ours,
			targets: { [peer]: 1 },
			times: pick(time, ours, peer),
		},
	]);
}

export const blocks = [crowd];
