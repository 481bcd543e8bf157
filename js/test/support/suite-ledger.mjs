/** What every store has to pass: a ledger on it, call by call. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isLedgerConflict } from 'retrywise/ledger';
import { virtualClock } from './clock.mjs';
import { HONOURED, PLAIN } from './ledger-policy.mjs';
import { hanging, until, workers } from './suite-support.mjs';

export function ledgerSuite(name, open) {
	describe(`a ledger on ${name}`, () => {
		const make = (test, more) => workers(open(test), more);

		it('sends a call once, and gives its outcome to who asks again', async (test) => {
			const { ledger, other } = make(test);
			let sent = 0;
			const send = ({ attempt, key, headers, payload }) => {
				sent += 1;
				assert.equal(headers['Idempotency-Key'], key);
				return { status: 201, headers: { 'set-cookie': 'secret' }, body: { attempt, payload } };
			};
			const first = await ledger.run({ event: 'renewal/42', payload: { b: 1, a: 'é' } }, send);
			assert.equal(first.state, 'completed');
			assert.equal(first.replayed, false);
			assert.equal(first.record.status, 201);
			const again = await other.run({ event: 'renewal/42', payload: { a: 'é', b: 1 } }, send);
			assert.equal(again.replayed, true);
			assert.deepEqual(again.value, {
				status: 201,
				body: { attempt: 1, payload: { a: 'é', b: 1 } },
			});
			assert.equal(again.attempts, 0);
			assert.equal(sent, 1);
			await assert.rejects(ledger.run({ event: 'renewal/42', payload: { a: 2 } }, send), (error) =>
				isLedgerConflict(error),
			);
			assert.equal(sent, 1);
		});

		it('lets two workers with one event send one request', async (test) => {
			const { ledger, other } = make(test);
			let sent = 0;
			let finish;
			const send = () => {
				sent += 1;
				return sent > 1
					? 'again'
					: new Promise((resolve) => {
							finish = () => resolve('done');
						});
			};
			const runs = [ledger, other, ledger].map((one) => one.run({ event: 'e' }, send));
			let losers = 0;
			for (const run of runs) {
				void run.then(() => {
					losers += 1;
				});
			}
			await until(() => losers === 2 || sent > 1);
			finish();
			const states = (await Promise.all(runs)).map(({ state }) => state);
			assert.deepEqual(states.toSorted(), ['completed', 'in-progress', 'in-progress']);
			assert.equal(sent, 1);
		});

		it('waits as the policy says, with one key, and tells the story', async (test) => {
			const seen = [];
			const { ledger, clock } = make(test, {
				onTransition: ({ event, entry }) => {
					seen.push(`${event} ${entry.state}`);
					throw new Error('a watcher');
				},
			});
			const keys = new Set();
			const { state, attempts, record } = await ledger.run(
				{ event: 'e', labels: { customer: 'شركة' } },
				({ attempt, key }) => {
					keys.add(key);
					return attempt < 3 ? { status: 429, headers: { 'retry-after': '2' } } : { status: 200 };
				},
			);
			assert.deepEqual([state, attempts, record.attempt, keys.size], ['completed', 3, 3, 1]);
			assert.equal(clock.now(), 4000);
			assert.deepEqual(seen, [
				'e pending',
				'e attempted',
				'e rate-limited',
				'e attempted',
				'e rate-limited',
				'e attempted',
				'e confirmed',
			]);
			assert.match(await ledger.trail('e'), /customer شركة.*HTTP 429.*confirmed; attempts: 3/s);
			assert.match(await ledger.trail('e', 'ar'), /مؤكد/);
			assert.equal(await ledger.trail('f'), null);
		});

		it('takes over from a worker that vanished after its claim, under the same key', async (test) => {
			const { ledger, other, clock } = make(test);
			const { sent, send } = hanging();
			let first;
			void ledger.run({ event: 'e', payload: [1], labels: { order: '7' } }, (attempt) => {
				first = attempt;
				return send();
			});
			await sent;
			const never = () => assert.fail('nothing is due');
			assert.deepEqual(await other.recover(never), []);
			clock.advance(1001);
			const [result] = await other.recover(({ attempt, key, payload, labels }) => {
				assert.deepEqual([attempt, key, payload, labels], [2, first.key, [1], { order: '7' }]);
				return 'recovered';
			});
			assert.equal(result.state, 'completed');
			assert.equal(result.value, 'recovered');
			assert.deepEqual(await other.recover(never), []);
		});

		it('asks a person about a vanished worker where the server ignores keys', async (test) => {
			const { ledger, other, clock } = make(test, { policy: PLAIN });
			const { sent, send } = hanging();
			void ledger.run({ event: 'e' }, send);
			await sent;
			clock.advance(1001);
			const never = () => assert.fail('it may have been processed');
			const [result] = await other.recover(never);
			assert.deepEqual([result.state, result.cause], ['review', 'ambiguous']);
			const { items } = await other.review();
			assert.equal(items[0].id, 'e');
			const next = await other.resolve('e', {
				action: 'retry-new-key',
				by: 'ann',
				why: 'not there',
			});
			assert.equal(next.id, 'e#2');
			assert.equal(next.replaces, 'e');
			assert.notEqual(next.key, result.record.key);
			const again = { action: 'confirm', by: 'ann', why: 'there' };
			await assert.rejects(other.resolve('e', again), /not in review/);
			const [second] = await other.recover(({ key }) => key);
			assert.deepEqual([second.state, second.value], ['completed', next.key]);
			assert.equal((await other.run({ event: 'e' }, never)).record.replacedBy, 'e#2');
			assert.equal((await other.review()).items.length, 0);
		});

		for (const [answer, state, sends] of [
			['processed', 'completed', 0],
			['not_processed', 'completed', 1],
			['unknown', 'review', 0],
		]) {
			it(`asks the vendor about a vanished worker first: ${answer}`, async (test) => {
				const asked = [];
				const lookup = (call) => {
					asked.push([call.event, call.payload, call.attempt]);
					return { answer, status: 201, value: { id: 9 } };
				};
				const { ledger, other, clock } = make(test, { policy: PLAIN, lookup });
				const { sent, send } = hanging();
				void ledger.run({ event: 'e', payload: { n: 1 } }, send);
				await sent;
				clock.advance(1001);
				let count = 0;
				const repeat = () => {
					count += 1;
					return { id: 10 };
				};
				let [result] = await other.recover(repeat);
				if (result.state === 'waiting') {
					clock.advance(result.retryInMs);
					[result] = await other.recover(repeat);
				}
				assert.deepEqual([result.state, count], [state, sends]);
				assert.deepEqual(asked, [['e', { n: 1 }, 1]]);
				const { value } = await other.show('e');
				assert.deepEqual(value, { processed: { id: 9 }, not_processed: { id: 10 } }[answer]);
			});
		}

		it('asks the vendor about a lost answer before a person', async (test) => {
			const answers = ['not_processed', 'processed'];
			const lookup = () => answers.shift();
			const { ledger, clock } = make(test, { policy: PLAIN, lookup });
			const reset = () => {
				throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
			};
			const first = await ledger.run({ event: 'e' }, reset);
			assert.equal(first.state, 'waiting');
			clock.advance(first.retryInMs);
			const second = await ledger.run({ event: 'e' }, reset);
			assert.deepEqual([second.state, second.attempts, second.record.attempt], ['completed', 1, 2]);
			answers.push(undefined, null, 'done', { answer: 'done' });
			while (answers.length > 0) {
				const vague = await ledger.run({ event: `vague/${answers.length}` }, reset);
				assert.deepEqual([vague.state, vague.cause], ['review', 'ambiguous']);
			}
		});

		it('hands what is not confirmed to a person, with its cause', async (test) => {
			const { ledger } = make(test, { policy: { ...HONOURED, maxRetries: 1 } });
			const cases = [
				['permanent', 'bad', () => ({ status: 422 })],
				['exhausted', 'down', () => ({ status: 429 })],
				['ambiguous', 'lost', () => ({ status: 504 })],
			];
			for (const [cause, event, send] of cases) {
				const result = await ledger.run({ event, labels: { kind: cause } }, send);
				assert.deepEqual([result.state, result.cause], ['review', cause], event);
			}
			const controller = new AbortController();
			const aborted = ledger.run({ event: 'stopped', signal: controller.signal }, () => {
				controller.abort(new Error('enough'));
				return new Promise(() => {});
			});
			await assert.rejects(aborted, /enough/);
			const { items, next } = await ledger.review({ limit: 3 });
			const rest = await ledger.review({ limit: 3, cursor: next, lang: 'ar' });
			assert.deepEqual([...items, ...rest.items].map(({ cause }) => cause).toSorted(), [
				'ambiguous',
				'cancelled',
				'exhausted',
				'permanent',
			]);
			assert.equal(rest.next, null);
			assert.equal((await ledger.review({ cause: 'permanent' })).items[0].labels.kind, 'permanent');
			const confirmed = await ledger.resolve('lost', { action: 'confirm', by: 'ann', why: 'seen' });
			assert.equal(confirmed.state, 'completed');
		});

		it('never sends after the key is forgotten', async (test) => {
			const idempotency = { honoured: true, leaseMs: 1000, windowMs: 60_000 };
			const clock = virtualClock();
			const controller = new AbortController();
			clock.sleep = async () => {
				controller.abort(new Error('shut down'));
				controller.signal.throwIfAborted();
			};
			const { ledger, other } = make(test, { policy: { ...HONOURED, idempotency }, clock });
			const wait = () => ({ status: 503, headers: { 'retry-after': '20' } });
			const { signal } = controller;
			await assert.rejects(ledger.run({ event: 'e', signal }, wait), /shut down/);
			assert.equal((await ledger.show('e')).record.state, 'waiting');
			clock.advance(60_001);
			const [result] = await other.recover(() => assert.fail('it would act twice'));
			assert.deepEqual([result.state, result.cause], ['review', 'key-expired']);
		});

		it('keeps a call for later: by its due time, and while the upstream is left alone', async (test) => {
			const breaker = { kind: 'consecutive', failures: 1, openMs: 5000 };
			const { ledger, clock } = make(test, { policy: { ...HONOURED, breaker, maxRetries: 0 } });
			const dueAt = clock.wall() + 500;
			const later = await ledger.run({ event: 'later', dueAt, priority: 1 }, () => assert.fail());
			assert.deepEqual([later.state, later.retryInMs], ['waiting', 500]);
			await ledger.run({ event: 'trip' }, () => ({ status: 500 }));
			const refused = await ledger.run({ event: 'kept', payload: 1 }, () => assert.fail());
			assert.deepEqual([refused.state, refused.reason], ['waiting', 'breaker-open']);
			assert.equal(refused.attempts, 0);
			clock.advance(5000);
			const taken = await ledger.recover(({ event, payload }) => [event, payload ?? null]);
			assert.deepEqual(
				taken.map(({ value }) => value),
				[
					['later', null],
					['kept', 1],
				],
			);
		});

		it('fences a worker that lost its lease', async (test) => {
			const { ledger, other, clock } = make(test);
			let release;
			const slow = ledger.run(
				{ event: 'e' },
				() =>
					new Promise((resolve) => {
						release = () => resolve({ status: 500 });
					}),
			);
			await until(() => release !== undefined);
			clock.advance(1001);
			assert.equal((await other.run({ event: 'e' }, () => 'second')).state, 'completed');
			release();
			const late = await slow;
			assert.equal(late.state, 'fenced');
			assert.equal((await other.show('e')).value, 'second');
		});

		it('finds calls by label, however the characters are composed', async (test) => {
			const { ledger } = make(test);
			for (let i = 0; i < 5; i += 1) {
				const labels = { customer: 'Jose\u0301', order: `${i}` };
				await ledger.run({ event: `order/${i}`, labels }, () => i);
			}
			const first = await ledger.find({ customer: 'José' }, { limit: 3 });
			const rest = await ledger.find({ customer: 'José' }, { limit: 3, cursor: first.next });
			assert.deepEqual(
				[...first.items, ...rest.items].map(({ value }) => value).toSorted(),
				[0, 1, 2, 3, 4],
			);
			const one = await ledger.find({ customer: 'José', order: '3' });
			assert.equal(one.items[0].event, 'order/3');
			assert.equal(one.next, null);
			assert.equal((await ledger.list({ state: 'completed' })).items.length, 5);
			assert.deepEqual((await ledger.find({ customer: 'Jose' })).items, []);
		});
	});
}
