/**
 * What TypeScript must accept of the package's types, and what it must refuse. Compiled by
 * `npm run typecheck`, never run.
 */

import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import ky from 'ky';
import {
	type Admission,
	classify,
	createUpstream,
	makeRetriable,
	type Outcome,
	type Policy,
	type Reason,
	type RetrywiseEvent,
	retry,
	retryHint,
	type Verdict,
	validatePolicy,
} from 'retrywise';
import { hooks, verdictOf } from 'retrywise/axios';
import { createDispatcher } from 'retrywise/dispatch';
import { gotOptions } from 'retrywise/got';
import { kyOptions } from 'retrywise/ky';
import {
	createLedger,
	type LedgerStore,
	memoryStore,
	postgresStore,
	type RunResult,
	sqliteStore,
} from 'retrywise/ledger';
import { createTelemetry } from 'retrywise/otel';
import { initialize } from 'retrywise/slim';
import {
	type Envelope,
	envelopeOf,
	type Report,
	runScenario,
	type Scenario,
	ScenarioFailed,
	virtualClock,
} from 'retrywise/testing';
import { retrywise as undici } from 'retrywise/undici';
import { Agent } from 'undici';

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

// Events, narrowed by their type.
const told = createUpstream(policy, {
	onEvent(event: RetrywiseEvent) {
		const said: string | number | null =
			event.type === 'verdict'
				? event.verdict.reason
				: event.type === 'refusal'
					? event.retryInMs
					: event.type === 'breaker'
						? event.to
						: event.attempt;
		void said;
	},
});
const budget: number | null = told.view().budget;
void budget;
createTelemetry({ spans: false }).watch(told);

// Options of other clients.
ky.create({ prefixUrl: 'https://api.example', ...kyOptions(policy) });
got.extend(gotOptions(policy, { upstreamKey: (url) => url }));

// An interceptor for a dispatcher; a function with its arguments.
new Agent().compose(undici(policy, { upstreamKey: ({ path }) => path }));
const added: Promise<number> = makeRetriable(async (a: number, b: number) => a + b, policy)(1, 2);
void added;
// @ts-expect-error the arguments are the function's own
makeRetriable(async (a: number) => a, policy)('1');

// A ledger: its store is anybody's, its results are told apart by their state.
declare const libsqlDatabase: {
	exec(sql: string): object;
	prepare(sql: string): {
		run(...values: unknown[]): { changes: number; lastInsertRowid: number | bigint };
		get(...values: unknown[]): unknown;
		all(...values: unknown[]): unknown[];
	};
};
declare const nodeDatabase: import('node:sqlite').DatabaseSync;
declare const postgres: (
	strings: string,
	parameters?: (string | number | null)[],
) => Promise<Record<string, unknown>[]>;
const stores: LedgerStore[] = [
	memoryStore(),
	postgresStore({ query: async (text, values) => ({ rows: await postgres(text, values) }) }),
	sqliteStore(libsqlDatabase),
	sqliteStore(nodeDatabase, { busyMs: 100 }),
];
for (const store of stores) {
	using ledger = createLedger({
		store,
		policy,
		lookup: async ({ key }) => (key ? 'processed' : 'unknown'),
	});
	const run: Promise<RunResult<number>> = ledger.run(
		{ event: 'e', labels: { a: 'b' } },
		({ attempt }) => attempt,
	);
	void run.then((result) =>
		result.state === 'completed' ? result.value?.toFixed() : result.record.cause,
	);
	// @ts-expect-error a label is text
	void ledger.find({ a: 1 });
	// A dispatcher runs what its ledger runs, or functions under its upstream.
	const kept: Promise<RunResult<number>> = createDispatcher({ ledger }).run(
		{ event: 'e', priority: 5 },
		({ attempt }) => attempt,
	);
	const made: Promise<string> = createDispatcher({ upstream: ledger.upstream }).run(
		({ headers }) => String(headers),
		{ dueAt: 5 },
	);
	void Promise.all([kept, made]);
}

// Scenarios.
const scenario: Scenario = {
	script: { routes: { 'POST /orders': '503,201' }, default: [{ fault: 'reset' }, 200] },
	policy,
	run: async ({ url, clock, seed, signal }) => {
		const upstream = createUpstream(policy, { clock, seed });
		await retry(() => fetch(url, { signal }), upstream);
	},
	expect: { attempts: { max: 3 }, resources: 1, headers: { 'idempotency-key': true } },
};
const report: Report = await runScenario(scenario).catch((error: unknown) => {
	if (error instanceof ScenarioFailed) {
		return error.report;
	}
	throw error;
});
const allowed: Envelope = envelopeOf(policy, [{ status: 503, tookMs: 3 }, { error: 'ECONNRESET' }]);
virtualClock({ wall: 0 }).advance(allowed.total.maxMs + report.elapsedMs);
// @ts-expect-error: a script has no such fault
await runScenario({ script: [{ fault: 'fire' }] });
// @ts-expect-error: nothing says what the server does
await runScenario({ policy });
