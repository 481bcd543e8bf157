import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';

import { createUpstream, isRetryRefused } from 'retrywise';
import { createDispatcher, isDispatcherClosed, isDispatcherFull } from 'retrywise/dispatch';
import { createLedger, isLedgerConflict, memoryStore } from 'retrywise/ledger';
import { sharedClock } from './support/clock.mjs';

// The host's own takes its time in another thread, and no virtual clock would know of it.
Object.defineProperty(globalThis.crypto.subtle, 'digest', {
	value: async (_, bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()).buffer,
});

const POLICY = { breaker: null, budget: null, limiter: {}, backoff: { jitter: 'none' } };
const HOUR = 3_600_000;

/** A dispatcher over an upstream, on a clock of its own. */
function make({ policy = POLICY, ...options } = {}) {
	const clock = sharedClock();
	const upstream = createUpstream(policy, { clock, seed: 1 });
	const events = [];
	const dispatcher = createDispatcher({
		upstream,
		onEvent: (event) => {
			events.push(event);
			throw new Error('a listener');
		},
		...options,
	});
	return { clock, upstream, dispatcher, events };
}

/** A vendor that answers so many calls in each window, and counts what it had to refuse. */
function vendor(clock, { limit, windowMs, takesMs = 10 }) {
	const seen = { order: [], refused: 0 };
	let window = { begins: 0, left: limit };
	const answer = async (name) => {
		if (clock.now() >= window.begins + windowMs) {
			window = { begins: clock.now() - (clock.now() % windowMs), left: limit };
		}
		const resetMs = window.begins + windowMs - clock.now();
		const reset = { 'ratelimit-limit': limit, 'ratelimit-reset': Math.ceil(resetMs / 1000) };
		if (window.left === 0) {
			seen.refused += 1;
			const headers = {
				...reset,
				'ratelimit-remaining': 0,
				'retry-after': reset['ratelimit-reset'],
			};
			throw Object.assign(new Error('429'), { status: 429, headers });
		}
		window.left -= 1;
		const { left } = window;
		seen.order.push([name, clock.now()]);
		await clock.sleep(takesMs);
		return { status: 200, headers: { ...reset, 'ratelimit-remaining': left } };
	};
	return { answer, seen };
}

