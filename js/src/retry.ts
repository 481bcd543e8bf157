/**
 * Retries for any function that returns a promise.
 *
 * @module
 */

import { RetryRefused } from './errors.ts';
import { clockOf } from './host.ts';
import type { Call, Clock, Policy, RequestFacts, Upstream, UpstreamOptions } from './types.ts';
import { createUpstream, isKept } from './upstream.ts';

/** What a function is told about the attempt that it makes. */
export interface Attempt {
	/** From 1. */
	readonly attempt: number;
	/** How long it may take; null when there is no limit. */
	readonly timeoutMs: number | null;
	/** Headers to send: the idempotency key, where there is one. */
	readonly headers: Readonly<Record<string, string>>;
	/** The caller's signal. */
	readonly signal: AbortSignal | undefined;
}

/** Facts about the request that the function makes, and how its upstream is set up. */
export interface RetryOptions extends RequestFacts, UpstreamOptions {
	/** Ends the call, while an attempt runs or while it waits. */
	signal?: AbortSignal;
}

/**
 * Calls `make` until it resolves, or until the policy says that it is enough; then rejects with the
 * last error, unchanged.
 *
 * A function that is handed over may be called again: without a `method` it counts as a GET. With
 * one, the method decides, and so `method: 'POST'` repeats only what is safe to repeat. An error is
 * read as {@link Outcome.error} says: a `response` on it, else its code, name, message and causes.
 *
 * @throws {RetryRefused} when the call must not begin
 * @throws the signal's reason when it is aborted
 */
export async function retry<T>(
	make: (attempt: Attempt) => T | PromiseLike<T>,
	policy?: Policy | string | Upstream,
	options: RetryOptions = {},
): Promise<T> {
	const { signal } = options;
	signal?.throwIfAborted();
	const given = isUpstream(policy);
	const upstream = given ? policy : createUpstream(policy, options);
	try {
		const clock = isKept(upstream) ? upstream.clock : clockOf(options.clock);
		const admission = upstream.begin(options);
		if (!admission.admitted) {
			throw new RetryRefused(admission.reason, admission.retryInMs);
		}
		return await attempts(make, admission.call, clock, signal);
	} finally {
		if (!given) {
			upstream[Symbol.dispose]();
		}
	}
}

async function attempts<T>(
	make: (attempt: Attempt) => T | PromiseLike<T>,
	call: Call,
	clock: Clock,
	signal: AbortSignal | undefined,
): Promise<T> {
	try {
		for (;;) {
			const { attempt, timeoutMs, headers } = call;
			const result = await ended(() => make({ attempt, timeoutMs, headers, signal }));
			if ('value' in result) {
				call.settle({ status: 200 });
				return result.value;
			}
			const verdict = call.settle({ error: result.error });
			if (verdict.kind !== 'retry') {
				throw result.error;
			}
			await clock.sleep(verdict.delayMs, signal);
			if (!(await isResumed(call, clock, signal))) {
				throw result.error;
			}
		}
	} finally {
		call.end();
	}
}

/** How a function ended; this promise never rejects. */
async function ended<T>(
	make: () => T | PromiseLike<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> {
	try {
		return { value: await make() };
	} catch (error) {
		return { error };
	}
}

/** Asks until the call may go on, or is over. */
async function isResumed(
	call: Call,
	clock: Clock,
	signal: AbortSignal | undefined,
): Promise<boolean> {
	for (;;) {
		const resumed = call.resume();
		if (resumed.admitted || resumed.over) {
			return resumed.admitted;
		}
		await clock.sleep(Math.max(1, resumed.retryInMs ?? 0), signal);
	}
}

function isUpstream(value: unknown): value is Upstream {
	return typeof value === 'object' && value !== null && 'begin' in value;
}
