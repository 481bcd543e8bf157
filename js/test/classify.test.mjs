import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify, retryHint } from 'retrywise';

const WALL = Date.UTC(2026, 0, 15, 12);
const IN_TEN_SECONDS = 'Thu, 15 Jan 2026 12:00:10 GMT';

const meaning = (error, options) => {
	const { class: of, delivery, basis } = classify({ error }, options);
	return `${of} ${delivery} ${basis}`;
};

const REFUSED = 'transient not_processed transport';
const OPEN = 'transient maybe_processed none';

/** An error with properties, as Node makes them. */
const fault = (message, properties = {}) => Object.assign(new Error(message), properties);

test('a status is classified with its hint and where that was read', () => {
	assert.deepEqual(classify({ status: 503, headers: { 'Retry-After': '120' } }), {
		class: 'throttled',
		delivery: 'not_processed',
		basis: 'status',
		reason: 'retry-after',
		hintMs: 120_000,
		hintSource: 'retry-after',
		veto: false,
	});
	assert.equal(classify({ status: 503, headers: { 'X-Should-Retry': 'false' } }).veto, true);
});

test('headers are found whatever holds them and however they are written', () => {
	class AxiosHeaders {
		constructor(lines) {
			Object.assign(this, lines);
		}
		*[Symbol.iterator]() {
			yield* Object.entries(this);
		}
		get() {}
	}
	for (const headers of [
		{ 'retry-after': '7' },
		{ 'RETRY-AFTER': '7' },
		{ 'Retry-After': 7 },
		{ 'Retry-After': ['7'] },
		new Headers({ 'Retry-After': '7' }),
		new Map([['Retry-After', '7']]),
		[['Retry-After', '7']],
		new AxiosHeaders({ 'Retry-After': '7' }),
		Object.assign(Object.create(null), { 'retry-after': '7' }),
	]) {
		assert.equal(retryHint({ status: 429, headers })?.hintMs, 7000);
	}
	for (const headers of [
		null,
		undefined,
		7,
		'retry-after: 7',
		[],
		[null, 7, ['retry-after']],
		{},
	]) {
		assert.equal(retryHint({ status: 429, headers }), null);
	}
});

test('dates are read against the wall clock that is given', () => {
	const headers = { 'retry-after': IN_TEN_SECONDS };
	assert.deepEqual(retryHint({ headers }, { wall: WALL }), {
		hintMs: 10_000,
		source: 'retry-after',
	});
	assert.equal(retryHint({ headers }, { wall: null }), null);
	assert.equal(retryHint({ headers }, { wall: Number.NaN }), null);
	assert.equal(retryHint({ headers })?.hintMs, 0, "the host's own clock is past it");
});

test('a hostile hint is a bounded number', () => {
	const headers = { 'retry-after': '9'.repeat(400) };
	assert.equal(retryHint({ status: 503, headers })?.hintMs, Number.MAX_SAFE_INTEGER);
	for (const value of ['x'.repeat(100_000), '1,'.repeat(50_000), '\u{1F4A9}'.repeat(1000)]) {
		const hint = retryHint({ status: 503, headers: { 'retry-after': value } });
		assert.ok(hint === null || hint.hintMs >= 0);
	}
	const many = Array.from({ length: 100_000 }, (_, i) => [`x-ratelimit-reset-${i}`, '1']);
	assert.equal(retryHint({ status: 429, headers: many }), null);
});

test('a profile names units and where the code stands in the body', () => {
	const body = { error: { code: 'insufficient_quota' } };
	assert.equal(classify({ status: 429, body }, { profile: 'openai' }).class, 'permanent');
	assert.equal(classify({ status: 429, body }).class, 'throttled');
	assert.equal(classify({ status: 429, body }, { profile: 'no such vendor' }).class, 'throttled');
	assert.equal(
		classify({ status: 429, body }, { policy: { profile: 'openai' } }).class,
		'permanent',
	);
	const codes = { code: 'insufficient_quota' };
	assert.equal(
		classify({ status: 429, body: { error: {} }, codes }, { profile: 'openai' }).class,
		'permanent',
	);
	for (const odd of [null, 'text', 7, [], { error: null }, { error: { code: {} } }]) {
		assert.equal(classify({ status: 429, body: odd }, { profile: 'openai' }).class, 'throttled');
	}
});

test('a policy adds and removes, and is checked', () => {
	const policy = { retryOn: { statuses: { add: [404] } } };
	assert.equal(classify({ status: 404 }, { policy }).class, 'transient');
	assert.throws(() => classify({ status: 404 }, { policy: { maxRetries: -1 } }), /invalid policy/);
});

test('a key that was sent changes what a conflict means', () => {
	assert.equal(classify({ status: 409 }).class, 'permanent');
	assert.equal(classify({ status: 409 }, { keySent: true }).class, 'transient');
});

