/** What TypeScript must accept of `retrywise/axios`: code for axios-retry, and what is ours. */

import axios, { type AxiosError } from 'axios';
import { createUpstream, type Policy } from 'retrywise';
import axiosRetry, {
	type AttachOptions,
	attach,
	DEFAULT_OPTIONS,
	exponentialDelay,
	hooks,
	type IAxiosRetryConfig,
	type IAxiosRetryConfigExtended,
	type IAxiosRetryReturn,
	isIdempotentRequestError,
	isNetworkError,
	isNetworkOrIdempotentRequestError,
	isRetryableError,
	isSafeRequestError,
	linearDelay,
	namespace,
	noDelay,
	retryAfter,
} from 'retrywise/axios';

// As axios-retry's own documentation shows it.
axiosRetry(axios, { retries: 3 });
axiosRetry(axios, { retryDelay: axiosRetry.exponentialDelay });
axiosRetry(axios, { retryDelay: axiosRetry.linearDelay() });
axiosRetry(axios, { retryDelay: axiosRetry.noDelay });
axiosRetry(axios, { retryDelay: (count, error) => exponentialDelay(count, error, 50) });
axiosRetry(axios, { retryDelay: linearDelay(100), validateResponse: null });
axiosRetry(axios, {
	retryCondition: (error) => isNetworkOrIdempotentRequestError(error) || error.code === 'X',
});
axiosRetry(axios, { retryCondition: async (_error: AxiosError) => true });
axiosRetry(axios, {
	onRetry: (count, error, config) => void [count.toFixed(), error.code, config.url],
	onMaxRetryTimesExceeded: async (error, count) => void [error.response?.status, count],
	validateResponse: ({ status }) => status === 200,
	shouldResetTimeout: true,
});
const client = axios.create();
const ids: IAxiosRetryReturn = axiosRetry(client, DEFAULT_OPTIONS);
client.interceptors.request.eject(ids.requestInterceptorId);
client.get('/', { 'axios-retry': { retries: 0 } }).catch((error: AxiosError) => {
	const state: IAxiosRetryConfigExtended | undefined = error.config?.[namespace];
	const count: number | undefined = state?.retryCount;
	return [count, isNetworkError(error), isRetryableError(error), isSafeRequestError(error)];
});
const own: IAxiosRetryConfig = { retries: 1, retryDelay: noDelay };
void [own, retryAfter(), isIdempotentRequestError];
axiosRetry(client, { ...own, mode: 'compat' });

// Ours.
const policy: Policy = { maxRetries: 2 };
axiosRetry(client, { mode: 'strict', policy, onRetry: (count) => void count });
axiosRetry(client, { mode: 'strict', policy: createUpstream(policy), retries: 2 });
const options: AttachOptions = {
	mode: 'adapter',
	upstreamKey: ({ url }) => url ?? '',
	onRetry: async ({ delayMs, reason, verdict }) => void [delayMs, reason, verdict.explain()],
	onGiveUp: (verdict) => (verdict.reason === 'breaker-open' ? { data: null } : undefined),
};
{
	using attached = attach(client, policy, options);
	void attached.upstream('https://api.example.com').name;
}
client.post('/', {}, { retrywise: { key: 'order-1', priority: 2 } });
client.post('/', {}, { retrywise: false });
const { off }: { readonly off: readonly string[] } = hooks(policy, { instance: client });
void off;

// @ts-expect-error a mode that is none
axiosRetry(client, { mode: 'lenient' });
// @ts-expect-error a delay is a number
axiosRetry(client, { retryDelay: () => 'soon' });
// @ts-expect-error a misspelt option
attach(client, policy, { onRetries: () => {} });
// @ts-expect-error compat has no policy
axiosRetry(client, { policy });
