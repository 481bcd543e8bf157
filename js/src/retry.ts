/**
 * Retries for any function that returns a promise.
 *
 * @module
 */

import { isAbortError, RetryRefused } from './errors.ts';
import { attemptSignal } from './fetch/signals.ts';
import { clockOf, sleep, throwIfAborted } from './host.ts';
import { outcomeOf } from './thrown.ts';
import type {
	Call,
	Clock,
	HeadersLike,
	Outcome,
	Policy,
	RequestFacts,
	Upstream,
	UpstreamOptions,
	Verdict,
} from './types.ts';
import { createUpstream, isKept } from './upstream.ts';
import { isUpstream } from './upstreams.ts';
import { property } from './values.ts';

/** What a function is told about the attempt that it makes. */
export interface Attempt {
	/** From 1. */
	readonly attempt: number;
	/** Attempts that may follow this one, as far as their number goes. */
	readonly retriesLeft: number;
	/** How long it may take, ms; null when there is no limit. */
	readonly timeoutMs: number | null;
	/** Headers to send: the idempotency key, where there is one. */
	readonly headers: Readonly<Record<string, string>>;
	/** Aborted by the caller's signal, and with a `TimeoutError` when the attempt takes too long. */
	readonly signal: AbortSignal | undefined;
}

/** An attempt that failed. */
export interface FailedAttempt {
	/** What was thrown, unchanged. */
	readonly error: unknown;
	/** The attempt that failed, from 1. */
	readonly attempt: number;
	/** Attempts that may follow, as far as their number goes. */
	readonly retriesLeft: number;
	/** The wait before the next attempt, ms; 0 when there will be none. */
	readonly delayMs: number;
	/** What was decided, and why. */
	readonly verdict: Verdict;
}

/** Facts about the request that the function makes, and how its upstream is set up. */
export interface RetryOptions extends RequestFacts, UpstreamOptions {
	/** Ends the call, while an attempt runs or while it waits. */
	signal?: AbortSignal;
	/** After each attempt that failed, before the wait; awaited. What it throws ends the call. */
	onFailedAttempt?: (failed: FailedAttempt) => void | Promise<void>;
	/** Asked before each wait; `false` ends the call with the error. It can forbid, not allow. */
	shouldRetry?: (failed: FailedAttempt) => boolean | Promise<boolean>;
	/** What an error says about the attempt. @default {@link outcomeOf} */
	outcomeOf?: (error: unknown) => Outcome;
	/** Whether waits let the process end. @default false; an injected `clock.sleep` decides for itself */
	unref?: boolean;
}

/**
 * Calls `make` until it resolves, or until the policy says that it is enough; then rejects with the
 * last error, unchanged. An {@link AbortError} ends it at once, with the error inside.
 *
 * A function that is handed over may be called again: without a `method` it counts as a GET. With
 * one, the method decides, and so `method: 'POST'` repeats only what is safe to repeat. What an
 * error means, {@link outcomeOf} says. A policy makes an upstream for this one call; hand over an
 * upstream, or use {@link makeRetriable}, where budget and breaker are to look over many.
 *
 * @throws {RetryRefused} when the call must not begin
 * @throws the signal's reason when it is aborted
 */
export async function retry<T>(
	make: (attempt: Attempt) => T | PromiseLike<T>,
	policy?: Policy | string | Upstream,
	options: RetryOptions = {},
): Promise<T> {
	throwIfAborted(options.signal);
	if (isUpstream(policy)) {
		return new Retrying(policy, options).run(make);
	}
	const upstream = createUpstream(policy, options);
	try {
		return await new Retrying(upstream, options).run(make);
	} finally {
		upstream[Symbol.dispose]();
	}
}

/**
 * The function with retries: takes the same arguments. All calls share one upstream, so budget and
 * breaker look over them together.
 *
 * @throws {PolicyError} with everything that is wrong with the policy
 */
export function makeRetriable<This, Args extends unknown[], T>(
	make: (this: This, ...args: Args) => T | PromiseLike<T>,
	policy?: Policy | string | Upstream,
	options: RetryOptions = {},
): (this: This, ...args: Args) => Promise<T> {
	const upstream = isUpstream(policy) ? policy : createUpstream(policy, options);
	return function retriable(...args) {
		return retry(() => make.apply(this, args), upstream, options);
	};
}

