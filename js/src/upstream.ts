/**
 * Upstreams: the handles of the module, with clocks and seed from the host.
 *
 * @module
 */

import { KeptCall, type Said } from './call.ts';
import { type Engine, engine } from './engine.ts';
import { RetrywiseError } from './errors.ts';
import { type EventListener, isHeard, type RetrywiseEvent, tell } from './events.ts';
import { slot } from './exports.ts';
import { forEachHeader } from './headers.ts';
import { clockOf, drawSeed, randomBytes } from './host.ts';
import { callTag } from './input.ts';
import { type KeptPolicy, keepPolicy } from './policy.ts';
import type {
	Admission,
	BreakerState,
	Class,
	Clock,
	Policy,
	Reason,
	RequestFacts,
	Upstream,
	UpstreamOptions,
	UpstreamView,
} from './types.ts';
import { property } from './values.ts';
import { orNull, refusal } from './verdict.ts';

export { orNull, refusalVerdict } from './verdict.ts';

/**
 * Sets up one dependency under a policy.
 *
 * The module is compiled here, if it was not before; the seed is drawn at the first `begin`, since
 * some hosts have no random numbers before a request.
 *
 * @throws {PolicyError} with everything that is wrong with the policy
 * @throws {LoadError} where the host forbids WebAssembly
 */
export function createUpstream(policy?: Policy | string, options: UpstreamOptions = {}): Upstream {
	return new KeptUpstream(policy, options, ALL);
}

/** What the host will report: every outcome, or failures only (budget, breaker, limiter are off). */
export const ALL = 0;
export const FAILURES_ONLY = 1;

const BODY_ONCE = 1;
const NESTED = 2;
const IDEMPOTENT = 4;
const NOT_IDEMPOTENT = 8;

/** The header by which an outer layer tells inner ones that it retries already. */
export const LAYER_HEADER = 'x-retry-layer';

/** What is freed when an upstream is gone. */
interface Handles {
	readonly engine: Engine;
	/** Until the upstream is made of it. */
	policy: KeptPolicy | undefined;
	upstream: number;
}

/** What the waits of one call remember. */
export interface DelayState {
	previous: number;
	polly: number;
}

/** The state before the first wait. */
export function newDelayState(): DelayState {
	return { previous: -1, polly: 0 };
}

export class KeptUpstream implements Upstream {
	readonly name: string;
	readonly engine: Engine;
	readonly policy: KeptPolicy;
	readonly clock: Clock;
	readonly #handles: Handles;
	readonly #seed: number | undefined;
	readonly #reports: number;
	readonly #onEvent: EventListener | undefined;

