/**
 * What a ledger needs of a store, and all that it needs: anybody can write one.
 *
 * A store keeps, for each call, its record, its trail, and the facts that never change. It decides
 * nothing: records come from the core and are written back whole. The one thing that it must be able
 * to do is {@link LedgerStore.write}: compare a revision and write, in one step that no other
 * process can come between and that a crash leaves done or not done.
 *
 * @module
 */

import type { Cause, LedgerRecord, LedgerState, TrailEntry } from './core.ts';

/** Names and values that a call can be found by: customer, order, vendor. */
export type Labels = Readonly<Record<string, string>>;

/** What is known of a call when it is recorded, and never changes. */
export interface CallFacts {
	/** The payload as text: canonical JSON, or bytes as a `data:` URL; null where the call has none. */
	readonly payload: string | null;
	readonly labels: Labels;
	/** Higher goes first. */
	readonly priority: number;
	/** The request's method, as it is told to the upstream. */
	readonly method: string;
	/** Overrides what the method says; null: it does not. */
	readonly idempotent: boolean | null;
}

/** A call as a store gives it back. */
export interface StoredCall {
	readonly record: LedgerRecord;
	readonly facts: CallFacts;
	/** What completed the call, as text like a payload; null where nothing was kept. */
	readonly outcome: string | null;
}

/** A change, to be made wholly or not at all. */
export interface Change {
	readonly id: string;
	/** The revision that has to be there; 0: there must be no such call. */
	readonly expected: number;
	/** What takes its place; null: the call goes, with its trail. */
	readonly record: LedgerRecord | null;
	/** To be appended to the trail, in this order. */
	readonly entries: readonly TrailEntry[];
	/** With `expected: 0` only. */
	readonly facts?: CallFacts;
	/** To be kept; left out: what is kept stays. */
	readonly outcome?: string | null;
	/** Another call, which must not be there yet; inserted in the same step. */
	readonly created?: {
		readonly record: LedgerRecord;
		readonly entries: readonly TrailEntry[];
		readonly facts: CallFacts;
	};
}

/** Which calls, oldest first; all conditions hold at once. */
export interface StoreQuery {
	readonly state?: LedgerState;
	readonly cause?: Cause;
	/** Each of these names has exactly this value. */
	readonly labels?: Labels;
	/** Behind this call, in the order of (`createdAt`, `id`). */
	readonly after?: { readonly createdAt: number; readonly id: string };
	/** At most so many, from 1. */
	readonly limit: number;
}

/**
 * A place where calls are kept. Every method may be called at any time and many times at once, by
 * many processes; each rejects with the store's own error where the store fails. Then nothing was
 * written, or, where a connection broke before the answer came, all of it may have been: both are
 * harmless, since whoever asks next reads first.
 */
export interface LedgerStore {
	/** The call, as it was last written by any process; null where there is none. */
	get(id: string): Promise<StoredCall | null>;
	/**
	 * Makes the change if, and only if, the call's revision is `expected`, and says whether it did.
	 * True only when the change would outlive a crash of this process and, where the store promises
	 * so much, of the machine.
	 */
	write(change: Change): Promise<boolean>;
	/** The trail, in the order of writing; empty where there is no such call. */
	trail(id: string): Promise<readonly TrailEntry[]>;
	/** Calls in the order of (`createdAt`, `id`); any order of ids will do if it is always the same. */
	list(query: StoreQuery): Promise<readonly StoredCall[]>;
	/**
	 * Calls that can be taken up at `now`: `waiting` with `dueAt` ≤ now, or `in-progress` with
	 * `leaseUntil` ≤ now; highest priority first, then the one that was due first.
	 */
	due(now: number, limit: number): Promise<readonly StoredCall[]>;
	/**
	 * Lets calls go, with their trails, that were over before `before`: `completed` or `abandoned`,
	 * with `updatedAt` < before; those first that were over first, and at most `limit` of them.
	 * Never an open one, nor one in review. Says how many went.
	 */
	purge(before: number, limit: number): Promise<number>;
}

/** When a call can be taken up without anybody's help; null: never. What {@link LedgerStore.due} compares. */
export function dueOf(record: LedgerRecord): number | null {
	switch (record.state) {
		case 'waiting':
			return record.dueAt;
		case 'in-progress':
			return record.leaseUntil;
		default:
			return null;
	}
}

/** When a call was over for good; null: it is not. What {@link LedgerStore.purge} compares. */
export function doneOf({ state, updatedAt }: LedgerRecord): number | null {
	return state === 'completed' || state === 'abandoned' ? updatedAt : null;
}
