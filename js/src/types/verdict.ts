/**
 * What is decided on an outcome.
 *
 * @module
 */

import type {
	Basis,
	BreakerTransition,
	Class,
	Delivery,
	HintSource,
	Language,
	Reason,
	VerdictKind,
} from './words.ts';

/** The answer to one settle. It is a value: nothing happens unless the caller acts on it. */
export interface Verdict {
	/** `retry`: wait `delayMs`, call `resume`, send attempt `attempt`. Else hand the outcome on. */
	readonly kind: VerdictKind;
	/** With `retry` the attempt to send (the first retry is 2), else the attempt that ended. */
	readonly attempt: number;
	/** The wait before that attempt; 0 unless `kind` is `retry`. */
	readonly delayMs: number;
	/** Why. */
	readonly reason: Reason;
	/** What the server asked for, unbounded by the policy; null if it asked for nothing. */
	readonly hintMs: number | null;
	/** Where that was read. */
	readonly hintSource: HintSource | null;
	/** What the outcome was taken for. */
	readonly class: Class;
	/** Whether the application may have acted on the request. */
	readonly delivery: Delivery;
	/** What a `not_processed` rests on. */
	readonly basis: Basis;
	/** The change of the breaker that this outcome brought about; null if there was none. */
	readonly transition: BreakerTransition | null;
	/**
	 * The server has limited the rate five times within a minute: mend the rate, a better retry will
	 * not help. Told once, by the outcome that made it so and by each further one.
	 */
	readonly sustainedThrottling: boolean;
	/** Settled before: the earlier verdict again, nothing counted. */
	readonly stale: boolean;
	/** The reason as a sentence. @default "en" */
	explain(language?: Language): string;
}
