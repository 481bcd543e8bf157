/**
 * The words of the package. Durations end in `Ms` and are whole milliseconds.
 *
 * @module
 */

import type { RetrywiseEvent } from './events.ts';

import type { Policy } from './policy-document.ts';

export type { Breaker, Budget, Policy } from './policy-document.ts';

/** What the caller does next. */
export type VerdictKind = 'accept' | 'retry' | 'stop';

/** Which kind of outcome it was. */
export type Class = 'success' | 'transient' | 'throttled' | 'permanent' | 'cancelled';

/** Whether the application may have acted on the request. */
export type Delivery = 'not_processed' | 'maybe_processed' | 'processed';

/** What a `not_processed` rests on, strongest first; `none` for the other deliveries. */
export type Basis = 'none' | 'transport' | 'protocol' | 'gateway' | 'status';

/** Lets a string be anything, and an editor still offer the known ones. */
type Open<Known extends string> = Known | (string & Record<never, never>);

/** Why. Codes are stable; new ones may come, so keep a default branch. */
export type Reason = Open<
	| 'ok'
	| 'replayed'
	| 'backoff'
	| 'server-hint'
	| 'immediate'
	| 'cancelled'
	| 'server-refused'
	| 'permanent'
	| 'body-consumed'
	| 'unsafe-to-repeat'
	| 'retries-exhausted'
	| 'nested-layer'
	| 'hint-too-long'
	| 'deadline'
	| 'key-expired'
	| 'breaker-open'
	| 'budget-exhausted'
	| 'rate-limited'
	| 'in-progress'
	| 'already-completed'
	| 'key-conflict'
	| 'key-missing'
>;

/** Which rule gave a classification. New ones may come. */
export type Signal = Open<
	| 'status'
	| 'retry-after'
	| 'key'
	| 'proxy-status'
	| 'vendor'
	| 'problem-type'
	| 'should-retry'
	| 'transport'
	| 'unknown'
	| 'policy-add'
	| 'policy-remove'
>;

/** Where the wait that the server asked for was read. New ones may come. */
export type HintSource = Open<
	| 'grpc-retry-pushback-ms'
	| 'retry-after-ms'
	| 'x-ms-retry-after-ms'
	| 'x-amz-retry-after'
	| 'retry-after'
	| 'body'
	| 'x-ratelimit-retry-after'
	| 'vendor-wait'
	| 'ratelimit'
	| 'bucket-reset'
	| 'x-ratelimit-reset-after'
	| 'x-ratelimit-reset'
>;

/** Which client reported a transport error. */
export type Family = Open<
	| 'unknown'
	| 'node'
	| 'undici'
	| 'axios'
	| 'fetch'
	| 'dom'
	| 'http2'
	| 'http3'
	| 'wasi-http'
	| 'grpc'
>;

/** A language that sentences are written in. */
export type Language = 'en' | 'ar';

/** One thing that is wrong with a policy. */
export interface Issue {
	/** The path of the field (`backoff.overrides[0].baseMs`); empty for the document itself. */
	readonly field: string;
	/** What is wrong, for programs. */
	readonly kind: Open<
		'unknown-field' | 'wrong-type' | 'out-of-range' | 'contradiction' | 'unknown-name' | 'syntax'
	>;
	/** What is wrong, for people: field, value, what is allowed. */
	readonly message: string;
}

/**
 * Headers as hosts have them: `Headers`, `AxiosHeaders`, a `Map`, a plain object in any case, or
 * pairs. A value may be an array (one line each) or a number; anything else that is not a string
 * counts as absent.
 */
export type HeadersLike =
	| Iterable<readonly [string, unknown]>
	| { readonly [name: string]: unknown }
	| { forEach(visit: (value: string, name: string) => void): void };

/** The machine codes of an error body, where the caller took them out already. */
export interface BodyCodes {
	/** The error code (`insufficient_quota`, `ThrottlingException` …). */
	code?: string;
	/** The limit that was hit. */
	policy?: string;
	/** The problem type (RFC 9457), a URI. */
	problemType?: string;
	/** A protobuf JSON duration (`26s`). */
	retryDelay?: string;
	/** Seconds to wait, as written in the body. */
	retryAfterS?: string | number;
}

/** An answer, as far as waits are concerned. */
export interface AnswerFacts {
	/** The status code. @default 0, which no server sends */
	status?: number;
	/** The response headers. */
	headers?: HeadersLike | null | undefined;
	/** The parsed body; only the profile's few places in it are looked at. */
	body?: unknown;
	/** The machine codes of the body; they win over `body`. */
	codes?: BodyCodes;
}

/**
 * How an attempt ended. With neither `status` nor `error` it says nothing: transient, and it may
 * have been processed. A status outside 100 to 599, or one that is no whole number, is permanent.
 */
