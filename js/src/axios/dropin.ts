/**
 * The default export: axios-retry 4.5, and more where it is asked for.
 *
 * @module
 */

import type { AxiosInstance, AxiosStatic } from 'axios';
import { strict } from '#strict';
import {
	isIdempotentRequestError,
	isNetworkError,
	isNetworkOrIdempotentRequestError,
	isRetryableError,
	isSafeRequestError,
} from './compat/conditions.ts';
import { exponentialDelay, linearDelay, noDelay } from './compat/delays.ts';
import { intercept } from './compat/interceptors.ts';
import type {
	AxiosRetry,
	CompatOptions,
	IAxiosRetryConfig,
	IAxiosRetryReturn,
} from './compat/types.ts';
import type { StrictOptions } from './strict.ts';

/**
 * Makes an axios instance retry, as axios-retry 4.5 does: `axiosRetry(axios, { retries: 3 })`.
 *
 * Same options, defaults, order of calls, stored state and results; nothing is loaded for it. With
 * `{ mode: 'strict', policy }` the core decides instead.
 */
const axiosRetry: AxiosRetry = /* @__PURE__ */ Object.assign(
	function axiosRetry(
		axiosInstance: AxiosStatic | AxiosInstance,
		axiosRetryConfig?: IAxiosRetryConfig | CompatOptions | StrictOptions,
	): IAxiosRetryReturn {
		return isStrict(axiosRetryConfig)
			? strict(axiosInstance, axiosRetryConfig)
			: intercept(axiosInstance, axiosRetryConfig);
	},
	{
		isNetworkError,
		isSafeRequestError,
		isIdempotentRequestError,
		isNetworkOrIdempotentRequestError,
		noDelay,
		exponentialDelay,
		linearDelay,
		isRetryableError,
	},
);

export default axiosRetry;

function isStrict(
	options: IAxiosRetryConfig | StrictOptions | undefined,
): options is StrictOptions {
	return (options as Partial<StrictOptions> | null | undefined)?.mode === 'strict';
}
