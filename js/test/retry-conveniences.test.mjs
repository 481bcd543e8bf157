import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbortError, createUpstream, makeRetriable, outcomeOf, retry } from 'retrywise';
import { callsUnderWay } from 'retrywise/internal';
import { virtualClock } from './support/clock.mjs';

const PLAIN = { backoff: { jitter: 'none' }, budget: null, breaker: null };
const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

test('an AbortError ends the call with the error inside', async () => {
	const inside = new Error('no use');
	let made = 0;
	const make = () => {
		made += 1;
		throw new AbortError(inside);
	};
	await assert.rejects(retry(make, PLAIN), (error) => error === inside);
	assert.equal(made, 1);
	await assert.rejects(
		retry(() => Promise.reject(new AbortError('in words')), PLAIN),
		{ name: 'Error', message: 'in words' },
	);
	assert.equal(callsUnderWay(), 0);
});

test('each failed attempt is told of before its wait, with what was decided', async () => {
	const clock = virtualClock();
	const told = [];
	const onFailedAttempt = ({ error, attempt, retriesLeft, delayMs, verdict }) =>
		told.push([error.code, attempt, retriesLeft, delayMs, verdict.reason, clock.slept.length]);
	const failing = () => Promise.reject(reset());
	await assert.rejects(retry(failing, { ...PLAIN, maxRetries: 2 }, { clock, onFailedAttempt }));
	assert.deepEqual(told, [
		['ECONNRESET', 1, 2, 500, 'backoff', 0],
		['ECONNRESET', 2, 1, 1000, 'backoff', 1],
		['ECONNRESET', 3, 0, 0, 'retries-exhausted', 2],
	]);
	const own = new Error('from the hook');
	const thrower = () => {
		throw own;
	};
	await assert.rejects(
		retry(failing, PLAIN, { clock, onFailedAttempt: thrower }),
		(error) => error === own,
	);
	assert.equal(callsUnderWay(), 0);
});

test('shouldRetry forbids, and does not allow', async () => {
	const clock = virtualClock();
	let made = 0;
	const failing = (error) => () => {
		made += 1;
		throw error;
	};
	await assert.rejects(retry(failing(reset()), PLAIN, { clock, shouldRetry: async () => false }));
	assert.equal(made, 1);
	const gone = Object.assign(new Error('gone'), { status: 404 });
	await assert.rejects(retry(failing(gone), PLAIN, { clock, shouldRetry: () => true }));
	assert.equal(made, 2);
});

test('errors speak by status, by response, or as faults of transport', () => {
	const headers = { 'retry-after': '1' };
	const error = (facts) => Object.assign(new Error('x'), facts);
	const status = (facts) => outcomeOf(error(facts)).status;
	assert.equal(status({ status: 503, headers }), 503);
	assert.equal(outcomeOf(error({ status: 503, headers })).headers, headers);
	assert.equal(status({ statusCode: 429 }), 429);
	assert.equal(status({ response: { statusCode: 502, headers } }), 502);
	assert.equal(status({ $metadata: { httpStatusCode: 400 }, name: 'ThrottlingException' }), 400);
	assert.equal(status({ status: 'failed' }), undefined);
	assert.equal(status({ status: 1 }), undefined);
	assert.equal(status({ response: { status: 503 } }), undefined, 'read by the module itself');
	assert.deepEqual(outcomeOf('thrown text'), { error: 'thrown text' });
});

test('a status on the error decides, with its hint', async () => {
	const clock = virtualClock();
	let made = 0;
	const make = () => {
		made += 1;
		if (made === 1) {
			throw Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '7' } });
		}
		return made;
	};
	assert.equal(await retry(make, PLAIN, { clock }), 2);
	assert.deepEqual(clock.slept, [7000]);
});

test('an attempt that takes too long sees its signal aborted, and is repeated', async () => {
	let made = 0;
	const make = ({ signal }) => {
		made += 1;
		return made > 1
			? 'done'
			: new Promise((_, reject) => {
					signal.addEventListener('abort', () => reject(signal.reason));
				});
	};
	const policy = { backoff: { baseMs: 1 }, attemptTimeoutMs: 30, breaker: null, budget: null };
	assert.equal(await retry(make, policy), 'done');
	assert.equal(made, 2);
});

test('an abort while an attempt runs rejects with the reason, and nothing is repeated', async () => {
	const abort = new AbortController();
	const reason = new Error('enough');
	let made = 0;
	const make = ({ signal }) => {
		made += 1;
		return new Promise((_, reject) => {
			signal.addEventListener('abort', () => reject(reset()));
			abort.abort(reason);
		});
	};
	await assert.rejects(retry(make, PLAIN, { signal: abort.signal }), (error) => error === reason);
	assert.equal(made, 1);
	assert.equal(callsUnderWay(), 0);
});

test('a retriable function keeps its arguments, its this and one upstream', async () => {
	const clock = virtualClock();
	const policy = { ...PLAIN, maxRetries: 0, breaker: { kind: 'consecutive', failures: 2 } };
	const failing = makeRetriable(() => Promise.reject(reset()), policy, { clock });
	await assert.rejects(failing(), /ECONNRESET/);
	await assert.rejects(failing(), /ECONNRESET/);
	await assert.rejects(failing(), { name: 'RetryRefused', reason: 'breaker-open' });
	let made = 0;
	const adder = {
		base: 1,
		add: makeRetriable(
			async function (more) {
				made += 1;
				if (made === 1) {
					throw reset();
				}
				return this.base + more;
			},
			createUpstream(PLAIN, { clock }),
		),
	};
	assert.equal(await adder.add(2), 3);
});
