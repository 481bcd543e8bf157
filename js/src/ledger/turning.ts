/**
 * What a dispatcher needs of a ledger beside what callers have: calls that wait for turns elsewhere.
 *
 * @module
 */

import type { Ledger, LedgerCall, RecoverOptions, RunResult, Send } from './options.ts';

/** What a turn is asked for. */
export interface Waiting {
	readonly event: string;
	readonly priority: number;
	/** Wall clock ms; null or undefined: now. */
	readonly dueAt: number | null | undefined;
	readonly signal: AbortSignal | undefined;
}

/** Where calls get their turns. */
export interface Turning {
	/** Whether the call waits there already. */
	isTaken(event: string): boolean;
	/**
	 * Calls `run` when its turn comes, and again as long as that is refused; each time with the
	 * number by which the limiter knows the call again.
	 */
	turn<T>(
		call: Waiting,
		run: (ticket: number | undefined) => Promise<RunResult<T>>,
	): Promise<RunResult<T>>;
}

/** Every call at once, whoever asks. */
export const AT_ONCE: Turning = { isTaken: () => false, turn: (_, run) => run(undefined) };

/** A ledger of this package. */
export interface TurningLedger extends Ledger {
	/** As `run`; a `ticket` keeps the call's place with the limiter from one time to the next. */
	runWith<T>(call: LedgerCall, send: Send<T>, ticket?: number): Promise<RunResult<T>>;
	/** As `recover`, each call in a turn of its own. */
	recoverIn<T>(
		turning: Turning,
		send: Send<T>,
		options?: RecoverOptions<T>,
	): Promise<readonly RunResult<T>[]>;
}

/** Whether the ledger is one of this package, of any copy. */
export function isTurning(ledger: Ledger): ledger is TurningLedger {
	return 'runWith' in ledger && 'recoverIn' in ledger;
}
