/**
 * One logical call of an axios client: begun when its first attempt is about to be sent, settled
 * with each answer, kept beside the config and never on it.
 *
 * Between two attempts axios copies the config. What survives is what it keeps by reference, and a
 * request always has an adapter; so the adapter names the call.
 *
 * ```text
 * new ──begin──▶ sending ──settle──▶ decided ──wait──▶ waiting ──resume──▶ sending …
 *                    └───────────────▶ over ◀─── cancel, refusal ──┘
 * ```
 *
 * @module
 */

import type { AxiosError, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { RetryRefused } from '../errors.ts';
import { MAX_TIMER_MS } from '../host.ts';
import { property } from '../outcome.ts';
import type { Call, Clock, Outcome, Verdict } from '../types.ts';
import { type KeptUpstream, LAYER_HEADER, refusalVerdict } from '../upstream.ts';
import { answerBody, discard } from './body.ts';
import type { CallOptions } from './options.ts';
import { requestOf } from './request.ts';
import type { Adapter, Sender } from './sender.ts';
import { remember } from './verdicts.ts';
import { isCancelled, wait } from './wait.ts';

/** What the calls of one attachment share. */
export interface Host {
	readonly sender: Sender;
	readonly clock: Clock;
	/** Whether inner layers are told, by a header, that this one retries. */
	readonly layerHeader: boolean;
	/** Whether nobody is left who would retry. */
	readonly isDetached: boolean;
	upstreamOf(config: InternalAxiosRequestConfig): KeptUpstream;
	callOptions(config: InternalAxiosRequestConfig): CallOptions;
	/** An attempt is about to be sent. */
	onSend(session: Session, config: InternalAxiosRequestConfig): void;
	/** A call is over. */
	onOver(session: Session, end: End): void;
}

/** How a call, or an attempt of it, ended. */
export interface End {
	readonly verdict: Verdict;
	readonly config: InternalAxiosRequestConfig;
	readonly response: AxiosResponse | undefined;
	readonly error: unknown;
}

type State = 'new' | 'sending' | 'decided' | 'waiting' | 'over';

/** Sessions by the adapter that stands for them. */
const sessions = new WeakMap<object, Session>();

/** The session that a config belongs to. */
export function sessionOf(config: unknown): Session | undefined {
	const adapter = property(config, 'adapter');
	return typeof adapter === 'function' ? sessions.get(adapter) : undefined;
}

let dropped: FinalizationRegistry<Call> | undefined;

export class Session {
	readonly host: Host;
	/** What the request was to be sent with. */
	readonly inner: Adapter;
	/** Stands in the config; sends one attempt, or hands on to the inner one what is not ours. */
	readonly adapter: (config: InternalAxiosRequestConfig) => Promise<AxiosResponse>;
	/** Attempts sent. */
	attempts = 0;
	/** Whether a fallback was asked for already. */
	gaveUp = false;
	#state: State = 'new';
	#call: Call | undefined;
	#upstream: KeptUpstream | undefined;
	#last: End | undefined;

	constructor(
		host: Host,
		inner: Adapter,
		/** What the adapter does; one attempt by default. */
		send: (session: Session, config: InternalAxiosRequestConfig) => Promise<AxiosResponse> = once,
	) {
		this.host = host;
		this.inner = inner;
		this.adapter = (config) =>
			this.#state === 'over' || this.#state === 'sending'
				? host.sender.send(inner, config)
				: send(this, config);
		sessions.set(this.adapter, this);
	}

	get isOver(): boolean {
		return this.#state === 'over';
	}

	/** The upstream that decides; known once the first attempt was to be sent. */
	get upstream(): KeptUpstream | undefined {
		return this.#upstream;
	}

	/** How the last attempt ended, and what was decided on it. */
	get last(): End | undefined {
		return this.#last;
	}

	/** The decision to send again, if there is one that nobody has acted on. */
	get pending(): End | undefined {
		return this.#state === 'decided' ? this.#last : undefined;
	}

	/** Whether the next attempt is on its way to the adapter. */
	get isWaiting(): boolean {
		return this.#state === 'waiting';
	}

	/** The headers of the call: its idempotency key. */
	get headers(): Readonly<Record<string, string>> {
		return this.#call?.headers ?? {};
	}

	/** Acts on the decision: false when the request was cancelled in the wait, and the call with it. */
	async wait(ms: number, config: InternalAxiosRequestConfig): Promise<boolean> {
		this.#state = 'waiting';
		const waited = await wait(this.host.clock, ms, config);
		if (!waited) {
			this.cancel(config);
		}
		return waited;
	}

	/** Ends a call that is not to go on; its last error or answer is for the caller. */
	cancel(config: InternalAxiosRequestConfig, error: unknown = this.#last?.error): void {
		if (this.#call !== undefined && this.#state !== 'over') {
			const verdict = this.#call.cancel();
			this.#over({ verdict, config, response: undefined, error });
		}
	}

	/** Sends one attempt, if the upstream lets it. */
	async attempt(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
		const call = this.#call;
		if (call === undefined) {
			this.#state = 'sending';
			this.#call = await this.#begin(config);
		} else if (!(await this.#isResumed(call, config))) {
			throw await this.#lost(config);
		}
		this.#state = 'sending';
		this.attempts += 1;
		const sent = this.host.clock.now();
		try {
			const response = await this.#send(config);
			this.#settle(config, sent, response, undefined);
			return response;
		} catch (error) {
			if (this.#state === 'sending') {
				this.#settle(config, sent, undefined, error);
			}
			throw error;
		}
	}

	/** Begins the call, as soon as the upstream lets it. */
	async #begin(config: InternalAxiosRequestConfig): Promise<Call> {
		const { host } = this;
		const upstream = host.upstreamOf(config);
		this.#upstream = upstream;
		const request = { ...requestOf(config), ...host.callOptions(config) };
		for (;;) {
			const admission = upstream.begin(request);
			if (admission.admitted) {
				const { call } = admission;
				// Whoever swallows a failure leaves a call behind that waits for ever.
				if (typeof FinalizationRegistry === 'function') {
					dropped ??= new FinalizationRegistry((call) => call.end());
					dropped.register(this.adapter, call);
				}
				return call;
			}
			const { reason, retryInMs } = admission;
			if (reason !== 'rate-limited' || retryInMs === null) {
				const error = Object.assign(new RetryRefused(reason, retryInMs), { config });
				const verdict = refusalVerdict(upstream, reason, retryInMs);
				this.#over({ verdict, config, response: undefined, error });
				throw error;
			}
			if (!(await wait(host.clock, Math.max(1, retryInMs), config))) {
				this.#state = 'over';
				throw await host.sender.cancelled(config);
			}
		}
	}

	/** Asks until the call may go on, or is over. */
	async #isResumed(call: Call, config: InternalAxiosRequestConfig): Promise<boolean> {
		this.#state = 'sending';
		for (;;) {
			const resumed = call.resume();
			if (resumed.admitted || resumed.over) {
				return resumed.admitted;
			}
			if (!(await wait(this.host.clock, Math.max(1, resumed.retryInMs ?? 0), config))) {
				return false;
			}
		}
	}

	/** The error of a call that may not go on: the last one, or that it was cancelled. */
	async #lost(config: InternalAxiosRequestConfig): Promise<unknown> {
		const { sender } = this.host;
		// Over already, unless it was cancelled: then this says so.
		const verdict = this.#call?.cancel() ?? this.#last?.verdict;
		const cancelled = verdict?.reason === 'cancelled';
		const error = cancelled
			? await sender.cancelled(config)
			: (this.#last?.error ?? refusedAfter(this.#last?.response, verdict, config));
		if (verdict !== undefined) {
			this.#over({ verdict, config, response: this.#last?.response, error });
		}
		return error;
	}

	async #send(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
		const { timeout } = config;
		for (const [name, value] of Object.entries(this.headers)) {
			setHeader(config, name, value);
		}
		if (this.host.layerHeader) {
			setHeader(config, LAYER_HEADER, String(this.attempts));
		}
		const limit = this.#call?.timeoutMs ?? null;
		if (limit !== null && !(timeout !== undefined && timeout > 0 && timeout <= limit)) {
			config.timeout = Math.min(Math.max(1, Math.ceil(limit)), MAX_TIMER_MS);
		}
		this.host.onSend(this, config);
		try {
			return await this.host.sender.send(this.inner, config);
		} finally {
			if (this.host.layerHeader) {
				// Sent again by hand, the config is no inner layer of itself.
				deleteHeader(config, LAYER_HEADER);
			}
			if (timeout === undefined) {
				delete config.timeout;
			} else {
				config.timeout = timeout;
			}
		}
	}

	#settle(
		config: InternalAxiosRequestConfig,
		sent: number,
		response: AxiosResponse | undefined,
		error: unknown,
	): void {
		const answer = response ?? (error as AxiosError | undefined)?.response;
		const places = this.#upstream?.policy.places.length ?? 0;
		const outcome: Outcome = {
			...(response !== undefined && { status: response.status, headers: response.headers }),
			...(error !== undefined && { error }),
			...(answer !== undefined && places > 0 && { body: answerBody(answer) }),
			durationMs: this.host.clock.now() - sent,
		};
		const verdict = (this.#call as Call).settle(outcome);
		const end: End = { verdict, config, response, error };
		if (verdict.kind !== 'retry') {
			this.#over(end);
			return;
		}
		this.#keep(end);
		discard(answer?.data);
		if (this.host.isDetached || isCancelled(config)) {
			// Nobody will come back for it: axios rejects in its own way now, perhaps without a config.
			this.cancel(config);
			return;
		}
		this.#state = 'decided';
	}

	#over(end: End): void {
		this.#state = 'over';
		this.#keep(end);
		this.host.onOver(this, end);
	}

	#keep(end: End): void {
		this.#last = end;
		remember(end.error, end.verdict);
		remember(end.response, end.verdict);
	}
}

const once = (session: Session, config: InternalAxiosRequestConfig): Promise<AxiosResponse> =>
	session.attempt(config);

/** For an answer that axios resolves: there is no error that could be handed on. */
function refusedAfter(
	response: AxiosResponse | undefined,
	verdict: Verdict | undefined,
	config: InternalAxiosRequestConfig,
): unknown {
	return Object.assign(new RetryRefused(verdict?.reason ?? 'cancelled', null), {
		config,
		response,
	});
}

function setHeader(config: InternalAxiosRequestConfig, name: string, value: string): void {
	const set = property(config.headers, 'set');
	if (typeof set === 'function') {
		set.call(config.headers, name, value);
	} else {
		// axios before 1.0 has plain objects.
		Object.assign(config.headers, { [name]: value });
	}
}

function deleteHeader(config: InternalAxiosRequestConfig, name: string): void {
	const remove = property(config.headers, 'delete');
	if (typeof remove === 'function') {
		remove.call(config.headers, name);
	} else {
		delete (config.headers as Record<string, unknown>)[name];
	}
}
