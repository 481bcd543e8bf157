import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import { test } from 'node:test';
import { createUpstream, retry } from 'retrywise';
import { withRetry } from 'retrywise/fetch';
import { virtualClock } from './support/clock.mjs';
import { startServer, statuses } from './support/server.mjs';

const PLAIN = { maxRetries: 1, backoff: { jitter: 'none' }, budget: null, breaker: null };

test('every decision of a call is told of, in order', () => {
	const clock = virtualClock();
	const told = [];
	const onEvent = (event) => told.push(event);
	const upstream = createUpstream(PLAIN, { clock, name: 'orders', onEvent });
	const { call } = upstream.begin({ method: 'PUT' });
	clock.advance(20);
	const verdict = call.settle({ status: 503 });
	clock.advance(500);
	call.resume();
	clock.advance(30);
	call.settle({ status: 503 });
	const [first] = told;
	assert.deepEqual(
		told.map(({ type, attempt, durationMs }) => [type, attempt, durationMs]),
		[
			['attempt', 1, undefined],
			['verdict', 1, 20],
			['attempt', 2, undefined],
			['verdict', 2, 30],
		],
	);
	assert.deepEqual(
		new Set(told.map(({ upstream, call, method }) => `${upstream} ${call} ${method}`)),
		new Set([`orders ${first.call} PUT`]),
	);
	assert.equal(told[1].verdict, verdict);
	assert.equal(told[1].status, 503);
	assert.equal(told[3].verdict.reason, 'retries-exhausted');
});

test('a call that is cancelled or ended is told of, once', () => {
	const told = [];
	const upstream = createUpstream(PLAIN, { onEvent: (event) => told.push(event) });
	const { call } = upstream.begin();
	call.end();
	call.end();
	call.settle({ status: 200 });
	assert.deepEqual(
		told.map(({ type, verdict }) => [type, verdict?.reason]),
		[
			['attempt', undefined],
			['verdict', 'cancelled'],
		],
	);
});

test('a breaker that opens is told of, in the verdict too, and so are its refusals', () => {
	const clock = virtualClock();
	const told = [];
	const policy = { ...PLAIN, maxRetries: 0, breaker: { kind: 'consecutive', failures: 1 } };
	const upstream = createUpstream(policy, { clock, onEvent: (event) => told.push(event) });
	const verdict = upstream.begin().call.settle({ status: 503 });
	assert.deepEqual(verdict.transition, { from: 'closed', to: 'open' });
	upstream.begin({ method: 'HEAD' });
	const [, , change, refusal] = told;
	assert.deepEqual([change.type, change.from, change.to], ['breaker', 'closed', 'open']);
	assert.deepEqual(
		[refusal.type, refusal.method, refusal.reason, refusal.retryInMs, refusal.call, refusal.over],
		['refusal', 'HEAD', 'breaker-open', 5000, null, true],
	);
	clock.advance(5000);
	const { call } = upstream.begin();
	assert.equal(call.settle({ status: 200 }).transition, null, 'one probe of two');
});

test('what a listener throws changes nothing', async () => {
	const onEvent = () => {
		throw new Error('listener');
	};
	assert.equal(await retry(() => 'fine', PLAIN, { onEvent }), 'fine');
});

test('adapters hand the listener on', async (t) => {
	const server = await startServer(statuses(503, 200));
	t.after(() => server.close());
	const told = [];
	const policy = { backoff: { baseMs: 1 } };
	const fetching = withRetry(fetch, policy, { onEvent: ({ type }) => told.push(type) });
	assert.equal((await fetching(server.url)).status, 200);
	assert.deepEqual(told, ['attempt', 'verdict', 'attempt', 'verdict']);
});

test('on Node the channels carry the same events, while somebody subscribes', () => {
	const told = [];
	const listen = (event, name) => told.push([name, event.upstream, event.verdict.reason]);
	const upstream = createUpstream(PLAIN, { name: 'channelled' });
	upstream.begin().call.settle({ status: 404 });
	diagnostics.subscribe('retrywise:verdict', listen);
	upstream.begin().call.settle({ status: 404 });
	diagnostics.unsubscribe('retrywise:verdict', listen);
	upstream.begin().call.settle({ status: 404 });
	assert.deepEqual(told, [['retrywise:verdict', 'channelled', 'permanent']]);
});

test('an upstream shows how it stands', () => {
	const clock = virtualClock();
	const policy = { maxRetries: 0, breaker: { kind: 'consecutive', failures: 1 } };
	const upstream = createUpstream(policy, { clock });
	const { budget, ...rest } = upstream.view();
	assert.deepEqual(rest, { breaker: 'closed', retryInMs: 0 });
	assert.ok(budget > 0);
	upstream.begin().call.settle({ status: 503 });
	clock.advance(1000);
	assert.deepEqual(
		{ ...upstream.view(), budget: null },
		{ breaker: 'open', retryInMs: 4000, budget: null },
	);
	assert.deepEqual(createUpstream(PLAIN).view(), { breaker: null, retryInMs: null, budget: null });
});
