/**
 * What callers say to a dispatcher, and what it answers.
 *
 * @module
 */

import type { Ledger, LedgerCall, RecoverOptions, RunResult, Send } from '../ledger/options.ts';
import type { Attempt, RetryOptions } from '../retry.ts';
import type { Upstream } from '../types.ts';

/** How a dispatcher is set up. */
export interface DispatcherOptions {
	/** Where the calls go: its limiter, its breaker and its budget hold for all of them. */
	upstream?: Upstream;
	/** Keeps the calls and carries each out once; it brings its own upstream. */
	ledger?: Ledger;
	/** At most so many calls run at once, their waits between attempts among them; from 1. @default 8 */
	concurrency?: number;
	/** At most so many calls wait for their turn; from 1. @default 10000 */
	capacity?: number;
	/** Waiting, ms, that makes up for one step of priority, so that nothing starves. @default 60000 */
	agingMs?: number;
	/** Hears of every change, as it happens. What it throws is ignored. */
	onEvent?: (event: DispatchEvent) => void;
}

/** A call without a ledger: facts about its request, and when it wants to be sent. */
export interface DispatchCall extends Omit<RetryOptions, 'clock' | 'name' | 'onEvent' | 'seed'> {
	/** Not before then, wall clock ms; among calls of one priority the one that was due first goes first. @default now */
	dueAt?: number;
}

/** A change in what a dispatcher has to do. */
export interface DispatchEvent {
	/**
	 * `queued`: it waits for its turn. `started`: its turn came. `held`: the upstream refused it and
	 * lets nothing through for `retryInMs`; it has its old place. `ended`: it is done, however.
	 */
	readonly type: 'queued' | 'started' | 'held' | 'ended';
	/** What the call is known by; undefined where it has no event. */
	readonly event: string | undefined;
	readonly priority: number;
	/** How long ago it was queued, ms. */
	readonly ageMs: number;
	/** Of `held`. */
	readonly retryInMs?: number;
	readonly view: DispatcherView;
}

/** How many calls stand where. */
export interface DispatcherView {
	/** Their time has not come. */
	readonly notDue: number;
	/** They wait for their turn. */
	readonly waiting: number;
	readonly running: number;
	/** They ended, since the start: each in one way. */
	readonly ended: number;
	/** How often the upstream refused one that had its turn. */
	readonly held: number;
}

interface Dispatching {
	view(): DispatcherView;
	/** Resolves as soon as nothing waits or runs, calls that are not due among them. */
	drain(): Promise<void>;
	/**
	 * Takes no more calls, rejects those whose turn has not come with `DispatcherClosed`, and
	 * resolves when the others have ended. With a ledger nothing is lost: what was not sent is kept
	 * there, and `recover` takes it up.
	 */
	close(): Promise<void>;
	[Symbol.asyncDispose](): Promise<void>;
}

/** Runs functions in their order, under an upstream. */
export interface Dispatcher extends Dispatching {
	/**
	 * Calls `make`, as `retry` does, when its turn comes.
	 *
	 * @throws {DispatcherFull} {@link DispatcherClosed} when it was not added, or not sent
	 * @throws {RetryRefused} when the upstream refuses it for good
	 * @throws the signal's reason when it is aborted, in the queue or later
	 */
	run<T>(make: (attempt: Attempt) => T | PromiseLike<T>, call?: DispatchCall): Promise<T>;
}

/** Carries out the calls of a ledger in their order. */
export interface LedgerDispatcher extends Dispatching {
	/**
	 * Keeps the call in the ledger, then carries it out, as `ledger.run` does, when its turn comes.
	 *
	 * @throws {DispatcherFull} when it was not added; nothing was kept
	 * @throws {DispatcherClosed} when it was not sent; the ledger keeps it
	 * @throws what `ledger.run` throws
	 */
	run<T>(call: LedgerCall, send: Send<T>): Promise<RunResult<T>>;
	/**
	 * Takes up what is due in the ledger, as `ledger.recover` does, each call in its turn: by its own
	 * priority and due time, among those that `run` brings. Calls that wait here already are left
	 * alone. Gives the results in the order of taking up.
	 *
	 * @throws {DispatcherFull} {@link DispatcherClosed} when a call was not added, or not sent; the ledger keeps it
	 * @throws what `ledger.recover` throws
	 */
	recover<T>(
		send: Send<T>,
		options?: Omit<RecoverOptions<T>, 'concurrency'>,
	): Promise<readonly RunResult<T>[]>;
}

/** The dispatcher that these options make. */
export type Dispatched<O extends DispatcherOptions> = O extends { ledger: Ledger }
	? LedgerDispatcher
	: Dispatcher;
