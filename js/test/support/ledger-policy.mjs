/** The policies of the ledger's tests, and what its workers and their test agree on. */

/** The server deduplicates by the key. */
export const HONOURED = {
	idempotency: { honoured: true, leaseMs: 1000 },
	backoff: { jitter: 'none', baseMs: 100 },
	breaker: null,
};

/** It does not. */
export const PLAIN = { ...HONOURED, idempotency: { leaseMs: 1000 } };

/** Events that two workers both carry out. */
export const RACES = 150;
