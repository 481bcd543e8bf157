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
import type { Admission, Call, Policy, RequestFacts, Upstream, Verdict } from '../types.ts';
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
import { isRequest, NOTHING, normalized, plain, streamOf } from './request.ts';
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
type Refused = Extract<Admission, { readonly admitted: false }>;
type Settled = { readonly ended: Ended; readonly verdict: Verdict };
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
	readonly #facts: FetchCallOptions | undefined;
	#attempts = 0;

	constructor(
		fetch: Fetch,
		options: FetchOptions,
		upstreams: Upstreams<string>,
		input: RequestInfo | URL,
		init: RetryInit | undefined,
	) {
		this.#fetch = fetch;
		this.#options = options;
		this.#request = isRequest(input) ? input : undefined;
		this.#url = this.#request?.url ?? String(input);
		this.#init = init === undefined ? NOTHING : plain(init);
		this.#facts = typeof init?.retrywise === 'object' ? init.retrywise : undefined;
		this.#method = normalized(init?.method ?? this.#request?.method ?? 'GET');
		this.#signal = init?.signal === null ? undefined : (init?.signal ?? this.#request?.signal);
		this.#source = this.#sourceOf(init?.body);
		this.#upstream = upstreams.of(this.#url);
	}

	async run(): Promise<Response> {
		throwIfAborted(this.#signal);
		const facts = this.#about();
		const first = this.#upstream.begin(facts);
		const call = first.admitted ? first.call : await this.#admitted(facts, first);
		if ('error' in call) {
			return this.#over({ verdict: call.verdict, ended: { error: call.error } });
		}
		try {
			for (;;) {
				const settled = await this.#attempt(call);
				const { ended, verdict } = settled;
				if (verdict.kind === 'accept' && ended.response !== undefined) {
					this.#tell(verdict, ended);
					return ended.response;
				}
				const last = verdict.kind === 'retry' ? await this.#next(call, settled) : settled;
				if (last !== undefined) {
					return await this.#over(last);
				}
			}
		} finally {
			call.end();
		}
	}

	/** The request, before its first attempt. */
	#about(): RequestFacts {
		const facts: RequestFacts = this.#facts === undefined ? {} : said(this.#facts);
		facts.method = this.#method;
		facts.replayableBody = this.#source.isReplayable;
		if (this.#bringsHeaders()) {
			// A copy: what is no header is refused here, before anything is sent.
			facts.headers = this.#headers();
		}
		return facts;
	}

	/** Waits until the upstream lets a call begin that it has refused. */
	async #admitted(
		facts: RequestFacts,
		first: Refused,
	): Promise<Call | { readonly verdict: Verdict; readonly error: unknown }> {
		for (let { reason, retryInMs } = first; ; ) {
			if (reason !== 'rate-limited' || retryInMs === null) {
				const verdict = refusalVerdict(this.#upstream, reason, retryInMs);
				return { verdict, error: new RetryRefused(reason, retryInMs) };
			}
			await this.#upstream.clock.sleep(Math.max(1, retryInMs), this.#signal);
			const admission = this.#upstream.begin(facts);
			if (admission.admitted) {
				return admission.call;
			}
			({ reason, retryInMs } = admission);
		}
	}

	/** Waits for the next attempt; how the call ends where there will be none. */
	async #next(call: Call, { ended, verdict }: Settled): Promise<Settled | undefined> {
		let goesOn: boolean;
		try {
			await this.#announce(verdict, ended);
			goesOn = await this.#waited(call, verdict.delayMs);
		} catch (error) {
			// Cancelled in the wait, or by the hook.
			return { verdict: call.cancel(), ended: { error } };
		}
		if (goesOn) {
			return undefined;
		}
		const last = call.cancel();
		return { verdict: last, ended: refusedAfter(ended, last) };
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
	async #attempt(call: Call): Promise<Settled> {
		const { clock } = this.#upstream;
		const limit = attemptSignal(this.#signal, call.timeoutMs, clock);
		const { onAttempt } = this.#options;
		this.#attempts += 1;
		if (onAttempt !== undefined) {
			const info = { ...this.#where(), attempt: call.attempt };
			quietly(onAttempt.bind(this.#options), info);
		}
		let ended: Ended;
		try {
			const response = await this.#fetch(this.#request ?? this.#url, this.#initOf(call, limit));
			// `Response.error()` is a failure in the form of an answer.
			const failed = response.type === 'error';
			ended = failed ? { error: new TypeError('network error') } : { response };
		} catch (error) {
			ended = { error: limit.because(error) };
		}
		limit.clear();
		const settled = this.#settled(call, ended);
		const verdict = settled instanceof Promise ? await settled : settled;
		if (ended.response === undefined || verdict.kind === 'retry') {
			limit.release();
		}
		return { ended, verdict };
	}

	/** Settles an attempt: at once where nothing else has to be known first. */
	#settled(call: Call, ended: Ended): Verdict | Promise<Verdict> {
		const { response } = ended;
		return response?.ok && !this.#upstream.policy.looksInto(response.status)
			? call.settle({ status: response.status, headers: response.headers })
			: this.#settledWhole(call, ended);
	}

	async #settledWhole(call: Call, { response, error }: Ended): Promise<Verdict> {
		if (response === undefined) {
			const cancelled = this.#signal?.aborted === true;
			const committed = !cancelled && (await this.#isSpent());
			return cancelled ? call.cancel() : call.settle({ error, committed });
		}
		const { type, status, headers } = response;
		if (type === 'opaque' || type === 'opaqueredirect') {
			return call.settle({ status: 200 });
		}
		const looks = this.#upstream.policy.looksInto(status);
		const codes = looks ? { body: await codesOf(response) } : undefined;
		const committed = !response.ok && (await this.#isSpent());
		return call.settle({ status, headers, committed, ...codes });
	}

	/** Whether the body could not be kept in full, so that it cannot be sent again. */
	async #isSpent(): Promise<boolean> {
		return !(this.#source.isReplayable && (await this.#source.whole()));
	}

	/** What an attempt is sent with. */
	#initOf(call: Call, { signal }: AttemptSignal): RequestInit {
		const headers = this.#sent(call);
		const init: RequestInit & { duplex?: 'half' } =
			this.#init === NOTHING ? { headers } : { ...this.#init, headers };
		if (signal !== undefined) {
			init.signal = signal;
		}
		const body = this.#source.next();
		if (body !== undefined) {
			init.body = body;
			if (isOneShot(body)) {
				init.duplex = 'half';
			}
		}
		return init;
	}

	/** The headers of an attempt. */
	#sent(call: Call): HeadersInit {
		const layer = this.#options.layerHeader ?? !isBrowser();
		if (!this.#bringsHeaders()) {
			// Nothing that names could meet in another case: `fetch` makes its own of them.
			const layerOnly = layer ? { [LAYER_HEADER]: String(call.attempt) } : {};
			return call.key === null ? layerOnly : { ...call.headers, ...layerOnly };
		}
		const headers = this.#headers();
		for (const [name, value] of Object.entries(call.headers)) {
			headers.set(name, value);
		}
		if (layer) {
			headers.set(LAYER_HEADER, String(call.attempt));
		}
		return headers;
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

	async #over({ verdict, ended }: Settled): Promise<Response> {
		const { response, error } = ended;
		this.#tell(verdict, ended);
		if (verdict.kind === 'stop' && verdict.reason !== 'cancelled') {
			const fallback = await this.#options.onGiveUp?.(verdict, this.#infoOf(verdict, ended));
			if (fallback !== undefined) {
				return fallback;
			}
		}
		if (response === undefined) {
			throw error;
		}
		return response;
	}

	/** Tells those who watch how a call ended. */
	#tell(verdict: Verdict, ended: Ended): void {
		const { onSettled } = this.#options;
		remember(ended.response ?? ended.error, verdict);
		if (onSettled !== undefined) {
			quietly(onSettled.bind(this.#options), this.#infoOf(verdict, ended));
		}
	}

	#infoOf(verdict: Verdict, { response, error }: Ended): FetchSettled {
		return {
			upstream: this.#upstream.name,
			url: this.#url,
			method: this.#method,
			attempts: this.#attempts,
			verdict,
			error,
			response,
		};
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

/** A call that may not go on after its wait: its last error, or that it was refused. */
function refusedAfter({ response, error }: Ended, { reason }: Verdict): Failed {
	if (response === undefined) {
		return { error };
	}
	return { error: Object.assign(new RetryRefused(reason, null), { response }) };
}

/** Runs a hook that only watches: what it throws is nobody's error. */
function quietly<Info>(watch: (info: Info) => void, info: Info): void {
	try {
		watch(info);
	} catch {
		// A watcher must not change what it watches.
	}
}
