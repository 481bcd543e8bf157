/**
 * What is measured: blocks of contestants that do the same work.
 *
 * @module
 */

import axios, { AxiosError } from 'axios';
import axiosRetry from 'axios-retry';
import * as cockatiel from 'cockatiel';
import Opossum from 'opossum';
import pRetry from 'p-retry';
import { createUpstream, retry } from 'retrywise';
import { attach } from 'retrywise/axios';
import { delaysOf } from 'retrywise/internal';

const clock = { now: () => 0, wall: () => 1_768_478_400_000 };
const ERRORS = 64;

/** Real errors of axios, each with a request of its own. */
function errors(make) {
	return Array.from({ length: ERRORS }, (_, index) => {
		const config = { method: 'get', url: `/orders/${index}`, headers: new axios.AxiosHeaders() };
		const { code, message, status, headers } = make(index);
		const response =
			status === undefined
				? undefined
				: { status, statusText: '', data: '', config, headers: new axios.AxiosHeaders(headers) };
		return new AxiosError(message ?? 'failed', code, config, {}, response);
	});
}

/** Whether, how long, and why: ours is a settle and the resume after the wait. */
function decision(name, target, make) {
	const inputs = errors(make);
	const policy = { maxRetries: 1_000_000, deadlineMs: null, budget: null, breaker: null };
	const upstream = createUpstream({ ...policy, hint: { maxMs: 31_622_400_000 } }, { clock, seed: 7 });
	const outcomes = inputs.map((error) => ({ error, response: error.response }));
	let kept = 0;
	return {
		name,
		ours: 'retrywise settle + resume',
		target,
		contestants: {
			'retrywise settle + resume'(count) {
				let { call } = upstream.begin({ method: 'GET' });
				for (let i = 0; i < count; i += 1) {
					const verdict = call.settle(outcomes[i % ERRORS]);
					kept += verdict.delayMs + verdict.reason.length;
					if (verdict.kind === 'retry') {
						call.resume();
					} else {
						({ call } = upstream.begin({ method: 'GET' }));
					}
				}
				call.end();
			},
			'axios-retry condition + delay'(count) {
				for (let i = 0; i < count; i += 1) {
					const error = inputs[i % ERRORS];
					if (axiosRetry.isNetworkOrIdempotentRequestError(error)) {
						kept += axiosRetry.exponentialDelay(1, error);
					}
				}
			},
		},
	};
}

function delays() {
	const upstream = createUpstream({}, { clock, seed: 7 });
	const ours = delaysOf(upstream);
	const theirs = new cockatiel.ExponentialBackoff();
	let kept = 0;
	return {
		name: 'next delay, full jitter',
		ours: 'retrywise',
		target: 0.4,
		contestants: {
			retrywise(count) {
				for (let i = 0; i < count; i += 1) {
					kept += ours.next(1 + (i & 3)).delayMs;
				}
			},
			'cockatiel next()'(count) {
				for (let i = 0; i < count; i += 4) {
					let backoff = theirs.next();
					backoff = backoff.next();
					backoff = backoff.next();
					kept += backoff.next().duration;
				}
			},
		},
	};
}

/** Admit a call and record how it ended, on a breaker that is closed or open. */
async function breaker(open) {
	const upstream = createUpstream(
		{ breaker: { kind: 'consecutive', failures: 3, openMs: 3_600_000 }, budget: null, maxRetries: 0 },
		{ clock, seed: 7 },
	);
	const theirs = cockatiel.circuitBreaker(cockatiel.handleAll, {
		halfOpenAfter: 3_600_000,
		breaker: new cockatiel.ConsecutiveBreaker(3),
	});
	let fails = open;
	const work = async () => {
		if (fails) {
			throw new Error('down');
		}
		return 1;
	};
	const opossum = new Opossum(work, { timeout: false, resetTimeout: 3_600_000, volumeThreshold: 0 });
	if (open) {
		for (let i = 0; i < 5; i += 1) {
			const { admitted, call } = upstream.begin();
			if (admitted) {
				call.settle({ status: 503 });
			}
			await theirs.execute(work).catch(() => 0);
			await opossum.fire().catch(() => 0);
		}
	}
	fails = false;
	const none = () => 0;
	const ok = { status: 200 };
	// As its users write it: the work is asynchronous, whatever the breaker is.
	const guarded = async () => {
		const { admitted, call } = upstream.begin();
		if (!admitted) {
			throw new Error('open');
		}
		const value = await work();
		call.settle(ok);
		return value;
	};
	const each = (one) => async (count) => {
		for (let i = 0; i < count; i += 1) {
			await one().catch(none);
		}
	};
	return {
		name: `breaker: admit + record, ${open ? 'open' : 'closed'}`,
		ours: 'retrywise',
		target: 0.3,
		asynchronous: true,
		contestants: {
			retrywise: each(guarded),
			cockatiel: each(() => theirs.execute(work)),
			opossum: each(() => opossum.fire()),
		},
	};
}

const answering = () =>
	axios.create({
		adapter: async (config) => ({ status: 200, statusText: 'OK', data: '', headers: {}, config, request: {} }),
	});

