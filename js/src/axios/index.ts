/**
 * `retrywise/axios`: retries for axios.
 *
 * @module
 */

export { type Attachment, attach } from './attach.ts';
export {
	isIdempotentRequestError,
	isNetworkError,
	isNetworkOrIdempotentRequestError,
	isRetryableError,
	isSafeRequestError,
} from './compat/conditions.ts';
export { exponentialDelay, linearDelay, noDelay, retryAfter } from './compat/delays.ts';
export { DEFAULT_OPTIONS, namespace } from './compat/interceptors.ts';
export type {
	AxiosRetry,
	CompatOptions,
	IAxiosRetryConfig,
	IAxiosRetryConfigExtended,
	IAxiosRetryReturn,
} from './compat/types.ts';
export { default } from './dropin.ts';
export { type HookOptions, hooks, type RetryHooks } from './hooks.ts';
export type { AttachOptions, AttemptInfo, CallOptions, RetryInfo, SettledInfo } from './options.ts';
export type { StrictOptions } from './strict.ts';
export type { UpstreamKey } from './upstreams.ts';
export { verdictOf } from './verdicts.ts';
