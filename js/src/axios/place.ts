/**
 * Puts a plugin into an axios instance, and takes the one before it out.
 *
 * @module
 */

import type { AxiosInstance, AxiosResponse, AxiosStatic, InternalAxiosRequestConfig } from 'axios';

/** What a plugin does with requests and with what comes of them. */
export interface Handlers {
	onRequest(config: InternalAxiosRequestConfig): InternalAxiosRequestConfig;
	onResponse(response: AxiosResponse): AxiosResponse | Promise<AxiosResponse>;
	onError(error: unknown): Promise<AxiosResponse>;
}

/** A plugin in its place. */
export interface Place {
	readonly requestInterceptorId: number;
	readonly responseInterceptorId: number;
	/** Takes it out; a second time is harmless. */
	leave(): void;
}

/** How the plugin of an instance is found, also by another copy of this package. */
const ATTACHED = Symbol.for('retrywise.attached');

/**
 * Puts handlers in place, which may still be on their way; `detach` is called when another plugin
 * takes the place.
 */
export function place(
	instance: AxiosInstance | AxiosStatic,
	handlers: Handlers | Promise<Handlers>,
	detach: () => void,
): Place {
	const holder = instance as { [ATTACHED]?: (() => void) | undefined };
	holder[ATTACHED]?.();
	holder[ATTACHED] = detach;
	const { request, response } = instance.interceptors;
	const isLater = handlers instanceof Promise;
	const requestInterceptorId = request.use(
		isLater
			? (config) => handlers.then((all) => all.onRequest(config))
			: (config) => handlers.onRequest(config),
		again,
		// Where no other waits either, axios then makes no promise for it.
		{ synchronous: !isLater },
	);
	const responseInterceptorId = response.use(
		isLater
			? (answer) => handlers.then((all) => all.onResponse(answer))
			: (answer) => handlers.onResponse(answer),
		isLater
			? (error) => handlers.then((all) => all.onError(error))
			: (error) => handlers.onError(error),
	);
	return {
		requestInterceptorId,
		responseInterceptorId,
		leave() {
			request.eject(requestInterceptorId);
			response.eject(responseInterceptorId);
			if (holder[ATTACHED] === detach) {
				holder[ATTACHED] = undefined;
			}
		},
	};
}

/** An error of an interceptor before this one. */
function again(error: unknown): never {
	throw error;
}
