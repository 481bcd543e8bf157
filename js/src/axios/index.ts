/**
 * `retrywise/axios`: retries for axios.
 *
 * @module
 */

export { hooks, type RetryHooks, verdictOf } from './hooks.ts';
