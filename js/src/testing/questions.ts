/**
 * What is asked of the core beside decisions: how long a call may wait.
 *
 * @module
 */

import { simulator } from '../simulator/load.ts';
import type { Policy } from '../types.ts';

/** A shortest and a longest span, milliseconds, both included. */
export interface Bounds {
	readonly minMs: number;
	readonly maxMs: number;
}

/** What a policy makes of a row of failures. */
export interface Envelope {
	/** The wait after each failure, as long as another attempt may follow. */
	readonly waits: readonly Bounds[];
	/** The sum of these waits. */
	readonly total: Bounds;
	/** Why no attempt follows the last of these waits, where the failures went on; else null. */
	readonly ends: string | null;
}

/** An attempt that failed. */
export interface FailedAttempt {
	/** The status of its answer, if it had one. */
	status?: number;
	/** The headers of that answer. */
	headers?: readonly (readonly [name: string, value: string])[];
	/** The code of its error, without an answer: `ECONNRESET`. */
	error?: string;
	/** How long it took, whole milliseconds: it uses up the deadline. */
	tookMs?: number;
	/** The wall clock when it ended, for hints that are dates. */
	wall?: number;
}

/**
 * How long a call may wait under a policy that met these failures: hints, jitter, cap, ceiling and
 * deadline considered, by the functions that decide in production. Both ends are possible.
 *
 * @throws RetrywiseError when the policy is invalid
 */
export function envelopeOf(
	policy: Policy | string,
	failures: readonly FailedAttempt[],
	keySent = false,
): Envelope {
	const text = typeof policy === 'string' ? policy : JSON.stringify(policy);
	return simulator().ask<Envelope>({ experiment: 'envelope', policy: text, failures, keySent });
}
