/**
 * The ledger's rules, asked from the core: a record and an event go in, the record to write back
 * comes out. Nothing here reads a clock, a store or chance, and no rule stands here.
 *
 * The caller keeps the record, writes it back by compare-and-set on {@link LedgerRecord.revision},
 * and on a lost race reads it again and asks again. Times are the wall clock, in whole milliseconds
 * since 1970.
 *
 * @module
 */

import type { Buffers } from '../engine.ts';
import { RetrywiseError } from '../errors.ts';
import { callTag } from '../input.ts';
import type { Language, Policy } from '../types.ts';
import { type Keeping, keeper, type Terms, termsOf } from './module.ts';

/** Where a record stands. No record at all is `absent`. */
export type LedgerState = 'in-progress' | 'waiting' | 'completed' | 'review' | 'abandoned';

/** Why a call was handed to a person. */
export type Cause =
	| 'exhausted'
	| 'ambiguous'
	| 'permanent'
	| 'cancelled'
	| 'hint-too-long'
	| 'deadline'
	| 'key-expired';

/** What a person does with a call in review. */
export type ReviewAction = 'confirm' | 'retry-new-key' | 'abandon';

/** What a person did, when and why. */
export interface Resolution {
	readonly action: ReviewAction;
	readonly by: string;
	readonly why: string;
	readonly at: number;
}

/** One call, as the store keeps it: plain data, versioned, written and read by the core alone. */
export interface LedgerRecord {
	/** The version of this form; 1. */
	readonly v: 1;
	/** Grows by one with every change: what a compare-and-set compares. From 1. */
	readonly revision: number;
	/** What the call is known by in the ledger, 1 to 255 characters. */
	readonly id: string;
	/** The idempotency key that goes to the server; null when the call has none. */
	readonly key: string | null;
	/** What tells this payload from another. */
	readonly fingerprint: string;
	readonly state: LedgerState;
	/** The attempt that was started last, from 1; 0 when none was. */
	readonly attempt: number;
	/** `in-progress`: who sends. */
	readonly owner: string | null;
	/** `in-progress`: when the owner counts as gone. */
	readonly leaseUntil: number | null;
	/** `waiting`: when the next attempt may start. */
	readonly dueAt: number | null;
	/** `review`: why. */
	readonly cause: Cause | null;
	/** The status of the last answer; for `completed`, of the answer that completed it. */
	readonly status: number | null;
	/** An attempt may have been processed without our seeing the answer. */
	readonly maybeProcessed: boolean;
	/** It was kept before its first attempt: a release never drops it. */
	readonly queued: boolean;
	readonly createdAt: number;
	readonly updatedAt: number;
	/** When the key was first sent: the start of its window, and the value of a First-Sent header. */
	readonly firstSentAt: number | null;
	/** The record, now abandoned, that this one takes the place of. */
	readonly replaces: string | null;
	/** The record that takes the place of this one. */
	readonly replacedBy: string | null;
	readonly resolution: Resolution | null;
}

/** What happens to a record. */
export type LedgerEvent =
	/** Keeps a call that is not sent yet. `dueAt`: not before then; left out: now. */
	| { op: 'submit'; id: string; key?: string | null; fingerprint: string; dueAt?: number }
	/** Asks to send an attempt. `leaseMs` left out: the policy's. `owner` is unique to the run, not to the machine. */
	| {
			op: 'claim';
			id: string;
			key?: string | null;
			fingerprint: string;
			owner: string;
			leaseMs?: number;
	  }
	/** The attempt succeeded. */
	| { op: 'complete'; attempt: number; status?: number }
	/** The attempt failed and did nothing. With `dueAt` another follows; without, `cause` (or what the status says) sends it to review. */
	| {
			op: 'fail';
			attempt: number;
			status?: number;
			dueAt?: number;
			cause?: Cause;
			reason?: string;
			rateLimited?: boolean;
			maybeProcessed?: boolean;
			sustainedThrottling?: boolean;
	  }
	/** Nobody knows whether the attempt was processed. */
	| {
			op: 'ambiguous';
			attempt: number;
			status?: number;
			dueAt?: number;
			reason?: string;
			sustainedThrottling?: boolean;
	  }
	/** The attempt was claimed, but nothing was sent. */
	| { op: 'release'; attempt: number }
	/** The attempt is still on its way: its lease begins anew. `leaseMs` left out: the policy's. */
	| { op: 'renew'; attempt: number; leaseMs?: number }
	/** How the attempt ended, as the call's verdict says: complete, fail or ambiguous, chosen by the core. */
	| {
			op: 'settle';
			attempt: number;
			status?: number;
			/** Fields of the verdict, as they are. */
			kind: 'accept' | 'retry' | 'stop';
			reason: string;
			delayMs: number;
			class: string;
			delivery: string;
			/** Sending the request twice is harmless by itself (PUT, DELETE …). Default false. */
			idempotent?: boolean;
			/** The verdict's sign that rate limits keep coming. Default false. */
			sustainedThrottling?: boolean;
	  }
	/** What the vendor's own status call says about an attempt whose answer was lost. `dueAt`: of the next attempt, where the policy allows one. */
	| {
			op: 'lookup';
			attempt: number;
			answer: 'processed' | 'not_processed' | 'unknown';
			status?: number;
			dueAt?: number;
	  }
	/** A person decides about a record in review. `retry-new-key` needs `newId`, and `newKey` where the call has a key. */
	| {
			op: 'resolve';
			action: ReviewAction;
			by: string;
			why: string;
			newId?: string;
			newKey?: string | null;
	  }
	/** Lets a completed record go once the policy's retention is over. */
	| { op: 'purge' };

