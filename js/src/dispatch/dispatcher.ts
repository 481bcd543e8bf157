/**
 * Dispatchers: what has a turn is a function under an upstream, or a call of a ledger.
 *
 * @module
 */

import { RetryRefused } from '../errors.ts';
import { clockOf, throwIfAborted } from '../host.ts';
import type { Ledger, LedgerCall, RunResult, Send } from '../ledger/options.ts';
import { type Attempt, Retrying } from '../retry.ts';
import type { Upstream } from '../types.ts';
import { isKept } from '../upstream.ts';
import type {
	DispatchCall,
	Dispatched,
	Dispatcher,
	DispatcherOptions,
	DispatcherView,
	LedgerDispatcher,
} from './options.ts';
import { type Turn, Turns } from './turns.ts';

/**
 * Sets up a dispatcher, over an upstream or over a ledger.
 *
 * The order is the core's: a step of priority is worth `agingMs` of due time. Whoever's turn comes
 * asks the upstream; a refusal that names a wait holds everybody back for so long, and the call keeps
 * its place. So the limit that the upstream learned from the answers paces the queue, and what there
 * is goes to the most urgent.
 *
 * @throws {RangeError} when an option is out of its range
 * @throws {TypeError} when it is given neither an upstream nor a ledger, or an upstream beside a ledger that has another
 * @throws {LoadError} where the host forbids WebAssembly
 */
export function createDispatcher<const O extends DispatcherOptions>(options: O): Dispatched<O> {
	const { ledger, concurrency = 8, capacity = 10_000, agingMs = 60_000, onEvent } = options;
	const upstream = options.upstream ?? ledger?.upstream;
	if (upstream === undefined) {
		throw new TypeError('a dispatcher needs an upstream or a ledger');
	}
	if (ledger !== undefined && upstream !== ledger.upstream) {
		throw new TypeError("a ledger's calls go to its own upstream: leave `upstream` out");
	}
	const turns = new Turns({
		clock: isKept(upstream) ? upstream.clock : clockOf(),
		concurrency: whole('concurrency', concurrency, 1, 100_000),
		capacity: whole('capacity', capacity, 1, 1_000_000),
		agingMs: whole('agingMs', agingMs, 0, 31_622_400_000),
		onEvent,
	});
	const made = ledger === undefined ? new Functions(turns, upstream) : new Calls(turns, ledger);
	return made as unknown as Dispatched<O>;
}

/** What both kinds have in common. */
class Dispatching {
	protected readonly turns: Turns;

	constructor(turns: Turns) {
		this.turns = turns;
	}

	view(): DispatcherView {
		return this.turns.view();
	}

	drain(): Promise<void> {
		return this.turns.drain();
	}

	close(): Promise<void> {
		return this.turns.close();
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	/** What `begin` settles for one job, once it is not to be done again. */
	protected queued<T>(
		about: { event: string | undefined; priority: number; dueAt: number | undefined },
		signal: AbortSignal | undefined,
		begin: (resolve: (value: T) => 'ended') => Promise<Turn>,
		added?: () => void,
	): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			const end = (value: T): 'ended' => {
				resolve(value);
				return 'ended';
			};
			this.turns.add({
				...about,
				signal,
				drop: reject,
				async begin() {
					try {
						return await begin(end);
					} catch (error) {
						reject(error);
						return 'ended';
					}
				},
			});
			added?.();
		});
	}
}

class Functions extends Dispatching implements Dispatcher {
	readonly #upstream: Upstream;

	constructor(turns: Turns, upstream: Upstream) {
		super(turns);
		this.#upstream = upstream;
	}

	async run<T>(
		make: (attempt: Attempt) => T | PromiseLike<T>,
		call: DispatchCall = {},
	): Promise<T> {
		const { dueAt, ...facts } = call;
		const { event, priority = 0, signal } = facts;
		return this.queued<T>({ event, priority, dueAt }, signal, async (end) => {
			const admission = this.#upstream.begin(facts);
			if (admission.admitted) {
				return end(await new Retrying(this.#upstream, facts).carryOut(admission.call, make));
			}
			const { reason, retryInMs } = admission;
			if (retryInMs === null) {
				throw new RetryRefused(reason, null);
			}
			return { heldMs: retryInMs };
		});
	}
}

class Calls extends Dispatching implements LedgerDispatcher {
	readonly #ledger: Ledger;

	constructor(turns: Turns, ledger: Ledger) {
		super(turns);
		this.#ledger = ledger;
	}

	async run<T>(call: LedgerCall, send: Send<T>): Promise<RunResult<T>> {
		const { event, priority = 0, dueAt, signal } = call;
		throwIfAborted(signal);
		// Kept at once: what waits in memory only would be gone with the process.
		let kept: Promise<unknown> | undefined;
		const keep = (): Promise<unknown> => {
			kept ??= this.#ledger.submit(call);
			return kept;
		};
		const begin = async (end: (result: RunResult<T>) => 'ended'): Promise<Turn> => {
			await keep();
			const result = await this.#ledger.run(call, send);
			if (result.state !== 'waiting') {
				return end(result);
			}
			const { reason, retryInMs } = result;
			return reason === undefined
				? { laterMs: retryInMs, otherwise: () => end(result) }
				: { heldMs: retryInMs };
		};
		// Its turn tells of a failure.
		const added = (): void => void keep().catch(() => {});
		return this.queued({ event, priority, dueAt }, signal, begin, added);
	}
}

function whole(name: string, value: number, low: number, high: number): number {
	if (Number.isInteger(value) && value >= low && value <= high) {
		return value;
	}
	throw new RangeError(
		`${name} is ${String(value)}: it must be a whole number from ${low} to ${high}`,
	);
}
