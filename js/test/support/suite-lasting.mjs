/** What every store has to pass: attempts that last, outages, and calls that are kept for long. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';

import { createLedger, isLeaseLost, isLedgerConflict } from 'retrywise/ledger';
import { HONOURED, PLAIN } from './ledger-policy.mjs';
import { until, workers } from './suite-support.mjs';

/** Calls that wait when an outage is over: more than one batch. */
const CROWD = 110;

function withResolvers() {
	let resolve;
	const promise = new Promise((given) => {
		resolve = given;
	});
	return { promise, resolve };
}

export function lastingSuite(name, open) {
	describe(`a ledger on ${name}, in the long run,`, () => {
		const make = (test, more) => workers(open(test), more);

		it('keeps the lease of an attempt that lasts, and no other worker takes over', async (test) => {
			const beats = [];
			const { ledger, other, clock, store } = make(test);
			const background = (ms, ended) => {
				const beat = withResolvers();
				beats.push({ ms, ended, beat: () => beat.resolve() });
				return beat.promise;
			};
			const steady = createLedger({ store, policy: HONOURED, clock: { ...clock, background } });
			let finish;
			const run = steady.run({ event: 'e' }, () => {
				return new Promise((resolve) => {
					finish = () => resolve('done');
				});
			});
			for (let turn = 1; turn <= 4; turn += 1) {
				await until(() => beats.length === turn);
				assert.equal(beats.at(-1).ms, 333);
				clock.advance(900);
				beats.at(-1).beat();
				await until(() => beats.length === turn + 1);
				const never = () => assert.fail('sent twice');
				assert.equal((await other.run({ event: 'e' }, never)).state, 'in-progress');
				assert.deepEqual(await ledger.recover(never), []);
			}
			finish();
			assert.equal((await run).state, 'completed');
			assert.equal(beats.at(-1).ended.aborted, true, 'no timer is left');
			assert.deepEqual(
				(await other.entries('e')).map(({ state }) => state),
				['pending', 'attempted', 'confirmed'],
			);
		});

		it('stops an attempt that somebody else has taken over', async (test) => {
			const { other, clock, store } = make(test);
			let beat;
			const background = () =>
				new Promise((resolve) => {
					beat = resolve;
				});
			const stalled = createLedger({ store, policy: HONOURED, clock: { ...clock, background } });
			let reason;
			const run = stalled.run({ event: 'e' }, ({ signal }) => {
				signal.addEventListener('abort', () => {
					reason = signal.reason;
				});
				return new Promise(() => {});
			});
			await until(() => beat !== undefined);
			clock.advance(1001);
			assert.equal((await other.run({ event: 'e' }, () => 'second')).state, 'completed');
			beat();
			const { state, error, record } = await run;
			assert.deepEqual([state, record.state, record.attempt], ['fenced', 'completed', 2]);
			assert.ok(isLeaseLost(reason));
			assert.equal(error, reason);
		});

		it('waits for the answer of a call that went to review meanwhile: it settles the matter', async (test) => {
			const { other, clock, store } = make(test, { policy: PLAIN });
			let beat;
			let finish;
			const background = () =>
				new Promise((resolve) => {
					beat = resolve;
				});
			const stalled = createLedger({ store, policy: PLAIN, clock: { ...clock, background } });
			const run = stalled.run({ event: 'e' }, () => {
				return new Promise((resolve) => {
					finish = () => resolve('late');
				});
			});
			await until(() => beat !== undefined);
			clock.advance(1001);
			const [taken] = await other.recover(() => assert.fail('it may have been processed'));
			assert.deepEqual([taken.state, taken.cause], ['review', 'ambiguous']);
			beat();
			await store.get('e');
			finish();
			const { state, value } = await run;
			assert.deepEqual([state, value], ['completed', 'late']);
			assert.equal((await other.review()).items.length, 0);
		});

		it('keeps bytes as they are, and tells them apart', async (test) => {
			const { ledger, other } = make(test);
			const payload = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256);
			const call = { event: 'e', payload, labels: { file: 'a.pdf' } };
			const result = await ledger.run(call, ({ payload: sent }) => {
				assert.ok(sent instanceof Uint8Array);
				return sent.subarray(0, 4);
			});
			const digest = createHash('sha256').update(payload).digest('hex');
			assert.equal(result.record.fingerprint, digest);
			const { payload: kept, value } = await other.show('e');
			assert.deepEqual(kept, payload);
			assert.deepEqual(value, payload.slice(0, 4));
			const same = Buffer.from(payload);
			assert.equal((await other.run({ ...call, payload: same }, () => {})).replayed, true);
			assert.equal(
				(await other.run({ ...call, payload: payload.buffer }, () => {})).replayed,
				true,
			);
			payload[69_999] += 1;
			await assert.rejects(
				other.run({ ...call, payload }, () => {}),
				isLedgerConflict,
			);
		});

		it('keeps secrets out of the trail', async (test) => {
			const { ledger } = make(test, { policy: { ...HONOURED, maxRetries: 1 } });
			const secret = 's3cr3t';
			const headers = { authorization: secret, 'set-cookie': secret, 'retry-after': '1' };
			const outcomes = [
				() => ({ status: 429, headers, body: { token: secret } }),
				() => {
					const response = { status: 503, headers, data: secret };
					throw Object.assign(new Error(secret), { response, config: { headers } });
				},
			];
			const call = { event: 'e', payload: { card: secret }, key: `${secret}-0123456789` };
			await ledger.run(call, ({ attempt }) => outcomes[attempt - 1]());
			const entries = await ledger.entries('e');
			assert.equal(entries.length, 5);
			assert.doesNotMatch(JSON.stringify(entries), new RegExp(secret));
			for (const lang of ['en', 'ar']) {
				assert.doesNotMatch(await ledger.trail('e', lang), new RegExp(secret));
			}
		});

		it('takes up thousands after an outage: some at a time, each once, the urgent first', async (test) => {
			const { ledger, other, clock } = make(test, { policy: { ...HONOURED, budget: null } });
			const dueAt = clock.wall() + 10;
			const events = Array.from({ length: CROWD }, (_, i) => `e/${i}`);
			const never = () => assert.fail('not due');
			for (const [i, event] of events.entries()) {
				await ledger.run({ event, payload: i, dueAt, priority: i % 3 }, never);
			}
			clock.advance(10);
			let [running, most] = [0, 0];
			const sent = new Map();
			const send = async ({ event, payload }) => {
				running += 1;
				most = Math.max(most, running);
				sent.set(event, (sent.get(event) ?? 0) + 1);
				await new Promise((resolve) => setImmediate(resolve));
				running -= 1;
				return payload;
			};
			const progress = [];
			const onProgress = ({ done, running: now, result }) => {
				progress.push([done, result.state]);
				assert.ok(now < 7);
				throw new Error('a watcher');
			};
			assert.equal((await other.recover(send, { limit: 5 })).length, 5);
			const results = await other.recover(send, { concurrency: 7, onProgress });
			assert.equal(results.length, CROWD - 5);
			// A store with fewer connections lets fewer through.
			assert.ok(most > 1 && most <= 7, `${most} at once`);
			assert.ok(results.every(({ state }) => state === 'completed'));
			assert.deepEqual(
				progress,
				results.map((_, i) => [i + 1, 'completed']),
			);
			assert.equal(sent.size, CROWD);
			assert.ok([...sent.values()].every((count) => count === 1));
			const priorities = results.map(({ value }) => value % 3);
			assert.deepEqual(
				priorities,
				priorities.toSorted((a, b) => b - a),
			);
			assert.deepEqual(await other.recover(never), []);
		});

		it('takes up no more when the upstream lets nothing through, or the caller gives up', async (test) => {
			const breaker = { kind: 'consecutive', failures: 1, openMs: 5000 };
			const policy = { ...HONOURED, breaker, maxRetries: 0 };
			const { ledger, other, clock } = make(test, { policy });
			const dueAt = clock.wall() + 1;
			for (let i = 0; i < 20; i += 1) {
				await ledger.run({ event: `e/${i}`, dueAt }, () => assert.fail('not due'));
			}
			clock.advance(1);
			let sent = 0;
			const down = () => {
				sent += 1;
				return { status: 500 };
			};
			const results = await other.recover(down, { concurrency: 1 });
			assert.deepEqual([sent, results.length], [1, 2]);
			assert.equal(results[1].reason, 'breaker-open');
			assert.equal((await other.list({ state: 'waiting' })).items.length, 19);
			const controller = new AbortController();
			const stop = ({ event }) => {
				controller.abort(new Error(`stopped at ${event}`));
				return 1;
			};
			clock.advance(5000);
			const { signal } = controller;
			await assert.rejects(ledger.recover(stop, { concurrency: 1, signal }), /stopped at/);
			assert.ok((await other.list({ state: 'waiting' })).items.length >= 18);
		});

		it('lets go of calls that were over long ago', async (test) => {
			const { ledger, clock } = make(test);
			await ledger.run({ event: 'old' }, () => 1);
			await ledger.run({ event: 'bad' }, () => ({ status: 422 }));
			await ledger.run({ event: 'later', dueAt: clock.wall() + 9e9 }, () => 1);
			clock.advance(1000);
			await ledger.run({ event: 'new' }, () => 1);
			assert.equal(await ledger.purge({ before: clock.wall() }), 1);
			assert.equal(await ledger.show('old'), null);
			assert.equal(await ledger.trail('old'), null);
			assert.deepEqual((await ledger.list()).items.map(({ event }) => event).toSorted(), [
				'bad',
				'later',
				'new',
			]);
			await ledger.resolve('bad', { action: 'abandon', by: 'ann', why: 'bad data' });
			assert.equal(await ledger.purge({ before: clock.wall() + 1 }), 2);
			for (const before of [undefined, Number.NaN, '5', 1.5]) {
				await assert.rejects(ledger.purge({ before }), RangeError);
			}
		});
	});
}
