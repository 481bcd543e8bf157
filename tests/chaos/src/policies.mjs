/**
 * The policies of the workers.
 *
 * @module
 */

/**
 * How long an attempt may take: long enough for a busy machine, where a shorter one would make most
 * attempts time out and little else happen.
 */
export const ATTEMPT_MS = 4000;

/** Longer than an attempt, so that nobody takes over from a worker that lives. */
const leaseMs = ATTEMPT_MS + 2000;

/** The waits are short, everything else is as in production. */
const COMMON = {
	maxRetries: 8,
	attemptTimeoutMs: ATTEMPT_MS,
	backoff: { baseMs: 5, capMs: 50 },
	budget: null,
	breaker: null,
};

/** A vendor that deduplicates by key, and one that does not. */
export function policyFor(honoursKeys) {
	return honoursKeys
		? { ...COMMON, idempotency: { honoured: true, leaseMs } }
		: // What says "not processed" may be sent again, although it is custom and no proof.
			{ ...COMMON, safety: 'presumed', idempotency: { leaseMs } };
}
