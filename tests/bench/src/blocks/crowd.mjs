/**
 * Many calls that wait at once: what each holds, and what it costs beyond the wait.
 *
 * @module
 */

import axios, { AxiosError } from 'axios';
import axiosRetry from 'axios-retry';
import pRetry from 'p-retry';
import { processorNs } from '../measure.mjs';
import { attach, createUpstream, retry } from './ours.mjs';

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

/** An interceptor that sends again after a timer, and holds as little as it can, or the error too. */
const again = (holds) => (client) =>
	client.interceptors.response.use(undefined, (error) => {
		const { config } = error;
		const held = holds ? error : undefined;
		config.transformRequest = [(data) => data];
		return new Promise((resolve, reject) => {
			setTimeout(() => (config.url === '' ? reject(held) : resolve(client(config))), WAIT);
		});
	});

const TIMER = 'floor: a timer and the config';
const HOLDING = 'floor: a timer that holds the error';
const SHARED = 'retry() with one upstream';

const PAIRS = [
	['axios', 'retrywise attach()', 'axios-retry', [TIMER, HOLDING]],
	['functions', 'retrywise retry()', 'p-retry', [SHARED]],
];

/**
 * One round: what the calls hold in their wait, and what they take. A function of its own: a loop
 * that awaits would keep the calls of the round before, and count them as there before.
 */
async function round(call, count) {
	await settled();
	const before = bytes();
	const [processor, start] = [processorNs(), performance.now()];
	const calls = Array.from({ length: count }, () => call());
	await new Promise((resolve) => setTimeout(resolve, WAIT / 2));
	const spent = processorNs() - processor;
	globalThis.gc?.();
	const held = (bytes() - before) / count;
	// Collecting is the measurement's own work.
	const resumed = processorNs();
	await Promise.all(calls);
	return {
		held,
		processor: (spent + processorNs() - resumed) / count,
		wall: ((performance.now() - start - WAIT) * 1e6) / count,
	};
}

/** Lets go of what waits for a turn, or for a second collection, to be let go of. */
async function settled() {
	for (let turn = 0; turn < 3; turn += 1) {
		globalThis.gc?.();
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

function bytes() {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

async function crowd(quick) {
	const count = quick ? 500 : 10_000;
	const upstream = createUpstream(policy);
	const contestants = {
		'retrywise attach()': byAxios((client) => attach(client, policy)),
		'axios-retry': byAxios((client) => axiosRetry(client, { retries: 3, retryDelay: () => WAIT })),
		[TIMER]: byAxios(again(false)),
		[HOLDING]: byAxios(again(true)),
		'retrywise retry()': byFunction((work) => retry(work, policy)),
		[SHARED]: byFunction((work) => retry(work, upstream)),
		'p-retry': byFunction((work) =>
			pRetry(work, { retries: 3, minTimeout: WAIT, factor: 1, shouldRetry: () => true }),
		),
	};
	const memory = {};
	const time = {};
	for (let number = 0; number < (quick ? 2 : 6); number += 1) {
		for (const [who, call] of Object.entries(contestants)) {
			const { held, processor, wall } = await round(call, count);
			if (number > 0) {
				memory[who] ??= { held: [] };
				memory[who].held.push(held);
				time[who] ??= { processor: [], wall: [] };
				time[who].processor.push(processor);
				time[who].wall.push(wall);
			}
		}
	}
	const pick = (from, ...names) => Object.fromEntries(names.map((who) => [who, from[who]]));
	return PAIRS.flatMap(([what, ours, peer, floors]) => [
		{
			name: `${count} calls in backoff, ${what}: bytes a call`,
			ours,
			targets: { [peer]: 1 },
			unit: 'B',
			times: pick(memory, ours, peer, ...floors),
		},
		{
			name: `${count} calls in backoff, ${what}: time a call`,
			ours,
			targets: { [peer]: 1 },
			times: pick(time, ours, peer, ...floors),
		},
	]);
}

export const blocks = [crowd];
