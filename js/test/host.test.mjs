import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { mock, test } from 'node:test';
import { retry } from 'retrywise';

/** What timers are asked for while a call waits `delayMs`. */
async function timersOf(delayMs) {
	const asked = [];
	const start = mock.method(globalThis, 'setTimeout', (fire, ms) => {
		asked.push(ms);
		queueMicrotask(fire);
	});
	let failed = false;
	const make = () => {
		if (!failed) {
			failed = true;
			throw Object.assign(new Error('x'), {
				response: { status: 503, headers: { 'retry-after-ms': String(delayMs) } },
			});
		}
	};
	await retry(make, { hint: { maxMs: 31_622_400_000 }, budget: null, breaker: null });
	start.mock.restore();
	return asked;
}

test('a wait longer than a timer takes is made of several', async () => {
	const max = 2 ** 31 - 1;
	assert.deepEqual(await timersOf(1000), [1000]);
	assert.deepEqual(await timersOf(max), [max]);
	assert.deepEqual(await timersOf(max + 1), [max, 1]);
	assert.deepEqual(await timersOf(max * 3), [max, max, max]);
});

test('globals are looked up when they are used, so fake timers work', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	let calls = 0;
	const done = retry(
		() => {
			calls += 1;
			if (calls === 1) {
				throw new Error('first');
			}
			return calls;
		},
		{ backoff: { jitter: 'none' } },
	);
	for (let i = 0; i < 10; i++) {
		await Promise.resolve();
	}
	assert.equal(calls, 1);
	t.mock.timers.tick(500);
	assert.equal(await done, 2);
});

test('a clock can be replaced in part', async () => {
	const slept = [];
	const clock = { sleep: async (ms) => void slept.push(ms) };
	let calls = 0;
	await retry(
		() => {
			calls += 1;
			if (calls < 3) {
				throw new Error('again');
			}
		},
		{ backoff: { jitter: 'none' }, breaker: null },
		{ clock },
	);
	assert.deepEqual(slept, [500, 1000]);
});

test('a wait that runs out takes its listener along', async () => {
	const { signal } = new AbortController();
	let failed = false;
	await retry(
		() => {
			if (!failed) {
				failed = true;
				throw new Error('first');
			}
		},
		{ backoff: { baseMs: 1 } },
		{ signal },
	);
	assert.equal(getEventListeners(signal, 'abort').length, 0);
});