test('errors are read from the chain of causes', () => {
	assert.equal(
		meaning(fault('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' })),
		REFUSED,
	);
	assert.equal(meaning(fault('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })), OPEN);
	assert.equal(
		meaning(fault('connect ETIMEDOUT', { code: 'ETIMEDOUT', syscall: 'connect' })),
		REFUSED,
	);
	assert.equal(meaning(fault('ETIMEDOUT', { code: 'ETIMEDOUT' })), OPEN);
	assert.equal(
		meaning(new TypeError('fetch failed', { cause: fault('', { code: 'ECONNREFUSED' }) })),
		REFUSED,
	);
	assert.equal(
		meaning(new TypeError('fetch failed', { cause: fault('', { code: 'UND_ERR_SOCKET' }) })),
		OPEN,
	);
	assert.equal(meaning(new TypeError('Failed to fetch')), OPEN);
	assert.equal(meaning(new DOMException('gone', 'AbortError')), 'cancelled maybe_processed none');
	assert.equal(
		meaning(AbortSignal.timeout(0).reason ?? new DOMException('late', 'TimeoutError')),
		OPEN,
	);
});

test('addresses that all failed to connect are one refusal, a mixed bag is none', () => {
	const refused = fault('', { code: 'ECONNREFUSED', syscall: 'connect' });
	const unreachable = fault('', { code: 'ENETUNREACH', syscall: 'connect' });
	const reset = fault('', { code: 'ECONNRESET', syscall: 'read' });
	const aggregate = (errors, properties) => Object.assign(new AggregateError(errors), properties);
	assert.equal(meaning(aggregate([refused, unreachable], { code: 'ECONNREFUSED' })), REFUSED);
	assert.equal(meaning(aggregate([unreachable, refused])), REFUSED);
	assert.equal(meaning(aggregate([refused, reset])), OPEN);
	assert.equal(meaning(aggregate([])), OPEN);
	assert.equal(meaning({ errors: 'none' }), OPEN);
});

test('facts that no JavaScript error has can be stated', () => {
	const above = {
		family: 'http2',
		code: 'NO_ERROR',
		frame: 'GOAWAY',
		streamId: 7,
		lastStreamId: 5,
	};
	assert.equal(meaning(above), 'transient not_processed protocol');
	assert.equal(meaning({ ...above, lastStreamId: 7 }), OPEN);
	assert.equal(
		meaning({ ...above, family: 'no such family' }),
		OPEN,
		'facts count with their family',
	);
});

test('an error that carries a response speaks through it', () => {
	const response = { status: 429, headers: { 'retry-after': '3' }, data: {} };
	const { class: of, hintMs } = classify({
		error: fault('429', { code: 'ERR_BAD_REQUEST', response }),
	});
	assert.deepEqual([of, hintMs], ['throttled', 3000]);
	assert.equal(classify({ status: 200, error: fault('late') }).class, 'success');
});

test('any thrown value has a meaning', () => {
	const loop = fault('loop');
	loop.cause = loop;
	let deep = fault('end', { code: 'ECONNREFUSED' });
	for (let i = 0; i < 50_000; i++) {
		deep = { cause: deep };
	}
	const hostile = new Proxy(
		{},
		{
			get() {
				throw new Error('do not touch');
			},
		},
	);
	const odd = [
		'failed',
		'',
		7,
		0n,
		Symbol('x'),
		true,
		false,
		() => {},
		[],
		{},
		loop,
		deep,
		hostile,
		Object.create(null),
	];
	for (const error of [
		...odd,
		fault('x'.repeat(1e6)),
		{ code: 'é' },
		{ code: '\ud800' },
		{ code: 'x'.repeat(1e5) },
	]) {
		assert.equal(meaning(error), OPEN);
	}
});

test('thousands of different errors are told apart as well as the first', () => {
	for (let i = 0; i < 3000; i++) {
		assert.equal(
			meaning(
				fault(`connect ECONNREFUSED 10.0.0.${i}`, { code: 'ECONNREFUSED', syscall: 'connect' }),
			),
			REFUSED,
		);
		assert.equal(
			meaning(fault(`read ECONNRESET ${i}`, { code: 'ECONNRESET', syscall: 'read' })),
			OPEN,
		);
	}
});

/** Errors that were met are recognised; one that only looks like the last of its code must not be. */
test('an error is told from the one of the same code that came before it', () => {
	const refused = fault('x', { code: 'ECONNREFUSED', syscall: 'connect' });
	const wrapped = (cause) => Object.assign(fault('y', { code: 'ERR_NETWORK' }), { cause });
	const reset = fault('z', { code: 'ECONNRESET', syscall: 'read' });
	const inTurn = [refused, wrapped(refused), wrapped(reset), wrapped(undefined), refused];
	const alone = inTurn.map((error) => meaning(error));
	for (let round = 0; round < 3; round += 1) {
		assert.deepEqual(
			inTurn.map((error) => meaning(error)),
			alone,
		);
		assert.deepEqual(
			[...inTurn].reverse().map((error) => meaning(error)),
			[...alone].reverse(),
		);
	}
	assert.equal(alone[0], REFUSED);
	assert.notEqual(alone[1], alone[2]);
});
