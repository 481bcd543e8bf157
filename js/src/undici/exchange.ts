/**
 * One request through a dispatcher: its attempts, and the one handler that hears of them.
 *
 * The handler is started once and keeps one controller, whatever attempt is under way; so an abort
 * reaches the attempt, or the wait for the next one. An attempt whose answer is not handed on is
 * read to its end as far as that is short, so that its connection can be used again.
 *
 * @module
 */

import type { Dispatcher } from 'undici';
import { isOneShot } from '../axios/request.ts';
import { RetryRefused } from '../errors.ts';
import { MAX_TIMER_MS } from '../host.ts';
import type { Call, Outcome, RequestFacts } from '../types.ts';
import type { KeptUpstream } from '../upstream.ts';
import { Attempt, type Head } from './attempt.ts';
import { pairsOf, withHeaders } from './headers.ts';

type Controller = Dispatcher.DispatchController;
type Handler = Dispatcher.DispatchHandler;
type RawHeaders = NonNullable<Controller['rawHeaders']> | null;

const LAYER_HEADER = 'x-retry-layer';

export class Exchange implements Controller {
	/** Whether answers have to be read before they are decided on. */
	readonly readsBodies: boolean;
	readonly #upstream: KeptUpstream;
	readonly #dispatch: Dispatcher.Dispatch;
	readonly #request: Dispatcher.DispatchOptions;
	readonly #handler: Handler;
	readonly #facts: RequestFacts;
	readonly #tellsLayers: boolean;
	readonly #waiting = new AbortController();
	#call: Call | undefined;
	#attempt: Attempt | undefined;
	#isStarted = false;
	#isOver = false;
	#paused = false;
	#reason: Error | null = null;

	constructor(
		upstream: KeptUpstream,
		dispatch: Dispatcher.Dispatch,
		request: Dispatcher.DispatchOptions,
		handler: Handler,
		facts: RequestFacts,
		tellsLayers: boolean,
	) {
		this.#tellsLayers = tellsLayers;
		this.#upstream = upstream;
		this.#dispatch = dispatch;
		this.#request = request;
		this.#handler = handler;
		this.readsBodies = upstream.policy.places.length > 0;
		this.#facts = {
			method: request.method,
			headers: pairsOf(request.headers),
			replayableBody: !isOneShot(request.body),
			...facts,
		};
	}

	/** Begins the call and sends its first attempt, as soon as the upstream lets it. */
	begin(): void {
		const admission = this.#upstream.begin(this.#facts);
		if (admission.admitted) {
			this.#call = admission.call;
			this.#send();
			return;
		}
		const { reason, retryInMs } = admission;
		// Its signal is attended to from here on.
		this.started({});
		if (reason === 'rate-limited' && retryInMs !== null) {
			this.#wait(Math.max(1, retryInMs), () => this.begin());
		} else {
			queueMicrotask(() => this.fail(this.#reason ?? new RetryRefused(reason, retryInMs)));
		}
	}

	// What the handler does, as a controller.

	get aborted(): boolean {
		return this.#reason !== null;
	}

	get reason(): Error | null {
		return this.#reason;
	}

	get paused(): boolean {
		return this.#paused;
	}

	get rawHeaders(): RawHeaders {
		return this.#attempt?.controller?.rawHeaders ?? null;
	}

	get rawTrailers(): RawHeaders {
		return this.#attempt?.controller?.rawTrailers ?? null;
	}

	pause(): void {
		this.#paused = true;
		this.#attempt?.controller?.pause();
	}

	resume(): void {
		this.#paused = false;
		this.#attempt?.controller?.resume();
	}

	abort(reason: Error): void {
		if (this.#reason !== null || this.#isOver) {
			return;
		}
		this.#reason = reason ?? new DOMException('the request was aborted', 'AbortError');
		this.#call?.cancel();
		if (this.#attempt?.abort(this.#reason) !== true) {
			this.#attempt?.drop();
			this.#waiting.abort(this.#reason);
		}
	}

	// What an attempt tells.

	started(context: unknown): void {
		if (!this.#isStarted) {
			this.#isStarted = true;
			this.#handler.onRequestStart?.(this, context);
		}
	}

	/** Decides on an answer; true when it is to be handed on. */
	isFinal(outcome: Outcome): boolean {
		const verdict = (this.#call as Call).settle(outcome);
		if (verdict.kind !== 'retry' || this.aborted) {
			return true;
		}
		const { error } = outcome;
		this.#wait(verdict.delayMs, () => this.#resume(error));
		return false;
	}

	answer({ status, headers, message }: Head): void {
		this.#handler.onResponseStart?.(this, status, headers, message);
	}

	data(chunk: Buffer): void {
		this.#handler.onResponseData?.(this, chunk);
	}

	end(trailers: Parameters<NonNullable<Handler['onResponseEnd']>>[1]): void {
		this.#isOver = true;
		this.#handler.onResponseEnd?.(this, trailers);
	}

	upgrade(...[status, headers, socket]: Upgrade): void {
		this.#isOver = true;
		this.#call?.settle({ status });
		this.#handler.onRequestUpgrade?.(this, status, headers, socket);
	}

	fail(error: Error): void {
		if (!this.#isOver) {
			this.#isOver = true;
			this.#call?.end();
			this.#handler.onResponseError?.(this, error);
		}
	}

	// Between attempts.

	#send(): void {
		const { attempt: number, headers: own, timeoutMs } = this.#call as Call;
		const headers = this.#tellsLayers ? { ...own, [LAYER_HEADER]: String(number) } : own;
		const attempt = new Attempt(this);
		this.#attempt = attempt;
		if (timeoutMs !== null) {
			attempt.limit(Math.min(Math.max(1, Math.ceil(timeoutMs)), MAX_TIMER_MS));
		}
		const request = { ...this.#request, headers: withHeaders(this.#request.headers, headers) };
		try {
			this.#dispatch(request as Dispatcher.DispatchOptions, attempt);
		} catch (error) {
			attempt.onResponseError(null, error as Error);
		}
	}

	#resume(error: unknown): void {
		const resumed = (this.#call as Call).resume();
		if (resumed.admitted) {
			this.#attempt?.drop();
			this.#send();
		} else if (!resumed.over) {
			this.#wait(Math.max(1, resumed.retryInMs ?? 0), () => this.#resume(error));
		} else {
			const { reason, retryInMs } = resumed;
			this.fail((error as Error | undefined) ?? new RetryRefused(reason, retryInMs));
		}
	}

	#wait(ms: number, then: () => void): void {
		const { signal } = this.#waiting;
		this.#upstream.clock
			.sleep(ms, signal)
			.then(then)
			.catch((error) => this.fail(this.#reason ?? error));
	}
}

type Upgrade =
	Parameters<NonNullable<Handler['onRequestUpgrade']>> extends [unknown, ...infer Rest]
		? Rest
		: never;
