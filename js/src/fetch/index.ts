/**
 * `retrywise/fetch`: a fetch that retries, for every runtime that has one.
 *
 * @module
 */

import { remember } from '../axios/verdicts.ts';
import { RetryRefused } from '../errors.ts';
import { isBrowser, throwIfAborted } from '../host.ts';
import { origin } from '../origin.ts';
import { said } from '../said.ts';
import type { Call, Policy, RequestFacts, Upstream, Verdict } from '../types.ts';
import { type KeptUpstream, LAYER_HEADER, refusalVerdict } from '../upstream.ts';
import { Upstreams } from '../upstreams.ts';
import { codesOf, discard, isOneShot, REUSABLE, recorded, type Source } from './body.ts';
import type {
	Fetch,
	FetchCallOptions,
	FetchOptions,
	FetchSettled,
	RetryInit,
	RetryingFetch,
} from './options.ts';
import { type AttemptSignal, attemptSignal } from './signals.ts';

export { verdictOf } from '../axios/verdicts.ts';
export { isRetryRefused, RetryRefused } from '../errors.ts';
export type {
	Fetch,
	FetchAttempt,
	FetchCallOptions,
	FetchOptions,
	FetchRetry,
	FetchSettled,
	RetryInit,
	RetryingFetch,
} from './options.ts';

/** What is kept of a `Request`'s body, which does not say what it was made of. */
const REQUEST_LIMIT = 1_048_576;

/**
 * A fetch under a policy: takes and returns what `fetch` does.
 *
 * A call that stops resolves with its last answer, untouched, or rejects with its last error,
 * unchanged; one that must not begin, or not go on, rejects with {@link RetryRefused}. Each origin
 * gets an upstream of its own, with budget, breaker and limiter, unless `upstreamKey` says
 * otherwise or `policy` is an upstream.
 *
 * An answer that cannot be read (opaque, from `no-cors` or a redirect left to the caller) is final.
 *
 * @throws {PolicyError} with everything that is wrong with the policy
 * @throws {LoadError} where the host forbids WebAssembly
 */
export function withRetry(
	fetch: Fetch,
	policy?: Policy | string | Upstream,
	options: FetchOptions = {},
): RetryingFetch {
	const { seed, clock, name, onEvent } = options;
	const given = {
		...(seed !== undefined && { seed }),
		...(clock !== undefined && { clock }),
		...(name !== undefined && { name }),
		...(onEvent !== undefined && { onEvent }),
	};
	const upstreams = new Upstreams<string>(policy, given, options.upstreamKey ?? origin);
	return (input, init) => {
		if (init?.retrywise === false) {
			return fetch(input, plain(init));
		}
		return new FetchCall(fetch, options, upstreams, input, init).run();
	};
}

/** How an attempt, or a call, ended. */
type Ended = { readonly response: Response; readonly error?: never } | Failed;
type Failed = { readonly error: unknown; readonly response?: never };

class FetchCall {
	readonly #fetch: Fetch;
	readonly #options: FetchOptions;
	readonly #upstream: KeptUpstream;
	readonly #request: Request | undefined;
	readonly #url: string;
	readonly #init: RequestInit;
	readonly #method: string;
	readonly #signal: AbortSignal | undefined;
	readonly #source: Source;
	readonly #facts: FetchCallOptions;
	#attempts = 0;

	constructor(
		fetch: Fetch,
		options: FetchOptions,
		upstreams: Upstreams<string>,
		input: RequestInfo | URL,
		init: RetryInit = {},
	) {
		this.#fetch = fetch;
		this.#options = options;
		this.#request = isRequest(input) ? input : undefined;
		this.#url = this.#request?.url ?? String(input);
		this.#init = plain(init);
		this.#facts = typeof init.retrywise === 'object' ? init.retrywise : {};
		this.#method = normalized(init.method ?? this.#request?.method ?? 'GET');
		this.#signal = init.signal === null ? undefined : (init.signal ?? this.#request?.signal);
		this.#source = this.#sourceOf(init.body);
		this.#upstream = upstreams.of(this.#url);
	}

