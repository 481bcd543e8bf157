/**
 * One retry brain for every runtime: decides whether, when and how safely a failed request is sent
 * again. The host sends, sleeps and reads the clocks.
 *
 * @module
 */

export { classify, retryHint } from './classify.ts';
export {
	AbortError,
	isAbortError,
	isLoadError,
	isPolicyError,
	isRetryRefused,
	LoadError,
	PolicyError,
	RetryRefused,
	RetrywiseError,
} from './errors.ts';
export type {
	AttemptEvent,
	BreakerEvent,
	RefusalEvent,
	RetrywiseEvent,
	VerdictEvent,
} from './events.ts';
export { validatePolicy } from './policy.ts';
export {
	type Attempt,
	type FailedAttempt,
	makeRetriable,
	type RetryOptions,
	retry,
} from './retry.ts';
export { outcomeOf } from './thrown.ts';
export type {
	Admission,
	AnswerFacts,
	Basis,
	BodyCodes,
	Breaker,
	BreakerState,
	BreakerTransition,
	Budget,
	Call,
	Class,
	Classification,
	ClassifyOptions,
	Clock,
	Delivery,
	Family,
	HeadersLike,
	HintOptions,
	HintSource,
	Issue,
	Language,
	Outcome,
	Policy,
	Reason,
	RequestFacts,
	Resumption,
	RetryHint,
	Signal,
	TransportFacts,
	Upstream,
	UpstreamOptions,
	UpstreamView,
	Verdict,
	VerdictKind,
} from './types.ts';
export { createUpstream } from './upstream.ts';
