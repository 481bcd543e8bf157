/**
 * The plugin: an axios instance under a policy, with all that an upstream does.
 *
 * @module
 */

import type { AxiosInstance, AxiosResponse, AxiosStatic, InternalAxiosRequestConfig } from 'axios';
import { clockOf, isBrowser, sleep } from '../host.ts';
import type { Clock, Policy, Upstream, UpstreamOptions } from '../types.ts';
import type { KeptUpstream } from '../upstream.ts';
import { Upstreams } from '../upstreams.ts';
import { property } from '../values.ts';
import {
	type AttachOptions,
	type CallOptions,
	callOptionsOf,
	type SettledInfo,
} from './options.ts';
import { type Handlers, type Place, place } from './place.ts';
import { Sender, same } from './sender.ts';
import { type End, type Host, Session, sessionOf } from './session.ts';
import { originOf } from './upstreams.ts';

/** What is in place on an instance. */
export interface Attachment extends Disposable {
	readonly requestInterceptorId: number;
	readonly responseInterceptorId: number;
	/** The upstream of a key: of an origin, unless `upstreamKey` says otherwise. */
	upstream(key: string): Upstream;
	/** Takes the plugin out. Attempts under way end; none is sent again. A second time is harmless. */
	detach(): void;
}

/**
 * Puts an axios instance under a policy: `attach(client, { maxRetries: 3 })`.
 *
 * Each origin gets an upstream of its own, with budget, breaker and limiter, unless `upstreamKey`
 * says otherwise or `policy` is an upstream. A call that stops rejects with its last error,
 * unchanged; one that must not begin with {@link RetryRefused}. Attached again, an instance follows
 * the new policy alone.
 *
 * @throws {PolicyError} with everything that is wrong with the policy
 * @throws {LoadError} where the host forbids WebAssembly
 */
export function attach(
	instance: AxiosInstance | AxiosStatic,
	policy?: Policy | string | Upstream,
	options: AttachOptions = {},
): Attachment {
	const attached = new Attached(instance, policy, options, plain(options));
	attached.takePlace();
	return attached;
}

/** What happens between a decision to retry and the wait for it. */
export interface Between {
	/** The wait in ms, or null to stop here after all. What it throws ends the call. */
	beforeWait(end: End, session: Session): number | null | Promise<number | null>;
	/** The last look at an answer or an error, when the call is over. Resolves or throws. */
	atEnd?(end: End, session: Session): Promise<AxiosResponse | undefined>;
	/** Before an attempt passes the interceptors. */
	onRequest?(config: InternalAxiosRequestConfig, session: Session): void;
}

const plain = ({ onRetry }: AttachOptions): Between =>
	onRetry === undefined
		? { beforeWait: ({ verdict }) => verdict.delayMs }
		: {
				async beforeWait({ verdict, error, response, config }) {
					const { attempt, delayMs, reason } = verdict;
					await onRetry({ attempt, delayMs, reason, verdict, error, response, config });
					return delayMs;
				},
			};

export class Attached implements Attachment, Handlers, Host {
	readonly sender: Sender;
	readonly clock: Clock;
	readonly layerHeader: boolean;
	isDetached = false;
	readonly #instance: AxiosInstance;
	readonly #upstreams: Upstreams<InternalAxiosRequestConfig>;
	readonly #options: AttachOptions;
	readonly #between: Between;
	#place: Place | undefined;

	constructor(
		instance: AxiosInstance | AxiosStatic,
		policy: Policy | string | Upstream | undefined,
		options: AttachOptions,
		between: Between,
	) {
		const given = upstreamOptions(options);
		this.#upstreams = new Upstreams(policy, given, options.upstreamKey ?? originOf);
		this.clock = clockOf(given.clock);
		this.layerHeader = options.layerHeader ?? !isBrowser();
		this.sender = new Sender(instance);
		this.#instance = instance;
		this.#options = options;
		this.#between = between;
	}

	/** Puts it into the instance, in the place of the one before it. */
	takePlace(): Place {
		this.#place ??= place(this.#instance, this, () => this.detach());
		return this.#place;
	}

	get requestInterceptorId(): number {
		return this.takePlace().requestInterceptorId;
	}

	get responseInterceptorId(): number {
		return this.takePlace().responseInterceptorId;
	}

	upstream(key: string): Upstream {
		return this.#upstreams.at(key);
	}

	detach(): void {
		this.isDetached = true;
		this.#place?.leave();
	}

	[Symbol.dispose](): void {
		this.detach();
	}

	upstreamOf(config: InternalAxiosRequestConfig): KeptUpstream {
		return this.#upstreams.of(config);
	}

	callOptions(config: InternalAxiosRequestConfig): CallOptions | undefined {
		return callOptionsOf(config);
	}

	onSend(session: Session, config: InternalAxiosRequestConfig): void {
		const { onAttempt } = this.#options;
		if (onAttempt !== undefined) {
			const upstream = session.upstream?.name ?? '';
			watch(onAttempt, { attempt: session.attempts, upstream, config });
		}
	}

