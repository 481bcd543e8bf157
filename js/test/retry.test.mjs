import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { createUpstream, isRetryRefused, retry } from 'retrywise';
import { callsUnderWay } from 'retrywise/internal';
import { virtualClock } from './support/clock.mjs';

const PLAIN = { backoff: { jitter: 'none' }, budget: null, breaker: null };

/** Fails with these errors in order, then resolves. */
function failing(...errors) {
	const seen = [];
	const make = async (attempt) => {
		seen.push(attempt);
		if (seen.length <= errors.length) {
			throw errors[seen.length - 1];
		}
		return 'done';
	};
	return { make, seen };
}

const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

test('a function is called until it resolves', async () => {
	const clock = virtualClock();
	const { make, seen } = failing(reset(), reset());
	assert.equal(await retry(make, PLAIN, { clock }), 'done');
	assert.deepEqual(clock.slept, [500, 1000]);
	assert.deepEqual(
		seen.map(({ attempt }) => attempt),
		[1, 2, 3],
	);
	assert.equal(callsUnderWay(), 0);
});

test('the last error comes out unchanged', async () => {
	const clock = virtualClock();
	const errors = [reset(), reset(), reset()];
	const { make } = failing(...errors);
	await assert.rejects(
		retry(make, { ...PLAIN, maxRetries: 2 }, { clock }),
		(error) => error === errors[2],
	);
	const { make: sync } = {
		make: () => {
			throw errors[0];
		},
	};
	await assert.rejects(
		retry(sync, { ...PLAIN, maxRetries: 0 }, { clock }),
		(error) => error === errors[0],
	);
	await assert.rejects(
		retry(() => Promise.reject(undefined), { ...PLAIN, maxRetries: 0 }, { clock }),
		(error) => error === undefined,
	);
	assert.equal(callsUnderWay(), 0);
});

test('an answer on the error decides, and so does its hint', async () => {
	const clock = virtualClock();
	const answer = (status, headers = {}) =>
		Object.assign(new Error(String(status)), { response: { status, headers } });
	const { make } = failing(answer(429, { 'retry-after': '3' }));
	assert.equal(await retry(make, PLAIN, { clock }), 'done');
	assert.deepEqual(clock.slept, [3000]);
	const permanent = failing(answer(404));
	await assert.rejects(retry(permanent.make, PLAIN, { clock }), /404/);
	assert.equal(permanent.seen.length, 1);
});

test('with a method, the method decides what may be repeated', async () => {
	const clock = virtualClock();
	const post = failing(reset());
	await assert.rejects(retry(post.make, PLAIN, { clock, method: 'POST' }), /ECONNRESET/);
	assert.equal(post.seen.length, 1);
	const keyed = failing(reset());
	const policy = { ...PLAIN, idempotency: { honoured: true } };
	assert.equal(await retry(keyed.make, policy, { clock, method: 'POST', key: 'order-1' }), 'done');
	assert.deepEqual(
		keyed.seen.map(({ headers }) => headers['Idempotency-Key']),
		['order-1', 'order-1'],
	);
});

test('an abort ends the wait at once and leaves nothing behind', async () => {
	const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout');
	const before = timers();
	const abort = new AbortController();
	const reason = new Error('enough');
	const waiting = retry(
		failing(reset()).make,
		{ ...PLAIN, backoff: { jitter: 'none', baseMs: 30_000 } },
		{ signal: abort.signal },
	);
	setTimeout(() => abort.abort(reason), 10);
	const started = performance.now();
	await assert.rejects(waiting, (error) => error === reason);
	assert.ok(performance.now() - started < 5000);
	assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
	assert.deepEqual(timers(), before);
	assert.equal(callsUnderWay(), 0);
	await assert.rejects(
		retry(() => 'never', PLAIN, { signal: abort.signal }),
		(error) => error === reason,
	);
});

test('a call that must not begin is refused with its reason', async () => {
	const policy = { ...PLAIN, idempotency: { header: 'X-Key' } };
	await assert.rejects(
		retry(() => 1, policy, { method: 'POST', key: 'a\nb' }),
		(error) => isRetryRefused(error) && error.retryInMs === null,
	);
});

test('an upstream can be shared by many calls', async () => {
	const upstream = createUpstream(PLAIN, { clock: virtualClock(), seed: 1 });
	const values = await Promise.all([1, 2, 3].map(() => retry(failing(reset()).make, upstream)));
	assert.deepEqual(values, ['done', 'done', 'done']);
	assert.equal(upstream.begin().admitted, true, 'it is not disposed of');
	upstream[Symbol.dispose]();
});

test('a resume that the breaker refuses ends the call at once, whatever wait it names', async () => {
	const before = callsUnderWay();
	const clock = virtualClock();
	const breaker = { kind: 'consecutive', failures: 3, openMs: 60_000 };
	const upstream = createUpstream({ ...PLAIN, breaker }, { clock });
	const fail = () => {
		const { call } = upstream.begin();
		call.settle({ status: 503 });
		call.end();
	};
	const { call } = upstream.begin();
	assert.equal(call.settle({ status: 503 }).kind, 'retry');
	fail();
	fail();
	clock.advance(500);
	const refused = { admitted: false, reason: 'breaker-open', retryInMs: 59_500, over: true };
	assert.deepEqual(call.resume(), refused);

	const { sleep } = clock;
	const sleepAmidFailures = (ms, signal) => {
		// While this call waits, others find out that the upstream is down.
		for (let n = 0; n < 2; n++) {
			const { call: other } = shared.begin();
			other.settle({ status: 503 });
			other.end();
		}
		return sleep(ms, signal);
	};
	const amid = { ...clock, sleep: sleepAmidFailures };
	const shared = createUpstream({ ...PLAIN, breaker }, { clock: amid });
	const lost = reset();
	const { make, seen } = failing(lost);
	await assert.rejects(retry(make, shared), (error) => error === lost);
	assert.deepEqual([seen.length, clock.slept], [1, [500]]);
	assert.equal(callsUnderWay(), before);
});
