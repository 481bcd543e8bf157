/**
 * What is true after a scenario: the server's log against the expectations.
 *
 * @module
 */

import type { Resource } from './application.ts';
import { type Bounds, envelopeOf, type FailedAttempt } from './questions.ts';
import type { Expectations, ScenarioFacts } from './scenario.ts';
import type { LoggedRequest } from './server.ts';

/** One expectation, and whether it was met. */
export interface Check {
	/** The expectation's name: `succeeds`, `attempts` … */
	readonly name: string;
	readonly passed: boolean;
	/** What was found, as a sentence; where the check failed, what was expected too. */
	readonly message: string;
}

/** A wait between two attempts, and what the policy allows. */
export interface JudgedWait {
	readonly waitedMs: number;
	/** Undefined without a policy, and where the policy allows no further attempt. */
	readonly allowed: Bounds | undefined;
}

/** The requests of one call: the same method, path and key. */
export interface JudgedCall {
	readonly method: string;
	readonly path: string;
	readonly key: string | undefined;
	readonly requests: readonly LoggedRequest[];
	/** The waits before the second and every later request. */
	readonly waits: readonly JudgedWait[];
	/** The sum of the waits. */
	readonly waitedMs: number;
	/** What the policy allows that sum to be; undefined without a policy. */
	readonly allowed: Bounds | undefined;
	/** Why the policy allows no attempt after the last of the allowed waits, where one was sent. */
	readonly ends: string | null;
}

/** What a scenario came to. */
export interface Report {
	readonly name: string;
	/** Whether all checks passed. */
	readonly passed: boolean;
	readonly checks: readonly Check[];
	readonly calls: readonly JudgedCall[];
	readonly resources: readonly Resource[];
	/** From the first to the last event, on the scenario's clock. */
	readonly elapsedMs: number;
	/** What the client gave, or the error that it ended with. */
	readonly result?: unknown;
	readonly error?: unknown;
}

/** What happened. */
export interface Evidence {
	readonly succeeded: boolean;
	readonly result?: unknown;
	readonly error?: unknown;
	readonly elapsedMs: number;
	/** How much longer than allowed each wait may take. */
	readonly toleranceMs: number;
	/** The wall clock at the start. */
	readonly wall: number;
	readonly requests: readonly LoggedRequest[];
	readonly resources: readonly Resource[];
}

/** Judges a scenario that was played. */
export function judge(facts: ScenarioFacts, evidence: Evidence): Report {
	const { name = 'scenario', expect = {} } = facts;
	const calls = callsOf(evidence.requests).map((call) => judgeCall(call, facts, evidence));
	const checks = [...checksOf(facts, expect, evidence, calls)];
	return {
		name,
		passed: checks.every(({ passed }) => passed),
		checks,
		calls,
		resources: [...evidence.resources],
		elapsedMs: evidence.elapsedMs,
		...('result' in evidence && { result: evidence.result }),
		...('error' in evidence && { error: evidence.error }),
	};
}

function* checksOf(
	facts: ScenarioFacts,
	expect: Expectations,
	evidence: Evidence,
	calls: readonly JudgedCall[],
): Generator<Check> {
	const { requests, resources } = evidence;
	yield equal('succeeds', expect.succeeds ?? true, evidence.succeeded, reasonOf(evidence));
	if (expect.attempts !== undefined) {
		yield attempts(expect.attempts, requests.length);
	}
	if (expect.status !== undefined) {
		yield equal('status', expect.status, requests.at(-1)?.status);
	}
	if (expect.resources !== undefined) {
		yield equal('resources', expect.resources, resources.length);
	}
	if (expect.sameKey ?? true) {
		yield sameKey(requests);
	}
	for (const [header, wanted] of Object.entries(expect.headers ?? {})) {
		yield headerOn(header, wanted, requests);
	}
	if (expect.withinEnvelope ?? facts.policy !== undefined) {
		yield withinEnvelope(calls, evidence.toleranceMs);
	}
}

function equal(name: string, expected: unknown, found: unknown, why = ''): Check {
	const passed = Object.is(expected, found);
	const text = passed ? `${found}` : `expected ${expected}, found ${found}`;
	return { name, passed, message: text + why };
}

function reasonOf({ error }: Evidence): string {
	return error === undefined ? '' : ` (${error instanceof Error ? error.message : error})`;
}

function attempts(wanted: NonNullable<Expectations['attempts']>, found: number): Check {
	if (typeof wanted === 'number') {
		return equal('attempts', wanted, found);
	}
	const { min = 0, max = Number.POSITIVE_INFINITY } = wanted;
	const passed = min <= found && found <= max;
	const message = passed ? `${found}` : `expected ${min} to ${max}, found ${found}`;
	return { name: 'attempts', passed, message };
}

