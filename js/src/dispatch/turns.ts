/**
 * Turns: whose comes when, by the core's rule. Knows nothing of what a turn is for.
 *
 * @module
 */

import type { Buffers } from '../engine.ts';
import { slot } from '../exports.ts';
import { reasonOf, throwIfAborted } from '../host.ts';
import { type Keeping, keeper } from '../ledger/module.ts';
import type { Clock } from '../types.ts';
import { DispatcherClosed, DispatcherFull } from './errors.ts';
import type { DispatchEvent, DispatcherView } from './options.ts';

/** What waits for its turn. */
export interface Job {
	readonly event: string | undefined;
	readonly priority: number;
	/** Wall clock ms; undefined: now. */
	readonly dueAt: number | undefined;
	readonly signal: AbortSignal | undefined;
	/** Its turn came. It never rejects. */
	begin(): Promise<Turn>;
	/** Its turn will not come. */
	drop(reason: unknown): void;
}

/** How a turn ended. */
export type Turn =
	/** For good. */
	| 'ended'
	/** The upstream lets nothing through for so long: the same turn again. */
	| { readonly heldMs: number }
	/** It is not its time: another turn then, or where there is no room to wait an end as it is. */
	| { readonly laterMs: number; readonly otherwise: () => void };

export interface TurnOptions {
	readonly clock: Clock;
	readonly concurrency: number;
	readonly capacity: number;
	readonly agingMs: number;
	readonly onEvent: ((event: DispatchEvent) => void) | undefined;
}

interface Waiting {
	readonly job: Job;
	readonly queuedAt: number;
	readonly abort: () => void;
}

export class Turns {
	readonly #options: TurnOptions;
	readonly #engine: Buffers<Keeping>;
	readonly #jobs = new Map<number, Waiting>();
	/** 0 once it is closed and empty. */
	#handle: number;
	#lastId = 0;
	#ended = 0;
	#held = 0;
	#closed = false;
	#alarm: AbortController | undefined;
	#idle: (() => void)[] = [];

	constructor(options: TurnOptions) {
		const { concurrency, capacity, agingMs } = options;
		this.#options = options;
		this.#engine = keeper();
		this.#handle = this.#engine.wasm.dispatch_new(concurrency, capacity, agingMs) >>> 0;
		if (this.#handle === 0) {
			throw new DispatcherFull('a million dispatchers are kept: close those that are done with');
		}
	}

	get clock(): Clock {
		return this.#options.clock;
	}

	get concurrency(): number {
		return this.#options.concurrency;
	}

	/** Adds a job; throws where it cannot, and where its signal is aborted. */
	add(job: Job): void {
		throwIfAborted(job.signal);
		if (this.#closed) {
			throw new DispatcherClosed('the dispatcher is closed');
		}
		const id = this.#nextId();
		if (!this.#queue(id, job, job.dueAt)) {
			throw new DispatcherFull(`${this.#options.capacity} calls wait already`);
		}
		const { signal } = job;
		const abort = (): void => this.#give(id, signal && reasonOf(signal));
		signal?.addEventListener('abort', abort, { once: true });
		const waiting = { job, queuedAt: this.clock.wall(), abort };
		this.#jobs.set(id, waiting);
		this.#tell('queued', waiting);
		this.#look();
	}