export interface Outcome extends AnswerFacts {
	/**
	 * What was thrown. An error that carries a `response` with a status speaks through that one;
	 * otherwise `code`, `name`, `message`, `syscall` and the chain of `cause` are read, to a bounded
	 * depth. With a `status` beside it the status decides.
	 */
	error?: unknown;
	/** The answer is already streaming to the caller: it cannot be taken back. @default false */
	committed?: boolean;
	/** How long the attempt took, where the caller measured it. @default the clock's own span */
	durationMs?: number;
}

/** Facts about a transport error for which no JavaScript error exists, all optional. */
export interface TransportFacts {
	/** Who reported it; makes the facts below count. */
	family: Family;
	code?: string;
	name?: string;
	message?: string;
	syscall?: string;
	/** Where it failed (`connect`, `tls-handshake`, `read`, `refused-stream` …). */
	phase?: string;
	/** Go: the operation. */
	op?: string;
	/** Go: the error's type. */
	kind?: string;
	/** DNS: the response code. */
	rcode?: string;
	/** HTTP/2: the frame that carried the code. */
	frame?: string;
	/** gRPC: how far the attempt came. */
	progress?: string;
	/** HTTP/2: the stream of the request. */
	streamId?: number;
	/** HTTP/2: the last stream that a GOAWAY lets live. */
	lastStreamId?: number;
	/** Go `net.DNSError`: the failure is temporary. */
	temporary?: boolean;
	/** Go `net.DNSError`: the name does not exist. */
	notFound?: boolean;
	/** The request went out on a connection that had been used before. */
	reused?: boolean;
	/** What caused it. */
	cause?: unknown;
}

/** One logical request, before its first attempt. */
export interface RequestFacts {
	/** The method, case-sensitive as in HTTP; an unknown one is taken as not idempotent. @default "GET" */
	method?: string;
	/** The caller's own idempotency key. */
	key?: string;
	/** The business event that this call carries out, to derive a key from. */
	event?: string;
	/** 16 random bytes to make a key from where the policy generates one. @default drawn by the host */
	entropy?: Uint8Array;
	/**
	 * When the key was first sent, wall clock ms, where an earlier process did that: the key's
	 * window runs from then, and the header of the first sending says so. @default now
	 */
	firstSentAt?: number;
	/** The headers that the request has already: a key header among them is the caller's key. */
	headers?: HeadersLike | null | undefined;
	/** Whether the body can be sent again. @default true */
	replayableBody?: boolean;
	/** Overrides what the method says. @default the policy's methods, then the method's own */
	idempotent?: boolean;
	/** Higher goes first where calls wait for the rate limit. @default 0 */
	priority?: number;
	/**
	 * By what a call is known that was refused with `rate-limited` and begins again: a whole number
	 * of your own, 0 to 2^53 − 1, the same each time. It keeps the call's place in the queue, and its deadline runs
	 * from the first time. @default none: it takes the oldest place of its priority whose time has come
	 */
	ticket?: number;
	/** The call of an outer layer that retries already, or `true`: this call will not retry. */
	parent?: Call | boolean;
}

/** How a breaker stands: calls pass, are refused until a time, a few pass, or it is held by hand. */
export type BreakerState = 'closed' | 'open' | 'half-open' | 'isolated';

/** A change of a breaker's state. */
export interface BreakerTransition {
	readonly from: BreakerState;
	readonly to: BreakerState;
}

/** How an upstream stands. */
export interface UpstreamView {
	/** Null where the policy has no breaker. */
	readonly breaker: BreakerState | null;
	/** How long an open breaker stays so, ms; 0 when calls may pass; null for isolated, or none. */
	readonly retryInMs: number | null;
	/** What the budget has left: retries, tokens or calls, by its kind; null where there is none. */
	readonly budget: number | null;
}

/** The answer to one settle. It is a value: nothing happens unless the caller acts on it. */
export interface Verdict {
	/** `retry`: wait `delayMs`, call `resume`, send attempt `attempt`. Else hand the outcome on. */
	readonly kind: VerdictKind;
	/** With `retry` the attempt to send (the first retry is 2), else the attempt that ended. */
	readonly attempt: number;
	/** The wait before that attempt; 0 unless `kind` is `retry`. */
	readonly delayMs: number;
	/** Why. */
	readonly reason: Reason;
	/** What the server asked for, unbounded by the policy; null if it asked for nothing. */
	readonly hintMs: number | null;
	/** Where that was read. */
	readonly hintSource: HintSource | null;
	/** What the outcome was taken for. */
	readonly class: Class;
	/** Whether the application may have acted on the request. */
	readonly delivery: Delivery;
	/** What a `not_processed` rests on. */
	readonly basis: Basis;
	/** The change of the breaker that this outcome brought about; null if there was none. */
	readonly transition: BreakerTransition | null;
	/**
	 * The server has limited the rate five times within a minute: mend the rate, a better retry will
	 * not help. Told once, by the outcome that made it so and by each further one.
	 */
	readonly sustainedThrottling: boolean;
	/** Settled before: the earlier verdict again, nothing counted. */
	readonly stale: boolean;
	/** The reason as a sentence. @default "en" */
	explain(language?: Language): string;
}