/**
 * What a returned value says: success; and where it looks like an answer (`Response`, what axios
 * resolves with), its headers, from which the limiter learns.
 */
function successOf(value: unknown): Outcome {
	const headers = property(value, 'headers');
	const isAnswer = typeof property(value, 'status') === 'number' && typeof headers === 'object';
	return isAnswer ? { status: 200, headers: headers as HeadersLike } : { status: 200 };
}

/** One call under an upstream. */
export class Retrying {
	readonly #upstream: Upstream;
	readonly #options: RetryOptions;
	readonly #clock: Pick<Clock, 'sleep' | 'after'>;
	readonly #maxRetries: number;

	constructor(upstream: Upstream, options: RetryOptions) {
		const kept = isKept(upstream) ? upstream : undefined;
		const isHosts = options.unref === true && options.clock?.sleep === undefined;
		this.#upstream = upstream;
		this.#options = options;
		this.#maxRetries = kept?.policy.maxRetries ?? 0;
		const clock = kept?.clock ?? clockOf(options.clock);
		this.#clock = isHosts
			? { sleep: (ms, signal) => sleep(ms, signal, true), after: clock.after }
			: clock;
	}

	async run<T>(make: (attempt: Attempt) => T | PromiseLike<T>): Promise<T> {
		return this.carryOut(await this.#begin(), make);
	}

	/** Goes on with a call that was begun. */
	async carryOut<T>(call: Call, make: (attempt: Attempt) => T | PromiseLike<T>): Promise<T> {
		try {
			for (;;) {
				const result = await this.#attempt(call, make);
				if ('value' in result) {
					call.settle(successOf(result.value));
					return result.value;
				}
				await this.#next(call, result.error);
			}
		} finally {
			call.end();
		}
	}

	/** Begins the call, as soon as the upstream lets it. */
	async #begin(): Promise<Call> {
		for (;;) {
			const admission = this.#upstream.begin(this.#options);
			if (admission.admitted) {
				return admission.call;
			}
			const { reason, retryInMs } = admission;
			if (reason !== 'rate-limited' || retryInMs === null) {
				throw new RetryRefused(reason, retryInMs);
			}
			await this.#clock.sleep(Math.max(1, retryInMs), this.#options.signal);
		}
	}

	/** How one attempt ended; this promise never rejects. */
	async #attempt<T>(
		call: Call,
		make: (attempt: Attempt) => T | PromiseLike<T>,
	): Promise<{ readonly value: T } | { readonly error: unknown }> {
		const { attempt, timeoutMs, headers } = call;
		const limit = attemptSignal(this.#options.signal, timeoutMs, this.#clock);
		const { signal } = limit;
		const retriesLeft = this.#left(attempt);
		try {
			return { value: await make({ attempt, retriesLeft, timeoutMs, headers, signal }) };
		} catch (error) {
			limit.release();
			return { error: limit.because(error) };
		} finally {
			limit.clear();
		}
	}

	/** Settles a failure and waits for the next attempt; throws when there will be none. */
	async #next(call: Call, error: unknown): Promise<void> {
		const { signal, onFailedAttempt, shouldRetry } = this.#options;
		if (isAbortError(error)) {
			throw error.originalError;
		}
		throwIfAborted(signal);
		const { attempt } = call;
		const verdict = call.settle((this.#options.outcomeOf ?? outcomeOf)(error));
		const { delayMs } = verdict;
		const failed = { error, attempt, retriesLeft: this.#left(attempt), delayMs, verdict };
		await onFailedAttempt?.(failed);
		if (verdict.kind !== 'retry' || (await shouldRetry?.(failed)) === false) {
			throw error;
		}
		await this.#clock.sleep(delayMs, signal);
		for (;;) {
			const resumed = call.resume();
			if (resumed.admitted) {
				return;
			}
			if (resumed.over) {
				throw error;
			}
			await this.#clock.sleep(Math.max(1, resumed.retryInMs ?? 0), signal);
		}
	}

	#left(attempt: number): number {
		return Math.max(0, this.#maxRetries - (attempt - 1));
	}
}