	view(): DispatcherView {
		const { wasm } = this.#engine;
		const [notDue = 0, waiting = 0, running = 0] = [0, 1, 2].map(
			(which) => wasm.dispatch_view(this.#handle, which) >>> 0,
		);
		return { notDue, waiting, running, ended: this.#ended, held: this.#held };
	}

	drain(): Promise<void> {
		return this.#jobs.size === 0
			? Promise.resolve()
			: new Promise((resolve) => {
					this.#idle.push(resolve);
				});
	}

	async close(): Promise<void> {
		this.#closed = true;
		for (const id of [...this.#jobs.keys()]) {
			this.#give(id, new DispatcherClosed('the dispatcher was closed before its turn came'));
		}
		await this.drain();
		this.#alarm?.abort();
		this.#engine.wasm.dispatch_free(this.#handle);
		this.#handle = 0;
	}

	#queue(id: number, { priority }: Job, dueAt: number | undefined): boolean {
		const due = dueAt === undefined ? Number.NaN : Math.ceil(dueAt);
		const { wasm } = this.#engine;
		return wasm.dispatch_add(this.#handle, id, priority, due, this.clock.wall()) !== 0;
	}

	/** Gives away the turn of a job that has not begun. */
	#give(id: number, reason: unknown): void {
		const waiting = this.#jobs.get(id);
		if (waiting !== undefined && this.#engine.wasm.dispatch_remove(this.#handle, id) !== 0) {
			this.#over(id, waiting);
			waiting.job.drop(reason);
		}
	}

	/** Begins whatever may begin, and waits for the next time that something may. */
	#look(): void {
		const { wasm } = this.#engine;
		this.#alarm?.abort();
		this.#alarm = undefined;
		for (;;) {
			const id = wasm.dispatch_next(this.#handle, this.clock.wall()) >>> 0;
			if (id === 0) {
				break;
			}
			void this.#begin(id);
		}
		const waitMs = this.#engine.output(slot.retryIn);
		if (waitMs >= 0) {
			const alarm = new AbortController();
			this.#alarm = alarm;
			this.clock.sleep(waitMs, alarm.signal).then(
				() => this.#look(),
				() => {},
			);
		}
	}

	async #begin(id: number): Promise<void> {
		const waiting = this.#jobs.get(id);
		const { wasm } = this.#engine;
		if (waiting === undefined) {
			wasm.dispatch_done(this.#handle, id);
			return;
		}
		const { job } = waiting;
		this.#tell('started', waiting);
		const turn = await job.begin();
		if (turn !== 'ended' && !this.#closed && !job.signal?.aborted) {
			const now = this.clock.wall();
			if ('heldMs' in turn) {
				this.#held += 1;
				wasm.dispatch_put_back(this.#handle, id, turn.heldMs, now);
				this.#tell('held', waiting, turn.heldMs);
			} else {
				wasm.dispatch_done(this.#handle, id);
				if (this.#queue(id, job, now + turn.laterMs)) {
					this.#tell('queued', waiting);
				} else {
					this.#over(id, waiting);
					turn.otherwise();
				}
			}
		} else {
			wasm.dispatch_done(this.#handle, id);
			this.#over(id, waiting);
			if (turn !== 'ended') {
				const closed = new DispatcherClosed('the dispatcher was closed before its turn came again');
				job.drop(job.signal?.aborted ? reasonOf(job.signal) : closed);
			}
		}
		this.#look();
	}

	#over(id: number, waiting: Waiting): void {
		this.#jobs.delete(id);
		this.#ended += 1;
		waiting.job.signal?.removeEventListener('abort', waiting.abort);
		this.#tell('ended', waiting);
		if (this.#jobs.size === 0) {
			for (const resolve of this.#idle.splice(0)) {
				resolve();
			}
		}
	}

	#tell(type: DispatchEvent['type'], { job, queuedAt }: Waiting, retryInMs?: number): void {
		const { event, priority } = job;
		try {
			this.#options.onEvent?.({
				type,
				event,
				priority,
				ageMs: Math.max(0, this.clock.wall() - queuedAt),
				...(retryInMs !== undefined && { retryInMs }),
				view: this.view(),
			});
		} catch {
			// Who only listens must not change what happens.
		}
	}

	/** A number that no job has; they come round after four thousand million. */
	#nextId(): number {
		do {
			this.#lastId = (this.#lastId % 0xffff_fffe) + 1;
		} while (this.#jobs.has(this.#lastId));
		return this.#lastId;
	}
}