describe('a dispatcher over an upstream', () => {
	it('lets a renewal due today pass a new quote, whoever came first', async () => {
		const { clock, dispatcher } = make({ concurrency: 1 });
		const order = [];
		const run = (name, call) =>
			dispatcher.run(async () => {
				order.push(name);
				await clock.sleep(50);
				return name;
			}, call);
		const noon = clock.wall();
		const all = [
			run('first'),
			run('quote'),
			run('quote 2'),
			run('renewal', { dueAt: noon - 4 * HOUR }),
			run('urgent', { priority: 5 }),
			run('tomorrow', { dueAt: noon + 24 * HOUR, priority: 99 }),
		];
		await clock.until(Promise.all(all));
		assert.deepEqual(order, ['first', 'renewal', 'urgent', 'quote', 'quote 2', 'tomorrow']);
		assert.equal(clock.now(), 24 * HOUR + 50);
		assert.equal(clock.sleepers, 0, 'no timer is left');
	});

	it('runs as many at once as it may, and no more', async () => {
		const { clock, dispatcher } = make({ concurrency: 3 });
		let [running, most] = [0, 0];
		const work = async () => {
			running += 1;
			most = Math.max(most, running);
			await clock.sleep(100);
			running -= 1;
		};
		const all = Array.from({ length: 10 }, () => dispatcher.run(work));
		await clock.until(Promise.all(all));
		assert.deepEqual([most, clock.now()], [3, 400]);
	});

	it('is paced by the limit that it learns, and gives what there is to the most urgent', async () => {
		const { clock, dispatcher, events } = make({ concurrency: 4 });
		const { answer, seen } = vendor(clock, { limit: 5, windowMs: 10_000 });
		const run = (name, priority) => dispatcher.run(() => answer(name), { priority, event: name });
		const all = [];
		for (let at = 0; at < 30; at += 1) {
			all.push(run(`low ${at}`, 0), run(`high ${at}`, 9));
		}
		await clock.until(Promise.all(all));
		const names = seen.order.map(([name]) => name);
		assert.equal(names.length, 60);
		const lastHigh = names.findLastIndex((name) => name.startsWith('high'));
		const firstLow = names.findIndex((name, at) => at >= 4 && name.startsWith('low'));
		assert.ok(lastHigh < firstLow + 4, 'as many as run at once may overtake');
		assert.ok(clock.now() >= 110_000, 'five in ten seconds');
		assert.ok(seen.refused <= 15, `${seen.refused} refusals: it learned`);
		assert.ok(events.some(({ type }) => type === 'held'));
	});

	it('starves nobody', async () => {
		const { clock, dispatcher } = make({ concurrency: 1, agingMs: 1000 });
		let servedAt;
		let isOver = false;
		const patient = dispatcher.run(() => {
			servedAt = clock.now();
			isOver = true;
		});
		const pressing = (async () => {
			while (!isOver) {
				const two = [1, 2].map(() => dispatcher.run(() => clock.sleep(100), { priority: 5 }));
				await Promise.race(two);
			}
		})();
		await clock.until(Promise.all([patient, pressing, dispatcher.drain()]));
		assert.ok(servedAt <= 5200, `five steps of a second: ${servedAt}`);
	});

	it('holds back while the breaker is open, and refuses what will never pass', async () => {
		const breaker = { kind: 'consecutive', failures: 1, openMs: 5000 };
		const { clock, dispatcher, upstream, events } = make({
			policy: { ...POLICY, breaker, maxRetries: 0 },
		});
		const fail = () => {
			throw Object.assign(new Error('down'), { status: 500 });
		};
		await assert.rejects(clock.until(dispatcher.run(fail)), /down/);
		const held = dispatcher.run(() => clock.now());
		assert.ok((await clock.until(held)) >= 5000);
		assert.equal(events.filter(({ type }) => type === 'held').length, 1);
		upstream.isolate();
		const never = dispatcher.run(() => assert.fail('isolated'));
		await assert.rejects(clock.until(never), (error) => isRetryRefused(error));
	});

	it('retries as the policy says, and ends with the last error', async () => {
		const { clock, dispatcher } = make({ policy: { ...POLICY, maxRetries: 2 } });
		let attempts = 0;
		const flaky = ({ attempt }) => {
			attempts += 1;
			if (attempt < 3) {
				throw Object.assign(new Error('busy'), { status: 503 });
			}
			return attempt;
		};
		assert.equal(await clock.until(dispatcher.run(flaky)), 3);
		await assert.rejects(
			clock.until(
				dispatcher.run(() => {
					throw Object.assign(new Error('always'), { status: 503 });
				}),
			),
			/always/,
		);
		assert.equal(attempts, 3);
		assert.equal(dispatcher.view().ended, 2);
	});

	it('lets a call go whose signal is aborted, in the queue and on its way', async () => {
		const { clock, dispatcher } = make({ concurrency: 1 });
		const [first, second] = [new AbortController(), new AbortController()];
		const running = dispatcher.run(({ signal }) => clock.sleep(1000, signal), {
			signal: first.signal,
		});
		const waiting = dispatcher.run(() => assert.fail('sent'), { signal: second.signal });
		second.abort(new Error('changed my mind'));
		await assert.rejects(waiting, /changed my mind/);
		assert.deepEqual(dispatcher.view(), { notDue: 0, waiting: 0, running: 1, ended: 1, held: 0 });
		first.abort(new Error('enough'));
		await assert.rejects(clock.until(running), /enough/);
		await assert.rejects(dispatcher.run(() => 0, { signal: AbortSignal.abort('late') }));
		assert.equal(dispatcher.view().running, 0);
	});

	it('tells how it goes', async () => {
		const { clock, dispatcher, events } = make({ concurrency: 1 });
		const wait = () => clock.sleep(30);
		await clock.until(Promise.all([1, 2].map((n) => dispatcher.run(wait, { event: `e${n}` }))));
		assert.deepEqual(
			events.map(({ type, event, ageMs }) => `${type} ${event} ${ageMs}`),
			['queued e1 0', 'started e1 0', 'queued e2 0', 'ended e1 30', 'started e2 30', 'ended e2 60'],
		);
		assert.deepEqual(events.at(-1).view, {
			notDue: 0,
			waiting: 0,
			running: 0,
			ended: 2,
			held: 0,
		});
	});

	it('refuses what has no room, what comes too late, and what it cannot be', async () => {
		const { clock, dispatcher } = make({ concurrency: 1, capacity: 1 });
		const running = dispatcher.run(() => clock.sleep(10));
		const waiting = dispatcher.run(() => assert.fail('its turn never came'));
		await assert.rejects(
			dispatcher.run(() => 0),
			(error) => isDispatcherFull(error),
		);
		const closed = dispatcher.close();
		await assert.rejects(waiting, (error) => isDispatcherClosed(error));
		await clock.until(Promise.all([running, closed]));
		await assert.rejects(
			dispatcher.run(() => 0),
			(error) => isDispatcherClosed(error),
		);
		await dispatcher.drain();
		const upstream = createUpstream();
		for (const [options, problem] of [
			[{}, /needs an upstream/],
			[{ upstream, concurrency: 0 }, /concurrency is 0/],
			[{ upstream, capacity: 1.5 }, /capacity is 1.5/],
			[{ upstream, agingMs: -1 }, /agingMs is -1/],
			[{ upstream, ledger: createLedger({ store: memoryStore() }) }, /leave `upstream` out/],
		]) {
			assert.throws(() => createDispatcher(options), problem);
		}
	});
});

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
