import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUpstream, isPolicyError, RetrywiseError } from 'retrywise';
import { callsUnderWay } from 'retrywise/internal';
import { virtualClock } from './support/clock.mjs';

/** No jitter and nothing shared: each wait is what the curve says. */
const PLAIN = { backoff: { jitter: 'none' }, budget: null, breaker: null };

function begin(policy = PLAIN, request = {}, options = {}) {
	const clock = virtualClock();
	const admission = createUpstream(policy, { seed: 1, clock, ...options }).begin(request);
	assert.equal(admission.admitted, true);
	return { call: admission.call, clock };
}

test('a call runs from its first attempt to its end', () => {
	const { call, clock } = begin();
	assert.equal(call.attempt, 1);
	const verdict = call.settle({ status: 503 });
	assert.deepEqual(
		{ ...verdict },
		{
			kind: 'retry',
			attempt: 2,
			delayMs: 500,
			reason: 'backoff',
			hintMs: null,
			hintSource: null,
			class: 'transient',
			delivery: 'maybe_processed',
			basis: 'none',
			transition: null,
			sustainedThrottling: false,
			stale: false,
		},
	);
	assert.equal(call.attempt, 2);
	clock.advance(500);
	assert.deepEqual(call.resume(), { admitted: true });
	const done = call.settle({ status: 200 });
	assert.deepEqual([done.kind, done.reason, done.attempt], ['accept', 'ok', 2]);
});

test('an event after the end gives the last verdict again and counts nothing', () => {
	const { call } = begin();
	const verdict = call.settle({ status: 404 });
	assert.deepEqual([verdict.kind, verdict.reason, verdict.stale], ['stop', 'permanent', false]);
	for (const again of [call.settle({ status: 503 }), call.cancel()]) {
		assert.deepEqual([again.kind, again.reason, again.stale], ['stop', 'permanent', true]);
	}
	assert.deepEqual(call.resume(), {
		admitted: false,
		reason: 'permanent',
		retryInMs: null,
		over: true,
	});
	call.end();
});

test('a second settle of one attempt is stale and does not use up a retry', () => {
	const { call } = begin({ ...PLAIN, maxRetries: 1 });
	assert.equal(call.settle({ status: 503 }).kind, 'retry');
	const again = call.settle({ status: 503 });
	assert.deepEqual([again.kind, again.attempt, again.stale], ['retry', 2, true]);
	call.resume();
	assert.equal(call.settle({ status: 503 }).reason, 'retries-exhausted');
});

test('a call that was ended without a verdict stays over', () => {
	const { call } = begin();
	call.end();
	const verdict = call.settle({ status: 200 });
	assert.deepEqual([verdict.kind, verdict.reason, verdict.stale], ['stop', 'cancelled', true]);
	assert.equal(verdict.attempt, 1);
});

test('a call that wakes up after its deadline is over, and says so ever after', () => {
	const { call, clock } = begin({ ...PLAIN, deadlineMs: 2000 });
	assert.equal(call.settle({ status: 503 }).kind, 'retry');
	clock.advance(2000);
	const over = { admitted: false, reason: 'deadline', retryInMs: null, over: true };
	assert.deepEqual([call.resume(), call.resume()], [over, over]);
	const verdict = call.settle({ status: 200 });
	assert.deepEqual(
		[verdict.kind, verdict.reason, verdict.attempt, verdict.stale],
		['stop', 'deadline', 1, true],
	);
	assert.equal(callsUnderWay(), 0);
});

test('every way to the end gives the place back', () => {
	const upstream = createUpstream(PLAIN);
	const before = callsUnderWay();
	const calls = Array.from({ length: 5 }, () => upstream.begin().call);
	assert.equal(callsUnderWay(), before + 5);
	calls[0].settle({ status: 200 });
	calls[1].settle({ status: 404 });
	calls[2].cancel();
	calls[3].end();
	calls[4][Symbol.dispose]();
	assert.equal(callsUnderWay(), before);
});

