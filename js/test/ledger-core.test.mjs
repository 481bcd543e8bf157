import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createUpstream, isPolicyError, RetrywiseError } from 'retrywise';
import { ledgerTerms, renderTrail, reviewItem } from 'retrywise/internal';

const HONOURED = { idempotency: { honoured: true, leaseMs: 1000 } };

const claim = (owner, more = {}) => ({
	op: 'claim',
	id: 'renewal/42',
	key: 'k-42',
	fingerprint: 'f',
	owner,
	...more,
});

/** Plays events on one record; gives the record, the trail and the results. */
function play(terms, events) {
	let record = null;
	const trail = [];
	const results = [];
	for (const [now, event] of events) {
		const answer = terms.apply(record, event, now);
		({ record } = answer);
		trail.push(...answer.entries);
		results.push(answer.result);
	}
	return { record, trail, results };
}

describe('the rules of the ledger', () => {
	it('take a call from its claim to a replay', () => {
		const terms = ledgerTerms(HONOURED);
		const { record, trail, results } = play(terms, [
			[0, claim('w1')],
			[10, claim('w2')],
			[20, { op: 'fail', attempt: 1, status: 429, dueAt: 5020, reason: 'server-hint' }],
			[5020, claim('w2')],
			[5030, { op: 'complete', attempt: 1, status: 200 }],
			[5040, { op: 'complete', attempt: 2, status: 201 }],
			[9e12, claim('w3')],
		]);
		assert.deepEqual(results, ['start', 'in-progress', 'ok', 'start', 'fenced', 'ok', 'replay']);
		assert.equal(record.state, 'completed');
		assert.equal(record.status, 201);
		assert.equal(record.firstSentAt, 0);
		assert.deepEqual(
			trail.map(({ state, severity }) => [state, severity]),
			[
				['pending', 'info'],
				['attempted', 'info'],
				['rate-limited', 'info'],
				['attempted', 'info'],
				['confirmed', 'info'],
			],
		);
	});

	it('let a verdict of an upstream settle the record', () => {
		const terms = ledgerTerms({});
		const upstream = createUpstream({}, { seed: 1, clock: { now: () => 0, wall: () => 0 } });
		const { call } = upstream.begin({ method: 'POST' });
		const verdict = call.settle({ status: 504 });
		const { record } = terms.apply(null, claim('w1'), 0);
		const { kind, reason, delayMs, class: of, delivery } = verdict;
		const event = {
			op: 'settle',
			attempt: 1,
			status: 504,
			kind,
			reason,
			delayMs,
			class: of,
			delivery,
		};
		const answer = terms.apply(record, event, 10);
		assert.equal(answer.record.state, 'review');
		assert.equal(answer.record.cause, 'ambiguous');
		assert.equal(answer.entries[0].severity, 'error');
	});

	it('hand a call to a person, and record what they decide', () => {
		const terms = ledgerTerms({ idempotency: { leaseMs: 0 } });
		const { record } = play(terms, [
			[0, claim('w1')],
			[1, claim('w2')],
		]);
		const item = reviewItem(record);
		assert.equal(item.cause, 'ambiguous');
		assert.equal(item.maybeProcessed, true);
		assert.deepEqual(item.actions, ['confirm', 'retry-new-key', 'abandon']);
		const decide = (more) =>
			terms.apply(record, { op: 'resolve', by: 'ann', why: 'asked', ...more }, 5);
		assert.equal(
			decide({ action: 'confirm', by: ' ' }).problem,
			'say who decides, in 1 to 128 bytes',
		);
		const answer = decide({ action: 'retry-new-key', newId: 'renewal/42#2', newKey: 'k-43' });
		assert.equal(answer.record.replacedBy, 'renewal/42#2');
		assert.equal(answer.created.record.replaces, 'renewal/42');
		assert.equal(answer.created.record.key, 'k-43');
		assert.equal(answer.created.entries[0].state, 'pending');
	});

	it('say what they cannot take, and go on', () => {
		const terms = ledgerTerms({});
		assert.throws(() => terms.apply(null, { op: 'steal' }, 0), /event\.op has no value "steal"/);
		assert.throws(() => terms.apply({ v: 2 }, claim('w'), 0), /this version reads 1/);
		assert.throws(() => terms.apply(null, claim('w'), Number.NaN), RetrywiseError);
		assert.throws(() => terms.apply(null, claim('x'.repeat(2 ** 20)), 0), /1 MiB/);
		assert.throws(() => ledgerTerms({ idempotency: { leaseMs: -1 } }), isPolicyError);
		assert.equal(terms.apply(null, claim('w'), 0).result, 'start');
		terms[Symbol.dispose]();
		assert.throws(() => terms.apply(null, claim('w'), 0), /disposed/);
	});

	it('make keys of events, of random bytes, and of a clock', () => {
		const terms = ledgerTerms({});
		assert.equal(terms.keyOf('renewal/42'), terms.keyOf('renewal/42'));
		assert.notEqual(terms.keyOf('renewal/42'), terms.keyOf('renewal/43'));
		const bytes = new Uint8Array(16).fill(255);
		assert.equal(terms.newKey(bytes, Number.NaN), 'ffffffff-ffff-4fff-bfff-ffffffffffff');
		const v7 = ledgerTerms({ idempotency: { version: 'v7' } });
		assert.equal(v7.newKey(bytes, 1), '00000000-0001-7fff-bfff-ffffffffffff');
	});
});

