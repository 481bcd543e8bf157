import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDispatcher, isDispatcherClosed } from 'retrywise/dispatch';
import { createLedger, isLedgerConflict, memoryStore } from 'retrywise/ledger';
import { sharedClock } from './support/clock.mjs';
import { HOUR, POLICY, vendor } from './support/dispatch.mjs';

describe('a dispatcher over a ledger', () => {
	const open = (policy = { ...POLICY, idempotency: { honoured: true } }, options = {}) => {
		const clock = sharedClock();
		const store = memoryStore();
		const ledger = createLedger({ store, policy, clock, seed: 1 });
		return { clock, store, ledger, dispatcher: createDispatcher({ ledger, ...options }) };
	};

	it('keeps a call before its turn comes, and carries it out once', async () => {
		const { clock, ledger, dispatcher } = open(undefined, { concurrency: 1 });
		let sent = 0;
		const send = async ({ payload }) => {
			sent += 1;
			await clock.sleep(100);
			return { status: 201, body: payload };
		};
		const dueAt = clock.wall() + 5000;
		const all = Promise.all([
			dispatcher.run({ event: 'a', payload: 1 }, send),
			dispatcher.run({ event: 'b', payload: 2 }, send),
			dispatcher.run({ event: 'c', payload: 3, dueAt, priority: 9 }, send),
			dispatcher.run({ event: 'b', payload: 2 }, send),
		]);
		await clock.rest();
		assert.deepEqual(
			(await ledger.list()).items.map(({ event, record }) => [event, record.state]).toSorted(),
			[
				['a', 'in-progress'],
				['b', 'waiting'],
				['c', 'waiting'],
			],
		);
		const results = await clock.until(all);
		assert.deepEqual(
			results.map(({ state, replayed, value }) => [state, replayed, value.body]),
			[
				['completed', false, 1],
				['completed', false, 2],
				['completed', false, 3],
				['completed', true, 2],
			],
		);
		assert.deepEqual([sent, clock.now()], [3, 5100]);
	});

	it('keeps the place of a call that the rate limit refuses, and the ledger knows of it', async () => {
		const { clock, ledger, dispatcher } = open(undefined, { concurrency: 2 });
		const { answer, seen } = vendor(clock, { limit: 2, windowMs: 10_000 });
		const send = ({ event }) => answer(event);
		const events = Array.from({ length: 8 }, (_, at) => `renewal/${at}`);
		const all = Promise.all(events.map((event) => dispatcher.run({ event }, send)));
		const results = await clock.until(all);
		assert.ok(results.every(({ state }) => state === 'completed'));
		assert.deepEqual(seen.order.map(([event]) => event).toSorted(), events, 'each once');
		assert.ok(clock.now() >= 30_000);
		assert.ok(dispatcher.view().held > 0);
		assert.match(await ledger.trail('renewal/7'), /confirmed/);
	});

	it('loses nothing when it is closed: what was not sent is taken up later', async () => {
		const { clock, ledger, dispatcher } = open(undefined, { concurrency: 1 });
		const first = dispatcher.run({ event: 'a' }, () => clock.sleep(100));
		const second = dispatcher.run({ event: 'b', payload: 7 }, () => assert.fail('closed'));
		const closed = dispatcher.close();
		await assert.rejects(second, (error) => isDispatcherClosed(error));
		await clock.until(Promise.all([first, closed]));
		const [result] = await clock.until(ledger.recover(({ payload }) => payload));
		assert.deepEqual([result.event, result.value], ['b', 7]);
	});

	it('takes up what was waiting in the ledger, each call in its turn among the new ones', async () => {
		const { clock, ledger, dispatcher } = open(undefined, { concurrency: 1 });
		await ledger.submit({ event: 'left over' });
		await ledger.submit({ event: 'urgent', priority: 5 });
		await ledger.submit({ event: 'tomorrow', priority: 9, dueAt: clock.wall() + 24 * HOUR });
		await clock.until(clock.sleep(HOUR));
		const order = [];
		const send = async ({ event }) => {
			order.push(event);
			await clock.sleep(100);
			return event;
		};
		const fresh = ['first', 'quote'].map((event) => dispatcher.run({ event }, send));
		const seen = [];
		const recovered = dispatcher.recover(send, { onProgress: ({ done }) => seen.push(done) });
		const results = await clock.until(recovered);
		await clock.until(Promise.all(fresh));
		assert.deepEqual(order, ['first', 'urgent', 'left over', 'quote']);
		assert.deepEqual(
			results.map(({ event, state, value }) => [event, state, value]),
			[
				['urgent', 'completed', 'urgent'],
				['left over', 'completed', 'left over'],
			],
		);
		assert.deepEqual(seen, [1, 2]);
		assert.equal((await ledger.show('tomorrow')).record.state, 'waiting');
	});

	it('leaves alone what waits here already when it takes up the rest', async () => {
		const { clock, dispatcher } = open(undefined, { concurrency: 1 });
		const sent = [];
		const send = async ({ event }) => {
			sent.push(event);
			await clock.sleep(10);
		};
		const all = ['a', 'b', 'c'].map((event) => dispatcher.run({ event }, send));
		await clock.rest();
		const taken = await clock.until(dispatcher.recover(() => assert.fail('sent by somebody else')));
		assert.deepEqual(taken, []);
		await clock.until(Promise.all(all));
		assert.deepEqual(sent, ['a', 'b', 'c']);
	});

	it('loses nothing that it had taken up when it is closed', async () => {
		const { clock, ledger, dispatcher } = open(undefined, { concurrency: 1 });
		for (const event of ['a', 'b', 'c']) {
			await ledger.submit({ event });
		}
		const recovered = dispatcher.recover(() => clock.sleep(100));
		const refused = assert.rejects(recovered, (error) => isDispatcherClosed(error));
		await clock.rest();
		await clock.until(Promise.all([dispatcher.close(), refused]));
		const next = createDispatcher({ ledger });
		const results = await clock.until(next.recover(() => 'later'));
		assert.deepEqual(
			results.map(({ event, value }) => [event, value]),
			[
				['b', 'later'],
				['c', 'later'],
			],
		);
	});

	it('leaves a call to the ledger that nobody knows when to send', async () => {
		const { clock, ledger, dispatcher } = open({ ...POLICY, breaker: {} });
		await ledger.submit({ event: 'a' });
		ledger.upstream.isolate();
		const send = () => assert.fail('isolated');
		const [found] = await clock.until(dispatcher.recover(send));
		assert.deepEqual([found.state, found.reason], ['waiting', 'breaker-open']);
		assert.equal(dispatcher.view().held, 0);
		assert.equal((await ledger.show('a')).record.state, 'waiting');
	});

	it('takes no ledger of another make', () => {
		const { upstream } = createLedger({ store: memoryStore() });
		assert.throws(() => createDispatcher({ ledger: { upstream } }), /createLedger/);
	});

	it('gives a call another turn when it is due again, or says that it waits where there is no room', async () => {
		const lookups = ['not_processed', 'not_processed'];
		const clock = sharedClock();
		const ledger = createLedger({
			store: memoryStore(),
			policy: { ...POLICY, backoff: { baseMs: 2000, jitter: 'none' } },
			clock,
			lookup: () => lookups.shift() ?? 'unknown',
		});
		const dispatcher = createDispatcher({ ledger, concurrency: 1, capacity: 1 });
		let attempts = 0;
		const reset = () => {
			attempts += 1;
			if (attempts === 1) {
				throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
			}
			return 'done';
		};
		const again = await clock.until(dispatcher.run({ event: 'a' }, reset));
		assert.deepEqual([again.state, again.value, clock.now()], ['completed', 'done', 2000]);
		attempts = 0;
		const crowded = dispatcher.run({ event: 'b' }, reset);
		const dueAt = clock.wall() + 60_000;
		const tomorrow = dispatcher.run({ event: 'c', dueAt }, () => 'late');
		const { state, event } = await clock.until(crowded);
		assert.deepEqual([state, event], ['waiting', 'b']);
		assert.equal((await clock.until(tomorrow)).value, 'late');
		assert.equal((await ledger.show('b')).record.state, 'waiting', 'recover takes it up');
	});

	it('tells of a conflict, and keeps the first', async () => {
		const { clock, ledger, dispatcher } = open();
		await clock.until(dispatcher.run({ event: 'a', payload: 1 }, () => 1));
		await assert.rejects(
			clock.until(dispatcher.run({ event: 'a', payload: 2 }, () => 2)),
			(error) => isLedgerConflict(error),
		);
		await assert.rejects(ledger.submit({ event: 'a', payload: 3 }), (error) =>
			isLedgerConflict(error),
		);
		assert.equal((await ledger.submit({ event: 'a', payload: 1 })).state, 'completed');
	});
});
