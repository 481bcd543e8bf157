/**
 * Options for the real axios-retry that hand its questions to the policy.
 *
 * axios-retry asks `retryCondition` first and `retryDelay` after it, each with the error alone, and
 * nobody tells it of successes. So the condition asks for the whole verdict and keeps it by the
 * error, and the delay only looks it up. Between two attempts axios copies the config: plain objects
 * are cloned, functions are not, so a function that stands in `config['axios-retry']` names the call.
 *
 * @module
 */

import type { AxiosInstance, AxiosStatic } from 'axios';
import { MAX_TIMER_MS } from '../host.ts';
import type { Call, Policy, UpstreamOptions, Verdict } from '../types.ts';
import { FAILURES_ONLY, KeptUpstream } from '../upstream.ts';
import { property } from '../values.ts';
import { Observed } from './observed.ts';
import { requestOf } from './request.ts';
import type { UpstreamKey } from './upstreams.ts';
import { remember } from './verdicts.ts';

/** What `axiosRetry(instance, options)` takes. */
export interface RetryHooks {
	/** One more than the policy's: giving up is the condition's to say, this only bounds it. */
	readonly retries: number;
	/** Whether to send again. Never throws. */
	readonly retryCondition: (error: unknown) => boolean;
	/** How long to wait, 0 to 2^31 − 1 ms, whole. Never throws. */
	readonly retryDelay: (retryCount: number, error: unknown) => number;
	/** Each attempt gets the client's whole timeout: the policy has a deadline of its own. */
	readonly shouldResetTimeout: true;
	/**
	 * What a policy can say and these hooks cannot do: without an instance they see no success and no
	 * first attempt; with one the list is empty.
	 */
	readonly off: readonly string[];
	/** Takes the watch off the instance, where there is one. */
	readonly detach: () => void;
}

/** How hooks are set up. */
export interface HookOptions extends UpstreamOptions {
	/**
	 * The instance that axios-retry works on. Its requests are watched then, so that budget, breaker,
	 * limiter, attempt timeouts and generated keys work. @default none: those are off
	 */
	instance?: AxiosInstance | AxiosStatic;
	/** With an instance: names the dependency that a request goes to. @default its origin */
	upstreamKey?: UpstreamKey;
}

/**
 * Options for axios-retry: `axiosRetry(axios, hooks({ maxRetries: 3 }))`.
 *
 * Without an instance, a key counts when the request brings it: `headers: { 'Idempotency-Key': … }`.
 * None is generated: the first attempt is on its way before a hook is asked, so a policy that
 * generates keys refuses to repeat a keyless POST. Calls start with the first attempt, as axios-retry
 * stamps it. With `{ instance }` calls begin before they are sent.
 *
 * @throws {PolicyError} with everything that is wrong with the policy
 * @throws {LoadError} where the host forbids WebAssembly
 */
export function hooks(policy?: Policy | string, options: HookOptions = {}): RetryHooks {
	const { instance, upstreamKey, ...upstream } = options;
	const observed = instance && new Observed(policy, upstream, instance, upstreamKey);
	const asked = new Asked(policy, upstream, observed);
	return Object.defineProperties(
		{
			retries: asked.maxRetries + 1,
			retryCondition: (error: unknown) => asked.isToRetry(error),
			retryDelay: (retryCount: number, error: unknown) => asked.delay(retryCount, error),
			shouldResetTimeout: true as const,
		},
		{
			// Not enumerable: axios-retry copies what it is given into every config.
			off: { value: observed === undefined ? OFF : [] },
			detach: { value: () => observed?.detach() },
		},
	) as RetryHooks;
}

const OFF: readonly string[] = [
	'budget',
	'breaker',
	'limiter',
	'clientThrottling',
	'attemptTimeoutMs',
	'idempotency.generate',
];

/** The property of axios-retry's own state under which the call's token stands. */
const TOKEN = 'retrywise';
const STATE = 'axios-retry';

/** A decision, and at which retry it was made: an error object may come again for the next one. */
interface Decided {
	readonly verdict: Verdict;
	readonly retryCount: number;
}

/** By error, for all hooks: an error that passes two attachments is decided once. */
const decided = new WeakMap<object, Decided>();

/** A call, named by a function that survives the copying of configs. */
type Token = () => string;

interface Tokened {
	readonly call: Call;
	readonly upstream: KeptUpstream;
}

const calls = new WeakMap<Token, Tokened>();

