/**
 * What callers say to a ledger, and what it answers.
 *
 * @module
 */

import type { Clock, Language, Policy, Reason, Upstream } from '../types.ts';
import type {
	Cause,
	LedgerRecord,
	LedgerState,
	ReviewAction,
	ReviewItem,
	TrailEntry,
} from './core.ts';
import type { Labels, LedgerStore } from './store.ts';

/** Time, as a ledger needs it. */
export interface LedgerClock extends Clock {
	/**
	 * A wait beside the work, until a lease is to be renewed: as `sleep`, but it must not keep a
	 * process alive. @default chained timers, unref'd
	 */
	background(ms: number, signal: AbortSignal): Promise<void>;
}

/** How a ledger is set up. */
export interface LedgerOptions {
	/** Where the calls are kept. */
	store: LedgerStore;
	/** Decides, as everywhere; its `idempotency` says what the server does with keys. @default the standard policy */
	policy?: Policy | string;
	/** Replaces the host's time, wholly or in part. Leases, due times and windows are wall clock. */
	clock?: Partial<LedgerClock>;
	/** A name for this worker, for people; every run adds to it what makes it unique. @default random */
	owner?: string;
	/**
	 * The vendor's own status call: asked before a call of which nobody knows whether it was
	 * processed goes to a person. A rejection counts as `unknown`.
	 */
	lookup?: Lookup;
	/** After each transition was written. What it throws is ignored. */
	onTransition?: (transition: Transition) => void;
	/** A whole number, 0 to 2^53 − 1: the same seed gives the same delays. @default random */
	seed?: number;
}

/** A call of which nobody knows whether it was processed. */
export interface LookupCall {
	readonly event: string;
	readonly key: string | null;
	readonly payload: unknown;
	readonly labels: Labels;
	/** The attempt whose answer was lost. */
	readonly attempt: number;
}

/** What the vendor says. `not_processed` also says that no attempt on its way will do it any more. */
export type LookupAnswer = 'processed' | 'not_processed' | 'unknown';

/** Asks the vendor; with `processed` it may tell status and value, kept as those of an attempt. */
export type Lookup = (call: LookupCall) => LookupReply | PromiseLike<LookupReply>;

/** The answer, alone or with what came with it. */
export type LookupReply =
	| LookupAnswer
	| { readonly answer: LookupAnswer; readonly status?: number; readonly value?: unknown };

/** A transition that was written. */
export interface Transition {
	readonly event: string;
	readonly entry: TrailEntry;
	readonly labels: Labels;
}

/** A call that must be carried out once. */
export interface LedgerCall {
	/** What it is, the same at every repetition: `renewal/42/2026`. 1 to 255 bytes. */
	event: string;
	/**
	 * What is sent: JSON data, or bytes (`Uint8Array`, any other view, `ArrayBuffer`), which come
	 * back as a `Uint8Array`. One event with another payload is a conflict.
	 */
	payload?: unknown;
	/** Higher goes first where calls are taken up again or wait for the rate limit; a whole number. @default 0 */
	priority?: number;
	/** Not before then, wall clock ms: the call is kept, and `recover` takes it up. @default now */
	dueAt?: number;
	/** Names and values to find it by. Compared exactly, in Unicode's composed form (NFC). */
	labels?: Labels;
	/** The idempotency key; null: the call has none. @default derived from the event */
	key?: string | null;
	/** The request's method. @default "POST" */
	method?: string;
	/** Overrides what the method says. */
	idempotent?: boolean;
	/**
	 * How long a worker owns the call, ms, after it was last heard of: then another takes over. It is
	 * heard of three times as often while its function runs. @default the policy's
	 * `idempotency.leaseMs`
	 */
	leaseMs?: number;
	/**
	 * Ends the run: it rejects with the signal's reason. The call stays in the ledger: in review as
	 * `cancelled` when an attempt was on its way, else as it was.
	 */
	signal?: AbortSignal;
}

/** What a function is told about the attempt that it makes. */
export interface LedgerAttempt {
	readonly event: string;
	/** Of the call, from 1, over all processes. */
	readonly attempt: number;
	/** The bare idempotency key. */
	readonly key: string | null;
	/** Headers to send: the key, and when it was first sent where the policy says so. */
	readonly headers: Readonly<Record<string, string>>;
	/** As the store keeps it: a copy, after JSON, or of the bytes. */
	readonly payload: unknown;
	readonly labels: Labels;
	/**
	 * Aborted by the caller's signal, when the attempt takes longer than the policy allows, and, with
	 * a `LeaseLost`, when another worker took the call over.
	 */
	readonly signal: AbortSignal;
}

/**
 * Makes one attempt. What it returns is a success, or an answer where it has a numeric `status`
 * (`{ status, headers, body }`, a `Response`, what axios resolves with); what it throws is read as
 * `outcomeOf` of `retrywise` says.
 */
export type Send<T> = (attempt: LedgerAttempt) => T | PromiseLike<T>;

/** How a run ended: by where the call stands now. */
export type RunResult<T = unknown> = {
	readonly event: string;
	readonly record: LedgerRecord;
	/** Attempts that this run sent. */
	readonly attempts: number;
} & (
	| {
			readonly state: 'completed';
			/** It was done before: nothing was sent, and `value` is what JSON kept. */
			readonly replayed: boolean;
			/** Of an answer that was kept: `status`, and its `body` or `data`. */
			readonly value: T | undefined;
	  }
	| {
			/** Somebody else sends it, or it waits for its time. */
			readonly state: 'in-progress' | 'waiting';
			/** When asking again makes sense. */
			readonly retryInMs: number;
			/** Why the upstream let nothing through. */
			readonly reason?: Reason;
	  }
	| {
			/** A person has to decide. */
			readonly state: 'review';
			readonly cause: Cause;
			/** Of the last attempt, if this run sent it. */
			readonly value?: T;
			readonly error?: unknown;
	  }
	| { readonly state: 'abandoned' }
	| {
			/** The lease ran out all the same, and somebody else has the call: what came of this run's attempt is not recorded. */
			readonly state: 'fenced';
			readonly value?: T;
			readonly error?: unknown;
	  }
);

