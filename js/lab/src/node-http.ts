/**
 * What the faulty server's script parser takes from `node:http`, for browsers (RFC 9110, 5.1 and 5.5).
 *
 * @module
 */

/** Throws for what is no header name. */
export function validateHeaderName(name: string): void {
	if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
		throw new TypeError('not a header name');
	}
}

/** Throws for a value with characters that no header may hold. */
export function validateHeaderValue(_name: string, value: string): void {
	if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
		throw new TypeError('not a header value');
	}
}
