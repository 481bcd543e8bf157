/** Fake timers: every wait goes through the global setTimeout, looked up when it is needed. */

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import axios, { AxiosError } from 'axios';
import axiosRetry, { attach } from 'retrywise/axios';

/** A client whose adapter fails `times` times and then answers. */
function clientOf(times, headers = {}) {
	const state = { attempts: 0 };
	const adapter = async (config) => {
		state.attempts += 1;
		const status = state.attempts <= times ? 503 : 200;
		const response = { status, statusText: '', headers, data: '', config, request: {} };
		if (status !== 200) {
			throw new AxiosError('away', 'ERR_BAD_RESPONSE', config, {}, response);
		}
		return response;
	};
	return { client: axios.create({ adapter }), state };
}

/** Lets all promises settle that need no timer. */
const settle = async () => {
	for (let i = 0; i < 50; i++) {
		await Promise.resolve();
	}
};

const policy = { maxRetries: 2, backoff: { jitter: 'none', baseMs: 60_000, capMs: 60_000 } };

for (const [name, plug] of [
	['the drop-in', (client) => axiosRetry(client, { retries: 2, retryDelay: () => 60_000 })],
	['strict mode', (client) => axiosRetry(client, { mode: 'strict', policy })],
	['attach', (client) => attach(client, policy)],
	['attach in adapter mode', (client) => attach(client, policy, { mode: 'adapter' })],
]) {
	test(`${name} waits by fake timers`, async () => {
		const { client, state } = clientOf(2);
		plug(client);
		mock.timers.enable({ apis: ['setTimeout'] });
		try {
			const request = client.get('/');
			await settle();
			assert.equal(state.attempts, 1);
			mock.timers.tick(59_999);
			await settle();
			assert.equal(state.attempts, 1);
			mock.timers.tick(1);
			await settle();
			assert.equal(state.attempts, 2);
			mock.timers.tick(60_000);
			await settle();
			assert.equal(state.attempts, 3);
			assert.equal((await request).status, 200);
		} finally {
			mock.timers.reset();
		}
	});
}

test('a wait longer than a timer takes is chained, and its abort leaves no timer', async () => {
	const { client, state } = clientOf(1, { 'retry-after': '5000000' });
	attach(client, { maxRetries: 1, hint: { maxMs: 31_622_400_000 } });
	const real = { setTimeout, clearTimeout };
	const timers = new Set();
	const waits = [];
	globalThis.setTimeout = (then, ms) => {
		const timer = { then, ms };
		timers.add(timer);
		waits.push(ms);
		return timer;
	};
	globalThis.clearTimeout = (timer) => timers.delete(timer);
	const fire = async () => {
		const [timer] = timers;
		timers.delete(timer);
		timer.then();
		await settle();
	};
	try {
		const request = client.get('/');
		await settle();
		while (timers.size > 0) {
			await fire();
		}
		assert.equal((await request).status, 200);
		assert.deepEqual(waits, [2_147_483_647, 2_147_483_647, 5_000_000_000 - 2 * 2_147_483_647]);
		state.attempts = 0;
		const abort = new AbortController();
		const aborted = client.get('/', { signal: abort.signal }).catch((error) => error);
		await settle();
		await fire();
		assert.equal(timers.size, 1);
		abort.abort();
		assert.ok(axios.isCancel(await aborted));
		assert.equal(timers.size, 0);
	} finally {
		Object.assign(globalThis, real);
	}
});