class Asked {
	readonly maxRetries: number;
	readonly #upstream: KeptUpstream;
	/** axios-retry stamps times of the real wall clock; a virtual one cannot be compared with them. */
	readonly #stamped: boolean;
	readonly #observed: Observed | undefined;

	constructor(
		policy: Policy | string | undefined,
		options: UpstreamOptions,
		observed: Observed | undefined,
	) {
		this.#observed = observed;
		this.#upstream = new KeptUpstream(policy, options, FAILURES_ONLY);
		this.#stamped = options.clock?.wall === undefined && options.clock?.now === undefined;
		this.maxRetries = this.#upstream.policy.maxRetries;
	}

	isToRetry(error: unknown): boolean {
		return this.#verdict(error, 0)?.kind === 'retry';
	}

	/**
	 * The wait before a retry that a condition has decided on: this one, and then its verdict is
	 * known, or the user's own. Where the policy would have stopped, it still chooses a wait.
	 */
	delay(retryCount: number, error: unknown): number {
		// axios-retry has counted the retry by the time it asks how long to wait for it.
		const verdict = this.#verdict(error, 1);
		if (verdict?.kind === 'retry') {
			return bounded(verdict.delayMs);
		}
		const hintMs = verdict?.hintMs ?? null;
		try {
			const retry = retryCount >= 1 ? Math.min(retryCount, MAX_TIMER_MS) : 1;
			const chosen = this.#upstream.delay(retry, verdict?.class ?? 'transient', hintMs);
			return bounded(chosen.delayMs ?? hintMs ?? 0);
		} catch {
			return 0;
		}
	}

	/**
	 * The verdict on an error; none when its call must not begin, or when the object is no error.
	 * `counted` is how far axios-retry's count is ahead of the retries that were made.
	 */
	#verdict(error: unknown, counted: number): Verdict | undefined {
		try {
			if (!isObject(error)) {
				return undefined;
			}
			const config = property(error, 'config');
			const state = property(config, STATE);
			const retryCount = Number(property(state, 'retryCount') ?? counted) - counted;
			if (this.#observed !== undefined) {
				const verdict = this.#observed.verdict(error);
				if (verdict !== undefined) {
					tellExhausted(verdict, state);
				}
				return verdict;
			}
			const known = decided.get(error);
			if (known !== undefined && known.retryCount === retryCount) {
				return known.verdict;
			}
			const verdict = this.#call(config, state)?.settle({ error });
			if (verdict !== undefined) {
				decided.set(error, { verdict, retryCount });
				remember(error, verdict);
				tellExhausted(verdict, state);
			}
			return verdict;
		} catch {
			// A hook that throws would replace the caller's error by ours.
			return undefined;
		}
	}

	/** The call that the config belongs to, its attempt on the way; a new one at the first failure. */
	#call(config: unknown, state: unknown): Call | undefined {
		const holder = isObject(state) ? state : config;
		const token = property(holder, TOKEN);
		const known = typeof token === 'function' ? calls.get(token as Token) : undefined;
		if (known?.upstream === this.#upstream) {
			known.call.resume();
			return known.call;
		}
		const call = this.#begin(config, state);
		if (call !== undefined && isObject(holder)) {
			const name: Token = () => 'retrywise';
			calls.set(name, { call, upstream: this.#upstream });
			Object.assign(holder, { [TOKEN]: name });
		}
		return call;
	}

	/** Begins a call at the time its first attempt was sent, so that the deadline counts from there. */
	#begin(config: unknown, state: unknown): Call | undefined {
		const { clock } = this.#upstream;
		const wall = clock.wall();
		const sent = property(state, 'lastRequestTime');
		const elapsed = this.#stamped && typeof sent === 'number' ? Math.max(0, wall - sent) : 0;
		const now = clock.now() - elapsed;
		// No random bits: a key made now was not sent with the first attempt.
		const admission = this.#upstream.beginAt(requestOf(config), null, now, wall - elapsed);
		return admission.admitted ? admission.call : undefined;
	}
}

/** Lets axios-retry call `onMaxRetryTimesExceeded`: it does so when its own count has reached its own bound. */
function tellExhausted(verdict: Verdict, state: unknown): void {
	if (verdict.reason === 'retries-exhausted' && isObject(state)) {
		Object.assign(state, { retries: property(state, 'retryCount') });
	}
}

/** What one timer takes: a whole number, never NaN, never negative. */
function bounded(ms: number): number {
	return ms > 0 ? Math.min(Math.ceil(ms), MAX_TIMER_MS) : 0;
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
