/**
 * The closed sets of words, each with a number in the module.
 *
 * @module
 */

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

/** How a breaker stands: calls pass, are refused until a time, a few pass, or it is held by hand. */
export type BreakerState = 'closed' | 'open' | 'half-open' | 'isolated';

/** A change of a breaker's state. */
export interface BreakerTransition {
	readonly from: BreakerState;
	readonly to: BreakerState;
}
