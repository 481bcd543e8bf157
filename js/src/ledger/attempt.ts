/**
 * One attempt: the caller's function, until it ends or is not waited for any more.
 *
 * @module
 */

import { anyOf, attemptSignal } from '../fetch/signals.ts';
import { reasonOf } from '../host.ts';
import { outcomeOf as outcomeOfError } from '../thrown.ts';
import type { Call, Clock, Verdict } from '../types.ts';
import type { LedgerRecord } from './core.ts';
import type { Send } from './options.ts';
import { outcomeOf, payloadOf, statusOf } from './payload.ts';
import type { CallFacts } from './store.ts';
import { untilAborted } from './until.ts';

/** How an attempt ended. */
export type Ended<T> =
	| { readonly value: T }
	| { readonly error: unknown }
	/** By the caller's signal, while it was on its way. */
	| { readonly cancelled: unknown };

/** Calls the function, and gives up on it at the caller's signal, the time limit or the lease's loss. */
export async function made<T>(
	send: Send<T>,
	{ id: event, key, attempt }: LedgerRecord,
	{ payload, labels }: CallFacts,
	{ headers, timeoutMs }: Call,
	clock: Clock,
	caller: AbortSignal | undefined,
	lost: AbortSignal,
): Promise<Ended<T>> {
	const ends = caller === undefined ? { signal: lost, release: () => {} } : anyOf([caller, lost]);
	const limit = attemptSignal(ends.signal, timeoutMs, clock);
	const signal = limit.signal ?? ends.signal;
	const told = { event, attempt, key, headers, payload: payloadOf(payload), labels, signal };
	try {
		return { value: await untilAborted((async () => send(told))(), signal) };
	} catch (error) {
		limit.release();
		ends.release();
		return caller?.aborted ? { cancelled: reasonOf(caller) } : { error: limit.because(error) };
	} finally {
		limit.clear();
	}
}

/** What the upstream says to it. */
export function verdictOn(call: Call, ended: Ended<unknown>, durationMs: number): Verdict {
	if ('cancelled' in ended) {
		return call.cancel();
	}
	const outcome = 'value' in ended ? outcomeOf(ended.value) : outcomeOfError(ended.error);
	return call.settle({ ...outcome, durationMs });
}

/** The status of the answer, where there was one. */
export function statusAt(ended: Ended<unknown>): number | undefined {
	if ('value' in ended) {
		return statusOf(ended.value);
	}
	return 'error' in ended
		? (statusOf(outcomeOfError(ended.error)) ?? statusOf(ended.error))
		: undefined;
}
