/**
 * The signal of one attempt: the caller's own, and the attempt's time limit.
 *
 * @module
 */

import type { Clock } from '../types.ts';

/** A signal, and how to let go of its time limit. */
export interface AttemptSignal {
	readonly signal: AbortSignal | undefined;
	/** The head of the answer is there, or the attempt failed: the limit holds no more. */
	clear(): void;
}

/**
 * Aborts with a `TimeoutError`, as `AbortSignal.timeout` does, so that it is told from a
 * cancellation. The caller's own signal goes on to hold for the body of the answer.
 */
export function attemptSignal(
	caller: AbortSignal | undefined,
	timeoutMs: number | null,
	clock: Pick<Clock, 'after'>,
): AttemptSignal {
	if (timeoutMs === null) {
		return { signal: caller, clear: () => {} };
	}
	const controller = new AbortController();
	const late = (): void =>
		controller.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
	const own = controller.signal;
	return {
		signal: caller === undefined ? own : AbortSignal.any([caller, own]),
		clear: clock.after(timeoutMs, late),
	};
}
