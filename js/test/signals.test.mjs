/** Hosts whose signals know less: no `AbortSignal.any`, no reasons, no `DOMException` (React Native). */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { retry } from 'retrywise';
import { verdictOf, withRetry } from 'retrywise/fetch';
import { createLedger, memoryStore } from 'retrywise/ledger';
import { failure } from './support/promises.mjs';
import { startServer, statuses } from './support/server.mjs';

const SHORT = { maxRetries: 2, backoff: { jitter: 'none', baseMs: 5 } };
const LIMITED = { ...SHORT, attemptTimeoutMs: 30_000 };
const URL = 'http://localhost/';

/** Never answers; an abort rejects with its reason, or as a fetch made of XMLHttpRequest does. */
const hanging =
	(log) =>
	(_url, { signal }) =>
		new Promise((_, reject) => {
			log.push('sent');
			const aborted = Object.assign(new Error('Aborted'), { name: 'AbortError' });
			signal.addEventListener('abort', () => reject(signal.reason ?? aborted), { once: true });
		});

describe('without AbortSignal.any', () => {
	const { any } = AbortSignal;
	beforeEach(() => {
		delete AbortSignal.any;
	});
	afterEach(() => {
		AbortSignal.any = any;
	});

	it('a call follows its own limit and the signal of its caller', async () => {
		const log = [];
		const late = withRetry(hanging(log), { ...SHORT, maxRetries: 1, attemptTimeoutMs: 10 });
		const { signal } = new AbortController();
		const error = await failure(late(URL, { signal }));
		assert.equal(error.name, 'TimeoutError');
		assert.equal(log.length, 2, 'a limit is no cancellation: it was sent again');
		const controller = new AbortController();
		const patient = withRetry(hanging(log), LIMITED);
		const cancelled = failure(patient(URL, { signal: controller.signal }));
		const reason = new Error('the user left');
		setTimeout(() => controller.abort(reason), 5);
		assert.equal(await cancelled, reason);
		assert.equal(log.length, 3);
		assert.equal(getEventListeners(signal, 'abort').length, 0);
		assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
	});

	it('a signal that is aborted before ends it before anything is sent', async (t) => {
		const server = await startServer(statuses(200));
		t.after(() => server.close());
		const reason = new Error('too late');
		const signal = AbortSignal.abort(reason);
		assert.equal(await failure(withRetry(fetch, LIMITED)(server.url, { signal })), reason);
		assert.equal(server.log.length, 0);
	});

	it('failed attempts leave no listener with a signal that outlives them', async (t) => {
		const server = await startServer(statuses(503));
		t.after(() => server.close());
		const { signal } = new AbortController();
		const send = withRetry(fetch, LIMITED);
		for (let call = 0; call < 5; call += 1) {
			assert.equal((await send(server.url, { signal })).status, 503);
		}
		// The last answer of each call is the caller's, who may still read it under the signal.
		assert.ok(getEventListeners(signal, 'abort').length <= 5);
		await failure(
			retry(() => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNRESET' })), LIMITED, {
				signal,
			}),
		);
		assert.ok(getEventListeners(signal, 'abort').length <= 5);
	});

	it('the body of an answer follows the signal of the caller still', async (t) => {
		const server = await startServer((_request, response) => {
			response.write('the first part');
		});
		t.after(() => server.close());
		const controller = new AbortController();
		const { signal } = controller;
		const response = await withRetry(fetch, LIMITED)(server.url, { signal });
		globalThis.gc?.();
		const read = failure(response.text());
		controller.abort(new Error('enough'));
		assert.match(String(await read), /enough|abort/i);
	});

	it('a call of the ledger is cancelled, with its reason', async () => {
		const ledger = createLedger({ store: memoryStore(), policy: LIMITED });
		const controller = new AbortController();
		const reason = new Error('shut down');
		const run = ledger.run({ event: 'order/1', signal: controller.signal }, ({ signal }) => {
			controller.abort(reason);
			return new Promise((_, reject) => reject(signal.reason));
		});
		assert.equal(await failure(run), reason);
		assert.equal((await ledger.show('order/1')).record.cause, 'cancelled');
		assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
	});
});

describe('where a controller keeps no reason, as in React Native', () => {
	const { any } = AbortSignal;
	const { AbortController: Ordinary, DOMException: Exception } = globalThis;

	/** What is said to `abort` is forgotten. */
	class Forgetful {
		#inner = new Ordinary();
		get signal() {
			return this.#inner.signal;
		}
		abort() {
			this.#inner.abort(Object.assign(new Error('Aborted'), { name: 'AbortError' }));
		}
	}

	beforeEach(() => {
		delete AbortSignal.any;
		Object.assign(globalThis, { AbortController: Forgetful, DOMException: undefined });
	});
	afterEach(() => {
		AbortSignal.any = any;
		Object.assign(globalThis, { AbortController: Ordinary, DOMException: Exception });
	});

	it('a limit is told from a cancellation all the same', async () => {
		const log = [];
		const send = withRetry(hanging(log), { ...SHORT, attemptTimeoutMs: 10 });
		const controller = new Forgetful();
		const error = await failure(send(URL, { signal: controller.signal }));
		assert.equal(error.name, 'TimeoutError');
		assert.equal(verdictOf(error).reason, 'retries-exhausted');
		assert.equal(log.length, 3);
	});

	it('a cancellation is final', async () => {
		const log = [];
		const controller = new Forgetful();
		const send = withRetry(hanging(log), LIMITED);
		const sent = failure(send(URL, { signal: controller.signal }));
		setTimeout(() => controller.abort(), 5);
		assert.equal((await sent).name, 'AbortError');
		assert.equal(log.length, 1);
	});
});
