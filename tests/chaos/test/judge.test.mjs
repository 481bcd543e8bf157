import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isGood, judge } from '../src/judge.mjs';

const DONE = { fate: 'done', certain: false, effect: true };
const DROPPED = { fate: 'dropped before', certain: false, effect: false };
const REFUSED = { fate: '429', certain: true, effect: false };

const completed = { state: 'completed', cause: null, maybeProcessed: false };
const review = { state: 'review', cause: 'ambiguous', maybeProcessed: true };

/** The verdict over one event. */
function over(requests, record, honoursKeys = true) {
	const log = new Map(requests.length === 0 ? [] : [['e', requests]]);
	const records = new Map(record === undefined ? [] : [['e', record]]);
	const { figures, findings } = judge({ events: ['e'], honoursKeys, log, records });
	const { duplicates, repeated, lost, misled } = figures;
	assert.equal(findings.length > 0, !isGood(figures), 'what is counted is told');
	return { duplicates, repeated, lost, misled };
}

const GOOD = { duplicates: 0, repeated: 0, lost: 0, misled: 0 };

describe('the judge', () => {
	it('is content with one effect, and with none that a person will hear of', () => {
		assert.deepEqual(over([DROPPED, REFUSED, DONE], completed), GOOD);
		assert.deepEqual(over([REFUSED, DONE], completed, false), GOOD);
		assert.deepEqual(over([DROPPED], review, false), GOOD);
		assert.deepEqual(over([], review), GOOD, 'killed between the claim and the request');
	});

	it('sees what was done twice', () => {
		assert.deepEqual(over([DONE, DONE], completed), { ...GOOD, duplicates: 1 });
	});

	it('sees a repetition that went well by luck', () => {
		assert.deepEqual(over([DROPPED, DONE], completed, false), { ...GOOD, repeated: 1 });
		assert.deepEqual(over([DROPPED, DONE], completed, true), GOOD, 'the key made it safe');
	});

	it('sees what nobody takes care of', () => {
		assert.deepEqual(over([DONE], undefined), { ...GOOD, lost: 1 });
		assert.deepEqual(over([DROPPED], { ...completed, state: 'waiting' }), { ...GOOD, lost: 1 });
		assert.deepEqual(over([REFUSED], completed), { ...GOOD, lost: 1 }, 'confirmed, never done');
	});

	it('sees a person told that nothing was done, where it was', () => {
		assert.deepEqual(over([DONE], { ...review, maybeProcessed: false }), { ...GOOD, misled: 1 });
	});
});
