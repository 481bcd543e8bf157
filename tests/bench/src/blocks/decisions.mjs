/**
 * One decision: what kind of failure it was, whether and how long to wait, and why.
 *
 * @module
 */

import axios, { AxiosError } from 'axios';
import * as retryPlugin from 'axios-retry';
import * as cockatiel from 'cockatiel';
import { crossing, readingAndCrossing, settleOfNone, settlesByNumbers, wholeCalls } from './floors.mjs';
import { clock, createUpstream, delaysOf } from './ours.mjs';

const ERRORS = 64;
const DATE = 'Thu, 15 Jan 2026 12:02:00 GMT';
const { isNetworkOrIdempotentRequestError, exponentialDelay } = retryPlugin;

/** Real errors of axios, each with a request of its own. */
function errors(make) {
	return Array.from({ length: ERRORS }, (_, index) => {
		const config = { method: 'get', url: `/orders/${index}`, headers: new axios.AxiosHeaders() };
		const { code, message, status, headers } = make(index);
		const response =
			status === undefined
				? undefined
				: { status, statusText: '', data: '', config, headers: new axios.AxiosHeaders(headers) };
		return new AxiosError(message ?? 'failed', code, config, {}, response);
	});
}

const SETTLE = 'retrywise: settle';
const ATTEMPT = 'retrywise: settle + resume';
const PEER = 'axios-retry: condition + delay';
const CROSSING = 'floor: a crossing that answers at once';
const OF_NONE = 'a settle of a call that is not there';
const FLOOR = 'floor: its properties and a crossing';
const BY_NUMBERS = 'the same settle by numbers';

function decision(name, target, make) {
	const inputs = errors(make);
	const hint = { maxMs: 31_622_400_000 };
	const rules = { maxRetries: 1_000_000, deadlineMs: null, budget: null, breaker: null, hint };
	const upstream = createUpstream(rules, { clock, seed: 7 });
	const outcomes = inputs.map((error) => ({ error }));
	let kept = 0;
	/** Calls with an attempt on its way, as many as are settled between two readings of the clock. */
	const calls = [];
	const sending = (at) => {
		if (calls[at]?.resume().admitted !== true) {
			({ call: calls[at] } = upstream.begin({ method: 'GET' }));
		}
	};
	return {
		name,
		ours: SETTLE,
		floor: FLOOR,
		targets: { [PEER]: target },
		batch: 512,
		contestants: {
			[SETTLE]: {
				before(count) {
					for (let i = 0; i < count; i += 1) {
						sending(i);
					}
				},
				run(count) {
					for (let i = 0; i < count; i += 1) {
						const verdict = calls[i].settle(outcomes[i % ERRORS]);
						kept += verdict.delayMs + verdict.reason.length;
					}
				},
			},
			[PEER](count) {
				for (let i = 0; i < count; i += 1) {
					const error = inputs[i % ERRORS];
					if (isNetworkOrIdempotentRequestError(error)) {
						kept += exponentialDelay(1, error);
					}
				}
			},
			[ATTEMPT](count) {
				let { call } = upstream.begin({ method: 'GET' });
				for (let i = 0; i < count; i += 1) {
					const verdict = call.settle(outcomes[i % ERRORS]);
					kept += verdict.delayMs;
					if (verdict.kind === 'retry') {
						call.resume();
					} else {
						({ call } = upstream.begin({ method: 'GET' }));
					}
				}
				call.end();
			},
			[BY_NUMBERS]: settlesByNumbers(rules, make(0)),
			[FLOOR]: readingAndCrossing(inputs),
			[CROSSING]: crossing,
			[OF_NONE]: settleOfNone,
		},
	};
}

function delays() {
	const ours = delaysOf(createUpstream({}, { clock, seed: 7 }));
	const theirs = new cockatiel.ExponentialBackoff();
	let kept = 0;
	return {
		name: 'next delay, full jitter',
		ours: 'retrywise',
		floor: CROSSING,
		targets: { 'cockatiel next()': 0.4 },
		contestants: {
			retrywise(count) {
				for (let i = 0; i < count; i += 1) {
					kept += ours.next(1 + (i & 3)).delayMs;
				}
			},
			'cockatiel next()'(count) {
				for (let i = 0; i < count; i += 4) {
					let backoff = theirs.next();
					backoff = backoff.next();
					backoff = backoff.next();
					kept += backoff.next().duration;
				}
			},
			[CROSSING]: crossing,
		},
	};
}

/** What the native bench calls one call: the same policy, the same steps. */
function inTheModule() {
	return {
		name: 'in the module, by numbers: begin, settle a 503, end',
		ours: 'three crossings and what they do',
		targets: {},
		contestants: {
			'three crossings and what they do': wholeCalls({ breaker: { minimumCalls: 1_000_000 } }),
			[OF_NONE]: settleOfNone,
			[CROSSING]: crossing,
		},
	};
}

export const blocks = [
	inTheModule,
	() => decision('one decision: 503 on GET', 0.5, () => ({ code: 'ERR_BAD_RESPONSE', status: 503 })),
	() => decision('one decision: ECONNRESET', 0.5, () => ({ code: 'ECONNRESET', message: 'read ECONNRESET' })),
	() =>
		decision('one decision: 429 with seconds', 0.5, (i) => ({
			code: 'ERR_BAD_REQUEST',
			status: 429,
			headers: { 'retry-after': String(1 + (i % 30)) },
		})),
	() =>
		decision('one decision: 429 with an HTTP date', 0.25, () => ({
			code: 'ERR_BAD_REQUEST',
			status: 429,
			headers: { 'retry-after': DATE },
		})),
	delays,
];
