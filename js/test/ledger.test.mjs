import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import { isRetryRefused } from 'retrywise';
import { createLedger, isStoreError, memoryStore } from 'retrywise/ledger';
import { virtualClock } from './support/clock.mjs';
import { startServer } from './support/server.mjs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** A store's methods, so that a test can put another in place of one. */
const bound = (store) =>
	Object.fromEntries(
		['get', 'write', 'trail', 'list', 'due', 'purge'].map((name) => [
			name,
			store[name].bind(store),
		]),
	);

describe('a ledger', () => {
	it('fingerprints canonical JSON (RFC 8785) with SHA-256', async () => {
		const ledger = createLedger({ store: memoryStore() });
		const payload = { '\u20ac': 1e21, b: [1.0, -0, '\u000f\n'], a: undefined, '\ufb33': null };
		const { record } = await ledger.run({ event: 'e', payload }, () => 1);
		const canonical = '{"b":[1,0,"\\u000f\\n"],"\u20ac":1e+21,"\ufb33":null}';
		assert.equal(record.fingerprint, sha256(canonical));
		assert.deepEqual((await ledger.show('e')).payload, JSON.parse(canonical));
		const none = await ledger.run({ event: 'none' }, () => 1);
		assert.equal(none.record.fingerprint, sha256(''));
		for (const bad of [Number.NaN, 1n, [Number.POSITIVE_INFINITY]]) {
			await assert.rejects(ledger.run({ event: 'bad', payload: bad }, () => assert.fail()));
		}
		assert.equal(await ledger.show('bad'), null);
	});

	it('refuses what no store or server takes, before it keeps anything', async () => {
		const ledger = createLedger({ store: memoryStore() });
		const never = () => assert.fail('sent');
		for (const call of [
			{ event: '' },
			{ event: 'x'.repeat(256) },
			{ event: 'a\0b' },
			{ event: 'a\ud800' },
			{ event: 'e', labels: { a: '\udc00' } },
			{ event: 'e', labels: { a: 1 } },
			{ event: 'e', key: 'a\r\nb' },
		]) {
			await assert.rejects(ledger.run(call, never), undefined, JSON.stringify(call));
		}
		assert.deepEqual((await ledger.list()).items, []);
		await assert.rejects(ledger.list({ limit: 0 }), RangeError);
		await assert.rejects(ledger.list({ cursor: 'x' }), RangeError);
		await assert.rejects(ledger.resolve('e', { action: 'confirm', by: 'a', why: 'b' }), /no such/);
		const payments = createLedger({ store: memoryStore(), policy: { extends: 'payments' } });
		await assert.rejects(payments.run({ event: 'e', key: null }, never), isRetryRefused);
		assert.throws(() => createLedger({ store: memoryStore(), policy: { maxRetries: -1 } }));
	});

	it('completes a call whose outcome JSON cannot say', async () => {
		const ledger = createLedger({ store: memoryStore() });
		const circle = {};
		circle.self = circle;
		for (const [event, value] of Object.entries({ circle, big: 1n, nothing: undefined })) {
			const result = await ledger.run({ event }, () => value);
			assert.equal(result.state, 'completed');
			assert.equal(result.value, value);
			assert.equal((await ledger.run({ event }, () => assert.fail())).value, undefined);
		}
	});

	it('says the same date of the first sending on every attempt, by whatever worker', async () => {
		const clock = virtualClock();
		const idempotency = { honoured: true, leaseMs: 1000, firstSentHeader: 'First-Sent' };
		const options = { store: memoryStore(), policy: { idempotency }, clock };
		const dates = [];
		const sent = new Promise((resolve) => {
			void createLedger(options).run({ event: 'e' }, ({ headers }) => {
				dates.push(headers['First-Sent']);
				resolve();
				return new Promise(() => {});
			});
		});
		await sent;
		clock.advance(90_000);
		await createLedger(options).recover(({ headers }) => dates.push(headers['First-Sent']));
		assert.equal(dates.length, 2);
		assert.equal(dates[0], new Date(clock.wall() - 90_000).toUTCString());
		assert.equal(dates[1], dates[0]);
	});

	it('reads the errors of clients and SDKs as the answers that they stand for', async () => {
		const ledger = createLedger({ store: memoryStore(), policy: { maxRetries: 0 } });
		for (const [event, facts] of Object.entries({
			axios: { response: { status: 422, headers: {} } },
			got: { response: { statusCode: 422, headers: {} } },
			sdk: { statusCode: 422 },
			aws: { $metadata: { httpStatusCode: 422 } },
		})) {
			const error = Object.assign(new Error('no'), facts);
			const result = await ledger.run({ event }, () => Promise.reject(error));
			assert.deepEqual([result.state, result.cause], ['review', 'permanent'], event);
			assert.equal(result.record.status, 422, event);
			assert.equal(result.error, error);
		}
	});

	it('gives an attempt the time that the policy allows', async () => {
		const policy = { attemptTimeoutMs: 20, maxRetries: 0 };
		const ledger = createLedger({ store: memoryStore(), policy });
		let aborted;
		const result = await ledger.run({ event: 'e' }, ({ signal }) => {
			signal.addEventListener('abort', () => {
				aborted = signal.reason.name;
			});
			return new Promise(() => {});
		});
		assert.equal(aborted, 'TimeoutError');
		assert.deepEqual([result.state, result.cause], ['review', 'ambiguous']);
		assert.equal(result.record.maybeProcessed, true);
	});

	it('writes back what it knows once the store can be reached again', async () => {
		for (const isWritten of [false, true]) {
			const clock = virtualClock();
			const inner = memoryStore();
			let failures = 0;
			const write = async (change) => {
				const isOutcome = change.record.state !== 'in-progress';
				const fails = isOutcome && failures < 3;
				failures += fails;
				const answer = !fails || isWritten ? await inner.write(change) : undefined;
				if (fails) {
					throw Object.assign(new AggregateError([new Error('connect ECONNREFUSED')]), { code: 1 });
				}
				return answer;
			};
			const store = { ...bound(inner), write };
			const policy = {
				idempotency: { honoured: true },
				backoff: { jitter: 'none', baseMs: 20_000 },
			};
			const ledger = createLedger({ store, clock, policy });
			const { state, attempts, record } = await ledger.run({ event: 'e' }, ({ attempt }) => ({
				status: attempt === 1 ? 503 : 200,
			}));
			assert.deepEqual([state, attempts, record.attempt], ['completed', 2, 2]);
			// What came through without our knowing is not written twice.
			assert.equal(failures, isWritten ? 2 : 3);
		}
	});

	it('says what the store was asked when it fails for good, and what it said', async () => {
		const clock = virtualClock();
		const inner = memoryStore();
		let isDown = false;
		const write = async (change) => {
			if (isDown) {
				throw new AggregateError([new Error('connect ECONNREFUSED ::1'), { code: 'EPERM' }]);
			}
			return inner.write(change);
		};
		const policy = { idempotency: { leaseMs: 2000 } };
		const ledger = createLedger({ store: { ...bound(inner), write }, clock, policy });
		let sent = 0;
		const send = () => {
			sent += 1;
			isDown = true;
			return 1;
		};
		const failed = await ledger.run({ event: 'e' }, send).catch((error) => error);
		assert.ok(isStoreError(failed));
		assert.match(failed.message, /failed at "write" of "e": connect ECONNREFUSED ::1; EPERM$/);
		assert.ok(failed.cause instanceof AggregateError);
		assert.ok(clock.now() >= 2000, 'it asked for as long as the lease lasted');
		assert.equal((await ledger.show('e')).record.state, 'in-progress');
		isDown = false;
		const again = await ledger.run({ event: 'e' }, send);
		assert.deepEqual([again.state, again.cause, sent], ['review', 'ambiguous', 1]);
	});

	it('keeps no process alive by a lease', async () => {
		const script = `
			import { createLedger, memoryStore } from 'retrywise/ledger';
			const ledger = createLedger({ store: memoryStore() });
			ledger.run({ event: 'e' }, () => new Promise(() => {}));
		`;
		const cwd = new URL('.', import.meta.url);
		await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd });
	});

	it('has one effect on a real server that honours keys and drops answers', async () => {
		const effects = new Map();
		const server = await startServer((request, response, count) => {
			const key = request.headers['idempotency-key'];
			effects.set(key, (effects.get(key) ?? 0) + (effects.has(key) ? 0 : 1));
			if (count % 3 !== 0) {
				request.socket.destroy();
				return;
			}
			response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":7}');
		});
		try {
			const policy = { idempotency: { honoured: true }, backoff: { baseMs: 1 }, breaker: null };
			const ledger = createLedger({ store: memoryStore(), policy });
			const send = async ({ headers, payload, signal }) => {
				const body = JSON.stringify(payload);
				const response = await fetch(server.url, {
					method: 'POST',
					headers,
					body,
					...(signal && { signal }),
				});
				return { status: response.status, headers: response.headers, body: await response.json() };
			};
			const result = await ledger.run({ event: 'order/1', payload: { n: 1 } }, send);
			assert.equal(result.state, 'completed');
			assert.deepEqual([result.attempts, result.value.body], [3, { id: 7 }]);
			assert.deepEqual([...effects], [[result.record.key, 1]]);
			const again = await ledger.run({ event: 'order/1', payload: { n: 1 } }, send);
			assert.deepEqual(again.value, { status: 201, body: { id: 7 } });
			assert.equal(server.log.length, 3);
		} finally {
			await server.close();
		}
	});
});
