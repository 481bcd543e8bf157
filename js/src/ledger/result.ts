/**
 * How a run ended, where nothing was sent last.
 *
 * @module
 */

import type { Reason } from '../types.ts';
import type { LedgerRecord } from './core.ts';
import type { RunResult } from './options.ts';
import { payloadOf } from './payload.ts';
import type { StoredCall } from './store.ts';

/** Somebody else sends the call, or it waits for its time. */
export function pending<T>(
	record: LedgerRecord,
	attempts: number,
	retryInMs: number,
	reason?: Reason,
): RunResult<T> {
	const state = record.state === 'in-progress' ? 'in-progress' : 'waiting';
	const base = { event: record.id, record, attempts, state, retryInMs } as const;
	return reason === undefined ? base : { ...base, reason };
}

/** A call for which nothing is to be sent. */
export function standing<T>({ record, outcome }: StoredCall, attempts: number): RunResult<T> {
	const base = { event: record.id, record, attempts };
	switch (record.state) {
		case 'completed':
			return { ...base, state: 'completed', replayed: true, value: payloadOf(outcome) as T };
		case 'review':
			return { ...base, state: 'review', cause: record.cause ?? 'exhausted' };
		default:
			return { ...base, state: 'abandoned' };
	}
}