	/** Writes a header of a request, if it is one of the two that are read. */
	readonly #writeHeader = (name: string, value: unknown): void => {
		const { keyHeader } = this.policy;
		// Most names are of another length: they need not be put in lower case.
		const isOne =
			(name.length === keyHeader.length && name.toLowerCase() === keyHeader.toLowerCase()) ||
			(name.length === LAYER_HEADER.length && name.toLowerCase() === LAYER_HEADER);
		if (isOne && typeof value === 'string') {
			this.engine.input.namedHeader(name, value);
		}
	};

	constructor(policy: Policy | string | undefined, options: UpstreamOptions, reports: number) {
		this.#seed = checkSeed(options.seed);
		this.name = options.name ?? 'upstream';
		this.clock = clockOf(options.clock);
		this.engine = engine();
		this.policy = keepPolicy(this.engine, policy);
		this.#reports = reports;
		this.#onEvent = options.onEvent;
		this.#handles = { engine: this.engine, policy: this.policy, upstream: 0 };
		watch(this, this.#handles);
	}

	/** The handle; the first use makes the upstream, which takes the policy over. */
	get handle(): number {
		const handles = this.#handles;
		if (handles.policy !== undefined) {
			const seed = this.#seed ?? drawSeed();
			const { wasm } = this.engine;
			handles.upstream = wasm.upstream_new(handles.policy.handle, seed, this.#reports) >>> 0;
			handles.policy.release();
			handles.policy = undefined;
		}
		return handles.upstream;
	}

	begin(request: RequestFacts = {}): Admission {
		const entropy = request.entropy ?? (this.policy.generatesKeys ? randomBytes(16) : null);
		return this.beginAt(request, entropy, this.clock.now(), this.clock.wall());
	}

	/** Begins a call that started at another time than now, or that must not make a key. */
	beginAt(request: RequestFacts, entropy: Uint8Array | null, now: number, wall: number): Admission {
		const { wasm, input, methods } = this.engine;
		const upstream = this.handle;
		input.clear();
		const token = request.method ?? 'GET';
		const method = methods.code(token);
		if (method === undefined) {
			input.text(callTag.token, token);
		}
		this.#writeRequest(request, entropy);
		const call = wasm.call_begin(
			upstream,
			method ?? 0,
			flagsOf(request),
			request.priority ?? 0,
			now,
			wall,
			input.length,
		);
		if (call !== 0) {
			// Signed as it came: a number beyond 2^31 would be boxed.
			const kept = new KeptCall(this, call, token, input.length > 0);
			kept.begun(now);
			return { admitted: true, call: kept };
		}
		if (this.engine.output(slot.reason) < 0) {
			throw new RetrywiseError(
				'no room for another call: a million are under way, or the upstream was disposed of; ' +
					'a call that nobody settles to its end has to be ended',
			);
		}
		const refused = refusal(this.engine);
		this.tell('refusal', () => {
			const over = refused.reason !== 'rate-limited';
			return { call: null, method: token, attempt: 1, ...refused, over };
		});
		return { admitted: false, ...refused };
	}

	view(): UpstreamView {
		const { engine, handle } = this;
		const state = engine.wasm.upstream_view(handle, this.clock.now()) >>> 0;
		const balance = engine.output(slot.balance);
		return {
			breaker: state === 0 ? null : (engine.breakerStates.name(state - 1) as BreakerState),
			retryInMs: orNull(engine.output(slot.retryIn)),
			budget: balance < 0 ? null : balance / 1000,
		};
	}

	isolate(): void {
		const { engine, handle } = this;
		engine.wasm.upstream_isolate(handle);
	}

	reset(): void {
		const { engine, handle } = this;
		engine.wasm.upstream_reset(handle);
	}

	/** Whether anybody would hear of such an event. */
	hears(type: RetrywiseEvent['type']): boolean {
		return isHeard(this.#onEvent, type);
	}

	/** Tells of an event, if anybody hears; only then is it made. */
	tell<Type extends RetrywiseEvent['type']>(type: Type, make: () => Said<Type>): void {
		if (this.hears(type)) {
			const event = { type, upstream: this.name, ...make() };
			tell(this.#onEvent, event as unknown as RetrywiseEvent);
		}
	}

	/** The wait before a retry by itself; `state` is what the waits of one call remember. */
	delay(
		retry: number,
		of: Class,
		hintMs: number | null,
		state: DelayState = newDelayState(),
	): { readonly delayMs: number | null; readonly reason: Reason } {
		const { engine, handle } = this;
		const delayMs = engine.wasm.delay(
			handle,
			retry,
			engine.classes.code(of) ?? 0,
			hintMs ?? -1,
			state.previous,
			state.polly,
		);
		const outputs = engine.outputs();
		state.previous = outputs[slot.previous] as number;
		state.polly = outputs[slot.polly] as number;
		const reason = engine.reasons.name(outputs[slot.reason] as number);
		return { delayMs: orNull(delayMs), reason };
	}

	[Symbol.dispose](): void {
		free(this.#handles);
	}

	#writeRequest(request: RequestFacts, entropy: Uint8Array | null): void {
		const { input } = this.engine;
		if (request.key !== undefined) {
			input.text(callTag.key, String(request.key));
		}
		if (request.event !== undefined) {
			input.text(callTag.event, String(request.event));
		}
		if (entropy !== null) {
			input.raw(callTag.entropy, entropy);
		}
		if (request.firstSentAt !== undefined) {
			input.text(callTag.firstSent, String(Math.floor(request.firstSentAt)));
		}
		if (request.ticket !== undefined) {
			input.text(callTag.ticket, String(request.ticket));
		}
		if (request.headers !== undefined) {
			forEachHeader(request.headers, this.#writeHeader);
		}
	}
}

function flagsOf(request: RequestFacts): number {
	let flags = request.replayableBody === false ? BODY_ONCE : 0;
	if (request.parent !== undefined && request.parent !== false) {
		flags |= NESTED;
	}
	if (request.idempotent !== undefined) {
		flags |= request.idempotent ? IDEMPOTENT : NOT_IDEMPOTENT;
	}
	return flags;
}

function checkSeed(seed: number | undefined): number | undefined {
	if (seed === undefined || (Number.isSafeInteger(seed) && seed >= 0)) {
		return seed;
	}
	throw new RangeError(`seed is ${String(seed)}: it must be a whole number from 0 to 2^53 − 1`);
}

let registry: FinalizationRegistry<Handles> | undefined;

/** Frees the handles when the upstream is collected; hosts that collect nothing lose little. */
function watch(upstream: KeptUpstream, handles: Handles): void {
	if (typeof FinalizationRegistry === 'function') {
		registry ??= new FinalizationRegistry(free);
		registry.register(upstream, handles);
	}
}

function free(handles: Handles): void {
	handles.policy?.release();
	handles.engine.wasm.upstream_free(handles.upstream);
	handles.policy = undefined;
	handles.upstream = 0;
}

/** The class, for helpers of this package that need more than the interface. */
export function isKept(upstream: unknown): upstream is KeptUpstream {
	return upstream instanceof KeptUpstream && property(upstream, 'policy') !== undefined;
}
