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
import { type AttemptSignal, attemptSignal } from '../fetch/signals.ts';
import { outcomeOf as outcomeOfError } from '../thrown.ts';
import type { Call, Reason, Verdict } from '../types.ts';
import type { KeptUpstream } from '../upstream.ts';
import { type Books, Race } from './books.ts';
import type { LedgerAnswer, LedgerEvent, LedgerRecord } from './core.ts';
import { LedgerConflict } from './errors.ts';
import { eventOf, type Found, keptBy, lookUp } from './lookup.ts';
import type { Lookup, RunResult, Send } from './options.ts';
import { keptOf, outcomeOf, payloadOf, statusOf } from './payload.ts';
import type { CallFacts, StoredCall } from './store.ts';
import { untilAborted } from './until.ts';

/** What all runs of a ledger share. */
export interface Shared {
	readonly books: Books;
	readonly upstream: KeptUpstream;
	readonly lookup: Lookup | undefined;
	/** A name that no other run has. */
	owner(): string;
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
}

/** How an attempt ended. */
type Ended<T> =
	| { readonly value: T }
	| { readonly error: unknown }
	/** By the caller's signal, while it was on its way. */
	| { readonly cancelled: unknown };

/** A claim that was won, a result, or undefined: somebody wrote in between, ask again. */
type Claimed<T> =
	| { readonly record: LedgerRecord; readonly call: Call }
	| { readonly result: RunResult<T> }
	| undefined;

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
				this.#order.signal?.throwIfAborted();
				const claimed = await this.#claim();
				if (claimed === undefined) {
					await race.lost();
					continue;
				}
				if ('result' in claimed) {
					return claimed.result;
				}
				const result = await this.#attempt(claimed.record, claimed.call);
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
			const now = this.#now();
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
		const now = this.#now();
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
				return { result: this.#stands(stored as StoredCall) };
			case 'expired':
				if (!(await books.commit(id, stored, answer))) {
					return undefined;
				}
				return {
					result: this.#stands({ ...(stored as StoredCall), record: record as LedgerRecord }),
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
		return { record: record as LedgerRecord, call: begun };
	}

	/** The upstream's leave, for the first attempt of this run; later ones have it from the wait. */
	#begin(
		key: string | null,
		firstSentAt: number,
		now: number,
	): Call | { readonly reason: Reason; readonly retryInMs: number | null } {
		if (this.#call === undefined) {
			const { upstream } = this.#shared;
			const { method, priority, idempotent } = this.#order.facts;
			// No random bits: a key that is not in the record would be another one next time.
			const admission = upstream.beginAt(
				{
					method,
					priority,
					firstSentAt,
					...(key !== null && { key }),
					...(idempotent !== null && { idempotent }),
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
	async #attempt(record: LedgerRecord, call: Call): Promise<RunResult<T> | undefined> {
		const { books, upstream } = this.#shared;
		const { id, signal } = this.#order;
		const { attempt } = record;
		if (signal?.aborted) {
			await books.change(id, async (stored) => [
				books.ask(stored, { op: 'release', attempt }, this.#now()),
			]);
			throw signal.reason;
		}
		const started = upstream.clock.now();
		const ended = await this.#sent(record, call);
		const verdict = this.#verdict(call, ended, upstream.clock.now() - started);
		const answer = await this.#settled(record, ended, verdict);
		if ('cancelled' in ended) {
			throw ended.cancelled;
		}
		const after = answer.record;
		if (answer.result !== 'ok' || after === null) {
			return { ...this.#base(after ?? record), state: 'fenced', ...ended };
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
				const delayMs = Math.max(0, (after.dueAt ?? 0) - this.#now());
				if (verdict.kind !== 'retry') {
					return this.#pending(after, delayMs);
				}
				const reason = await this.#waited(call, delayMs);
				return reason === undefined ? undefined : this.#pending(after, 0, reason);
			}
		}
	}

	async #sent(record: LedgerRecord, call: Call): Promise<Ended<T>> {
		const { id, facts, signal: caller } = this.#order;
		const { headers, timeoutMs } = call;
		const limit: AttemptSignal = attemptSignal(caller, timeoutMs, this.#shared.upstream.clock);
		const { signal } = limit;
		this.#attempts += 1;
		const { attempt, key } = record;
		const payload = payloadOf(facts.payload);
		const { labels } = facts;
		try {
			const sending = (async () =>
				this.#send({ event: id, attempt, key, headers, payload, labels, signal }))();
			return { value: await untilAborted(sending, signal) };
		} catch (error) {
			return caller?.aborted ? { cancelled: caller.reason } : { error };
		} finally {
			limit.clear();
		}
	}

	#verdict(call: Call, ended: Ended<T>, durationMs: number): Verdict {
		if ('cancelled' in ended) {
			return call.cancel();
		}
		const outcome = 'value' in ended ? outcomeOf(ended.value) : outcomeOfError(ended.error);
		return call.settle({ ...outcome, durationMs });
	}

	async #settled(
		{ attempt }: LedgerRecord,
		ended: Ended<T>,
		verdict: Verdict,
	): Promise<LedgerAnswer> {
		const { books, upstream, isIdempotent } = this.#shared;
		const { id, facts } = this.#order;
		const status =
			'value' in ended
				? statusOf(ended.value)
				: 'error' in ended
					? (statusOf(outcomeOfError(ended.error)) ?? statusOf(ended.error))
					: undefined;
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
		return books.change(id, async (stored) => {
			const answer = books.ask(stored, event, this.#now());
			const isUndecided = answer.result === 'ok' && answer.record?.cause === 'ambiguous';
			if (!isUndecided || stored === null) {
				return [answer, outcome === undefined ? {} : { outcome }];
			}
			found ??= await lookUp(this.#shared.lookup, stored);
			return found.answer === 'unknown'
				? [answer]
				: [books.ask(stored, eventOf(upstream, stored, found, status), this.#now()), keptBy(found)];
		});
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
		return { result: this.#stands({ ...stored, outcome: extras.outcome ?? null, record }) };
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

	#submission(stored: StoredCall | null, dueAt: number, now: number): LedgerAnswer {
		const { id, key, fingerprint } = this.#order;
		const event = { op: 'submit', id, key, fingerprint, dueAt: Math.ceil(dueAt) } as const;
		return this.#shared.books.ask(stored, event, now);
	}

	#pending(record: LedgerRecord, retryInMs: number, reason?: Reason): RunResult<T> {
		const state = record.state === 'in-progress' ? 'in-progress' : 'waiting';
		return { ...this.#base(record), state, retryInMs, ...(reason !== undefined && { reason }) };
	}

	/** A call for which nothing is to be sent. */
	#stands({ record, outcome }: StoredCall): RunResult<T> {
		const base = this.#base(record);
		switch (record.state) {
			case 'completed':
				return { ...base, state: 'completed', replayed: true, value: payloadOf(outcome) as T };
			case 'review':
				return { ...base, state: 'review', cause: record.cause ?? 'exhausted' };
			default:
				return { ...base, state: 'abandoned' };
		}
	}

	#base(record: LedgerRecord): Pick<RunResult<T>, 'event' | 'record' | 'attempts'> {
		return { event: this.#order.id, record, attempts: this.#attempts };
	}

	/** The wall clock, in whole milliseconds. */
	#now(): number {
		return Math.floor(this.#shared.upstream.clock.wall());
	}
}
