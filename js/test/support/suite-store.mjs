/** What every store has to pass: the interface by itself. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

const RECORD = {
	v: 1,
	revision: 1,
	id: 'a',
	key: null,
	fingerprint: 'f',
	state: 'waiting',
	attempt: 0,
	owner: null,
	leaseUntil: null,
	dueAt: 5,
	cause: null,
	status: null,
	maybeProcessed: false,
	queued: true,
	createdAt: 5,
	updatedAt: 5,
	firstSentAt: null,
	replaces: null,
	replacedBy: null,
	resolution: null,
};

const FACTS = { payload: null, labels: {}, priority: 0, method: 'POST', idempotent: null };
const ENTRY = { at: 5, state: 'pending', severity: 'info', attempt: 0 };

/** A change that inserts a call. */
const insert = (record, facts) => ({
	id: record.id ?? 'a',
	expected: 0,
	record: { ...RECORD, ...record },
	entries: [ENTRY],
	facts: { ...FACTS, ...facts },
});

export function interfaceSuite(name, open) {
	describe(`${name}, by itself,`, () => {
		it('writes only over the revision that is expected', async (test) => {
			const store = open(test);
			assert.equal(await store.get('a'), null);
			assert.equal(await store.write(insert({})), true);
			assert.equal(await store.write(insert({})), false, 'it is there already');
			const next = { ...RECORD, revision: 2, state: 'completed', dueAt: null };
			const change = { id: 'a', expected: 1, record: next, entries: [], outcome: '{"ok":1}' };
			assert.equal(await store.write(change), true);
			assert.equal(await store.write({ ...change, outcome: '"late"' }), false);
			assert.deepEqual(await store.get('a'), { record: next, facts: FACTS, outcome: '{"ok":1}' });
			const gone = { id: 'nobody', expected: 1, record: next, entries: [] };
			assert.equal(await store.write(gone), false);
			assert.equal(await store.get('nobody'), null);
		});

		it('keeps a trail in order, and forgets it with the call', async (test) => {
			const store = open(test);
			await store.write(insert({}));
			const entries = Array.from({ length: 12 }, (_, at) => ({ ...ENTRY, at, why: `'${at}"` }));
			const next = { ...RECORD, revision: 2 };
			await store.write({ id: 'a', expected: 1, record: next, entries });
			assert.deepEqual(await store.trail('a'), [ENTRY, ...entries]);
			assert.equal(await store.write({ id: 'a', expected: 2, record: null, entries: [] }), true);
			assert.equal(await store.get('a'), null);
			assert.deepEqual(await store.trail('a'), []);
			assert.deepEqual(await store.list({ limit: 9 }), []);
			assert.equal(
				await store.write(insert({}, { labels: { n: 'v' } })),
				true,
				'its place is free',
			);
			assert.deepEqual(await store.trail('a'), [ENTRY]);
		});

		it('inserts a second call in the same step, or makes no change at all', async (test) => {
			const store = open(test);
			await store.write(insert({}));
			await store.write(insert({ id: 'taken' }));
			const change = (id) => ({
				id: 'a',
				expected: 1,
				record: { ...RECORD, revision: 2, state: 'abandoned', replacedBy: id, dueAt: null },
				entries: [ENTRY],
				created: { record: { ...RECORD, id }, entries: [ENTRY], facts: FACTS },
			});
			assert.equal(await store.write(change('taken')), false);
			assert.equal((await store.get('a')).record.revision, 1);
			assert.equal((await store.trail('a')).length, 1);
			assert.equal(await store.write(change('free')), true);
			assert.equal((await store.get('a')).record.replacedBy, 'free');
			assert.equal((await store.get('free')).record.state, 'waiting');
			assert.equal((await store.trail('free')).length, 1);
		});

		it('keeps any text and a large payload as they are', async (test) => {
			const store = open(test);
			const text = 'تجديد "№ 42" \' ; -- \u202e 👩‍💻 \u{10ffff} ﷽ \n\t\\ %_?';
			const payload = JSON.stringify({ text, nul: '\0', large: 'ل'.repeat(400_000) });
			const facts = { payload, labels: { [text]: text, __proto__: null }, priority: -3 };
			assert.equal(await store.write(insert({ id: text, owner: text }, facts)), true);
			const { record, facts: found } = await store.get(text);
			assert.equal(record.id, text);
			assert.equal(record.owner, text);
			assert.equal(found.payload, payload);
			assert.equal(found.priority, -3);
			assert.equal(found.labels[text], text);
			assert.equal((await store.list({ labels: { [text]: text }, limit: 5 })).length, 1);
			assert.equal((await store.list({ labels: { [text]: `${text} ` }, limit: 5 })).length, 0);
		});

		it('lists by state, cause and labels, a page at a time, each call once', async (test) => {
			const store = open(test);
			for (let i = 0; i < 60; i += 1) {
				const inReview = i % 3 === 0;
				const record = {
					id: `call-${i}`,
					createdAt: Math.floor(i / 7),
					...(inReview && { state: 'review', cause: 'permanent', dueAt: null }),
				};
				const labels = { customer: `c${i % 2}`, order: String(i) };
				assert.equal(await store.write(insert(record, { labels })), true);
			}
			const walk = async (query) => {
				const seen = [];
				for (let after; ; ) {
					const page = await store.list({ ...query, ...(after && { after }), limit: 7 });
					seen.push(...page.map(({ record }) => record));
					if (page.length < 7) {
						return seen;
					}
					const { createdAt, id } = page.at(-1).record;
					after = { createdAt, id };
				}
			};
			const all = await walk({});
			assert.equal(new Set(all.map(({ id }) => id)).size, 60);
			const times = all.map(({ createdAt }) => createdAt);
			assert.deepEqual(
				times,
				times.toSorted((a, b) => a - b),
			);
			assert.equal((await walk({ state: 'review' })).length, 20);
			assert.equal((await walk({ cause: 'permanent' })).length, 20);
			assert.equal((await walk({ cause: 'deadline' })).length, 0);
			assert.equal((await walk({ labels: { customer: 'c0' } })).length, 30);
			assert.equal((await walk({ state: 'review', labels: { customer: 'c0' } })).length, 10);
			assert.equal((await walk({ labels: { customer: 'c0', order: '8' } })).length, 1);
			assert.equal((await walk({ labels: { customer: 'c1', order: '8' } })).length, 0);
			assert.equal((await walk({ labels: { order: 'c0' } })).length, 0, "another label's value");
		});

		it('gives what is due: by priority, then by time', async (test) => {
			const store = open(test);
			const lease = { state: 'in-progress', dueAt: null };
			await store.write(insert({ id: 'late', dueAt: 90 }));
			await store.write(insert({ id: 'early', dueAt: 10 }));
			await store.write(insert({ id: 'urgent', dueAt: 100 }, { priority: 9 }));
			await store.write(insert({ id: 'held', ...lease, leaseUntil: 101 }));
			await store.write(insert({ id: 'gone', ...lease, leaseUntil: 50 }));
			await store.write(insert({ id: 'done', state: 'completed', dueAt: null }));
			const due = async (limit) => (await store.due(100, limit)).map(({ record }) => record.id);
			assert.deepEqual(await due(10), ['urgent', 'early', 'gone', 'late']);
			assert.deepEqual(await due(2), ['urgent', 'early']);
		});

		it('lets go what was over before a time, and never what is open or in review', async (test) => {
			const store = open(test);
			const states = {
				confirmed: { state: 'completed', dueAt: null },
				given_up: { state: 'abandoned', dueAt: null },
				undecided: { state: 'review', cause: 'ambiguous', dueAt: null },
				sending: { state: 'in-progress', dueAt: null, leaseUntil: 1 },
				queued: { state: 'waiting', dueAt: 1 },
			};
			for (const [name, state] of Object.entries(states)) {
				for (const updatedAt of [10, 20]) {
					const record = { ...state, id: `${name}/${updatedAt}`, updatedAt };
					assert.equal(await store.write(insert(record, { labels: { name } })), true);
				}
			}
			assert.equal(await store.purge(10, 99), 0, 'not before the time');
			assert.equal(await store.purge(20, 1), 1, 'no more than the limit');
			assert.equal(await store.purge(20, 99), 1);
			assert.equal(await store.purge(20, 99), 0);
			const left = await store.list({ limit: 99 });
			assert.equal(left.length, 8);
			const old = left.filter(({ record }) => record.updatedAt === 10);
			const stay = old.map(({ record }) => record.state).toSorted();
			assert.deepEqual(stay, ['in-progress', 'review', 'waiting']);
			assert.deepEqual(await store.trail('confirmed/10'), []);
			assert.equal((await store.list({ labels: { name: 'confirmed' }, limit: 9 })).length, 1);
			assert.equal(await store.write(insert({ id: 'confirmed/10' })), true, 'its place is free');
			assert.equal((await store.trail('confirmed/10')).length, 1);
		});

		it('lets one of many concurrent writers win each revision', async (test) => {
			const store = open(test);
			await store.write(insert({}));
			for (let revision = 1; revision < 5; revision += 1) {
				const wins = await Promise.all(
					Array.from({ length: 8 }, (_, at) =>
						store.write({
							id: 'a',
							expected: revision,
							record: { ...RECORD, revision: revision + 1 },
							entries: [{ ...ENTRY, at }],
						}),
					),
				);
				assert.equal(wins.filter(Boolean).length, 1);
			}
			assert.equal((await store.trail('a')).length, 5);
		});
	});
}