	async run(): Promise<Response> {
		throwIfAborted(this.#signal);
		const call = await this.#begin();
		if ('error' in call) {
			return this.#over(call.verdict, { error: call.error });
		}
		try {
			return await this.#attemptsOf(call);
		} finally {
			call.end();
		}
	}

	/** Begins the call, as soon as the upstream lets it. */
	async #begin(): Promise<Call | { readonly verdict: Verdict; readonly error: unknown }> {
		const facts: RequestFacts = {
			method: this.#method,
			// A copy: what is no header is refused here, before anything is sent.
			...(this.#bringsHeaders() && { headers: this.#headers() }),
			...said(this.#facts),
			replayableBody: this.#source.isReplayable,
		};
		for (;;) {
			const admission = this.#upstream.begin(facts);
			if (admission.admitted) {
				return admission.call;
			}
			const { reason, retryInMs } = admission;
			if (reason !== 'rate-limited' || retryInMs === null) {
				const verdict = refusalVerdict(this.#upstream, reason, retryInMs);
				return { verdict, error: new RetryRefused(reason, retryInMs) };
			}
			await this.#upstream.clock.sleep(Math.max(1, retryInMs), this.#signal);
		}
	}

	async #attemptsOf(call: Call): Promise<Response> {
		for (;;) {
			const { ended, verdict } = await this.#attempt(call);
			if (verdict.kind !== 'retry') {
				return this.#over(verdict, ended);
			}
			let goesOn: boolean;
			try {
				await this.#announce(verdict, ended);
				goesOn = await this.#waited(call, verdict.delayMs);
			} catch (error) {
				// Cancelled in the wait, or by the hook.
				return this.#over(call.cancel(), { error });
			}
			if (!goesOn) {
				const last = call.cancel();
				return this.#over(last, refusedAfter(ended, last));
			}
		}
	}

	/** Lets go of the answer that failed, and tells of the wait. */
	async #announce(verdict: Verdict, { response, error }: Ended): Promise<void> {
		if (response !== undefined) {
			await discard(response);
		}
		const { attempt, delayMs, reason } = verdict;
		const retry = { ...this.#where(), attempt, delayMs, reason, verdict, error, response };
		await this.#options.onRetry?.(retry);
	}

	/** Sends one attempt and settles it. */
	async #attempt(call: Call): Promise<{ readonly ended: Ended; readonly verdict: Verdict }> {
		const { clock } = this.#upstream;
		const limit = attemptSignal(this.#signal, call.timeoutMs, clock);
		this.#attempts += 1;
		quietly(() => this.#options.onAttempt?.({ ...this.#where(), attempt: call.attempt }));
		const sent = clock.now();
		const ended = await this.#send(call, limit);
		const durationMs = clock.now() - sent;
		limit.clear();
		const verdict = await this.#settled(call, ended, durationMs);
		if (ended.response === undefined || verdict.kind === 'retry') {
			limit.release();
		}
		return { ended, verdict };
	}

	async #settled(call: Call, { response, error }: Ended, durationMs: number): Promise<Verdict> {
		const { policy } = this.#upstream;
		if (response === undefined) {
			const cancelled = this.#signal?.aborted === true;
			const committed = !cancelled && (await this.#isSpent());
			return cancelled ? call.cancel() : call.settle({ error, durationMs, committed });
		}
		if (response.type === 'opaque' || response.type === 'opaqueredirect') {
			return call.settle({ status: 200, durationMs });
		}
		const { status, headers } = response;
		const codes = policy.places.length > 0 ? { body: await codesOf(response) } : undefined;
		const committed = !response.ok && (await this.#isSpent());
		return call.settle({ status, headers, durationMs, committed, ...codes });
	}

	/** Whether the body could not be kept in full, so that it cannot be sent again. */
	async #isSpent(): Promise<boolean> {
		return !(this.#source.isReplayable && (await this.#source.whole()));
	}

	async #send(call: Call, { signal, because }: AttemptSignal): Promise<Ended> {
		try {
			const headers = this.#headers();
			for (const [name, value] of Object.entries(call.headers)) {
				headers.set(name, value);
			}
			if (this.#options.layerHeader ?? !isBrowser()) {
				headers.set(LAYER_HEADER, String(call.attempt));
			}
			const body = this.#source.next();
			const init: RequestInit & { duplex?: 'half' } = {
				...this.#init,
				headers,
				...(signal !== undefined && { signal }),
				...(body !== undefined && { body }),
				...(isOneShot(body) && { duplex: 'half' }),
			};
			const response = await this.#fetch(this.#request ?? this.#url, init);
			// `Response.error()` is a failure in the form of an answer.
			return response.type === 'error' ? { error: new TypeError('network error') } : { response };
		} catch (error) {
			return { error: because(error) };
		}
	}

	/** Waits, and asks until the call may go on; false when it is over. */
	async #waited(call: Call, delayMs: number): Promise<boolean> {
		const { clock } = this.#upstream;
		for (let wait = delayMs; ; ) {
			await clock.sleep(wait, this.#signal);
			const resumed = call.resume();
			if (resumed.admitted || resumed.over) {
				return resumed.admitted;
			}
			wait = Math.max(1, resumed.retryInMs ?? 0);
		}
	}

	async #over(verdict: Verdict, ended: Ended): Promise<Response> {
		const { response, error } = ended;
		const info: FetchSettled = {
			...this.#where(),
			attempts: this.#attempts,
			verdict,
			error,
			response,
		};
		remember(response ?? error, verdict);
		quietly(() => this.#options.onSettled?.(info));
		if (verdict.kind === 'stop' && verdict.reason !== 'cancelled') {
			const fallback = await this.#options.onGiveUp?.(verdict, info);
			if (fallback !== undefined) {
				return fallback;
			}
		}
		if (response === undefined) {
			throw error;
		}
		return response;
	}

	#where(): { readonly upstream: string; readonly url: string; readonly method: string } {
		return { upstream: this.#upstream.name, url: this.#url, method: this.#method };
	}

	#bringsHeaders(): boolean {
		return this.#init.headers !== undefined || this.#request !== undefined;
	}

	/** The request's headers, to be changed. */
	#headers(): Headers {
		return new Headers(this.#init.headers ?? this.#request?.headers);
	}

	#sourceOf(body: BodyInit | null | undefined): Source {
		const { replayLimit } = this.#options;
		if (body !== undefined && body !== null) {
			return isOneShot(body) ? recorded(streamOf(body), replayLimit ?? 0) : REUSABLE;
		}
		const inside = body === null ? null : this.#request?.body;
		return inside ? recorded(inside, replayLimit ?? REQUEST_LIMIT) : REUSABLE;
	}
}

/** The methods that `fetch` writes in upper case by itself. */
const NORMALIZED = /^(?:delete|get|head|options|post|put)$/i;

function normalized(method: string): string {
	return NORMALIZED.test(method) ? method.toUpperCase() : method;
}

/** A call that may not go on after its wait: its last error, or that it was refused. */
function refusedAfter({ response, error }: Ended, { reason }: Verdict): Failed {
	if (response === undefined) {
		return { error };
	}
	return { error: Object.assign(new RetryRefused(reason, null), { response }) };
}

/** The init without what is ours. */
function plain(init: RetryInit): RequestInit {
	const { retrywise: _, ...rest } = init;
	return rest;
}

/** Requests of another realm, or of a polyfill, have no common class. */
function isRequest(input: RequestInfo | URL): input is Request {
	return typeof input === 'object' && 'url' in input && 'headers' in input;
}

function streamOf(body: BodyInit): ReadableStream<Uint8Array> {
	if (typeof (body as ReadableStream).getReader === 'function') {
		return body as ReadableStream<Uint8Array>;
	}
	const chunks = (body as unknown as AsyncIterable<Uint8Array | string>)[Symbol.asyncIterator]();
	const encoder = new TextEncoder();
	return new ReadableStream({
		async pull(controller) {
			const { done, value } = await chunks.next();
			if (done) {
				controller.close();
			} else {
				controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
			}
		},
		async cancel() {
			await chunks.return?.();
		},
	});
}

/** Runs a hook that only watches: what it throws is nobody's error. */
function quietly(watch: () => void): void {
	try {
		watch();
	} catch {
		// A watcher must not change what it watches.
	}
}
