/**
 * Sends one attempt through the adapter that a request was to have.
 *
 * @module
 */

import type { AxiosInstance, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { RetrywiseError } from '../errors.ts';
import { property } from '../values.ts';

/** What `config.adapter` was: a function, a name, a list of them, or nothing. */
export type Adapter = InternalAxiosRequestConfig['adapter'];

/** The inner adapter of requests, wherever axios keeps it. */
export class Sender {
	readonly #instance: AxiosInstance;
	#bare: AxiosInstance | undefined;

	constructor(instance: AxiosInstance) {
		this.#instance = instance;
	}

	/** One attempt. An adapter may throw at once. */
	send(adapter: Adapter, config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
		return typeof adapter === 'function' ? adapter(config) : this.#byName(adapter, config);
	}

	/** The error with which axios ends a cancelled request; nothing is sent. */
	async cancelled(config: InternalAxiosRequestConfig): Promise<unknown> {
		const never = (): Promise<never> =>
			Promise.reject(new RetrywiseError('the request was cancelled'));
		return this.#request(never, config).catch((error) => belongingTo(config, error));
	}

	/**
	 * Only axios can look a named adapter up, and an instance has no door for that: so names go
	 * through an instance without interceptors, defaults and transforms.
	 */
	async #byName(adapter: Adapter, config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
		try {
			const response = await this.#request(adapter, config);
			response.config = config;
			return response;
		} catch (error) {
			throw belongingTo(config, error);
		}
	}

	async #request(adapter: Adapter, config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
		this.#bare ??= bareOf(this.#instance);
		return this.#bare.request({
			...config,
			...(adapter !== undefined && { adapter }),
			transformRequest: [same],
			transformResponse: [same],
		});
	}
}

/** An instance that adds nothing to a request. */
function bareOf(instance: AxiosInstance): AxiosInstance {
	const create = (instance as Partial<AxiosInstance>).create;
	if (typeof create !== 'function') {
		throw new RetrywiseError(
			'this version of axios has no instance.create: give the request an adapter function',
		);
	}
	const bare = create();
	for (const name of Object.keys(bare.defaults)) {
		delete (bare.defaults as unknown as Record<string, unknown>)[name];
	}
	Object.assign(bare.defaults, { headers: {} });
	return bare;
}

/** axios made the error for a copy of the config. */
function belongingTo(config: InternalAxiosRequestConfig, error: unknown): unknown {
	if (typeof error === 'object' && error !== null && property(error, 'config') !== undefined) {
		Object.assign(error, { config });
		const response = property(error, 'response');
		if (typeof response === 'object' && response !== null) {
			Object.assign(response, { config });
		}
	}
	return error;
}

/** A transform that leaves data as it is: the body was encoded for the first attempt. */
export const same = <T>(data: T): T => data;
