// The main job, shown: a real axios client with the real axios-retry, every decision made by the
// Rust core through WebAssembly, against a real server that fails on purpose. The waits are real.

import { randomUUID } from 'node:crypto';
import * as print from './print.mjs';
import { play } from './story.mjs';

/** Short waits, so that it is over soon. */
const SHORT = { maxRetries: 3, backoff: { baseMs: 100, capMs: 400 }, hint: { maxMs: 2_500 } };

const ORDER = { method: 'post', data: { amount: 5 } };

const SCENARIOS = [
	{
		title: 'A server that is away for two attempts: 503, 503, 200',
		script: '503,503,200',
		policy: SHORT,
		request: { method: 'get' },
		expect: {
			attempts: 3,
			status: 200,
			reasons: ['backoff', 'backoff', 'ok'],
			waits: [
				[0, 100],
				[0, 200],
			],
		},
	},
	{
		title: 'A rate limit that says when: 429 with Retry-After: 1',
		script: [{ status: 429, retryAfter: 1 }, {}],
		policy: SHORT,
		request: { method: 'get' },
		expect: { attempts: 2, status: 200, reasons: ['server-hint', 'ok'], waits: [[1_000, 1_000]] },
	},
	{
		title: 'Retry-After as a date',
		script: [{ status: 503, retryAfterDate: 1 }, {}],
		policy: SHORT,
		request: { method: 'get' },
		// A date has whole seconds: between one and two of them.
		expect: { attempts: 2, status: 200, reasons: ['server-hint', 'ok'], waits: [[1_000, 2_000]] },
	},
	{
		title: 'Nobody listens, then the server comes up',
		script: '200',
		comesUpAfter: 2,
		policy: { ...SHORT, backoff: { baseMs: 200, capMs: 400, jitter: 'equal' } },
		request: { method: 'get' },
		expect: {
			attempts: 3,
			requests: 1,
			status: 200,
			reasons: ['backoff', 'backoff', 'ok'],
			waits: [
				[100, 200],
				[200, 400],
			],
		},
	},
	{
		title: 'A POST whose connection is reset: it may have been processed, so it is not repeated',
		script: 'reset-after,201',
		policy: SHORT,
		request: ORDER,
		expect: {
			attempts: 1,
			code: 'ECONNRESET',
			reasons: ['unsafe-to-repeat'],
			waits: [],
			resources: 1,
		},
	},
	{
		title: 'The same POST with a key that the server honours: repeated, and still one resource',
		script: 'reset-after,201',
		policy: { ...SHORT, idempotency: { honoured: true } },
		request: { ...ORDER, headers: { 'Idempotency-Key': randomUUID() } },
		expect: {
			attempts: 2,
			status: 201,
			reasons: ['backoff', 'replayed'],
			waits: [[0, 100]],
			resources: 1,
			replayed: 1,
		},
	},
	{
		title: 'A 404: the answer will not change, so it is handed on at once',
		script: '404',
		policy: SHORT,
		request: { method: 'get' },
		expect: {
			attempts: 1,
			status: 404,
			code: 'ERR_BAD_REQUEST',
			reasons: ['permanent'],
			waits: [],
		},
	},
	{
		title: 'A hostile Retry-After: 86400: the policy bounds it',
		script: [{ status: 503, retryAfter: 86_400 }, {}],
		policy: { ...SHORT, hint: { maxMs: 1_500 } },
		request: { method: 'get' },
		expect: { attempts: 2, status: 200, reasons: ['server-hint', 'ok'], waits: [[1_500, 1_500]] },
	},
];

let ok = 0;
for (const [index, scenario] of SCENARIOS.entries()) {
	print.title(index + 1, scenario.title);
	const wrong = await play(scenario);
	ok += wrong.length === 0 ? 1 : 0;
}
print.total(SCENARIOS.length, ok);
process.exitCode = ok === SCENARIOS.length ? 0 : 1;
