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

import { type Engine, engine } from '../engine.ts';
import { RetrywiseError } from '../errors.ts';

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
	  }
	/** Nobody knows whether the attempt was processed. */
	| { op: 'ambiguous'; attempt: number; status?: number; dueAt?: number; reason?: string }
	/** The attempt was claimed, but nothing was sent. */
	| { op: 'release'; attempt: number }
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
	/** What the vendor's own status call says about an attempt whose answer was lost. */
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

/** A policy that the module keeps (`keepPolicy` of `policy.ts`); 0 is the standard policy. */
export type PolicyHandle = number;

/**
 * Applies an event to a record.
 *
 * @param policy its `idempotency.honoured`, `windowMs`, `leaseMs` and `retentionMs` count
 * @param record the record as the store has it, null where it has none
 * @param now the wall clock
 * @throws {RetrywiseError} when record or event are not what the types say, or a newer version wrote the record
 */
export function ledgerOp(
	policy: PolicyHandle,
	record: LedgerRecord | null,
	event: LedgerEvent,
	now: number,
	module: Engine = engine(),
): LedgerAnswer {
	const answer = ask(module, { record, event, now }, (length) =>
		exportsOf(module).ledger_op(policy, length),
	);
	if (typeof answer['error'] === 'string') {
		throw new RetrywiseError(`the ledger cannot take this event: ${answer['error']}`);
	}
	return answer as unknown as LedgerAnswer;
}

/**
 * Renders a trail for people: a heading, a line for each transition, and how it ended. Free text is
 * escaped, keys are shortened.
 *
 * @param lang `en` or `ar`
 */
export function renderTrail(
	trail: TrailDocument,
	lang: 'en' | 'ar' = 'en',
	module: Engine = engine(),
): string {
	const answer = ask(module, { trail, lang }, (length) => exportsOf(module).trail_render(length));
	if (typeof answer['error'] === 'string') {
		throw new RetrywiseError(`this is no trail: ${answer['error']}`);
	}
	return String(answer['text']);
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

/** What a person needs to decide about a record; null when it is not in review. */
export function reviewItem(
	record: LedgerRecord,
	lang: 'en' | 'ar' = 'en',
	module: Engine = engine(),
): ReviewItem | null {
	const answer = ask(module, { record, lang }, (length) => exportsOf(module).review_item(length));
	if (typeof answer['error'] === 'string') {
		throw new RetrywiseError(`this is no record: ${answer['error']}`);
	}
	return answer['item'] as ReviewItem | null;
}

/** What the module exports for the ledger: question and answer are JSON texts. */
interface LedgerExports {
	ledger_op(policy: number, length: number): number;
	trail_render(length: number): number;
	review_item(length: number): number;
}

function exportsOf(module: Engine): LedgerExports {
	return module.wasm as unknown as LedgerExports;
}

function ask(
	module: Engine,
	question: unknown,
	call: (length: number) => number,
): Record<string, unknown> {
	if (!module.input.document(JSON.stringify(question))) {
		throw new RetrywiseError('the record or event is longer than 1 MiB');
	}
	return JSON.parse(module.text(call(module.input.length) >>> 0)) as Record<string, unknown>;
}
