/**
 * Upstreams and calls: the handles of the module, with clocks and seed from the host.
 *
 * @module
 */

import { type Engine, engine, slot, tag } from './engine.ts';
import { RetrywiseError } from './errors.ts';
import { type EventListener, isHeard, type RetrywiseEvent, tell } from './events.ts';
import { clockOf, drawSeed, randomBytes } from './host.ts';
import { type Encoded, encodeOutcome, forEachHeader, property } from './outcome.ts';
import { type KeptPolicy, keepPolicy } from './policy.ts';
import type {
	Admission,
	Basis,
	BreakerState,
	BreakerTransition,
	Call,
	Class,
	Clock,
	Delivery,
	Language,
	Outcome,
	Policy,
	Reason,
	RequestFacts,
	Resumption,
	Upstream,
	UpstreamOptions,
	UpstreamView,
	Verdict,
	VerdictKind,
} from './types.ts';

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
	policy: number;
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

	constructor(policy: Policy | string | undefined, options: UpstreamOptions, reports: number) {
		this.#seed = checkSeed(options.seed);
		this.name = options.name ?? 'upstream';
		this.clock = clockOf(options.clock);
		this.engine = engine();
		this.policy = keepPolicy(this.engine, policy);
		this.#reports = reports;
		this.#onEvent = options.onEvent;
		this.#handles = { engine: this.engine, policy: this.policy.handle, upstream: 0 };
		watch(this, this.#handles);
	}

	/** The handle; the first use makes the upstream, which takes the policy over. */
	get handle(): number {
		const handles = this.#handles;
		if (handles.policy !== 0) {
			const { wasm } = this.engine;
			const seed = this.#seed ?? drawSeed();
			handles.upstream = wasm.upstream_new(handles.policy, seed, this.#reports) >>> 0;
			wasm.policy_free(handles.policy);
			handles.policy = 0;
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
			input.text(tag.token, token);
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
			const kept = new KeptCall(this, call >>> 0, token);
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
		state.previous = engine.output(slot.previous);
		state.polly = engine.output(slot.polly);
		return { delayMs: orNull(delayMs), reason: engine.reasons.name(engine.output(slot.reason)) };
	}

	[Symbol.dispose](): void {
		free(this.#handles);
	}

	#writeRequest(request: RequestFacts, entropy: Uint8Array | null): void {
		const { input } = this.engine;
		if (request.key !== undefined) {
			input.text(tag.key, String(request.key));
		}
		if (request.event !== undefined) {
			input.text(tag.event, String(request.event));
		}
		if (entropy !== null) {
			input.raw(tag.entropy, entropy);
		}
		if (request.firstSentAt !== undefined) {
			input.text(tag.firstSent, String(Math.floor(request.firstSentAt)));
		}
		if (request.headers !== undefined) {
			const keyHeader = this.policy.keyHeader.toLowerCase();
			forEachHeader(request.headers, (name, value) => {
				const lower = name.toLowerCase();
				if ((lower === keyHeader || lower === LAYER_HEADER) && typeof value === 'string') {
					input.namedHeader(name, value);
				}
			});
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

/** What an event says besides its type and its upstream. */
type Said<Type> = Omit<Extract<RetrywiseEvent, { readonly type: Type }>, 'type' | 'upstream'>;

/** Calls begun by this copy of the package. */
let begun = 0;

class KeptCall implements Call {
	readonly #upstream: KeptUpstream;
	readonly #id: number;
	readonly #method: string;
	#sentAt = 0;
	/** 0 once the call is over. */
	#handle: number;
	#attempt = 1;
	#headers: Readonly<Record<string, string>> | undefined;
	/** The bare key and the body's field for it. */
	#key: readonly string[] | undefined;
	#last: Verdict | undefined;

	constructor(upstream: KeptUpstream, handle: number, method: string) {
		begun += 1;
		this.#upstream = upstream;
		this.#handle = handle;
		this.#id = begun;
		this.#method = method;
	}

	/** An attempt is let go. */
	begun(now: number): void {
		this.#sentAt = now;
		this.#upstream.tell('attempt', () => this.#about());
	}

	get attempt(): number {
		return this.#attempt;
	}

	get headers(): Readonly<Record<string, string>> {
		this.#headers ??= this.#readHeaders();
		return this.#headers;
	}

	get key(): string | null {
		return this.#readKey()[0] ?? null;
	}

	get keyField(): string | null {
		return this.#readKey()[1] || null;
	}

	get timeoutMs(): number | null {
		const { engine, clock } = this.#upstream;
		return orNull(engine.wasm.call_timeout(this.#handle, clock.now()));
	}

	settle(outcome: Outcome): Verdict {
		if (this.#handle === 0) {
			return this.#stale();
		}
		const { engine, clock, policy } = this.#upstream;
		const { flags, status, error }: Encoded = encodeOutcome(engine, outcome ?? {}, policy.places);
		const word = engine.wasm.call_settle(
			this.#handle,
			flags,
			status,
			error,
			clock.now(),
			clock.wall(),
			outcome?.durationMs ?? Number.NaN,
			engine.input.length,
		);
		return this.#take(word >>> 0, outcome);
	}

	resume(): Resumption {
		const { engine, clock } = this.#upstream;
		if (this.#handle === 0) {
			const reason = this.#last?.reason ?? 'cancelled';
			return { admitted: false, reason, retryInMs: null, over: true };
		}
		const now = clock.now();
		const answer = engine.wasm.call_resume(this.#handle, now) >>> 0;
		if (answer === ADMITTED) {
			this.begun(now);
			return { admitted: true };
		}
		const refused = refusal(engine);
		const over = answer !== LATER;
		this.#upstream.tell('refusal', () => ({ ...this.#about(), ...refused, over }));
		if (over) {
			this.#keep(answer);
			return { admitted: false, ...refused, over: true };
		}
		return { admitted: false, ...refused, over: false };
	}

	cancel(): Verdict {
		if (this.#handle === 0) {
			return this.#stale();
		}
		const { engine, clock } = this.#upstream;
		return this.#take(engine.wasm.call_cancel(this.#handle, clock.now()) >>> 0);
	}

	end(): void {
		if (this.#handle !== 0 && this.#upstream.hears('verdict')) {
			this.cancel();
		} else if (this.#handle !== 0) {
			const { engine, clock } = this.#upstream;
			engine.wasm.call_end(this.#handle, clock.now());
			this.#handle = 0;
		}
	}

	[Symbol.dispose](): void {
		this.end();
	}

	/** The verdict of the word and the output slots, told of. */
	#take(word: number, outcome?: Outcome): Verdict {
		const ended = this.#attempt;
		const verdict = this.#keep(word);
		const upstream = this.#upstream;
		upstream.tell('verdict', () => ({
			...this.#about(),
			attempt: ended,
			verdict,
			status: outcome?.status,
			error: outcome?.error,
			durationMs: outcome?.durationMs ?? Math.max(0, upstream.clock.now() - this.#sentAt),
		}));
		const { transition } = verdict;
		if (transition !== null) {
			upstream.tell('breaker', () => ({ ...this.#about(), attempt: ended, ...transition }));
		}
		return verdict;
	}

	#about(): { readonly call: number; readonly method: string; readonly attempt: number } {
		return { call: this.#id, method: this.#method, attempt: this.#attempt };
	}

	#keep(word: number): Verdict {
		const { engine } = this.#upstream;
		const verdict = new GivenVerdict(
			engine,
			word,
			engine.output(slot.attempt),
			engine.output(slot.delay),
			orNull(engine.output(slot.hint)),
			transitionOf(engine, engine.output(slot.transition)),
		);
		this.#last = verdict;
		this.#attempt = verdict.attempt;
		if (verdict.kind !== 'retry') {
			this.#headers ??= {};
			this.#key ??= [];
			this.#handle = 0;
		}
		return verdict;
	}

	/** The last verdict again, for an event after the end. */
	#stale(): Verdict {
		const { engine } = this.#upstream;
		const last = this.#last;
		if (last instanceof GivenVerdict) {
			return last.again();
		}
		// Ended without any settle: nothing was decided, so nothing may follow.
		return new GivenVerdict(engine, engine.wasm.call_cancel(0, 0) >>> 0, this.#attempt, 0, null);
	}

	#readKey(): readonly string[] {
		const { engine } = this.#upstream;
		this.#key ??= engine.strings(engine.wasm.call_key(this.#handle) >>> 0);
		return this.#key;
	}

	#readHeaders(): Readonly<Record<string, string>> {
		const { engine } = this.#upstream;
		const strings = engine.strings(engine.wasm.call_headers(this.#handle) >>> 0);
		const headers: Record<string, string> = {};
		for (let i = 0; i + 1 < strings.length; i += 2) {
			headers[strings[i] ?? ''] = strings[i + 1] ?? '';
		}
		return headers;
	}
}

/** What `call_resume` answers besides the verdict of a call that is over. */
const LATER = 0;
const ADMITTED = 1;

const STALE = 2 ** 28;

class GivenVerdict implements Verdict {
	readonly kind: VerdictKind;
	readonly attempt: number;
	readonly delayMs: number;
	readonly reason: Reason;
	readonly hintMs: number | null;
	readonly hintSource: string | null;
	readonly class: Class;
	readonly delivery: Delivery;
	readonly basis: Basis;
	readonly transition: BreakerTransition | null;
	readonly stale: boolean;
	readonly #engine: Engine;
	readonly #word: number;

	constructor(
		engine: Engine,
		word: number,
		attempt: number,
		delayMs: number,
		hintMs: number | null,
		transition: BreakerTransition | null = null,
	) {
		this.transition = transition;
		const source = (word >>> 10) & 31;
		this.kind = engine.kinds.name(word & 3) as VerdictKind;
		this.attempt = attempt;
		this.delayMs = delayMs;
		this.reason = engine.reasons.name((word >>> 2) & 255);
		this.hintMs = hintMs;
		this.hintSource = source === 0 ? null : engine.sources.name(source);
		this.class = engine.classes.name((word >>> 15) & 7) as Class;
		this.delivery = engine.deliveries.name((word >>> 18) & 3) as Delivery;
		this.basis = engine.bases.name((word >>> 20) & 7) as Basis;
		this.stale = (word & STALE) !== 0;
		this.#engine = engine;
		this.#word = word;
	}

	explain(language: Language = 'en'): string {
		const { wasm, languages } = this.#engine;
		const length = wasm.explain(
			(this.#word >>> 2) & 255,
			0,
			this.attempt,
			this.delayMs,
			this.hintMs ?? -1,
			-1,
			languages.code(language) ?? 0,
		);
		return this.#engine.text(length >>> 0);
	}

	/** The same, given again. */
	again(): Verdict {
		const word = (this.#word | STALE) >>> 0;
		return new GivenVerdict(this.#engine, word, this.attempt, this.delayMs, this.hintMs);
	}
}

function refusal(engine: Engine): { readonly reason: Reason; readonly retryInMs: number | null } {
	return {
		reason: engine.reasons.name(engine.output(slot.reason)),
		retryInMs: orNull(engine.output(slot.retryIn)),
	};
}

/** A refusal in the form of a verdict, for who is told of both: a stop before the first attempt. */
export function refusalVerdict(
	{ engine }: KeptUpstream,
	reason: Reason,
	retryInMs: number | null,
): Verdict {
	return {
		kind: 'stop',
		attempt: 0,
		delayMs: 0,
		reason,
		hintMs: null,
		hintSource: null,
		class: 'transient',
		delivery: 'not_processed',
		basis: 'none',
		transition: null,
		stale: false,
		explain(language: Language = 'en'): string {
			const { wasm, reasons, languages } = engine;
			const [code, said] = [reasons.code(reason) ?? 0, languages.code(language) ?? 0];
			return engine.text(wasm.explain(code, 1, 0, 0, -1, retryInMs ?? -1, said) >>> 0);
		},
	};
}

/** The change of the breaker in a slot. */
function transitionOf({ breakerStates }: Engine, change: number): BreakerTransition | null {
	const name = (code: number): BreakerState => breakerStates.name(code) as BreakerState;
	return change < 0 ? null : { from: name(change >>> 8), to: name(change & 255) };
}

/** The module's −1 stands for "none". */
export function orNull(ms: number): number | null {
	return ms < 0 ? null : ms;
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
	const { wasm } = handles.engine;
	wasm.policy_free(handles.policy);
	wasm.upstream_free(handles.upstream);
	handles.policy = 0;
	handles.upstream = 0;
}

/** The class, for helpers of this package that need more than the interface. */
export function isKept(upstream: unknown): upstream is KeptUpstream {
	return upstream instanceof KeptUpstream && property(upstream, 'policy') !== undefined;
}
