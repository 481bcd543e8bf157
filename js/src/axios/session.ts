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
import type { Admission, Call, Clock, Outcome, Verdict } from '../types.ts';
import { type KeptUpstream, LAYER_HEADER, refusalVerdict } from '../upstream.ts';
import { property } from '../values.ts';
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
	/** What the caller said of this request; undefined where that is nothing. */
	callOptions(config: InternalAxiosRequestConfig): CallOptions | undefined;
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

type Refused = Extract<Admission, { readonly admitted: false }>;
type State = 'new' | 'sending' | 'decided' | 'waiting' | 'over';

/** Under which an adapter keeps the session that it stands for. */
const SESSION: unique symbol = Symbol('retrywise.session');

interface Standing {
	[SESSION]?: Session;
}

/** The session that a config belongs to. */
export function sessionOf(config: unknown): Session | undefined {
	const adapter = property(config, 'adapter');
	return typeof adapter === 'function' ? (adapter as Standing)[SESSION] : undefined;
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
		(this.adapter as Standing)[SESSION] = this;
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

	/** Acts on the decision: false when the request was cancelled in the wait; end the call then. */
	wait(ms: number, config: InternalAxiosRequestConfig): Promise<boolean> {
		this.#state = 'waiting';
		return wait(this.host.clock, ms, config);
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
			const refused = this.#begin(config);
			if (refused !== undefined) {
				await this.#admitted(config, refused);
			}
		} else if (!(await this.#isResumed(call, config))) {
			throw await this.#lost(config);
		}
		this.#state = 'sending';
		this.attempts += 1;
		const { host } = this;
		const { timeout } = config;
		let response: AxiosResponse;
		try {
			this.#prepare(config);
			host.onSend(this, config);
			response = await host.sender.send(this.inner, config);
		} catch (error) {
			this.#restore(config, timeout);
			if (this.#state === 'sending') {
				this.#settle(config, undefined, error);
			}
			throw error;
		}
		this.#restore(config, timeout);
		this.#settle(config, response, undefined);
		return response;
	}

	/** Begins the call, if the upstream lets it at once. */
	#begin(config: InternalAxiosRequestConfig): Refused | undefined {
		const { host } = this;
		this.#upstream ??= host.upstreamOf(config);
		const options = host.callOptions(config);
		const facts = requestOf(config);
		const admission = this.#upstream.begin(
			options === undefined ? facts : { ...facts, ...options },
		);
		if (!admission.admitted) {
			return admission;
		}
		this.#call = admission.call;
		return undefined;
	}

	/** Waits until the upstream lets a call begin that it has refused. */
	async #admitted(config: InternalAxiosRequestConfig, first: Refused): Promise<void> {
		const { host } = this;
		for (let refused: Refused | undefined = first; refused !== undefined; ) {
			const { reason, retryInMs } = refused;
			if (reason !== 'rate-limited' || retryInMs === null) {
				const error = Object.assign(new RetryRefused(reason, retryInMs), { config });
				const verdict = refusalVerdict(this.#upstream as KeptUpstream, reason, retryInMs);
				this.#over({ verdict, config, response: undefined, error });
				throw error;
			}
			if (!(await wait(host.clock, Math.max(1, retryInMs), config))) {
				this.#state = 'over';
				throw await host.sender.cancelled(config);
			}
			refused = this.#begin(config);
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

	/** What an attempt is sent with beside what the caller gave: headers and a time limit. */
	#prepare(config: InternalAxiosRequestConfig): void {
		const { headers } = this;
		for (const name in headers) {
			setHeader(config, name, headers[name] as string);
		}
		if (this.host.layerHeader) {
			setHeader(config, LAYER_HEADER, String(this.attempts));
		}
		const limit = this.#call?.timeoutMs ?? null;
		const { timeout } = config;
		if (limit !== null && !(timeout !== undefined && timeout > 0 && timeout <= limit)) {
			config.timeout = Math.min(Math.max(1, Math.ceil(limit)), MAX_TIMER_MS);
		}
	}

	/** Sent again by hand, the config is no inner layer of itself, and its limit is the caller's. */
	#restore(config: InternalAxiosRequestConfig, timeout: number | undefined): void {
		if (this.host.layerHeader) {
			deleteHeader(config, LAYER_HEADER);
		}
		if (config.timeout !== timeout) {
			if (timeout === undefined) {
				delete config.timeout;
			} else {
				config.timeout = timeout;
			}
		}
	}

	#settle(
		config: InternalAxiosRequestConfig,
		response: AxiosResponse | undefined,
		error: unknown,
	): void {
		const answer = response ?? (error as AxiosError | undefined)?.response;
		// How long it took, the call knows: it was let go just before it was sent.
		const outcome: Outcome =
			response === undefined ? { error } : { status: response.status, headers: response.headers };
		if (answer !== undefined && this.#upstream?.policy.looksInto(answer.status)) {
			outcome.body = answerBody(answer);
		}
		const verdict = (this.#call as Call).settle(outcome);
		const end: End = { verdict, config, response, error };
		if (verdict.kind !== 'retry') {
			this.#over(end);
			return;
		}
		this.#keep(end);
		// Whoever swallows a failure leaves a call behind that waits for ever.
		if (this.attempts === 1 && typeof FinalizationRegistry === 'function') {
			dropped ??= new FinalizationRegistry((call) => call.end());
			dropped.register(this.adapter, this.#call as Call);
		}
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
	const { headers } = config;
	const set = property(headers, 'set');
	if (typeof set === 'function' && hasLine(headers, name)) {
		// By axios's own rules about names in another case, and lines that a caller has forbidden.
		set.call(headers, name, value);
	} else {
		// What `set` would come to, at a tenth of the price; and axios before 1.0 has plain objects.
		(headers as Record<string, unknown>)[name] = value;
	}
}

/** Whether a line of this name is there, in any case. */
function hasLine(headers: InternalAxiosRequestConfig['headers'], name: string): boolean {
	for (const key in headers) {
		if (key.length === name.length && key.toLowerCase() === name.toLowerCase()) {
			return true;
		}
	}
	return false;
}

function deleteHeader(config: InternalAxiosRequestConfig, name: string): void {
	const remove = property(config.headers, 'delete');
	if (typeof remove === 'function' && !Object.hasOwn(config.headers, name)) {
		remove.call(config.headers, name);
	} else {
		delete (config.headers as Record<string, unknown>)[name];
	}
}
