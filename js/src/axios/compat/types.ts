/**
 * The types of axios-retry, so that code written for it compiles unchanged.
 *
 * The two that stand in axios' own config are structurally the same as in axios-retry: a project
 * that has both packages gets one property, declared twice alike.
 *
 * @module
 */

import type {
	AxiosError,
	AxiosInstance,
	AxiosRequestConfig,
	AxiosResponse,
	AxiosStatic,
} from 'axios';
import type { StrictOptions } from '../strict.ts';

/** What `axiosRetry(instance, options)` takes, and `config['axios-retry']` for one request. */
export interface IAxiosRetryConfig {
	/** Attempts after the first. @default 3 */
	retries?: number;
	/**
	 * Whether every attempt gets the whole `timeout`; otherwise it bounds all attempts and waits
	 * together. @default false
	 */
	shouldResetTimeout?: boolean;
	/**
	 * Whether to send again; asked only while retries remain. @default isNetworkOrIdempotentRequestError
	 */
	retryCondition?: (error: AxiosError) => boolean | Promise<boolean>;
	/** Milliseconds to wait before retry `retryCount`, from 1. @default noDelay */
	retryDelay?: (retryCount: number, error: AxiosError) => number;
	/** Called and awaited before each wait; a rejection ends the request with that error. */
	onRetry?: (
		retryCount: number,
		error: AxiosError,
		requestConfig: AxiosRequestConfig,
	) => Promise<void> | void;
	/** Called and awaited with the last error when the retries are used up. */
	onMaxRetryTimesExceeded?: (error: AxiosError, retryCount: number) => Promise<void> | void;
	/** Whether an answer resolves, whatever its status; null leaves that to axios. @default null */
	validateResponse?: ((response: AxiosResponse) => boolean) | null;
}

/** The state of a request under `config['axios-retry']`: its options, and how far it has come. */
export interface IAxiosRetryConfigExtended extends IAxiosRetryConfig {
	/** Retries made so far; 0 with the first attempt. */
	retryCount?: number;
	/** When the last attempt was started, ms since 1970. */
	lastRequestTime?: number;
}

/** The default mode, by its name. */
export interface CompatOptions extends IAxiosRetryConfig {
	mode: 'compat';
}

/** What to eject in order to detach. */
export interface IAxiosRetryReturn {
	/** For `instance.interceptors.request.eject`. */
	requestInterceptorId: number;
	/** For `instance.interceptors.response.eject`. */
	responseInterceptorId: number;
}

/** The default export: a function with the helpers as properties, for CommonJS. */
export interface AxiosRetry {
	(
		axiosInstance: AxiosStatic | AxiosInstance,
		axiosRetryConfig?: IAxiosRetryConfig | CompatOptions | StrictOptions,
	): IAxiosRetryReturn;
	isNetworkError(error: AxiosError): boolean;
	isRetryableError(error: AxiosError): boolean;
	isSafeRequestError(error: AxiosError): boolean;
	isIdempotentRequestError(error: AxiosError): boolean;
	isNetworkOrIdempotentRequestError(error: AxiosError): boolean;
	noDelay(retryNumber?: number, error?: AxiosError): number;
	exponentialDelay(retryNumber?: number, error?: AxiosError, delayFactor?: number): number;
	linearDelay(delayFactor?: number): (retryNumber: number, error: AxiosError | undefined) => number;
}

declare module 'axios' {
	interface AxiosRequestConfig {
		'axios-retry'?: IAxiosRetryConfigExtended;
	}
}