/** A call that sent a key on some attempts and not on others, or another one, sent it for nothing. */
function sameKey(requests: readonly LoggedRequest[]): Check {
	const name = 'sameKey';
	const targets = new Map<string, Set<string | undefined>>();
	for (const { method, path, body, key } of requests) {
		const target = `${method} ${path}\n${body}`;
		targets.set(target, (targets.get(target) ?? new Set()).add(key));
	}
	const torn = [...targets].find(([, keys]) => keys.size > 1);
	if (torn === undefined) {
		const keys = new Set(requests.map(({ key }) => key).filter((key) => key !== undefined));
		return { name, passed: true, message: keys.size === 0 ? 'no key was sent' : 'one key a call' };
	}
	const shown = [...torn[1]].map((key) => key ?? 'none').join(', ');
	const [first = ''] = torn[0].split('\n');
	return { name, passed: false, message: `${first} was sent with several keys: ${shown}` };
}

function headerOn(
	header: string,
	wanted: string | boolean,
	requests: readonly LoggedRequest[],
): Check {
	const name = `header ${header}`;
	const meets = (value: string | undefined): boolean =>
		typeof wanted === 'string' ? value === wanted : (value !== undefined) === wanted;
	const wrong = requests.findIndex(({ headers }) => !meets(headers[header.toLowerCase()]));
	if (wrong < 0) {
		return { name, passed: true, message: 'as expected on every request' };
	}
	const expected = typeof wanted === 'string' ? JSON.stringify(wanted) : wanted ? 'one' : 'none';
	const found = requests[wrong]?.headers[header.toLowerCase()];
	const shown = found === undefined ? 'none' : JSON.stringify(found);
	const message = `expected ${expected}, found ${shown} on request ${wrong + 1}`;
	return { name, passed: false, message };
}

/** Timers of real clients may fire a little early. */
const EARLY_MS = 2;

function withinEnvelope(calls: readonly JudgedCall[], toleranceMs: number): Check {
	const name = 'withinEnvelope';
	const early = toleranceMs > 0 ? EARLY_MS : 0;
	const outside = (waitedMs: number, { minMs, maxMs }: Bounds, turns: number): boolean =>
		waitedMs < minMs - early * turns || waitedMs > maxMs + toleranceMs * turns;
	for (const { waits, waitedMs, allowed, ends, method, path } of calls) {
		for (const [index, wait] of waits.entries()) {
			const which = `${method} ${path}, attempt ${index + 2}`;
			if (wait.allowed === undefined && ends !== null) {
				return { name, passed: false, message: `${which} was sent in spite of ${ends}` };
			}
			if (wait.allowed !== undefined && outside(wait.waitedMs, wait.allowed, 1)) {
				const text = `${which} came after ${span(wait.waitedMs)}, allowed ${range(wait.allowed)}`;
				return { name, passed: false, message: text };
			}
		}
		if (allowed !== undefined && outside(waitedMs, allowed, waits.length)) {
			const text = `${method} ${path} waited ${span(waitedMs)} in all, allowed ${range(allowed)}`;
			return { name, passed: false, message: text };
		}
	}
	const all = calls
		.filter(({ allowed, waits }) => allowed !== undefined && waits.length > 0)
		.map(({ waitedMs, allowed }) => `${span(waitedMs)} of ${allowed && range(allowed)}`);
	return { name, passed: true, message: all.length === 0 ? 'nothing was waited' : all.join('; ') };
}

/** A range of milliseconds, for people. */
export function range({ minMs, maxMs }: Bounds): string {
	return minMs === maxMs ? `${minMs} ms` : `${minMs}…${maxMs} ms`;
}

/** Milliseconds, for people. */
export function span(ms: number): string {
	return `${Math.round(ms)} ms`;
}

function callsOf(requests: readonly LoggedRequest[]): LoggedRequest[][] {
	const calls = new Map<string, LoggedRequest[]>();
	for (const request of requests) {
		const { method, path, key } = request;
		const name = `${method} ${path}\n${key ?? ''}`;
		calls.set(name, [...(calls.get(name) ?? []), request]);
	}
	return [...calls.values()];
}

function judgeCall(
	requests: readonly LoggedRequest[],
	{ policy }: ScenarioFacts,
	{ wall }: Evidence,
): JudgedCall {
	const [first] = requests;
	const failed = requests.slice(0, -1).map((request) => failureOf(request, wall));
	const envelope =
		policy === undefined ? undefined : envelopeOf(policy, failed, first?.key !== undefined);
	const waits = requests.slice(1).map((request, index) => ({
		waitedMs: Math.max(0, request.atMs - endOf(requests[index])),
		allowed: envelope?.waits[index],
	}));
	return {
		method: first?.method ?? '',
		path: first?.path ?? '',
		key: first?.key,
		requests,
		waits,
		waitedMs: waits.reduce((sum, { waitedMs }) => sum + waitedMs, 0),
		allowed: envelope?.total,
		ends: envelope?.ends ?? null,
	};
}

/** What the client can know of an attempt. */
function failureOf(request: LoggedRequest, wall: number): FailedAttempt {
	const { status, answerHeaders, atMs } = request;
	const end = endOf(request);
	return {
		// A deadline is not to be missed by a fraction.
		tookMs: Math.floor(Math.max(0, end - atMs)),
		wall: Math.floor(wall + end),
		...(status === undefined
			? { error: 'ECONNRESET' }
			: { status, headers: Object.entries(answerHeaders) }),
	};
}

function endOf(request: LoggedRequest | undefined): number {
	return request?.endedMs ?? request?.atMs ?? 0;
}