test('equal seeds give equal delays, other seeds others', () => {
	const delays = (seed) => {
		const { call } = begin({ budget: null, breaker: null, maxRetries: 20 }, {}, { seed });
		return Array.from({ length: 20 }, () => {
			const { delayMs } = call.settle({ status: 503 });
			call.resume();
			return delayMs;
		});
	};
	assert.deepEqual(delays(42), delays(42));
	assert.notDeepEqual(delays(42), delays(43));
	assert.notDeepEqual(delays(undefined), delays(undefined), 'a seed left out is drawn');
});

test('the seed is drawn at the first begin, not before', (t) => {
	const draw = t.mock.method(globalThis.crypto, 'getRandomValues');
	const upstream = createUpstream(PLAIN);
	assert.equal(draw.mock.callCount(), 0);
	upstream.begin().call.end();
	upstream.begin().call.end();
	assert.equal(draw.mock.callCount(), 1);
	createUpstream(PLAIN, { seed: 0 }).begin().call.end();
	assert.equal(draw.mock.callCount(), 1);
});

test('a seed that is none is refused by name', () => {
	for (const seed of [-1, 1.5, Number.NaN, 2 ** 53, '7', null]) {
		assert.throws(() => createUpstream({}, { seed }), /RangeError: seed is .*0 to 2\^53/);
	}
	assert.equal(createUpstream({}, { seed: 2 ** 53 - 1 }).begin().admitted, true);
});

