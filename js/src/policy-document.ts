/**
 * The policy as a document: every field with its unit, range and default.
 *
 * @module
 */

import type { Class } from './types.ts';

/** A JSON document; `{}` is the standard policy. The schema is checked when it is used. */
export interface Policy {
	/** The preset that this document is laid over. @default "standard" */
	extends?: 'standard' | 'interactive' | 'batch' | 'payments';
	/** A vendor's units, body codes and key header. @default null */
	profile?: string | null;
	/** Attempts after the first, 0 to 1 000 000. @default 5 */
	maxRetries?: number;
	/** The end of the whole call, waits included. @default null: none */
	deadlineMs?: number | null;
	/** The end of one attempt. @default null: the client's own timeout stands */
	attemptTimeoutMs?: number | null;
	/** How much proof a non-idempotent request needs before it is repeated. @default "proven" */
	safety?: 'never' | 'proven' | 'presumed';
	/** How long to wait. */
	backoff?: {
		/** @default "exponential" */
		curve?: 'none' | 'constant' | 'linear' | 'exponential';
		/** The first wait of the curve. @default 500, or the cap where that is smaller */
		baseMs?: number;
		/** Growth of the exponential curve, 1 to 100. @default 2 */
		factor?: number;
		/** Bounds the curve, before jitter. @default 30000 */
		capMs?: number;
		/** Bounds the result, after jitter. @default null: the cap */
		ceilingMs?: number | null;
		/** @default "full" */
		jitter?: 'none' | 'full' | 'equal' | 'decorrelated' | 'polly-v2' | 'proportional';
		/** The ± of proportional jitter, 0 to 1. @default 0.2 */
		jitterRatio?: number;
		/** The base after a throttled outcome. @default null: the base */
		throttledBaseMs?: number | null;
		/** The first retry of a transient outcome without a hint waits 0. @default false */
		firstRetryImmediate?: boolean;
		/** The wait by kind of fault; the first match wins. @default [] */
		overrides?: {
			class?: Class;
			statuses?: number[];
			errors?: string[];
			curve?: 'none' | 'constant' | 'linear' | 'exponential';
			baseMs?: number;
			capMs?: number;
			immediate?: boolean;
		}[];
	};
	/** What a server's wish to wait does to that. */
	hint?: {
		/** @default "override" */
		mode?: 'override' | 'at-least' | 'exact' | 'ignore';
		/** The longest hint that is obeyed. @default null: the cap */
		maxMs?: number | null;
		/** What happens to a longer one. @default "clamp" */
		beyond?: 'clamp' | 'give-up';
		/** Lengthens a hint by up to this share of it, 0 to 1. @default 0 */
		spread?: number;
	};
	/** Outcomes that this policy sees differently; `remove` wins. */
	retryOn?: {
		statuses?: { add?: number[]; remove?: number[] };
		errors?: { add?: string[]; remove?: string[] };
		methods?: { add?: string[]; remove?: string[] };
	};
	/** Keys by which the server recognises a repetition. */
	idempotency?: {
		/** @default "Idempotency-Key" */
		header?: string;
		/** @default "bare" */
		format?: 'bare' | 'quoted';
		/** Make a key for non-idempotent calls that bring none. @default false */
		generate?: boolean;
		/** What such a key is made of: random bits, or the wall clock and random bits. @default "v4" */
		version?: 'v4' | 'v7';
		/** The header that says when the key was first sent (OASIS: `Repeatability-First-Sent`). @default null */
		firstSentHeader?: string | null;
		/** The server deduplicates by this key. @default false */
		honoured?: boolean;
		/** How long the server remembers a key. @default 86400000 */
		windowMs?: number;
		/** How long a worker owns a ledger record. @default 60000 */
		leaseMs?: number;
		/** How long a completed record is kept. @default null: for good */
		retentionMs?: number | null;
	};
	/** How much load retries may add. @default `{ kind: 'ratio' }` */
	budget?: Budget | null;
	/** When the upstream is left alone. @default `{ kind: 'rate' }` */
	breaker?: Breaker | null;
	/** Refuses calls here while the server turns too many away. @default null */
	clientThrottling?: {
		/** Requests that each accepted one allows, 1 to 100. @default 2 */
		multiplier?: number;
		/** What is looked back on. @default 120000 */
		windowMs?: number;
	} | null;
	/** How calls are held back before the server refuses them. @default null */
	limiter?: {
		/** Calls of each allowance left for others and for priorities above 0. @default 0 */
		reserve?: number;
		/** The longest time a call is held back. @default null: its deadline bounds it */
		maxWaitMs?: number | null;
		/** Calls that keep a place while they wait, 0 to 100 000. @default 1000 */
		queue?: number;
		/** Waiting that makes up for one step of priority. @default 60000 */
		agingMs?: number;
	} | null;
}

/** How much load retries may add. Upstreams whose budgets have one `shared` name draw on one. */
export type Budget = { shared?: string | null } & (
	| {
			/** Retries are at most a share of the calls, and some more per second. */
			kind?: 'ratio';
			/** @default 0.1 */
			ratio?: number;
			/** @default 1 */
			minPerSecond?: number;
			/** @default 10000 */
			windowMs?: number;
	  }
	| {
			/** Retries take from a bucket that successes refill. */
			kind: 'tokens';
			/** @default 500 */
			capacity?: number;
			/** @default 14 */
			transientCost?: number;
			/** @default 5 */
			throttledCost?: number;
			/** @default 1 */
			credit?: number;
	  }
	| {
			/** Retries stop while half of the tokens is gone (gRPC A6). */
			kind: 'throttle';
			/** @default 10 */
			maxTokens?: number;
			/** @default 0.1 */
			tokenRatio?: number;
	  }
	| {
			/** Retrying calls are at most a share of the calls under way. */
			kind: 'concurrency';
			/** @default 0.2 */
			ratio?: number;
			/** @default 3 */
			minConcurrency?: number;
	  }
);

/** When the upstream is left alone. */
export type Breaker = {
	/** How long it stays open. @default 5000 */
	openMs?: number;
	/** The longest time it stays open; it doubles at each failed probe. @default 60000 */
	maxOpenMs?: number;
	/** Spreads that time by ± this share. @default 0 */
	openJitter?: number;
	/** Calls let through when it has waited. @default 3 */
	probes?: number;
	/** Probes that have to succeed. @default 2 */
	successes?: number;
	/** How long a probe may take. @default 30000 */
	probeTimeoutMs?: number;
	/** What a probe that nobody settled counts as. @default "fail" */
	onLeaseExpiry?: 'fail' | 'free';
} & (
	| {
			/** Opens on a share of failures. */
			kind?: 'rate';
			/** @default "time" */
			window?: 'time' | 'count';
			/** @default 10000 */
			windowMs?: number;
			/** @default 100 */
			windowCalls?: number;
			/** The share that opens it. @default 0.5 */
			threshold?: number;
			/** Calls without which no share is taken. @default 20 */
			minimumCalls?: number;
			/** A call that takes longer is slow. @default null: none is */
			slowCallMs?: number | null;
			/** The share of slow calls that opens it. @default 1 */
			slowThreshold?: number;
	  }
	| {
			/** Opens on failures in a row. */
			kind: 'consecutive';
			/** @default 5 */
			failures?: number;
	  }
);
