/**
 * The predicates of axios-retry 4.5, answer for answer: also where a better one is known. The
 * better ones are the core's, in strict mode.
 *
 * @module
 */

import type { AxiosError } from 'axios';

/** Whether there was no answer, and a code that does not forbid another attempt. Any method. */
// biome-ignore lint/suspicious/noExplicitAny: as axios-retry declares it; callers pass any error
export function isNetworkError(error: any): boolean {
	const code = error.code;
	return !error.response && Boolean(code) && !ENDED.has(code) && !HOPELESS.has(code);
}

/** Whether it was no aborted connection, and there was no answer, or 429, or any 5xx. */
export function isRetryableError(error: AxiosError): boolean {
	if (error.code === 'ECONNABORTED') {
		return false;
	}
	const { response } = error;
	return !response || response.status === 429 || (response.status >= 500 && response.status <= 599);
}

/** {@link isRetryableError} of a `get`, `head` or `options`, in lower case as axios writes them. */
export function isSafeRequestError(error: AxiosError): boolean {
	return isRetryableWith(SAFE, error);
}

/** {@link isSafeRequestError}, or the same of a `put` or `delete`. */
export function isIdempotentRequestError(error: AxiosError): boolean {
	return isRetryableWith(IDEMPOTENT, error);
}

/** The default condition. */
export function isNetworkOrIdempotentRequestError(error: AxiosError): boolean {
	return isNetworkError(error) || isIdempotentRequestError(error);
}

function isRetryableWith(methods: readonly string[], error: AxiosError): boolean {
	const method = error.config?.method;
	return Boolean(method) && isRetryableError(error) && methods.includes(method as string);
}

const SAFE: readonly string[] = ['get', 'head', 'options'];
const IDEMPOTENT: readonly string[] = [...SAFE, 'put', 'delete'];

/** Somebody ended the request. */
const ENDED: ReadonlySet<unknown> = new Set(['ERR_CANCELED', 'ECONNABORTED']);

/** What is-retry-allowed denies: no such host, no route, and certificates that will not mend. */
const HOPELESS: ReadonlySet<unknown> = new Set([
	'ENOTFOUND',
	'ENETUNREACH',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_CRL',
	'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
	'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
	'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
	'CERT_SIGNATURE_FAILURE',
	'CRL_SIGNATURE_FAILURE',
	'CERT_NOT_YET_VALID',
	'CERT_HAS_EXPIRED',
	'CRL_NOT_YET_VALID',
	'CRL_HAS_EXPIRED',
	'ERROR_IN_CERT_NOT_BEFORE_FIELD',
	'ERROR_IN_CERT_NOT_AFTER_FIELD',
	'ERROR_IN_CRL_LAST_UPDATE_FIELD',
	'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
	'OUT_OF_MEM',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'CERT_CHAIN_TOO_LONG',
	'CERT_REVOKED',
	'INVALID_CA',
	'PATH_LENGTH_EXCEEDED',
	'INVALID_PURPOSE',
	'CERT_UNTRUSTED',
	'CERT_REJECTED',
	'HOSTNAME_MISMATCH',
]);
