/**
 * An instance that axios-retry works on, watched: so that the calls of the hooks begin before their
 * first attempt, and their successes count.
 *
 * @module
 */

import type { AxiosInstance, AxiosStatic, InternalAxiosRequestConfig } from 'axios';
import { clockOf } from '../host.ts';
import type { Clock, Policy, UpstreamOptions, Verdict } from '../types.ts';
import type { KeptUpstream } from '../upstream.ts';
import { Upstreams } from '../upstreams.ts';
import { property } from '../values.ts';
import { type CallOptions, callOptionsOf } from './options.ts';
import { Sender } from './sender.ts';
import { type Host, Session, sessionOf } from './session.ts';
import { originOf, type UpstreamKey } from './upstreams.ts';
import { isCancelled } from './wait.ts';

export class Observed implements Host {
	readonly sender: Sender;
	readonly clock: Clock;
	/** axios-retry's requests look as they did. */
	readonly layerHeader = false;
	isDetached = false;
	readonly #upstreams: Upstreams<InternalAxiosRequestConfig>;
	readonly #instance: AxiosInstance | AxiosStatic;
	readonly #interceptor: number;

	constructor(
		policy: Policy | string | undefined,
		options: UpstreamOptions,
		instance: AxiosInstance | AxiosStatic,
		key: UpstreamKey | undefined,
	) {
		this.#upstreams = new Upstreams(policy, options, key ?? originOf);
		this.clock = clockOf(options.clock);
		this.sender = new Sender(instance);
		this.#instance = instance;
		this.#interceptor = instance.interceptors.request.use((config) => {
			const known = sessionOf(config);
			if (known === undefined || known.isOver || known.host !== this) {
				const inner = known === undefined ? config.adapter : known.inner;
				config.adapter = new Session(this, inner).adapter;
			}
			return config;
		});
	}

	/** What was decided on the attempt that ended with this error. */
	verdict(error: unknown): Verdict | undefined {
		const config = property(error, 'config') as InternalAxiosRequestConfig | undefined;
		const session = sessionOf(config);
		if (session?.host !== this) {
			return undefined;
		}
		if (config !== undefined && session.pending !== undefined && isCancelled(config)) {
			// Cancelled in axios-retry's wait: the attempt that was decided on is not sent.
			session.cancel(config, error);
		}
		return session.last?.verdict;
	}

	detach(): void {
		this.isDetached = true;
		this.#instance.interceptors.request.eject(this.#interceptor);
	}

	upstreamOf(config: InternalAxiosRequestConfig): KeptUpstream {
		return this.#upstreams.of(config);
	}

	callOptions(config: InternalAxiosRequestConfig): CallOptions | undefined {
		return callOptionsOf(config);
	}

	onSend(): void {}

	onOver(): void {}
}
