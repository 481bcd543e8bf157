/**
 * `axiosRetry(instance, { mode: 'strict', policy })`: axios-retry's options over the core's decisions.
 *
 * | option | what becomes of it |
 * |---|---|
 * | `retries` | the policy's `maxRetries` where that says nothing, and a bound for one request |
 * | `retryCondition` | a veto: it can forbid what the policy would repeat, never the other way round |
 * | `retryDelay` | the wait, where it gives a number from 0; a server's hint is never cut short |
 * | `onRetry` | as ever: awaited before the wait, ends the request by rejecting |
 * | `onMaxRetryTimesExceeded` | whenever a bound ends the retries: count, deadline, budget, breaker … |
 * | `validateResponse` | what it accepts resolves; what it refuses rejects |
 * | `shouldResetTimeout` | only `true`: a timeout is an attempt's, `policy.deadlineMs` is the call's |
 *
 * @module
 */

import type {
	AxiosError,
	AxiosInstance,
	AxiosResponse,
	AxiosStatic,
	InternalAxiosRequestConfig,
} from 'axios';
import { RetrywiseError } from '../errors.ts';
import type { Policy, Upstream, Verdict } from '../types.ts';
import { property } from '../values.ts';
import { Attached, type Between } from './attach.ts';
import type { IAxiosRetryConfig, IAxiosRetryReturn } from './compat/types.ts';
import type { AttachOptions } from './options.ts';
import type { End } from './session.ts';

/** Options of the drop-in under a policy. */
export interface StrictOptions extends IAxiosRetryConfig, Omit<AttachOptions, 'onRetry' | 'mode'> {
	mode: 'strict';
	/** Decides. @default the standard policy */
	policy?: Policy | string | Upstream;
}

/** Makes an instance retry as the policy says. */
export function strict(
	instance: AxiosInstance | AxiosStatic,
	options: StrictOptions,
): IAxiosRetryReturn {
	const { requestInterceptorId, responseInterceptorId } = attachedOf(instance, options).takePlace();
	return { requestInterceptorId, responseInterceptorId };
}

/** The plugin that does it, not in its place yet. */
export function attachedOf(
	instance: AxiosInstance | AxiosStatic,
	options: StrictOptions,
): Attached {
	const { mode: _, onRetry: __, policy, retries, shouldResetTimeout, ...rest } = options;
	if (shouldResetTimeout === false) {
		throw new RetrywiseError(
			'shouldResetTimeout: false has no place in strict mode: policy.deadlineMs bounds the whole call',
		);
	}
	return new Attached(instance, withRetries(policy, retries), rest, between(ownOptions(options)));
}

type Own = IAxiosRetryConfig;

interface State extends Own {
	retryCount: number;
	lastRequestTime: number;
}

const STATE = 'axios-retry';

/** Hooks, as the drop-in's own options say. */
const between = (own: Own): Between => ({
	onRequest(config, session) {
		const state = { ...own, ...config[STATE], retryCount: session.attempts } as State;
		state.lastRequestTime = Date.now();
		config[STATE] = state;
	},
	async beforeWait(end, session) {
		const { verdict, config } = end;
		const state = stateOf(config, own);
		const error = errorOf(end);
		if (session.attempts > bound(state.retries)) {
			return null;
		}
		if (state.retryCondition !== undefined && !(await isAllowed(state.retryCondition, error))) {
			return null;
		}
		state.retryCount = session.attempts;
		const delay = delayOf(verdict, state.retryDelay?.(session.attempts, error));
		await state.onRetry?.(session.attempts, error, config);
		return delay;
	},
	async atEnd(end, session) {
		const { verdict, config, response, error } = end;
		const state = stateOf(config, own);
		const answer = response ?? (property(error, 'response') as AxiosResponse | undefined);
		if (answer !== undefined && state.validateResponse) {
			if (state.validateResponse(answer)) {
				return answer;
			}
			if (response !== undefined) {
				throw refusedAnswer(response);
			}
		}
		const vetoed = verdict.reason === 'cancelled' && session.attempts > bound(state.retries);
		if (error !== undefined && (vetoed || BOUNDS.has(verdict.reason))) {
			await state.onMaxRetryTimesExceeded?.(errorOf(end), session.attempts - 1);
		}
		return undefined;
	},
});

/** Reasons that mean: it would be repeated, were there not a bound. */
const BOUNDS: ReadonlySet<string> = new Set([
	'retries-exhausted',
	'deadline',
	'hint-too-long',
	'budget-exhausted',
	'breaker-open',
	'key-expired',
]);

function stateOf(config: InternalAxiosRequestConfig, own: Own): State {
	config[STATE] ??= { ...own, retryCount: 0, lastRequestTime: Date.now() };
	return config[STATE] as State;
}

/** axios-retry's test for a number of retries: what is no number allows none. */
function bound(retries: unknown): number {
	const count = Number(retries ?? Number.POSITIVE_INFINITY);
	return Number.isNaN(count) ? 0 : count;
}

async function isAllowed(
	condition: NonNullable<Own['retryCondition']>,
	error: AxiosError,
): Promise<boolean> {
	return Boolean(await condition(error));
}

/** The policy's wait, or the caller's where that is one; what the server asked for is kept. */
function delayOf({ reason, delayMs }: Verdict, given: unknown): number {
	const chosen = Number(given ?? Number.NaN);
	if (!(chosen >= 0)) {
		return delayMs;
	}
	return reason === 'server-hint' ? Math.max(chosen, delayMs) : chosen;
}

/** The error of an end; made where axios resolved with a status that its caller accepts. */
function errorOf({ error, response }: End): AxiosError {
	return (error ?? refusedAnswer(response as AxiosResponse)) as AxiosError;
}

/** As axios makes one for a bad status. */
function refusedAnswer(response: AxiosResponse): RetrywiseError {
	const error = new RetrywiseError(`Request failed with status code ${response.status}`);
	const { config, request } = response;
	return Object.assign(error, { isAxiosError: true, config, request, response });
}

/** The options that axios-retry would keep on a config. */
function ownOptions(options: StrictOptions): Own {
	const own: Record<string, unknown> = {};
	for (const name of OWN) {
		if (options[name] !== undefined) {
			own[name] = options[name];
		}
	}
	return own;
}

const OWN = [
	'retries',
	'retryCondition',
	'retryDelay',
	'onRetry',
	'onMaxRetryTimesExceeded',
	'validateResponse',
] as const;

/** The policy, with the number of retries where it has none. */
function withRetries(
	policy: Policy | string | Upstream | undefined,
	retries: unknown,
): Policy | string | Upstream | undefined {
	if (retries === undefined || typeof policy === 'string' || property(policy, 'begin')) {
		return policy;
	}
	const maxRetries = Math.max(0, Math.ceil(bound(retries)));
	return { maxRetries: Math.min(maxRetries, 1_000_000), ...(policy as Policy | undefined) };
}