function success() {
	const plain = answering();
	const peer = answering();
	axiosRetry(peer, { retries: 3 });
	const ours = answering();
	attach(ours, {});
	const each = (client) => async (count) => {
		for (let i = 0; i < count; i += 1) {
			await client.get('https://api.example.com/orders');
		}
	};
	return {
		name: 'axios with an in-memory adapter, success',
		ours: 'retrywise attach()',
		target: { 'plain axios': 1.05, 'axios-retry': 1 },
		asynchronous: true,
		contestants: {
			'retrywise attach()': each(ours),
			'plain axios': each(plain),
			'axios-retry': each(peer),
		},
	};
}

async function fetching() {
	const { withRetry } = await import('retrywise/fetch');
	const answer = new Response('ok');
	const plain = async () => answer;
	const ours = withRetry(plain, {});
	const each = (fetch) => async (count) => {
		for (let i = 0; i < count; i += 1) {
			await fetch('https://api.example.com/orders');
		}
	};
	return {
		name: 'fetch wrapper, in-memory fetch, success',
		ours: 'retrywise withRetry()',
		target: 1.1,
		asynchronous: true,
		contestants: { 'retrywise withRetry()': each(ours), 'plain function': each(plain) },
	};
}

/** Many calls that wait at once: what they hold, and how long all of them take beyond the wait. */
async function crowd(quick) {
	const CALLS = quick ? 500 : 10_000;
	const WAIT = 400;
	const failing = () => {
		const seen = new Set();
		return async (config) => {
			const key = config.url;
			if (seen.delete(key)) {
				return { status: 200, statusText: 'OK', data: '', headers: {}, config, request: {} };
			}
			seen.add(key);
			const response = { status: 503, statusText: '', data: '', headers: {}, config, request: {} };
			throw new AxiosError('failed', 'ERR_BAD_RESPONSE', config, {}, response);
		};
	};
	const policy = {
		backoff: { curve: 'constant', baseMs: WAIT, jitter: 'none' },
		budget: null,
		breaker: null,
	};
	const byAxios = (set) => {
		const client = axios.create({ adapter: failing() });
		set(client);
		let calls = 0;
		return () => {
			calls += 1;
			return client.get(`https://api.example.com/orders/${calls}`);
		};
	};
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
	const contestants = {
		'retrywise attach()': byAxios((client) => attach(client, policy)),
		'axios-retry': byAxios((client) =>
			axiosRetry(client, { retries: 3, retryDelay: () => WAIT }),
		),
		'retrywise retry()': byFunction((work) => retry(work, policy)),
		'p-retry': byFunction((work) =>
			pRetry(work, { retries: 3, minTimeout: WAIT, factor: 1, shouldRetry: () => true }),
		),
	};
	const time = {};
	const memory = {};
	for (let round = 0; round < (quick ? 1 : 3); round += 1) {
		for (const [who, call] of Object.entries(contestants)) {
			globalThis.gc?.();
			const before = process.memoryUsage().heapUsed;
			const start = performance.now();
			const calls = Array.from({ length: CALLS }, () => call({}));
			await new Promise((resolve) => setTimeout(resolve, WAIT / 2));
			globalThis.gc?.();
			(memory[who] ??= []).push((process.memoryUsage().heapUsed - before) / CALLS);
			await Promise.all(calls);
			(time[who] ??= []).push(((performance.now() - start - WAIT) * 1e3) / CALLS);
		}
	}
	const pick = (from, ...names) => Object.fromEntries(names.map((who) => [who, from[who]]));
	return [
		['axios', 'retrywise attach()', 'axios-retry'],
		['functions', 'retrywise retry()', 'p-retry'],
	].flatMap(([what, ours, peer]) => [
		{
			name: `${CALLS} calls in backoff, ${what}: bytes a call`,
			ours,
			target: 1,
			unit: 'B',
			times: pick(memory, ours, peer),
		},
		{
			name: `${CALLS} calls in backoff, ${what}: time beyond the wait, a call`,
			ours,
			target: 1,
			unit: 'µs',
			times: pick(time, ours, peer),
		},
	]);
}

/** Every block there is; one whose entry point is not there yet is passed over with a line. */
export async function* blocks(quick) {
	const date = 'Thu, 15 Jan 2026 12:02:00 GMT';
	const made = [
		() => decision('one decision: 503 on GET', 0.5, () => ({ code: 'ERR_BAD_RESPONSE', status: 503 })),
		() => decision('one decision: ECONNRESET', 0.5, () => ({ code: 'ECONNRESET', message: 'read ECONNRESET' })),
		() =>
			decision('one decision: 429 with seconds', 0.5, (i) => ({
				code: 'ERR_BAD_REQUEST',
				status: 429,
				headers: { 'retry-after': String(1 + (i % 30)) },
			})),
		() =>
			decision('one decision: 429 with an HTTP date', 0.25, () => ({
				code: 'ERR_BAD_REQUEST',
				status: 429,
				headers: { 'retry-after': date },
			})),
		delays,
		() => breaker(false),
		() => breaker(true),
		success,
		fetching,
		() => crowd(quick),
	];
	for (const make of made) {
		try {
			yield* [await make()].flat();
		} catch (error) {
			if (error?.code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
				throw error;
			}
			console.log(`passed over: ${error.message}`);
		}
	}
}
