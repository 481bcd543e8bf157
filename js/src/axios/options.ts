/**
 * What callers say about a client and about a single request.
 *
 * @module
 */

import type { AxiosRequestConfig, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { said } from '../said.ts';
import type { Call, Reason, UpstreamOptions, Verdict } from '../types.ts';
import type { UpstreamKey } from './upstreams.ts';

/** Facts about one request, under `config.retrywise`. */
export interface CallOptions {
	/** The caller's own idempotency key. @default the key header of the request */
	key?: string;
	/** The business event that this request carries out, to derive a key from. */
	event?: string;
	/** Higher goes first where calls wait for the rate limit. @default 0 */
	priority?: number;
	/** Overrides what the method says. */
	idempotent?: boolean;
	/** Whether the body can be sent again. @default false for streams, true for the rest */
	replayableBody?: boolean;
	/** The call of an outer layer that retries already, or `true`: this one will not retry. */
	parent?: Call | boolean;
}

/** An attempt that is about to be sent. */
export interface AttemptInfo {
	/** From 1. */
	readonly attempt: number;
	/** The upstream's name: the origin, unless it was given another. */
	readonly upstream: string;
	readonly config: InternalAxiosRequestConfig;
}

/** A retry that is about to be waited for. */
export interface RetryInfo {
	/** The attempt to come; the first retry is 2. */
	readonly attempt: number;
	/** The wait before it, ms. */
	readonly delayMs: number;
	readonly reason: Reason;
	readonly verdict: Verdict;
	/** The error of the attempt that failed; undefined where axios resolved with a bad status. */
	readonly error: unknown;
	readonly response: AxiosResponse | undefined;
	readonly config: InternalAxiosRequestConfig;
}

/** A call that is over. */
export interface SettledInfo {
	/** Attempts that were sent; 0 when the call was refused. */
	readonly attempts: number;
	/** `accept`, or `stop` with its reason; a refusal is a stop. */
	readonly verdict: Verdict;
	readonly upstream: string;
	readonly error: unknown;
	readonly response: AxiosResponse | undefined;
	readonly config: InternalAxiosRequestConfig;
}

/** How {@link attach} works on an instance. */
export interface AttachOptions extends UpstreamOptions {
	/**
	 * Where attempts are repeated. `interceptor`: each attempt passes all interceptors again, as with
	 * axios-retry, so a request interceptor can renew a token. `adapter`: below them, so interceptors
	 * run once for a call. @default "interceptor"
	 */
	mode?: 'interceptor' | 'adapter';
	/** Names the dependency that a request goes to. @default its origin */
	upstreamKey?: UpstreamKey;
	/**
	 * Tells inner layers not to retry, by the header `x-retry-layer`. In browsers it would force a
	 * preflight. @default true, but false in browsers
	 */
	layerHeader?: boolean;
	/** Whether waits let the process end. @default false; an injected `clock.sleep` decides for itself */
	unref?: boolean;
	/** Before each attempt. What it throws is ignored. */
	onAttempt?: (info: AttemptInfo) => void;
	/** Before each wait; awaited. A rejection ends the call, with that error. */
	onRetry?: (info: RetryInfo) => void | Promise<void>;
	/** Once for each call, when it is over. What it throws is ignored. */
	onSettled?: (info: SettledInfo) => void;
	/**
	 * Asked when a call stops or is refused, unless it was cancelled: what it returns is what the
	 * request resolves with. `undefined` leaves the error as it is.
	 */
	onGiveUp?: (verdict: Verdict, info: SettledInfo) => unknown;
}

declare module 'axios' {
	interface AxiosRequestConfig {
		/** Facts about this request for retrywise; `false`: not attended to. */
		retrywise?: CallOptions | false;
	}
}

/** The options of one request; undefined where it has none. */
export function callOptionsOf(config: AxiosRequestConfig): CallOptions | undefined {
	const { retrywise } = config;
	if (typeof retrywise !== 'object' || retrywise === null) {
		return undefined;
	}
	return said(retrywise);
}
