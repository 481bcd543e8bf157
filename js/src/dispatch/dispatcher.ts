/**
 * Dispatchers: what has a turn is a function under an upstream, or a call of a ledger.
 *
 * @module
 */

import { RetryRefused } from '../errors.ts';
import { clockOf, throwIfAborted } from '../host.ts';
import type { LedgerCall, RecoverOptions, RunResult, Send } from '../ledger/options.ts';
import { isTurning, type TurningLedger, type Waiting } from '../ledger/turning.ts';
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
	if (ledger !== undefined && !isTurning(ledger)) {
		throw new TypeError('a dispatcher needs a ledger that `createLedger` made');
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
		begin: (resolve: (value: T) => 'ended', ticket: number) => Promise<Turn>,
		added?: () => void,
	): Promise<T> {
		const ticket = nextTicket();
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
						return await begin(end, ticket);
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
		return this.queued<T>({ event, priority, dueAt }, signal, async (end, ticket) => {
			const admission = this.#upstream.begin({ ticket, ...facts });
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
	readonly #ledger: TurningLedger;
	/** Events of the calls that wait for their turn here, or have it. */
	readonly #taken = new Set<string>();

	constructor(turns: Turns, ledger: TurningLedger) {
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
		const run = async (ticket: number): Promise<RunResult<T>> => {
			await keep();
			return this.#ledger.runWith(call, send, ticket);
		};
		// Its turn tells of a failure.
		const added = (): void => void keep().catch(() => {});
		return this.#turn({ event, priority, dueAt, signal }, run, added);
	}

	recover<T>(
		send: Send<T>,
		options: Omit<RecoverOptions<T>, 'concurrency'> = {},
	): Promise<readonly RunResult<T>[]> {
		const turning = {
			isTaken: (event: string) => this.#taken.has(event),
			turn: <U>(call: Waiting, run: (ticket: number) => Promise<RunResult<U>>) =>
				this.#turn(call, run),
		};
		// As many wait as run, so that a call of the ledger is there when a turn is given away.
		const concurrency = Math.min(MOST_AT_ONCE, 2 * this.turns.concurrency);
		return this.#ledger.recoverIn(turning, send, { ...options, concurrency });
	}

	async #turn<T>(
		{ event, priority, dueAt, signal }: Waiting,
		run: (ticket: number) => Promise<RunResult<T>>,
		added?: () => void,
	): Promise<RunResult<T>> {
		const begin = async (end: (result: RunResult<T>) => 'ended', ticket: number): Promise<Turn> => {
			const result = await run(ticket);
			if (result.state !== 'waiting') {
				return end(result);
			}
			const { reason, retryInMs } = result;
			if (reason === undefined) {
				return { laterMs: retryInMs, otherwise: () => end(result) };
			}
			// Without a wait nobody knows when it may go on: it stays in the ledger.
			return retryInMs > 0 ? { heldMs: retryInMs } : end(result);
		};
		this.#taken.add(event);
		try {
			const about = { event, priority, dueAt: dueAt ?? undefined };
			return await this.queued<RunResult<T>>(about, signal, begin, added);
		} finally {
			this.#taken.delete(event);
		}
	}
}

/** The most that a ledger takes up at once. */
const MOST_AT_ONCE = 1000;

/** Far above what hosts number their own calls with: an upstream knows them all by these. */
const FIRST_TICKET = 2 ** 52;

let tickets = 0;

/** A number that no other call of this process has; they come round after four thousand million. */
function nextTicket(): number {
	tickets = (tickets + 1) % 2 ** 32;
	return FIRST_TICKET + tickets;
}

function whole(name: string, value: number, low: number, high: number): number {
	if (Number.isInteger(value) && value >= low && value <= high) {
		return value;
	}
	throw new RangeError(
		`${name} is ${String(value)}: it must be a whole number from ${low} to ${high}`,
	);
}
