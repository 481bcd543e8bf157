import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';

import { isRetryRefused } from 'retrywise';
import { createLedger, memoryStore } from 'retrywise/ledger';
import { virtualClock } from './support/clock.mjs';
import { startServer } from './support/server.mjs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

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
