import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUpstream, validatePolicy } from 'retrywise';

const kinds = (policy) => validatePolicy(policy).map(({ field, kind }) => `${field}: ${kind}`);

test('a policy that can be used has no issues', () => {
	for (const policy of [
		undefined,
		null,
		{},
		'{}',
		{ extends: 'payments', profile: 'stripe', maxRetries: 4 },
	]) {
		assert.deepEqual(validatePolicy(policy), [], JSON.stringify(policy));
	}
});

test('everything that is wrong is said at once, for programs and for people', () => {
	assert.deepEqual(kinds({ maxRetries: 1.5, backoff: { baseMs: 60_000 }, extra: 1 }).sort(), [
		'backoff.baseMs: contradiction',
		'extra: unknown-field',
		'maxRetries: wrong-type',
	]);
	const [issue] = validatePolicy({ backoff: { jitterRatio: 7 } });
	assert.match(issue.message, /jitterRatio.*0.*1/);
});

test('what is no document is an issue, not an exception', () => {
	const circular = {};
	circular.self = circular;
	assert.deepEqual(kinds('{"maxRetries":'), [': syntax']);
	assert.deepEqual(kinds(circular), [': syntax']);
	assert.deepEqual(kinds({ maxRetries: 7n }), [': syntax']);
	assert.deepEqual(kinds(`${' '.repeat(2 ** 20)}{}`), [': syntax']);
	for (const value of [7, true, [], () => {}, Symbol('x')]) {
		assert.equal(kinds(value).length, 1, String(value));
	}
});

test('a JSON text and the object it stands for are one policy', () => {
	const policy = { maxRetries: 2, backoff: { jitter: 'none', baseMs: 125 } };
	for (const given of [policy, JSON.stringify(policy)]) {
		assert.equal(createUpstream(given).begin().call.settle({ status: 503 }).delayMs, 125);
	}
});

test('a policy is what it was when it was given', () => {
	const policy = { backoff: { jitter: 'none', baseMs: 125 } };
	const upstream = createUpstream(policy);
	policy.backoff.baseMs = 9000;
	assert.equal(upstream.begin().call.settle({ status: 503 }).delayMs, 125);
});

test('letters of any script come back as they were written', () => {
	const [issue] = validatePolicy({ سياسة: 1 });
	assert.equal(issue.field, 'سياسة');
});