describe('a trail', () => {
	it('reads like a short story in both languages, and shows no key', () => {
		const terms = ledgerTerms(HONOURED);
		const { trail } = play(terms, [
			[0, claim('w1')],
			[20, { op: 'fail', attempt: 1, status: 429, dueAt: 5020, reason: 'server-hint' }],
			[5020, claim('w2')],
			[5040, { op: 'complete', attempt: 2, status: 201 }],
		]);
		const key = '8e03978e-40d5-43e8-bc93-6894a57f9324';
		const document = { id: 'renewal/42', key, labels: { customer: 'A\u202eB\n' }, entries: trail };
		const story = renderTrail(document);
		assert.match(story, /^call renewal\/42, key 8e03…9324, customer A\\u\{202e\}B\\u\{a\}\n/);
		assert.match(
			story,
			/HTTP 429: the vendor asked to wait; the next attempt in 5 s \(server-hint\)/,
		);
		assert.match(story, /\nconfirmed; attempts: 2; took 5\.04 s\n$/);
		assert.match(renderTrail(document, 'ar'), /محدود المعدل/);
		assert.throws(() => renderTrail({ entries: [{}] }), /entry\.at is missing/);
	});
});

describe('a call', () => {
	const clock = { now: () => 0, wall: () => Date.UTC(2026, 0, 15, 12, 0, 0, 250) };

	it('sends the date of its first sending with its key', () => {
		const idempotency = {
			header: 'Repeatability-Request-ID',
			firstSentHeader: 'Repeatability-First-Sent',
		};
		const upstream = createUpstream({ idempotency }, { clock });
		const { call } = upstream.begin({ method: 'POST', key: 'k' });
		assert.deepEqual(call.headers, {
			'Repeatability-Request-ID': 'k',
			'Repeatability-First-Sent': 'Thu, 15 Jan 2026 12:00:00 GMT',
		});
		const firstSentAt = Date.UTC(2026, 0, 15, 11, 59);
		const { call: later } = upstream.begin({ method: 'POST', key: 'k', firstSentAt });
		assert.equal(later.headers['Repeatability-First-Sent'], 'Thu, 15 Jan 2026 11:59:00 GMT');
	});

	it('names the field of the body for a vendor that takes its key there', () => {
		const upstream = createUpstream({ profile: 'square' }, { clock });
		const { call } = upstream.begin({ method: 'POST', key: 'order-1' });
		assert.equal(call.key, 'order-1');
		assert.equal(call.keyField, 'idempotency_key');
		assert.equal(upstream.begin({ method: 'GET' }).call.key, null);
	});
});
