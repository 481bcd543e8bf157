/**
 * What can be asked without a call.
 *
 * @module
 */

import type { Policy } from '../policy-document.ts';
import type { Basis, Class, Delivery, HintSource, Signal } from './words.ts';

/** What an outcome means. */
export interface Classification {
	readonly class: Class;
	readonly delivery: Delivery;
	/** What a `not_processed` rests on. */
	readonly basis: Basis;
	/** The rule that gave the answer. */
	readonly reason: Signal;
	/** What the server asked for, unbounded; null if it asked for nothing. */
	readonly hintMs: number | null;
	readonly hintSource: HintSource | null;
	/** The server said not to retry. */
	readonly veto: boolean;
}

/** Facts beside an outcome that change its meaning. */
export interface ClassifyOptions {
	/** The request's method; kept for symmetry: no rule of classification reads it today. */
	method?: string;
	/** Its `retryOn` and its profile count. */
	policy?: Policy | string;
	/** A vendor's units and codes; an id that is unknown leaves the generic rules. @default the policy's */
	profile?: string;
	/** The wall clock, for dates; null for none. @default Date.now() */
	wall?: number | null;
	/** The request carried an idempotency key. @default false */
	keySent?: boolean;
}

/** The wait that an answer asks for. */
export interface RetryHint {
	/** Unbounded by any policy, at most 2^53 − 1. */
	readonly hintMs: number;
	readonly source: HintSource;
}

/** Facts beside an answer that change how its hint is read. */
export interface HintOptions {
	/** The wall clock, for dates; null for none. @default Date.now() */
	wall?: number | null;
	/** A vendor's units and codes; an id that is unknown leaves the generic rules. */
	profile?: string;
}