/** A call as the ledger shows it. */
export interface ShownCall {
	readonly event: string;
	readonly record: LedgerRecord;
	readonly payload: unknown;
	readonly labels: Labels;
	readonly priority: number;
	/** What completed it, as far as JSON kept it. */
	readonly value: unknown;
}

/** One page, and where the next begins. */
export interface Page<T> {
	readonly items: readonly T[];
	/** Hand it in as `cursor`; null: there is no more. */
	readonly next: string | null;
}

/** A part of a list. */
export interface PageOptions {
	/** 1 to 1000. @default 50 */
	limit?: number;
	/** `next` of the page before. */
	cursor?: string | null;
}

/** Which calls to list; all conditions hold at once. Oldest first. */
export interface ListOptions extends PageOptions {
	state?: LedgerState;
	cause?: Cause;
	labels?: Labels;
}

/** Which calls a person has to decide about. */
export interface ReviewOptions extends PageOptions {
	cause?: Cause;
	labels?: Labels;
	/** @default "en" */
	lang?: Language;
}

/** What a person decides, who and why. */
export interface Decision {
	action: ReviewAction;
	by: string;
	why: string;
	/** `retry-new-key`: what the new call is known by. @default the event, with `#2`, `#3` … */
	newEvent?: string;
	/** `retry-new-key`: its key. @default derived from the new event */
	newKey?: string;
}

/** What is taken up, and how. */
export interface RecoverOptions<T = unknown> {
	/** At most so many calls, from 1. @default all that are due when it begins */
	limit?: number;
	/** How many at a time, 1 to 1000. @default 4 */
	concurrency?: number;
	/** After each call. What it throws is ignored. */
	onProgress?: (progress: RecoverProgress<T>) => void;
	/** Ends the recovery; it rejects with the signal's reason. */
	signal?: AbortSignal;
	/** As {@link LedgerCall.leaseMs}. */
	leaseMs?: number;
}

/** How far a recovery is. */
export interface RecoverProgress<T = unknown> {
	/** Calls that were taken up and ended, this one included. */
	readonly done: number;
	/** Calls that are on their way now. */
	readonly running: number;
	/** How this one ended. */
	readonly result: RunResult<T>;
}

/** What is let go. */
export interface PurgeOptions {
	/** Wall clock ms: calls that were over before. */
	before: number;
	/** Ends it between two parts; it rejects with the signal's reason. What went is gone. */
	signal?: AbortSignal;
}

/** Carries calls out once, and knows what became of them. */
export interface Ledger extends Disposable {
	/** The dependency that its calls go to: budget, breaker and limiter, to be looked at or held by hand. */
	readonly upstream: Upstream;
	/**
	 * Keeps a call without sending it: `run` or `recover` does that later. A call that is known stays
	 * as it is. Gives the record as it stands.
	 *
	 * @throws {LedgerConflict} when the event is known with another payload
	 * @throws what the store throws
	 */
	submit(call: LedgerCall): Promise<LedgerRecord>;
	/**
	 * Carries a call out, unless it was: asks the store before each attempt, sends, waits and sends
	 * again as the policy says.
	 *
	 * @throws {LedgerConflict} when the event is known with another payload
	 * @throws {RetryRefused} when the call can never be sent as it is
	 * @throws {StoreError} when the store fails: the call stands where it was last written
	 */
	run<T>(call: LedgerCall, send: Send<T>): Promise<RunResult<T>>;
	/**
	 * Takes up what is due: calls that were waiting, and calls whose worker is gone. Highest priority
	 * first, some at a time, each once; it ends early where the upstream lets nothing through (an
	 * open breaker, a limit): the rest stays as it is. Gives the results in the order of taking up.
	 */
	recover<T>(send: Send<T>, options?: RecoverOptions<T>): Promise<readonly RunResult<T>[]>;
	/**
	 * Lets calls go that were over before a time, with payload, outcome and trail: completed ones and
	 * abandoned ones, never an open one nor one in review. An event that is let go is unknown: keep
	 * calls for longer than the same event may come again. Says how many went.
	 */
	purge(options: PurgeOptions): Promise<number>;
	/** The calls with these labels, oldest first. */
	find(labels: Labels, options?: PageOptions): Promise<Page<ShownCall>>;
	list(options?: ListOptions): Promise<Page<ShownCall>>;
	/** Null where there is no such call; likewise below. */
	show(event: string): Promise<ShownCall | null>;
	/** The trail as it is read by people. */
	trail(event: string, lang?: Language): Promise<string | null>;
	/** The trail as data. */
	entries(event: string): Promise<readonly TrailEntry[]>;
	/** What people have to decide about, oldest first. */
	review(options?: ReviewOptions): Promise<Page<ReviewItem & { readonly labels: Labels }>>;
	/**
	 * Records what a person decided about a call in review; gives the record, or with
	 * `retry-new-key` the new one, which `recover` takes up.
	 *
	 * @throws {RetrywiseError} when the call is not in review, or the decision is not complete
	 */
	resolve(event: string, decision: Decision): Promise<LedgerRecord>;
}
