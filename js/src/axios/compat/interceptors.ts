/**
 * The interceptors of axios-retry 4.5, call for call. Plain JavaScript: nothing here loads the core.
 *
 * This is the one place where the package decides outside it, since the task is to do what another
 * library does: the order of the calls, what is awaited, what is stored on the config, and the
 * answers to odd values are its contract, and test suites rely on them.
 *
 * @module
 */

import type {
	AxiosError,
	AxiosInstance,
	AxiosResponse,
	AxiosStatic,
	InternalAxiosRequestConfig,
} from 'axios';
import { isNetworkOrIdempotentRequestError } from './conditions.ts';
import { noDelay } from './delays.ts';
import type { IAxiosRetryConfig, IAxiosRetryConfigExtended, IAxiosRetryReturn } from './types.ts';

/** Where a request's options and state stand in its config. */
export const namespace = 'axios-retry';

/** What holds where neither the instance nor the request says otherwise. */
export const DEFAULT_OPTIONS: Required<IAxiosRetryConfig> = {
	retries: 3,
	retryCondition: isNetworkOrIdempotentRequestError,
	retryDelay: noDelay,
	shouldResetTimeout: false,
	onRetry: () => {},
	onMaxRetryTimesExceeded: () => {},
	validateResponse: null,
};

/** Makes an instance retry; the ids are for ejecting. */
export function intercept(
	instance: AxiosStatic | AxiosInstance,
	options: IAxiosRetryConfig | undefined,
): IAxiosRetryReturn {
	const requestInterceptorId = instance.interceptors.request.use((config) => {
		const state = keepState(config, options, SENT_NOW);
		if (state.validateResponse) {
			// No status is good by itself then: every answer takes the way of the errors, to be judged.
			config.validateStatus = () => false;
		}
		return config;
	});
	const responseInterceptorId = instance.interceptors.response.use(null, (error) =>
		settle(instance, options, error),
	);
	return { requestInterceptorId, responseInterceptorId };
}

type State = Required<IAxiosRetryConfigExtended>;

/** Axios' config, with the agent that only old versions know. */
type Config = InternalAxiosRequestConfig & { agent?: unknown };

/** Puts the merged options and what is known of the request on its config. */
function keepState(config: Config, options: IAxiosRetryConfig | undefined, sentNow = false): State {
	const state = { ...DEFAULT_OPTIONS, ...options, ...config[namespace] } as State;
	state.retryCount ||= 0;
	if (sentNow || !state.lastRequestTime) {
		state.lastRequestTime = Date.now();
	}
	config[namespace] = state;
	return state;
}

const SENT_NOW = true;

/** A failed attempt: resolves or rejects in its place. */
async function settle(
	instance: AxiosInstance,
	options: IAxiosRetryConfig | undefined,
	error: AxiosError,
): Promise<AxiosResponse> {
	const { config } = error;
	if (!config) {
		throw error;
	}
	const currentState = keepState(config, options);
	if (error.response && currentState.validateResponse?.(error.response)) {
		return error.response;
	}
	if (await isToRetry(currentState, error)) {
		return retry(instance, currentState, error, config);
	}
	if (currentState.retryCount >= currentState.retries) {
		await currentState.onMaxRetryTimesExceeded(error, currentState.retryCount);
	}
	throw error;
}

/**
 * Asks the condition. A promise, and by its type `null` as well, is a yes unless it gives `false`
 * itself or rejects; anything else counts by its truth.
 */
async function isToRetry(state: State, error: AxiosError): Promise<unknown> {
	const { retries, retryCondition } = state;
	const answer = state.retryCount < retries && retryCondition(error);
	if (typeof answer !== 'object') {
		return answer;
	}
	try {
		return (await (answer as unknown)) !== false;
	} catch {
		return false;
	}
}

async function retry(
	instance: AxiosInstance,
	state: State,
	error: AxiosError,
	config: Config,
): Promise<AxiosResponse> {
	state.retryCount += 1;
	// Without their object, as they always were: `this` in a hook is undefined.
	const { retryDelay, onRetry } = state;
	const delay = retryDelay(state.retryCount, error);
	dropSharedAgents(instance, config);
	if (!state.shouldResetTimeout && config.timeout && state.lastRequestTime) {
		const left = config.timeout - (Date.now() - state.lastRequestTime) - delay;
		if (left <= 0) {
			throw error;
		}
		// Not a number where the delay was none: axios then sets no timeout at all.
		config.timeout = left;
	}
	// The body was encoded for the first attempt.
	config.transformRequest = [(data) => data];
	await onRetry(state.retryCount, error, config);
	if (config.signal?.aborted) {
		return instance(config);
	}
	return wait(instance, config, delay);
}

/** Sends after the wait, or at once when the signal is aborted, for axios to reject. */
function wait(instance: AxiosInstance, config: Config, delay: number): Promise<AxiosResponse> {
	return new Promise((resolve) => {
		const { signal } = config;
		const aborted = (): void => {
			clearTimeout(timer);
			resolve(instance(config));
		};
		const timer = setTimeout(() => {
			resolve(instance(config));
			signal?.removeEventListener?.('abort', aborted);
		}, delay);
		(signal as AbortSignal | undefined)?.addEventListener?.('abort', aborted, { once: true });
	});
}

/** The instance brings its own agents along again; axios could not always merge them. */
function dropSharedAgents(instance: AxiosInstance, config: Config): void {
	const defaults = instance.defaults as Pick<Config, 'agent' | 'httpAgent' | 'httpsAgent'>;
	for (const name of ['agent', 'httpAgent', 'httpsAgent'] as const) {
		if (defaults[name] === config[name]) {
			delete config[name];
		}
	}
}
