/**
 * What TypeScript must accept of the package's types, and what it must refuse. Compiled by
 * `npm run typecheck`, never run.
 */

import axios from 'axios';
import axiosRetry from 'axios-retry';
import {
	type Admission,
	classify,
	createUpstream,
	type Outcome,
	type Policy,
	type Reason,
	retry,
	retryHint,
	type Verdict,
	validatePolicy,
} from 'retrywise';
import { hooks, verdictOf } from 'retrywise/axios';
import { initialize } from 'retrywise/slim';

const policy: Policy = {
	extends: 'payments',
	maxRetries: 4,
	backoff: { jitter: 'full', capMs: 8000 },
};

const shared: Policy = {
	budget: { kind: 'tokens', capacity: 100, shared: 'pool' },
	breaker: { kind: 'consecutive', failures: 5, openMs: 1000 },
	limiter: {},
};
void shared;

// The hooks are options of the real axios-retry, alone and beside others.
axiosRetry(axios, hooks(policy));
axiosRetry(axios.create(), {
	...hooks(),
	onRetry: (_count, error) => void verdictOf(error)?.explain('ar'),
});

// A call, narrowed by what it is.
const admission: Admission = createUpstream(policy, { seed: 7, name: 'payments' }).begin({
	method: 'POST',
	key: 'order-1',
	headers: new Headers(),
	parent: true,
});
if (admission.admitted) {
	using call = admission.call;
	const verdict: Verdict = call.settle({ status: 503, headers: { 'retry-after': ['1'] } });
	const wait: number = verdict.kind === 'retry' ? verdict.delayMs : 0;
	void wait;
	const resumed = call.resume();
	const later: number | null = resumed.admitted ? 0 : resumed.retryInMs;
	void later;
} else {
	const reason: Reason = admission.reason;
	void reason;
	// @ts-expect-error a refusal has no call
	admission.call;
}

// Headers as hosts have them.
const outcomes: Outcome[] = [
	{},
	{ status: 429, headers: [['retry-after', '1']] },
	{ status: 429, headers: new Map([['retry-after', '1']]) },
	{ error: new Error('x'), durationMs: 12, committed: true },
	{ error: { family: 'http2', code: 'REFUSED_STREAM' } },
];
for (const outcome of outcomes) {
	const { hintMs, hintSource } = classify(outcome, { profile: 'stripe', wall: null });
	void [hintMs, hintSource];
}
axios.get('/').then(({ status, headers }) => retryHint({ status, headers }));

const text: Promise<string> = retry(async ({ attempt, signal }) => {
	const response = await fetch('/', signal === undefined ? {} : { signal });
	return `${attempt} ${await response.text()}`;
}, policy);
void text;
void validatePolicy('{}').map(({ field, kind, message }) => `${field} ${kind} ${message}`);
initialize(new Uint8Array(8));

// @ts-expect-error a misspelt field
const misspelt: Policy = { maxRetrys: 3 };
// @ts-expect-error a preset that is none
const unknown: Policy = { extends: 'fastest' };
// @ts-expect-error a field of another kind
const mixed: Policy = { budget: { kind: 'tokens', minPerSecond: 1 } };
// @ts-expect-error a seed is a number
createUpstream({}, { seed: '7' });
// @ts-expect-error verdicts are values
createUpstream().begin().call.attempt = 2;
void [misspelt, unknown, mixed];
