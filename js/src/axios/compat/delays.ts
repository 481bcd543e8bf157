/**
 * The delays of axios-retry 4.5: floats, without a cap, in milliseconds.
 *
 * @module
 */

import type { AxiosError } from 'axios';

/**
 * What `retry-after` asks for, by that very key: seconds, or else whatever `Date` reads. 0 where it
 * is absent, unreadable or past; without any bound.
 */
export function retryAfter(error?: AxiosError): number {
	const value = error?.response?.headers['retry-after'];
	if (!value) {
		return 0;
	}
	const fromSeconds = (Number(value) || 0) * 1000;
	const ms = fromSeconds === 0 ? (new Date(value).valueOf() || 0) - Date.now() : fromSeconds;
	return Math.max(0, ms);
}

/** No wait of its own: the server's, or 0. The default. */
export function noDelay(_retryNumber = 0, error?: AxiosError): number {
	return retryAfter(error);
}

/** `factor · 2^n`, at least what the server asks for, and up to a fifth more. */
export function exponentialDelay(retryNumber = 0, error?: AxiosError, delayFactor = 100): number {
	const delay = Math.max(2 ** retryNumber * delayFactor, retryAfter(error));
	return delay + delay * 0.2 * Math.random();
}

/** Makes a delay of `factor · n`, at least what the server asks for. */
export function linearDelay(
	delayFactor: number | undefined = 100,
): (retryNumber: number, error: AxiosError | undefined) => number {
	return (retryNumber = 0, error = undefined) =>
		Math.max(retryNumber * delayFactor, retryAfter(error));
}