	onOver(session: Session, end: End): void {
		const { onSettled } = this.#options;
		if (onSettled !== undefined) {
			watch(onSettled.bind(this.#options), infoOf(session, end));
		}
	}

	/** A request on its way to the adapter: the first of a call, or a further attempt. */
	onRequest(config: InternalAxiosRequestConfig): InternalAxiosRequestConfig {
		if (config.retrywise === false) {
			return config;
		}
		const known = sessionOf(config);
		let session = known;
		if (known === undefined || known.isOver || known.host !== this) {
			// A config that is sent again by hand is a new call.
			const inner = known === undefined ? config.adapter : known.inner;
			session = new Session(this, inner, this.#options.mode === 'adapter' ? this.#run : undefined);
			config.adapter = session.adapter;
		}
		this.#between.onRequest?.(config, session as Session);
		return config;
	}

	onResponse(response: AxiosResponse): AxiosResponse | Promise<AxiosResponse> {
		const session = sessionOf(response?.config);
		// The usual case by itself: nothing is left to do, so nobody waits for it.
		return session?.last?.verdict.kind === 'accept' && this.#between.atEnd === undefined
			? response
			: this.#next(response, session);
	}

	onError(error: unknown): Promise<AxiosResponse> {
		return this.#next(undefined, sessionOf(property(error, 'config')), error);
	}

	/** Adapter mode: attempts until the call is over. */
	readonly #run = async (
		session: Session,
		config: InternalAxiosRequestConfig,
	): Promise<AxiosResponse> => {
		for (;;) {
			const response = await session.attempt(config).catch((error) => {
				if (session.pending === undefined) {
					throw error;
				}
			});
			const end = session.pending;
			if (end === undefined) {
				return response as AxiosResponse;
			}
			if (!(await this.#isWorthAnother(session, end, config))) {
				if (end.response !== undefined) {
					return end.response;
				}
				throw end.error;
			}
		}
	};

	/** Interceptor mode: what follows an attempt. Both: what follows a call. */
	async #next(
		response: AxiosResponse | undefined,
		session: Session | undefined,
		error?: unknown,
	): Promise<AxiosResponse> {
		const end = session?.host === this ? session.last : undefined;
		if (session === undefined || end === undefined) {
			return passOn(response, error);
		}
		const pending = session.pending;
		// The config with which the attempt ended, as the caller's interceptors have left it.
		const config = (response ?? (error as { config?: unknown }))
			.config as InternalAxiosRequestConfig;
		if (pending !== undefined) {
			if (await this.#isWorthAnother(session, { ...pending, config }, config)) {
				config.transformRequest = [same];
				return this.#instance(config);
			}
		}
		if (session.isWaiting) {
			// An interceptor failed before the attempt could be sent.
			session.cancel(config, error);
		}
		return this.#finish(session, response, error);
	}

	/** Waits for the next attempt; false when there will be none. Throws when the wait was cancelled. */
	async #isWorthAnother(
		session: Session,
		end: End,
		config: InternalAxiosRequestConfig,
	): Promise<boolean> {
		let delay: number | null;
		try {
			delay = await this.#between.beforeWait(end, session);
		} catch (error) {
			session.cancel(config, error);
			throw error;
		}
		if (delay === null || this.isDetached) {
			session.cancel(config);
			return false;
		}
		// Handed on, not awaited: what this function holds goes before the wait, not after it.
		return session.wait(delay, config).then((waited) => this.#hasWaited(waited, session, config));
	}

	/** Whether a call whose wait is over, or was cancelled, is to be sent again. */
	async #hasWaited(
		waited: boolean,
		session: Session,
		config: InternalAxiosRequestConfig,
	): Promise<boolean> {
		if (!waited) {
			session.cancel(config);
			throw await this.sender.cancelled(config);
		}
		if (this.isDetached) {
			session.cancel(config);
		}
		return !this.isDetached;
	}

	/** A call that is over: its end, or what stands in for it. */
	async #finish(
		session: Session,
		response: AxiosResponse | undefined,
		error: unknown,
	): Promise<AxiosResponse> {
		const end = session.last;
		if (end === undefined || session.gaveUp || !session.isOver) {
			return passOn(response, error);
		}
		session.gaveUp = true;
		const { verdict } = end;
		const { onGiveUp } = this.#options;
		const instead = await this.#between.atEnd?.({ ...end, response, error }, session);
		if (instead !== undefined) {
			return instead;
		}
		if (verdict.kind === 'stop' && verdict.reason !== 'cancelled' && onGiveUp !== undefined) {
			const value = await onGiveUp(verdict, infoOf(session, { ...end, response, error }));
			if (value !== undefined) {
				return value as AxiosResponse;
			}
		}
		return passOn(response, error);
	}
}

function passOn(response: AxiosResponse | undefined, error: unknown): Promise<AxiosResponse> {
	return response === undefined ? Promise.reject(error) : Promise.resolve(response);
}

function infoOf(session: Session, { verdict, error, response, config }: End): SettledInfo {
	const upstream = session.upstream?.name ?? '';
	return { attempts: session.attempts, verdict, upstream, error, response, config };
}

/** Who only watches must not change what happens. */
function watch<Info>(tell: (info: Info) => void, info: Info): void {
	try {
		tell(info);
	} catch {
		// Told in the options' documentation.
	}
}

function upstreamOptions({ seed, clock, name, onEvent, unref }: AttachOptions): UpstreamOptions {
	const waits = unref === true ? { sleep: unrefSleep } : {};
	return {
		...(seed !== undefined && { seed }),
		...(name !== undefined && { name }),
		...(onEvent !== undefined && { onEvent }),
		clock: { ...waits, ...boundClock(clock) },
	};
}

const unrefSleep = (ms: number, signal?: AbortSignal): Promise<void> => sleep(ms, signal, true);

/** The parts of a clock, whatever object has them. */
function boundClock(clock: Partial<Clock> | undefined): Partial<Clock> {
	return clock === undefined
		? {}
		: {
				...(clock.now && { now: () => (clock as Clock).now() }),
				...(clock.wall && { wall: () => (clock as Clock).wall() }),
				...(clock.sleep && {
					sleep: (ms: number, signal?: AbortSignal) => (clock as Clock).sleep(ms, signal),
				}),
			};
}
