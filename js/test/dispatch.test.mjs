import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createUpstream, isRetryRefused } from 'retrywise';
import { createDispatcher, isDispatcherClosed, isDispatcherFull } from 'retrywise/dispatch';
import { createLedger, memoryStore } from 'retrywise/ledger';
import { HOUR, make, POLICY, vendor } from './support/dispatch.mjs';

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

	it('counts the time for which a call is held towards its deadline', async () => {
		const policy = { ...POLICY, deadlineMs: 5000 };
		const { clock, dispatcher } = make({ policy, concurrency: 1 });
		const { answer, seen } = vendor(clock, { limit: 1, windowMs: 4000 });
		// The second is refused at once; when it would pass, the urgent one takes what there is.
		const urgent = { priority: 9, dueAt: clock.wall() + 3000 };
		const all = [{}, {}, urgent].map((call, at) => dispatcher.run(() => answer(at), call));
		const [, held] = await clock.until(Promise.allSettled(all));
		assert.ok(isRetryRefused(held.reason), String(held.reason));
		assert.deepEqual(
			seen.order.map(([name]) => name),
			[0, 2],
		);
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
