/**
 * What callers say about a wrapped fetch and about a single request.
 *
 * @module
 */

import type { Call, Reason, UpstreamOptions, Verdict } from '../types.ts';

/** Facts about one request, under `init.retrywise`. */
export interface FetchCallOptions {
	/** The caller's own idempotency key. @default the key header of the request */
	key?: string;
	/** The business event that this request carries out, to derive a key from. */
	event?: string;
	/** Higher goes first where calls wait for the rate limit. @default 0 */
	priority?: number;
	/** Overrides what the method says. */
	idempotent?: boolean;
	/** The call of an outer layer that retries already, or `true`: this one will not retry. */
	parent?: Call | boolean;
}

/** `fetch`'s own init, and facts for retrywise; `false`: not attended to. */
export type RetryInit = RequestInit & { retrywise?: FetchCallOptions | false };

/** What `fetch` takes and returns, on every runtime. */
export type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** The same, with facts for retrywise. */
export type RetryingFetch = (input: RequestInfo | URL, init?: RetryInit) => Promise<Response>;

/** An attempt that is about to be sent. */
export interface FetchAttempt {
	/** From 1. */
	readonly attempt: number;
	/** The upstream's name: the origin, unless it was given another. */
	readonly upstream: string;
	readonly url: string;
	readonly method: string;
}

/** A retry that is about to be waited for. */
export interface FetchRetry extends FetchAttempt {
	/** The wait before it, ms. */
	readonly delayMs: number;
	readonly reason: Reason;
	readonly verdict: Verdict;
	/** The error of the attempt that failed; undefined after a bad status. */
	readonly error: unknown;
	/** The answer of the attempt that failed; its body is let go of. */
	readonly response: Response | undefined;
}

/** A call that is over. */
export interface FetchSettled {
	/** Attempts that were sent; 0 when the call was refused. */
	readonly attempts: number;
	readonly upstream: string;
	readonly url: string;
	readonly method: string;
	/** `accept`, or `stop` with its reason; a refusal is a stop. */
	readonly verdict: Verdict;
	readonly error: unknown;
	readonly response: Response | undefined;
}

/** How {@link withRetry} works. */
export interface FetchOptions extends UpstreamOptions {
	/** Names the dependency that a request goes to. @default the origin of its URL */
	upstreamKey?: (url: string) => string;
	/**
	 * Bytes of a body that is used up by sending it (a stream; the body of a `Request`) that are
	 * kept to send it again. A longer one is sent once: its failures stop as `body-consumed`.
	 * @default 1 MiB for the body of a `Request`, 0 for a stream
	 */
	replayLimit?: number;
	/**
	 * Tells inner layers not to retry, by the header `x-retry-layer`. In browsers it would force a
	 * preflight. @default true, but false in browsers
	 */
	layerHeader?: boolean;
	/** Before each attempt. What it throws is ignored. */
	onAttempt?: (info: FetchAttempt) => void;
	/** Before each wait; awaited. A rejection ends the call, with that error. */
	onRetry?: (info: FetchRetry) => void | Promise<void>;
	/** Once for each call, when it is over. What it throws is ignored. */
	onSettled?: (info: FetchSettled) => void;
	/**
	 * Asked when a call stops or is refused, unless it was cancelled: a `Response` that it returns
	 * is what the call resolves with. `undefined` leaves the outcome as it is.
	 */
	onGiveUp?: (
		verdict: Verdict,
		info: FetchSettled,
	) => Response | undefined | Promise<Response | undefined>;
}
