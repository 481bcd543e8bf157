/**
 * One dependency, and how it is set up.
 *
 * @module
 */

import type { RetrywiseEvent } from '../events.ts';
import type { Admission, RequestFacts } from './call.ts';
import type { BreakerState } from './words.ts';

/** One dependency: it decides for all calls to it. */
export interface Upstream extends Disposable {
	/** What it is called in events and messages. */
	readonly name: string;
	/** Begins a call: the first attempt may be sent now, or there is a reason why not. */
	begin(request?: RequestFacts): Admission;
	/** How it stands now: for dashboards and tests, not for decisions. */
	view(): UpstreamView;
	/** Holds the breaker open until {@link Upstream.reset}; nothing where the policy has none. */
	isolate(): void;
	/** Closes the breaker by hand and forgets its past; nothing where the policy has none. */
	reset(): void;
}

/** How an upstream stands. */
export interface UpstreamView {
	/** Null where the policy has no breaker. */
	readonly breaker: BreakerState | null;
	/** How long an open breaker stays so, ms; 0 when calls may pass; null for isolated, or none. */
	readonly retryInMs: number | null;
	/** What the budget has left: retries, tokens or calls, by its kind; null where there is none. */
	readonly budget: number | null;
}

/** Time, as the host has it. Each part can be replaced; what is left out is the host's own. */
export interface Clock {
	/** A monotonic clock in milliseconds, any origin. @default performance.now */
	now(): number;
	/** The wall clock in milliseconds since 1970. @default Date.now */
	wall(): number;
	/**
	 * Resolves after `ms`; rejects with the signal's reason when it is aborted first, and then
	 * leaves no timer and no listener. @default chained timers
	 */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/**
	 * Calls `fire` once after `ms`, for the time limit of an attempt; gives what prevents it.
	 * @default a timer
	 */
	after(ms: number, fire: () => void): () => void;
}

/** How an upstream is set up. */
export interface UpstreamOptions {
	/** A whole number, 0 to 2^53 − 1: the same seed gives the same delays. @default random, drawn at the first `begin` */
	seed?: number;
	/** Replaces the host's time, wholly or in part. */
	clock?: Partial<Clock>;
	/** What it is called in events and messages. @default "upstream" */
	name?: string;
	/** Hears of every decision, as it falls. What it throws is ignored. @default none */
	onEvent?: (event: RetrywiseEvent) => void;
}
