/**
 * Recordings of an upstream, for `retrywise replay`.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import { forEachHeader, isRead } from '../headers.ts';
import type { Call, Outcome, Policy, RequestFacts, Upstream } from '../types.ts';
import { isKept, type KeptUpstream, LAYER_HEADER } from '../upstream.ts';
import { property } from '../values.ts';

/** One event and what was decided. */
export interface TraceStep {
	/** Milliseconds since the recording began. */
	readonly at: number;
	readonly op: 'begin' | 'settle' | 'resume' | 'cancel' | 'end';
	/** The name of the call. */
	readonly call: string;
	/** The wall clock, ISO 8601. */
	readonly wall: string;
	readonly request?: RequestFacts;
	readonly outcome?: object;
	/** What was decided. */
	readonly expect: Readonly<Record<string, unknown>>;
}

/** A recording. As JSON it is one line of a file that `retrywise replay` reads. */
export interface Trace {
	readonly id: string;
	readonly policy: Policy;
	readonly seed: number;
	/** Grows as long as the upstream is used. */
	readonly steps: readonly TraceStep[];
}

/** What an upstream does not tell of itself. */
export interface RecordOptions {
	/** What the recording is called. Default: "trace". */
	id?: string;
	/** The policy that the upstream was made of. Default: the standard one. */
	policy?: Policy;
	/** The seed that it was made with, for delays to be the same again. */
	seed: number;
}

/**
 * Records what happens on an upstream from now on, whoever uses it; begin before its first call.
 *
 * Of requests the method and the key are kept, of answers the status and the headers that decisions
 * read, of errors their codes, names and messages: no bodies, no cookies, no credentials. A vendor's
 * code in a body is not kept, so a decision that rests on one shows as a difference.
 *
 * @throws RetrywiseError when the upstream was made by another copy of the package
 */
export function recordTrace(upstream: Upstream, options: RecordOptions): Trace {
	if (!isKept(upstream)) {
		throw new RetrywiseError('this upstream was not made by this copy of the package');
	}
	const { id = 'trace', policy = {}, seed } = options;
	const steps: TraceStep[] = [];
	new Recorder(upstream, steps).listen();
	return { id, policy, seed, steps };
}

type Part = Omit<TraceStep, 'at' | 'wall'>;

class Recorder {
	readonly #upstream: KeptUpstream;
	readonly #steps: TraceStep[];
	readonly #start: number;
	#calls = 0;

	constructor(upstream: KeptUpstream, steps: TraceStep[]) {
		this.#upstream = upstream;
		this.#steps = steps;
		this.#start = Math.floor(upstream.clock.now());
	}

	/** Puts itself before the upstream's own `beginAt`, through which every call comes. */
	listen(): void {
		const upstream = this.#upstream;
		const begin = upstream.beginAt.bind(upstream);
		upstream.beginAt = (request, entropy, now, wall) => {
			const admission = begin(request, entropy, now, wall);
			this.#calls += 1;
			const call = String(this.#calls);
			const { admitted } = admission;
			const key = admission.admitted ? admission.call.key : (request.key ?? null);
			const expect = admission.admitted
				? { admitted }
				: { admitted, reason: admission.reason, retryInMs: admission.retryInMs };
			this.#note({ op: 'begin', call, request: requestOf(request, key), expect }, now, wall);
			if (admission.admitted) {
				this.#follow(admission.call, call);
			}
			return admission;
		};
	}

	/** The same before what is asked of a call. */
	#follow(call: Call, name: string): void {
		const settle = call.settle.bind(call);
		const resume = call.resume.bind(call);
		const cancel = call.cancel.bind(call);
		const end = call.end.bind(call);
		// `end` after the end says nothing, and it cancels what is not over.
		let isOver = false;
		let isEnding = false;
		call.settle = (outcome) => {
			const kept = outcomeOf(outcome, this.#upstream);
			const [now, wall] = this.#time();
			const verdict = settle(outcome);
			const { kind, attempt, delayMs, reason } = verdict;
			isOver ||= kind !== 'retry';
			const expect = { verdict: kind, attempt, delayMs, reason };
			this.#note({ op: 'settle', call: name, outcome: kept, expect }, now, wall);
			return verdict;
		};
		call.resume = () => {
			const [now, wall] = this.#time();
			const resumed = resume();
			isOver ||= !resumed.admitted && resumed.over;
			this.#note({ op: 'resume', call: name, expect: { ...resumed } }, now, wall);
			return resumed;
		};
		call.cancel = () => {
			const [now, wall] = this.#time();
			const verdict = cancel();
			if (!isEnding) {
				const expect = { verdict: verdict.kind, reason: verdict.reason };
				this.#note({ op: 'cancel', call: name, expect }, now, wall);
			}
			isOver = true;
			return verdict;
		};
		call.end = () => {
			const [now, wall] = this.#time();
			isEnding = true;
			end();
			if (!isOver) {
				this.#note({ op: 'end', call: name, expect: {} }, now, wall);
			}
			isOver = true;
		};
	}

	#note(part: Part, now: number, wall: number): void {
		const at = now - this.#start;
		this.#steps.push({ at, ...part, wall: new Date(wall).toISOString() });
	}

	#time(): [now: number, wall: number] {
		return [this.#upstream.clock.now(), this.#upstream.clock.wall()];
	}
}

function requestOf(request: RequestFacts, key: string | null): RequestFacts {
	const { method = 'GET', priority, idempotent, replayableBody } = request;
	let isNested = request.parent !== undefined && request.parent !== false;
	forEachHeader(request.headers, (name) => {
		isNested ||= name.toLowerCase() === LAYER_HEADER;
	});
	return {
		method,
		...(key !== null && { key }),
		...(priority !== undefined && { priority }),
		...(idempotent !== undefined && { idempotent }),
		...(replayableBody !== undefined && { replayableBody }),
		...(isNested && { parent: true }),
	};
}

/** As much of an outcome as decisions read, but for bodies. */
function outcomeOf(outcome: Outcome, { engine }: KeptUpstream): object {
	const answer = outcome.status === undefined ? property(outcome.error, 'response') : outcome;
	const status = property(answer, 'status');
	const lines: [string, string][] = [];
	forEachHeader(property(answer, 'headers'), (name, value) => {
		if (isRead(engine, name)) {
			lines.push([name.toLowerCase(), String(value)]);
		}
	});
	const { committed, durationMs } = outcome;
	return {
		...(typeof status === 'number' && { status, headers: lines }),
		...(outcome.error !== undefined && { error: errorOf(outcome.error) }),
		...(committed !== undefined && { committed }),
		...(durationMs !== undefined && { durationMs }),
	};
}

/** The words by which errors are told apart. */
const WORDS = ['name', 'message', 'code', 'syscall', 'errno'] as const;

/** Errors of one chain of causes that are kept. */
const DEPTH = 8;

function errorOf(error: unknown, depth: number = DEPTH): object {
	const said = WORDS.map((word) => [word, property(error, word)] as const);
	const cause = property(error, 'cause');
	return {
		...Object.fromEntries(said.filter(([, value]) => /string|number/.test(typeof value))),
		...(cause !== undefined && depth > 1 && { cause: errorOf(cause, depth - 1) }),
	};
}
