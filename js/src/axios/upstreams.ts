/**
 * Which dependency a request of an axios client goes to.
 *
 * @module
 */

import type { InternalAxiosRequestConfig } from 'axios';
import { origin } from '../origin.ts';

/** How upstreams are told apart. */
export type UpstreamKey = (config: InternalAxiosRequestConfig) => string;

/** Scheme, host and port of where a request goes; a socket's path; empty for the page's own origin. */
export function originOf(config: InternalAxiosRequestConfig): string {
	const { url = '', baseURL, socketPath } = config;
	if (typeof socketPath === 'string') {
		return `unix:${socketPath}`;
	}
	const isAbsolute = /^([a-z][a-z\d+\-.]*:)?\/\//i.test(url);
	return origin(isAbsolute && config.allowAbsoluteUrls !== false ? url : (baseURL ?? url));
}