/** What an event came to. */
export type LedgerResult =
	| 'start'
	| 'replay'
	| 'in-progress'
	| 'conflict'
	| 'expired'
	| 'unknown'
	| 'review'
	| 'abandoned'
	| 'ok'
	| 'fenced'
	| 'refused';

/** A state of the trail. */
export type TrailState =
	| 'pending'
	| 'attempted'
	| 'rate-limited'
	| 'retrying'
	| 'confirmed'
	| 'failed'
	| 'abandoned'
	| 'replaced';

/** One transition, as the trail keeps it. Fields without a value are left out. */
export interface TrailEntry {
	readonly at: number;
	readonly state: TrailState;
	/** `error` for `failed`, `warning` where rate limits keep coming, else `info`. */
	readonly severity: 'info' | 'warning' | 'error';
	readonly attempt: number;
	readonly status?: number;
	/** The wait before the next attempt. */
	readonly delayMs?: number;
	/** The verdict's reason. */
	readonly reason?: string;
	readonly cause?: Cause;
	readonly sustainedThrottling?: true;
	/** The worker of the attempt before vanished. */
	readonly takenOver?: true;
	/** The other record, where one takes the place of another. */
	readonly other?: string;
	readonly by?: string;
	readonly why?: string;
}

/** The answer to one event. */
export interface LedgerAnswer {
	readonly result: LedgerResult;
	/** Whether `record` differs from what was given: then write it back by compare-and-set. */
	readonly changed: boolean;
	/** The record after the event; null: there is none (any more). */
	readonly record: LedgerRecord | null;
	/** `start`: the attempt to send. */
	readonly attempt?: number;
	/** `in-progress`: when asking again makes sense, from now. */
	readonly retryInMs?: number;
	/** `start`, and after `renew`: when to renew the lease, from now, while the attempt lasts. */
	readonly renewInMs?: number;
	/** `refused`: why, for people. */
	readonly problem?: string;
	/** Transitions to append to the record's trail, in order; write them with the record. */
	readonly entries: readonly TrailEntry[];
	/** `resolve` with `retry-new-key`: the record to insert, and its trail, in the same transaction. */
	readonly created?: { readonly record: LedgerRecord; readonly entries: readonly TrailEntry[] };
}

/** What a trail is rendered from. */
export interface TrailDocument {
	readonly id?: string;
	/** Shown shortened. */
	readonly key?: string | null;
	/** Names and values to find the call by; escaped before they are shown. */
	readonly labels?: Readonly<Record<string, string>>;
	readonly entries: readonly TrailEntry[];
}

/** A record in review, as a person needs to see it. */
export interface ReviewItem {
	readonly id: string;
	readonly cause: Cause;
	/** The cause as a sentence. */
	readonly explanation: string;
	/** What to do about it, as a sentence. */
	readonly advice: string;
	readonly attempt: number;
	readonly status: number | null;
	readonly since: number;
	/** The key, shortened. */
	readonly key: string | null;
	/** An attempt may have been processed: sending again under a new key may act twice. */
	readonly maybeProcessed: boolean;
	readonly actions: readonly ReviewAction[];
}

