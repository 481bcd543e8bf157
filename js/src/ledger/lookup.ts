/**
 * The vendor's own status call: what it says about an attempt whose answer was lost.
 *
 * @module
 */

import type { KeptUpstream } from '../upstream.ts';
import type { LedgerEvent } from './core.ts';
import type { Lookup, LookupReply } from './options.ts';
import { keptOf, payloadOf } from './payload.ts';
import type { StoredCall } from './store.ts';

/** The answer, and what came with it. */
export type Found = Exclude<LookupReply, string>;

const ANSWERS: ReadonlySet<string> = new Set(['processed', 'not_processed', 'unknown']);

/** Asks; whoever cannot say, or fails, says `unknown`. */
export async function lookUp(
	lookup: Lookup | undefined,
	{ record, facts }: StoredCall,
): Promise<Found> {
	try {
		const { id: event, key, attempt } = record;
		const { labels } = facts;
		const payload = payloadOf(facts.payload);
		const reply = await lookup?.({ event, key, payload, labels, attempt });
		const found = typeof reply === 'string' ? { answer: reply } : reply;
		return found && ANSWERS.has(found.answer) ? found : { answer: 'unknown' };
	} catch {
		return { answer: 'unknown' };
	}
}

/** What the vendor's answer means for the record. */
export function eventOf(
	upstream: KeptUpstream,
	{ record }: StoredCall,
	found: Found,
	known?: number,
): LedgerEvent {
	const { attempt } = record;
	const status = found.status ?? known;
	const given = { attempt, ...(status !== undefined && { status }) };
	if (found.answer !== 'not_processed') {
		return { op: 'lookup', ...given, answer: found.answer };
	}
	const { delayMs } = upstream.delay(attempt, 'transient', null);
	return {
		op: 'lookup',
		...given,
		answer: 'not_processed',
		dueAt: Math.floor(upstream.clock.wall()) + (delayMs ?? 0),
	};
}

/** What of the vendor's answer is kept as the call's outcome. */
export function keptBy(found: Found): { readonly outcome?: string | null } {
	return found.answer === 'processed' ? { outcome: keptOf(found.value) } : {};
}
