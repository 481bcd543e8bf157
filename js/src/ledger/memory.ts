/**
 * A store in memory, for tests only: it is gone with the process, and no other process sees it, so
 * it keeps nobody from sending twice.
 *
 * @module
 */

import type { TrailEntry } from './core.ts';
import {
	type Change,
	doneOf,
	dueOf,
	type LedgerStore,
	type StoredCall,
	type StoreQuery,
} from './store.ts';

interface Kept {
	/** As JSON, as any real store would have it: nobody changes it by a reference. */
	readonly call: string;
	readonly trail: readonly string[];
}

/** A store for tests. */
export function memoryStore(): LedgerStore {
	return new MemoryStore();
}

class MemoryStore implements LedgerStore {
	readonly #calls = new Map<string, Kept>();

	async get(id: string): Promise<StoredCall | null> {
		const kept = this.#calls.get(id);
		return kept === undefined ? null : read(kept);
	}

	async write(change: Change): Promise<boolean> {
		const { id, expected, record, entries, facts, outcome, created } = change;
		const kept = this.#calls.get(id);
		const old = kept === undefined ? null : read(kept);
		const isTaken = created !== undefined && this.#calls.has(created.record.id);
		if ((old?.record.revision ?? 0) !== expected || isTaken) {
			return false;
		}
		const known = old?.facts ?? facts;
		if (record === null || known === undefined) {
			this.#calls.delete(id);
		} else {
			const keeps = outcome === undefined ? (old?.outcome ?? null) : outcome;
			const call: StoredCall = { record, facts: known, outcome: keeps };
			this.#calls.set(id, written(call, [...(kept?.trail ?? []), ...texts(entries)]));
		}
		if (created !== undefined) {
			const call = { record: created.record, facts: created.facts, outcome: null };
			this.#calls.set(created.record.id, written(call, texts(created.entries)));
		}
		return true;
	}

	async trail(id: string): Promise<readonly TrailEntry[]> {
		return (this.#calls.get(id)?.trail ?? []).map((entry) => JSON.parse(entry) as TrailEntry);
	}

	async list({ state, cause, labels, after, limit }: StoreQuery): Promise<readonly StoredCall[]> {
		const wanted = Object.entries(labels ?? {});
		return this.#all()
			.filter(({ record }) => state === undefined || record.state === state)
			.filter(({ record }) => cause === undefined || record.cause === cause)
			.filter(({ facts }) => wanted.every(([name, value]) => facts.labels[name] === value))
			.sort((a, b) => inOrder(a.record, b.record))
			.filter(({ record }) => after === undefined || inOrder(record, after) > 0)
			.slice(0, limit);
	}

	async due(now: number, limit: number): Promise<readonly StoredCall[]> {
		const dueAt = ({ record }: StoredCall): number => dueOf(record) ?? Number.POSITIVE_INFINITY;
		return this.#all()
			.filter((call) => dueAt(call) <= now)
			.sort((a, b) => b.facts.priority - a.facts.priority || dueAt(a) - dueAt(b))
			.slice(0, limit);
	}

	async purge(before: number, limit: number): Promise<number> {
		const doneAt = ({ record }: StoredCall): number => doneOf(record) ?? Number.POSITIVE_INFINITY;
		const over = this.#all()
			.filter((call) => doneAt(call) < before)
			.sort((a, b) => doneAt(a) - doneAt(b))
			.slice(0, limit);
		for (const { record } of over) {
			this.#calls.delete(record.id);
		}
		return over.length;
	}

	#all(): StoredCall[] {
		return Array.from(this.#calls.values(), read);
	}
}

type Place = NonNullable<StoreQuery['after']>;

function inOrder(a: Place, b: Place): number {
	return a.createdAt - b.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id));
}

function read({ call }: Kept): StoredCall {
	return JSON.parse(call) as StoredCall;
}

function written(call: StoredCall, trail: readonly string[]): Kept {
	return { call: JSON.stringify(call), trail };
}

function texts(entries: readonly TrailEntry[]): string[] {
	return entries.map((entry) => JSON.stringify(entry));
}
