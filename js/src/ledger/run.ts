/**
 * One run of one call: claim, send, write back, wait, and again.
 *
 * ```text
 * read ─▶ claim ──▶ send ──▶ settle ─┬─▶ completed, review
 *   ▲      │ (nothing to send)       └─▶ waiting ─▶ sleep ─▶ read
 *   │      └─▶ replay, review, in-progress …
 *   └── lost race
 * ```
 *
 * Nothing here decides about retries or records: an upstream and the ledger's rules do.
 *
 * @module
 */

import { RetryRefused, RetrywiseError } from '../errors.ts';
import { reasonOf, throwIfAborted } from '../host.ts';
import type { Call, Reason } from '../types.ts';
import type { KeptUpstream } from '../upstream.ts';
import { type Ended, made, verdictOn } from './attempt.ts';
import { type Books, Race } from './books.ts';
import type { LedgerAnswer, LedgerRecord } from './core.ts';
import { LedgerConflict } from './errors.ts';
import { Lease } from './lease.ts';
import { eventOf, keptBy, lookUp } from './lookup.ts';
import type { Lookup, RunResult, Send } from './options.ts';
import { pending, standing } from './result.ts';
import { settled } from './settlement.ts';
import type { CallFacts, StoredCall } from './store.ts';

/** What all runs of a ledger share. */
export interface Shared {
	readonly books: Books;
	readonly upstream: KeptUpstream;
	readonly lookup: Lookup | undefined;
	/** A name that no other run has. */
	owner(): string;
	/** Waits beside the work, without keeping the process alive. */
	background(ms: number, signal: AbortSignal): Promise<void>;
	/** The wall clock, in whole milliseconds. */
	now(): number;
	/** Whether the method may be sent twice by itself. */
	isIdempotent(method: string): boolean;
}

/** What a run is about. */
export interface Order {
	readonly id: string;
	readonly key: string | null;
	readonly fingerprint: string;
	readonly facts: CallFacts;
	readonly dueAt: number | undefined;
	readonly leaseMs: number | undefined;
	readonly signal: AbortSignal | undefined;
	/** By what the limiter knows the call again; undefined: by nothing. */
	readonly ticket?: number | undefined;
}

/** A claim that was won: an attempt to send. */
interface Won {
	readonly record: LedgerRecord;
	readonly call: Call;
	/** When to renew the lease; undefined: never. */
	readonly renewInMs: number | undefined;
}

/** A claim that was won, a result, or undefined: somebody wrote in between, ask again. */
type Claimed<T> = Won | { readonly result: RunResult<T> } | undefined;

export class Run<T> {
	readonly #shared: Shared;
	readonly #order: Order;
	readonly #send: Send<T>;
	readonly #owner: string;
	#call: Call | undefined;
	#attempts = 0;

	constructor(shared: Shared, order: Order, send: Send<T>) {
		this.#shared = shared;
		this.#order = order;
		this.#send = send;
		this.#owner = shared.owner();
	}