/**
 * The ledger under one policy: its `idempotency.honoured`, `windowMs`, `leaseMs`, `retentionMs`,
 * `version` and what the vendor takes as a key count.
 */
export interface LedgerTerms extends Disposable {
	/**
	 * Applies an event to a record, null where the store has none, at `now` (wall clock ms).
	 *
	 * @throws {RetrywiseError} when record or event are not what the types say, or a newer version wrote the record
	 */
	apply(record: LedgerRecord | null, event: LedgerEvent, now: number): LedgerAnswer;
	/** The key of a business event: the same in every process, at any time. */
	keyOf(event: string): string;
	/** A new key of 16 random bytes, in the policy's version (`v7` needs the wall clock). */
	newKey(entropy: Uint8Array, wall: number): string;
}

/**
 * The ledger's rules under a policy.
 *
 * @throws {PolicyError} with everything that is wrong with the policy
 * @throws {LoadError} where the host forbids WebAssembly
 */
export function ledgerTerms(policy: Policy | string = {}): LedgerTerms {
	return new KeptTerms(policy);
}

class KeptTerms implements LedgerTerms {
	readonly #module: Buffers<Keeping>;
	/** Nothing once it was disposed of. */
	#terms: Terms | undefined;

	constructor(policy: Policy | string) {
		this.#terms = termsOf(policy);
		this.#module = keeper();
	}

	apply(record: LedgerRecord | null, event: LedgerEvent, now: number): LedgerAnswer {
		return ledgerOp(this.#kept(), record, event, now);
	}

	keyOf(event: string): string {
		const { input } = this.#module;
		input.clear();
		input.text(callTag.event, event);
		return this.#makeKey(Number.NaN);
	}

	newKey(entropy: Uint8Array, wall: number): string {
		const { input } = this.#module;
		input.clear();
		input.raw(callTag.entropy, entropy);
		return this.#makeKey(wall);
	}

	[Symbol.dispose](): void {
		this.#terms = undefined;
	}

	#makeKey(wall: number): string {
		const { input, wasm } = this.#module;
		const { version, longestKey, keyShape } = this.#kept();
		const length = wasm.key_make(version, longestKey, keyShape, wall, input.length);
		return given(this.#module, length);
	}

	#kept(): Terms {
		if (this.#terms === undefined) {
			throw new RetrywiseError('this ledger was disposed of');
		}
		return this.#terms;
	}
}

/**
 * Applies an event to a record under these terms.
 *
 * @throws {RetrywiseError} as {@link LedgerTerms.apply}
 */
function ledgerOp(
	terms: Terms,
	record: LedgerRecord | null,
	event: LedgerEvent,
	now: number,
): LedgerAnswer {
	const module = keeper();
	const question = { record, event, now };
	const answer = ask(module, question, (length) =>
		module.wasm.ledger_op(
			terms.honoured,
			terms.windowMs,
			terms.leaseMs,
			terms.retentionMs,
			terms.longestKey,
			terms.keyShape,
			terms.retries,
			length,
		),
	);
	return JSON.parse(answer) as LedgerAnswer;
}

/**
 * Renders a trail for people: a heading, a line for each transition, and how it stands. Free text
 * is escaped, keys are shortened.
 *
 * @throws {RetrywiseError} when it is no trail
 */
export function renderTrail(trail: TrailDocument, lang: Language = 'en'): string {
	const module = keeper();
	return ask(module, { trail, lang }, (length) => module.wasm.trail_render(length));
}

/** What a person needs to decide about a record; null when it is not in review. */
export function reviewItem(record: LedgerRecord, lang: Language = 'en'): ReviewItem | null {
	const module = keeper();
	const answer = ask(module, { record, lang }, (length) => module.wasm.review_item(length));
	return (JSON.parse(answer) as { readonly item: ReviewItem | null }).item;
}

function ask(
	module: Buffers<Keeping>,
	question: unknown,
	call: (length: number) => number,
): string {
	if (!module.input.document(JSON.stringify(question))) {
		throw new RetrywiseError('a question to the ledger is longer than 1 MiB');
	}
	return given(module, call(module.input.length));
}

/** The answer that the last call wrote. */
function given(module: Buffers<Keeping>, length: number): string {
	const [problem = '', answer = ''] = module.strings(length >>> 0);
	if (problem !== '') {
		throw new RetrywiseError(`the ledger cannot take this: ${problem}`);
	}
	return answer;
}
