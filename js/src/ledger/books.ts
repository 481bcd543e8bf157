/**
 * The store and the rules together: a record is read, an event applied, the change written back,
 * and all of it again when somebody else wrote in between.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import { sleep } from '../host.ts';
import type { LedgerAnswer, LedgerEvent, LedgerTerms } from './core.ts';
import type { Transition } from './options.ts';
import type { CallFacts, LedgerStore, StoredCall } from './store.ts';

/** What goes into the store besides the record. */
export interface Extras {
	/** For a call that is new. */
	readonly facts?: CallFacts;
	/** What completed it. */
	readonly outcome?: string | null;
}

/** Lost races in a row after which it is a store that compares wrongly. */
const MOST_LOST = 1000;

export class Books {
	readonly store: LedgerStore;
	readonly #terms: LedgerTerms;
	readonly #notify: ((transition: Transition) => void) | undefined;

	constructor(
		store: LedgerStore,
		terms: LedgerTerms,
		notify: ((transition: Transition) => void) | undefined,
	) {
		this.store = store;
		this.#terms = terms;
		this.#notify = notify;
	}

	/** What the event would come to. */
	ask(stored: StoredCall | null, event: LedgerEvent, now: number): LedgerAnswer {
		return this.#terms.apply(stored?.record ?? null, event, now);
	}

	/** Writes a change back; false: somebody else wrote in between, and nothing was written. */
	async commit(
		id: string,
		stored: StoredCall | null,
		{ changed, record, entries, created }: LedgerAnswer,
		{ facts = stored?.facts, outcome }: Extras = {},
	): Promise<boolean> {
		if (!changed) {
			return true;
		}
		const isWritten = await this.store.write({
			id,
			expected: stored?.record.revision ?? 0,
			record,
			entries,
			...(stored === null && facts !== undefined && { facts }),
			...(outcome !== undefined && { outcome }),
			...(created !== undefined && facts !== undefined && { created: { ...created, facts } }),
		});
		if (isWritten && this.#notify !== undefined) {
			for (const [event, list] of [
				[id, entries],
				[created?.record.id ?? '', created?.entries ?? []],
			] as const) {
				for (const entry of list) {
					this.#tell({ event, entry, labels: facts?.labels ?? {} });
				}
			}
		}
		return isWritten;
	}

	/** Applies what `decide` makes of the call as it stands, until it is written. */
	async change(
		id: string,
		decide: (stored: StoredCall | null) => Promise<readonly [LedgerAnswer, Extras?]>,
	): Promise<LedgerAnswer> {
		for (const race = new Race(id); ; await race.lost()) {
			const stored = await this.store.get(id);
			const [answer, extras] = await decide(stored);
			if (await this.commit(id, stored, answer, extras)) {
				return answer;
			}
		}
	}

	#tell(transition: Transition): void {
		try {
			this.#notify?.(transition);
		} catch {
			// A watcher must not change what it watches.
		}
	}
}

/** Counts lost races, and gives the winner time. */
export class Race {
	readonly #id: string;
	#lost = 0;

	constructor(id: string) {
		this.#id = id;
	}

	async lost(): Promise<void> {
		this.#lost += 1;
		if (this.#lost > MOST_LOST) {
			throw new RetrywiseError(`the store refuses every change of ${JSON.stringify(this.#id)}`);
		}
		await sleep(Math.random() * Math.min(this.#lost, 20));
	}
}
