/**
 * Writing back how an attempt ended.
 *
 * @module
 */

import type { Verdict } from '../types.ts';
import { type Ended, statusAt } from './attempt.ts';
import type { LedgerAnswer, LedgerEvent, LedgerRecord } from './core.ts';
import { isStoreError } from './errors.ts';
import { eventOf, type Found, keptBy, lookUp } from './lookup.ts';
import { keptOf } from './payload.ts';
import type { Shared } from './run.ts';
import type { CallFacts } from './store.ts';

/** Between two tries to reach a store. */
const LONGEST_PAUSE_MS = 5000;

/**
 * Writes it back. While the store is out of reach it is asked again, for as long as the lease would
 * last: what is known now, nobody will know later.
 */
export async function settled(
	shared: Shared,
	facts: CallFacts,
	record: LedgerRecord,
	ended: Ended<unknown>,
	verdict: Verdict,
): Promise<LedgerAnswer> {
	const until = shared.now() + (record.leaseUntil ?? 0) - record.updatedAt;
	const settle = settlement(shared, facts, record, ended, verdict);
	for (let failures = 0; ; ) {
		try {
			return await settle(failures > 0);
		} catch (error) {
			if (!isStoreError(error) || shared.now() >= until) {
				throw error;
			}
		}
		failures += 1;
		await shared.upstream.clock.sleep(Math.min(50 * 2 ** failures, LONGEST_PAUSE_MS));
	}
}

/** What to write, and how; `isAgain`: a write before may have come through without our knowing. */
function settlement(
	{ books, upstream, isIdempotent, lookup, now }: Shared,
	facts: CallFacts,
	{ id, attempt }: LedgerRecord,
	ended: Ended<unknown>,
	verdict: Verdict,
): (isAgain: boolean) => Promise<LedgerAnswer> {
	const status = statusAt(ended);
	const { kind, reason, delayMs, class: of, delivery } = verdict;
	const event: LedgerEvent = {
		op: 'settle',
		attempt,
		...(status !== undefined && { status }),
		kind,
		reason,
		delayMs,
		class: of,
		// An attempt that was given up on its way may have arrived.
		delivery: 'cancelled' in ended ? 'maybe_processed' : delivery,
		idempotent: facts.idempotent ?? isIdempotent(facts.method),
	};
	const outcome = 'value' in ended && kind === 'accept' ? keptOf(ended.value) : undefined;
	let found: Found | undefined;
	return (isAgain) =>
		books.change(id, async (stored) => {
			const answer = books.ask(stored, event, now());
			if (isAgain && answer.result === 'fenced' && stored?.record.attempt === attempt) {
				return [{ ...answer, result: 'ok' }];
			}
			const isUndecided = answer.result === 'ok' && answer.record?.cause === 'ambiguous';
			if (!isUndecided || stored === null) {
				return [answer, outcome === undefined ? {} : { outcome }];
			}
			found ??= await lookUp(lookup, stored);
			return found.answer === 'unknown'
				? [answer]
				: [books.ask(stored, eventOf(upstream, stored, found, status), now()), keptBy(found)];
		});
}
