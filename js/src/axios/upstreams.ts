/**
 * Which dependency a request of an axios client goes to.
 *
 * @module
 */

import type { InternalAxiosRequestConfig } from 'axios';

/** How upstreams are told apart. */
export type UpstreamKey = (config: InternalAxiosRequestConfig) => string;

/** Scheme, host and port of where a request goes; a socket's path; empty for the page's own origin. */
export function originOf(config: InternalAxiosRequestConfig): string {
	const { url = '', baseURL, socketPath } = config;
	if (typeof socketPath === 'string') {
		return `unix:${socketPath}`;
	}
	const isAbsolute = /^([a-z][a-z\d+\-.]*:)?\/\//i.test(url);
	const base = isAbsolute && config.allowAbsoluteUrls !== false ? url : (baseURL ?? url);
	try {
		const page = (globalThis as { location?: { href?: string } }).location?.href;
		const { origin, protocol, host } = new URL(base, page);
		return origin === 'null' ? `${protocol}//${host}` : origin;
	} catch {
		return '';
	}
}
