/**
 * `retrywise/axios`: retries for axios.
 *
 * @module
 */

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
	IAxiosRetryConfig,
	IAxiosRetryConfigExtended,
	IAxiosRetryReturn,
} from './compat/types.ts';
export { default } from './dropin.ts';
export { hooks, type RetryHooks, verdictOf } from './hooks.ts';