/** Leave to send, or a refusal with its reason. */
export type Resumption =
	| { readonly admitted: true }
	| {
			readonly admitted: false;
			readonly reason: Reason;
			/**
			 * `over: false`: resume again then. `over: true`: when the upstream may be tried again by
			 * another call; null when time alone changes nothing.
			 */
			readonly retryInMs: number | null;
			/** The call has ended: hand the last outcome on. */
			readonly over: boolean;
	  };

/** A call, or a refusal with its reason. */
export type Admission =
	| { readonly admitted: true; readonly call: Call }
	| {
			readonly admitted: false;
			readonly reason: Reason;
			/** When asking again makes sense; null when time alone changes nothing. */
			readonly retryInMs: number | null;
	  };

/** The attempts of one logical request. Settle it to its end, or `end` it: it holds a place. */
export interface Call extends Disposable {
	/** Headers to send with every attempt: the idempotency key, where there is one, and when it was first sent, where the policy says so. */
	readonly headers: Readonly<Record<string, string>>;
	/** The bare idempotency key, the same on every attempt; null for a call that has none. */
	readonly key: string | null;
	/** The field of the request body that has to carry the key, where the vendor takes it there (Square); else null. */
	readonly keyField: string | null;
	/** The number of the attempt on its way, or to be sent after the wait; from 1. */
	readonly attempt: number;
	/** How long the next attempt may take; null when the client's own timeout stands. */
	readonly timeoutMs: number | null;
	/** Reports how the attempt ended, and asks what to do. */
	settle(outcome: Outcome): Verdict;
	/** Asks, after the wait, whether the next attempt may be sent now. */
	resume(): Resumption;
	/** Gives up, while sending or while waiting. */
	cancel(): Verdict;
	/** Ends a call that nobody will settle. Harmless when it is over. */
	end(): void;
}

/** One dependency: it decides for all calls to it. */
export interface Upstream extends Disposable {
	/** What it is called in events and messages. */
	readonly name: string;
	/** Begins a call: the first attempt may be sent now, or there is a reason why not. */
	begin(request?: RequestFacts): Admission;
	/** How it stands now: for dashboards and tests, not for decisions. */
	view(): UpstreamView;
	/** Holds the breaker open until {@link Upstream.reset}; nothing where the policy has none. */
	isolate(): void;
	/** Closes the breaker by hand and forgets its past; nothing where the policy has none. */
	reset(): void;
}

/** Time, as the host has it. Each part can be replaced; what is left out is the host's own. */
export interface Clock {
	/** A monotonic clock in milliseconds, any origin. @default performance.now */
	now(): number;
	/** The wall clock in milliseconds since 1970. @default Date.now */
	wall(): number;
	/**
	 * Resolves after `ms`; rejects with the signal's reason when it is aborted first, and then
	 * leaves no timer and no listener. @default chained timers
	 */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/**
	 * Calls `fire` once after `ms`, for the time limit of an attempt; gives what prevents it.
	 * @default a timer
	 */
	after(ms: number, fire: () => void): () => void;
}

/** How an upstream is set up. */
export interface UpstreamOptions {
	/** A whole number, 0 to 2^53 − 1: the same seed gives the same delays. @default random, drawn at the first `begin` */
	seed?: number;
	/** Replaces the host's time, wholly or in part. */
	clock?: Partial<Clock>;
	/** What it is called in events and messages. @default "upstream" */
	name?: string;
	/** Hears of every decision, as it falls. What it throws is ignored. @default none */
	onEvent?: (event: RetrywiseEvent) => void;
}

/** What an outcome means. */
export interface Classification {
	readonly class: Class;
	readonly delivery: Delivery;
	/** What a `not_processed` rests on. */
	readonly basis: Basis;
	/** The rule that gave the answer. */
	readonly reason: Signal;
	/** What the server asked for, unbounded; null if it asked for nothing. */
	readonly hintMs: number | null;
	readonly hintSource: HintSource | null;
	/** The server said not to retry. */
	readonly veto: boolean;
}

/** Facts beside an outcome that change its meaning. */
export interface ClassifyOptions {
	/** The request's method; kept for symmetry: no rule of classification reads it today. */
	method?: string;
	/** Its `retryOn` and its profile count. */
	policy?: Policy | string;
	/** A vendor's units and codes; an id that is unknown leaves the generic rules. @default the policy's */
	profile?: string;
	/** The wall clock, for dates; null for none. @default Date.now() */
	wall?: number | null;
	/** The request carried an idempotency key. @default false */
	keySent?: boolean;
}

/** The wait that an answer asks for. */
export interface RetryHint {
	/** Unbounded by any policy, at most 2^53 − 1. */
	readonly hintMs: number;
	readonly source: HintSource;
}

/** Facts beside an answer that change how its hint is read. */
export interface HintOptions {
	/** The wall clock, for dates; null for none. @default Date.now() */
	wall?: number | null;
	/** A vendor's units and codes; an id that is unknown leaves the generic rules. */
	profile?: string;
}