test("a key is made of the host's random bits, and is the same on every attempt", (t) => {
	const policy = { ...PLAIN, idempotency: { generate: true, honoured: true } };
	const { call } = begin(policy, { method: 'POST' });
	const key = call.headers['Idempotency-Key'];
	assert.match(key, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
	assert.equal(call.settle({ status: 503 }).kind, 'retry');
	call.resume();
	assert.equal(call.headers['Idempotency-Key'], key);
	const other = begin(policy, { method: 'POST' }).call;
	assert.notEqual(other.headers['Idempotency-Key'], key, 'equal seeds never mint equal keys');
	assert.deepEqual(begin(policy, { method: 'GET' }).call.headers, {});

	t.mock.getter(globalThis, 'crypto', () => undefined);
	const refused = createUpstream(policy, { seed: 1 }).begin({ method: 'POST' });
	assert.deepEqual(refused, { admitted: false, reason: 'key-missing', retryInMs: null });
});

test('an own key is sent as it is, an event always gives the same key', () => {
	const policy = { ...PLAIN, idempotency: { header: 'X-Key' } };
	assert.deepEqual(begin(policy, { method: 'POST', key: 'order-1' }).call.headers, {
		'X-Key': 'order-1',
	});
	const keyOf = (event) => begin(policy, { method: 'POST', event }).call.headers['X-Key'];
	for (const event of ['renewal/42', 'تجديد/٤٢', 'Größe', '🔑']) {
		assert.match(keyOf(event), /^[\da-f-]{36}$/);
		assert.equal(keyOf(event), keyOf(event));
	}
	assert.notEqual(keyOf('renewal/42'), keyOf('renewal/43'));
	for (const key of ['', 'a\r\nb: c', 'schlüssel', '🔑', 'k'.repeat(256)]) {
		const refused = createUpstream(policy, { seed: 1 }).begin({ method: 'POST', key });
		assert.equal(refused.admitted, false, key);
	}
});

test('a key header that the request has counts as its key, whatever holds it', () => {
	const policy = { ...PLAIN, idempotency: { honoured: true } };
	const reason = (headers) =>
		begin(policy, { method: 'POST', headers }).call.settle({ status: 502 }).reason;
	assert.equal(reason({ 'IDEMPOTENCY-KEY': 'a' }), 'backoff');
	assert.equal(reason(new Headers({ 'Idempotency-Key': 'a' })), 'backoff');
	assert.equal(reason([['idempotency-key', 'a']]), 'backoff');
	assert.equal(reason(new Map([['Idempotency-Key', 'a']])), 'backoff');
	assert.equal(reason({ accept: '*/*' }), 'unsafe-to-repeat');
	assert.equal(reason(null), 'unsafe-to-repeat');
});

test('a call under a call does not retry', () => {
	const outer = begin().call;
	assert.equal(begin(PLAIN, { parent: outer }).call.settle({ status: 503 }).reason, 'nested-layer');
	assert.equal(begin(PLAIN, { parent: true }).call.settle({ status: 503 }).reason, 'nested-layer');
	assert.equal(begin(PLAIN, { parent: false }).call.settle({ status: 503 }).reason, 'backoff');
	const header = { headers: { 'X-Retry-Layer': '1' } };
	assert.equal(begin(PLAIN, header).call.settle({ status: 503 }).reason, 'nested-layer');
});

test('a method decides what may be repeated, and an unknown one assumes nothing', () => {
	const reason = (request) => begin(PLAIN, request).call.settle({ status: 502 }).reason;
	assert.equal(reason({ method: 'PUT' }), 'backoff');
	assert.equal(reason({ method: 'POST' }), 'unsafe-to-repeat');
	assert.equal(reason({ method: 'get' }), 'unsafe-to-repeat');
	assert.equal(reason({ method: 'PURGE' }), 'unsafe-to-repeat');
	assert.equal(reason({ method: 'POST', idempotent: true }), 'backoff');
	assert.equal(reason({ method: 'PUT', idempotent: false }), 'unsafe-to-repeat');
	assert.equal(reason({ method: 'GET', replayableBody: false }), 'body-consumed');
	const policy = { ...PLAIN, retryOn: { methods: { add: ['PURGE'], remove: ['PUT'] } } };
	assert.equal(begin(policy, { method: 'PURGE' }).call.settle({ status: 502 }).reason, 'backoff');
	assert.equal(
		begin(policy, { method: 'PUT' }).call.settle({ status: 502 }).reason,
		'unsafe-to-repeat',
	);
});

test('the deadline counts from the begin and bounds each attempt', () => {
	const { call, clock } = begin({ ...PLAIN, deadlineMs: 2000, attemptTimeoutMs: 1500 });
	assert.equal(call.timeoutMs, 1500);
	clock.advance(1000);
	assert.equal(call.timeoutMs, 1000);
	assert.equal(call.settle({ status: 503 }).kind, 'retry');
	clock.advance(600);
	call.resume();
	assert.equal(call.settle({ status: 503 }).reason, 'deadline');
	assert.equal(begin().call.timeoutMs, null);
});

test('odd outcomes have a documented meaning, never an error', () => {
	const settle = (outcome) => begin().call.settle(outcome);
	for (const outcome of [{}, undefined, null, { error: null }, { headers: 7, body: 7, codes: 7 }]) {
		const { kind, class: of, delivery } = settle(outcome);
		assert.deepEqual([kind, of, delivery], ['retry', 'transient', 'maybe_processed']);
	}
	for (const status of [
		0,
		99,
		600,
		1000,
		-1,
		2.5,
		1e9,
		Number.NaN,
		Number.POSITIVE_INFINITY,
		'503',
		{},
	]) {
		assert.equal(settle({ status }).reason, 'permanent', String(status));
	}
	for (const value of [
		undefined,
		null,
		{},
		Symbol('x'),
		() => {},
		true,
		'\u0661\u0662',
		'\u0130',
	]) {
		const { hintMs, delayMs } = settle({ status: 503, headers: { 'retry-after': value } });
		assert.deepEqual([hintMs, delayMs], [null, 500]);
	}
});

test('a clock that goes mad never makes a delay mad', () => {
	for (const now of [Number.NaN, -1, Number.POSITIVE_INFINITY, 1e300, '5', undefined]) {
		const clock = { now: () => now, wall: () => now };
		const { call } = begin(PLAIN, {}, { clock });
		const verdict = call.settle({
			status: 503,
			headers: { 'retry-after': 'Thu, 15 Jan 2026 12:00:10 GMT' },
		});
		assert.ok(verdict.delayMs >= 0 && verdict.delayMs <= 30_000, String(verdict.delayMs));
	}
});

test('a policy that is none says everything that is wrong with it', () => {
	assert.throws(
		() => createUpstream({ maxRetries: -1, typo: true }),
		(error) => {
			assert.ok(isPolicyError(error) && error instanceof RetrywiseError);
			assert.deepEqual(error.issues.map(({ field, kind }) => [field, kind]).sort(), [
				['maxRetries', 'out-of-range'],
				['typo', 'unknown-field'],
			]);
			assert.match(error.message, /maxRetries/);
			return true;
		},
	);
});

test('a disposed upstream begins nothing and its calls end', () => {
	const upstream = createUpstream(PLAIN, { seed: 1 });
	const { call } = upstream.begin();
	upstream[Symbol.dispose]();
	upstream[Symbol.dispose]();
	assert.equal(call.settle({ status: 503 }).reason, 'cancelled');
	assert.throws(() => upstream.begin(), /disposed/);
});

test('a verdict explains itself in both languages', () => {
	const verdict = begin().call.settle({ status: 429, headers: { 'Retry-After': '7' } });
	assert.match(verdict.explain(), /attempt 2 .*7000 ms/);
	assert.equal(verdict.explain('en'), verdict.explain());
	assert.match(verdict.explain('ar'), /[\u0600-\u06ff]/);
	assert.equal(verdict.explain('tlh'), verdict.explain());
});

test('memory that grows under way moves no answer', () => {
	const upstream = createUpstream(PLAIN, { seed: 1 });
	const calls = Array.from({ length: 20_000 }, () => upstream.begin().call);
	for (const call of calls) {
		const { delayMs, hintMs } = call.settle({ status: 503, headers: { 'retry-after': '2' } });
		assert.deepEqual([delayMs, hintMs], [2000, 2000]);
		call.end();
	}
});

test('a breaker can be held open by hand, and closed again', () => {
	const upstream = createUpstream({});
	upstream.isolate();
	const { admitted, reason, retryInMs } = upstream.begin();
	assert.deepEqual([admitted, reason, retryInMs], [false, 'breaker-open', null]);
	assert.equal(upstream.view().breaker, 'isolated');
	upstream.reset();
	assert.equal(upstream.view().breaker, 'closed');
	assert.equal(upstream.begin().admitted, true);
});

test('the fifth rate limit within a minute says that the throttling is sustained', () => {
	const clock = virtualClock();
	const upstream = createUpstream(PLAIN, { seed: 1, clock });
	const told = Array.from({ length: 6 }, () => {
		clock.advance(9_000);
		const { call } = upstream.begin();
		const { sustainedThrottling } = call.settle({ status: 429 });
		assert.equal(call.settle({ status: 429 }).sustainedThrottling, false, 'stale');
		call.end();
		return sustainedThrottling;
	});
	assert.deepEqual(told, [false, false, false, false, true, true]);
});

test('a ticket keeps the place of a call that was refused, and its deadline', () => {
	const limits = {
		'x-ratelimit-limit': '10',
		'x-ratelimit-remaining': '0',
		'x-ratelimit-reset-after': '10',
	};
	const clock = virtualClock();
	const upstream = createUpstream(
		{ ...PLAIN, limiter: {}, deadlineMs: 15_000 },
		{ seed: 1, clock },
	);
	upstream.begin().call.settle({ status: 200, headers: limits });
	clock.advance(1_000);
	const { reason, retryInMs } = upstream.begin({ ticket: 9 });
	assert.deepEqual([reason, retryInMs], ['rate-limited', 9_000]);
	clock.advance(9_000);
	const { call } = upstream.begin({ ticket: 9 });
	assert.equal(call.timeoutMs, 6_000, 'fifteen seconds from when it asked first');
});
