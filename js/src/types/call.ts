/**
 * One logical request: what is known of it, and its attempts.
 *
 * @module
 */

import type { HeadersLike, Outcome } from './outcome.ts';
import type { Verdict } from './verdict.ts';
import type { Reason } from './words.ts';

/** One logical request, before its first attempt. */
export interface RequestFacts {
	/** The method, case-sensitive as in HTTP; an unknown one is taken as not idempotent. @default "GET" */
	method?: string;
	/** The caller's own idempotency key. */
	key?: string;
	/** The business event that this call carries out, to derive a key from. */
	event?: string;
	/** 16 random bytes to make a key from where the policy generates one. @default drawn by the host */
	entropy?: Uint8Array;
	/**
	 * When the key was first sent, wall clock ms, where an earlier process did that: the key's
	 * window runs from then, and the header of the first sending says so. @default now
	 */
	firstSentAt?: number;
	/** The headers that the request has already: a key header among them is the caller's key. */
	headers?: HeadersLike | null | undefined;
	/** Whether the body can be sent again. @default true */
	replayableBody?: boolean;
	/** Overrides what the method says. @default the policy's methods, then the method's own */
	idempotent?: boolean;
	/** Higher goes first where calls wait for the rate limit. @default 0 */
	priority?: number;
	/**
	 * By what a call is known that was refused with `rate-limited` and begins again: a whole number
	 * of your own, 0 to 2^53 − 1, the same each time. It keeps the call's place in the queue, and its deadline runs
	 * from the first time. @default none: it takes the oldest place of its priority whose time has come
	 */
	ticket?: number;
	/** The call of an outer layer that retries already, or `true`: this call will not retry. */
	parent?: Call | boolean;
}

/** Leave to send, or a refusal with its reason. */
export type Resumption =
	| { readonly admitted: true }
	| {
			readonly admitted: false;
			readonly reason: Reason;
			/**
			 * `over: false`: resume again then. `over: true`: when the upstream may be tried again by
			 * another call; null when time alone changes nothing.
			 */
			readonly retryInMs: number | null;
			/** The call has ended: hand the last outcome on. */
			readonly over: boolean;
	  };

/** A call, or a refusal with its reason. */
export type Admission =
	| { readonly admitted: true; readonly call: Call }
	| {
			readonly admitted: false;
			readonly reason: Reason;
			/** When asking again makes sense; null when time alone changes nothing. */
			readonly retryInMs: number | null;
	  };

/** The attempts of one logical request. Settle it to its end, or `end` it: it holds a place. */
export interface Call extends Disposable {
	/** Headers to send with every attempt: the idempotency key, where there is one, and when it was first sent, where the policy says so. */
	readonly headers: Readonly<Record<string, string>>;
	/** The bare idempotency key, the same on every attempt; null for a call that has none. */
	readonly key: string | null;
	/** The field of the request body that has to carry the key, where the vendor takes it there (Square); else null. */
	readonly keyField: string | null;
	/** The number of the attempt on its way, or to be sent after the wait; from 1. */
	readonly attempt: number;
	/** How long the next attempt may take; null when the client's own timeout stands. */
	readonly timeoutMs: number | null;
	/** Reports how the attempt ended, and asks what to do. */
	settle(outcome: Outcome): Verdict;
	/** Asks, after the wait, whether the next attempt may be sent now. */
	resume(): Resumption;
	/** Gives up, while sending or while waiting. */
	cancel(): Verdict;
	/** Ends a call that nobody will settle. Harmless when it is over. */
	end(): void;
}
