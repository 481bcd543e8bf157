/**
 * The lease of an attempt, kept alive while its function runs: an attempt that takes long is not
 * taken for that of a worker that is gone.
 *
 * @module
 */

import type { Books } from './books.ts';
import { LeaseLost } from './errors.ts';

/** Whose lease it is. */
export interface Leased {
	readonly id: string;
	readonly attempt: number;
	/** Left out: the policy's. */
	readonly leaseMs: number | undefined;
	/** When to renew for the first time, as the claim's answer says; undefined: never. */
	readonly renewInMs: number | undefined;
}

/** What a lease needs of its ledger. */
export interface Lessor {
	readonly books: Books;
	/** Waits beside the work, without keeping the process alive. */
	background(ms: number, signal: AbortSignal): Promise<void>;
	/** The wall clock, in whole milliseconds. */
	now(): number;
}

export class Lease {
	readonly #lessor: Lessor;
	readonly #leased: Leased;
	readonly #lost = new AbortController();
	readonly #ended = new AbortController();

	/** Renews from now on, until {@link Lease.end}. */
	constructor(lessor: Lessor, leased: Leased) {
		this.#lessor = lessor;
		this.#leased = leased;
		void this.#keep(leased.renewInMs);
	}

	/** Aborted, with a {@link LeaseLost}, once somebody else has the call. */
	get lost(): AbortSignal {
		return this.#lost.signal;
	}

	/** The attempt is over. A renewal that is on its way loses its race, or comes to nothing. */
	end(): void {
		this.#ended.abort();
	}

	async #keep(first: number | undefined): Promise<void> {
		const { signal } = this.#ended;
		for (let wait = first; wait !== undefined; ) {
			try {
				await this.#lessor.background(wait, signal);
			} catch {
				return;
			}
			if (signal.aborted) {
				return;
			}
			try {
				wait = await this.#renew();
			} catch {
				// The store is out of reach: so it is for those who would take over. Asked again in turn.
			}
		}
	}

	/** When to renew again; undefined: there is nothing to renew any more. */
	async #renew(): Promise<number | undefined> {
		const { books, now } = this.#lessor;
		const { id, attempt, leaseMs } = this.#leased;
		const given = leaseMs === undefined ? {} : { leaseMs };
		const { result, renewInMs } = await books.change(id, async (stored) => [
			books.ask(stored, { op: 'renew', attempt, ...given }, now()),
		]);
		if (result === 'fenced' && !this.#ended.signal.aborted) {
			this.#lost.abort(new LeaseLost(id));
		}
		return result === 'ok' ? renewInMs : undefined;
	}
}
