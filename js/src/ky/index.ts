/**
 * ky under a policy: `ky.create(kyOptions(policy))`.
 *
 * @module
 */

import { withRetry } from '../fetch/index.ts';
import type { FetchOptions } from '../fetch/options.ts';
import type { Policy, Upstream } from '../types.ts';

export type { FetchOptions as KyRetryOptions } from '../fetch/options.ts';

/** The options that ky is given. */
export interface KyOptions {
	/** Sends, and sends again as the policy says. */
	readonly fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
	/** ky's own retries are off: one layer retries. */
	readonly retry: { readonly limit: 0 };
	/** ky's limit would end the waits too; `attemptTimeoutMs` and `deadlineMs` of the policy hold. */
	readonly timeout: false;
}

/**
 * Options for `ky.create` and `ky.extend`: attempts are repeated below ky, so its hooks run once for
 * a call, and all of an upstream works (budget, breaker, limiter, keys).
 *
 * A final bad status is an `HTTPError` as ever; a refusal rejects with {@link RetryRefused}. A single
 * request says more about itself by `retrywise: { key, priority … }` among its options.
 *
 * @throws {PolicyError} with everything that is wrong with the policy
 * @throws {LoadError} where the host forbids WebAssembly
 */
export function kyOptions(
	policy?: Policy | string | Upstream,
	options: FetchOptions & { fetch?: typeof globalThis.fetch } = {},
): KyOptions {
	const { fetch, ...rest } = options;
	const send = fetch ?? ((input, init) => globalThis.fetch(input, init));
	return { fetch: withRetry(send, policy, rest), retry: { limit: 0 }, timeout: false };
}