	async result(): Promise<RunResult<T>> {
		try {
			for (let race = new Race(this.#order.id); ; ) {
				throwIfAborted(this.#order.signal);
				const claimed = await this.#claim();
				if (claimed === undefined) {
					await race.lost();
					continue;
				}
				if ('result' in claimed) {
					return claimed.result;
				}
				const result = await this.#attempt(claimed);
				if (result !== undefined) {
					return result;
				}
				race = new Race(this.#order.id);
			}
		} finally {
			this.#call?.end();
		}
	}

	/** Keeps the call, if it is new, and sends nothing; the record as it stands. */
	async submitted(): Promise<LedgerRecord> {
		const { books } = this.#shared;
		const { id, dueAt } = this.#order;
		const answer = await books.change(id, async (stored) => {
			const now = this.#shared.now();
			const answer = this.#submission(stored, Math.max(dueAt ?? now, now), now);
			return [answer, { facts: stored?.facts ?? this.#order.facts }];
		});
		if (answer.result === 'conflict') {
			throw new LedgerConflict(id);
		}
		if (answer.record === null) {
			throw new RetrywiseError(`the ledger refuses ${JSON.stringify(id)}: ${answer.problem}`);
		}
		return answer.record;
	}

	async #claim(): Promise<Claimed<T>> {
		const { books, upstream } = this.#shared;
		const { id, facts, fingerprint, dueAt, leaseMs } = this.#order;
		const stored = await books.store.get(id);
		const now = this.#shared.now();
		const key = stored === null ? this.#order.key : stored.record.key;
		if (stored === null && dueAt !== undefined && dueAt > now) {
			return this.#kept(dueAt, now);
		}
		const answer = books.ask(
			stored,
			{
				op: 'claim',
				id,
				key,
				fingerprint,
				owner: this.#owner,
				...(leaseMs !== undefined && { leaseMs }),
			},
			now,
		);
		const { record } = answer;
		switch (answer.result) {
			case 'start':
				break;
			case 'in-progress':
				if (this.#call !== undefined && record?.state === 'waiting') {
					// This run's own wait: the two clocks do not agree to the millisecond.
					await upstream.clock.sleep(Math.max(1, answer.retryInMs ?? 1), this.#order.signal);
					return undefined;
				}
				return { result: this.#pending(record as LedgerRecord, answer.retryInMs ?? 0) };
			case 'conflict':
				throw new LedgerConflict(id);
			case 'unknown':
				return this.#unknown(stored as StoredCall, answer, now);
			case 'replay':
			case 'review':
			case 'abandoned':
				return { result: standing(stored as StoredCall, this.#attempts) };
			case 'expired':
				if (!(await books.commit(id, stored, answer))) {
					return undefined;
				}
				return {
					result: standing(
						{ ...(stored as StoredCall), record: record as LedgerRecord },
						this.#attempts,
					),
				};
			default:
				throw new RetrywiseError(`the ledger refuses ${JSON.stringify(id)}: ${answer.problem}`);
		}
		const begun = this.#begin(key, stored?.record.firstSentAt ?? now, now);
		if ('reason' in begun) {
			return this.#refused(stored, begun, now);
		}
		if (!(await books.commit(id, stored, answer, { facts }))) {
			if (this.#attempts === 0) {
				begun.end();
				this.#call = undefined;
			}
			return undefined;
		}
		return { record: record as LedgerRecord, call: begun, renewInMs: answer.renewInMs };
	}

	/** The upstream's leave, for the first attempt of this run; later ones have it from the wait. */
	#begin(
		key: string | null,
		firstSentAt: number,
		now: number,
	): Call | { readonly reason: Reason; readonly retryInMs: number | null } {
		if (this.#call === undefined) {
			const { upstream } = this.#shared;
			const { ticket } = this.#order;
			const { method, priority, idempotent } = this.#order.facts;
			// No random bits: a key that is not in the record would be another one next time.
			const admission = upstream.beginAt(
				{
					method,
					priority,
					firstSentAt,
					...(key !== null && { key }),
					...(idempotent !== null && { idempotent }),
					...(ticket !== undefined && { ticket }),
				},
				null,
				upstream.clock.now(),
				now,
			);
			if (!admission.admitted) {
				return admission;
			}
			this.#call = admission.call;
		}
		return this.#call;
	}

	/** Sends, and writes back how it ended; undefined: it waited, and another attempt may follow. */
	async #attempt({ record, call, renewInMs }: Won): Promise<RunResult<T> | undefined> {
		const { books, upstream } = this.#shared;
		const { id, facts, leaseMs, signal } = this.#order;
		const { attempt } = record;
		if (signal?.aborted) {
			await books.change(id, async (stored) => [
				books.ask(stored, { op: 'release', attempt }, this.#shared.now()),
			]);
			throw reasonOf(signal);
		}
		const started = upstream.clock.now();
		this.#attempts += 1;
		const lease = new Lease(this.#shared, { id, attempt, leaseMs, renewInMs });
		let ended: Ended<T>;
		try {
			ended = await made(this.#send, record, facts, call, upstream.clock, signal, lease.lost);
		} finally {
			lease.end();
		}
		if (lease.lost.aborted) {
			call.cancel();
			const stored = await books.store.get(id);
			return this.#fenced(stored?.record ?? record, ended);
		}
		const verdict = verdictOn(call, ended, upstream.clock.now() - started);
		const answer = await settled(this.#shared, facts, record, ended, verdict);
		if ('cancelled' in ended) {
			throw ended.cancelled;
		}
		const after = answer.record;
		if (answer.result !== 'ok' || after === null) {
			return this.#fenced(after ?? record, ended);
		}
		switch (after.state) {
			case 'completed':
				return {
					...this.#base(after),
					state: 'completed',
					replayed: false,
					value: 'value' in ended ? ended.value : undefined,
				};
			case 'review':
				return {
					...this.#base(after),
					state: 'review',
					cause: after.cause ?? 'exhausted',
					...ended,
				};
			default: {
				const delayMs = Math.max(0, (after.dueAt ?? 0) - this.#shared.now());
				if (verdict.kind !== 'retry') {
					return this.#pending(after, delayMs);
				}
				const reason = await this.#waited(call, delayMs);
				return reason === undefined ? undefined : this.#pending(after, 0, reason);
			}
		}
	}

	/** A worker is gone, and nothing makes a repetition safe: the vendor is asked, else a person. */
	async #unknown(stored: StoredCall, answer: LedgerAnswer, now: number): Promise<Claimed<T>> {
		const { books, upstream } = this.#shared;
		const { id } = this.#order;
		const found = await lookUp(this.#shared.lookup, stored);
		const isKnown = found.answer !== 'unknown';
		const decided = isKnown ? books.ask(stored, eventOf(upstream, stored, found), now) : answer;
		const extras = isKnown ? keptBy(found) : {};
		if (!(await books.commit(id, stored, decided, extras))) {
			return undefined;
		}
		const { record } = decided;
		if (record === null || record.state === 'waiting') {
			return undefined;
		}
		const stands = { ...stored, outcome: extras.outcome ?? null, record };
		return { result: standing(stands, this.#attempts) };
	}

	/** Waits, and asks until the call may go on; gives the reason when it may not. */
	async #waited(call: Call, delayMs: number): Promise<Reason | undefined> {
		const { clock } = this.#shared.upstream;
		for (let wait = delayMs; ; ) {
			await clock.sleep(wait, this.#order.signal);
			const resumed = call.resume();
			if (resumed.admitted) {
				return undefined;
			}
			if (resumed.over) {
				return resumed.reason;
			}
			wait = Math.max(1, resumed.retryInMs ?? 0);
		}
	}

	/** The upstream lets nothing through now: the call is kept for later. */
	async #refused(
		stored: StoredCall | null,
		{ reason, retryInMs }: { readonly reason: Reason; readonly retryInMs: number | null },
		now: number,
	): Promise<Claimed<T>> {
		if (stored !== null) {
			return { result: this.#pending(stored.record, retryInMs ?? 0, reason) };
		}
		if (retryInMs === null) {
			throw new RetryRefused(reason, null);
		}
		return this.#kept(now + retryInMs, now, reason);
	}

	/** Keeps a call that is not sent yet. */
	async #kept(dueAt: number, now: number, reason?: Reason): Promise<Claimed<T>> {
		const { books } = this.#shared;
		const { id, facts } = this.#order;
		const due = Math.ceil(dueAt);
		const answer = this.#submission(null, due, now);
		if (answer.record === null) {
			throw new RetrywiseError(`the ledger refuses ${JSON.stringify(id)}: ${answer.problem}`);
		}
		const isWritten = await books.commit(id, null, answer, { facts });
		return isWritten ? { result: this.#pending(answer.record, due - now, reason) } : undefined;
	}

	/** Somebody else has the call. */
	#fenced(record: LedgerRecord, ended: Ended<T>): RunResult<T> {
		if ('cancelled' in ended) {
			throw ended.cancelled;
		}
		return { ...this.#base(record), state: 'fenced', ...ended };
	}

	#submission(stored: StoredCall | null, dueAt: number, now: number): LedgerAnswer {
		const { id, key, fingerprint } = this.#order;
		const event = { op: 'submit', id, key, fingerprint, dueAt: Math.ceil(dueAt) } as const;
		return this.#shared.books.ask(stored, event, now);
	}

	#pending(record: LedgerRecord, retryInMs: number, reason?: Reason): RunResult<T> {
		return pending(record, this.#attempts, retryInMs, reason);
	}

	#base(record: LedgerRecord): Pick<RunResult<T>, 'event' | 'record' | 'attempts'> {
		return { event: this.#order.id, record, attempts: this.#attempts };
	}
}
