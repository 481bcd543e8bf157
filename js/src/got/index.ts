/**
 * got under a policy: `got.extend(gotOptions(policy))`.
 *
 * got keeps sending and waiting; what is decided comes from here. The call of a request lies in its
 * `context`, which got carries from attempt to attempt.
 *
 * @module
 */

import type { ExtendOptions, RequestError, Response } from 'got';
import { isOneShot } from '../axios/request.ts';
import { RetryRefused } from '../errors.ts';
import type { Call, Policy, Reason, RequestFacts, Upstream, UpstreamOptions } from '../types.ts';
import type { KeptUpstream } from '../upstream.ts';
import { Upstreams } from '../upstreams.ts';
import { property } from '../values.ts';

/** Facts about one request, under `context.retrywise`. */
export type GotCallOptions = Pick<
	RequestFacts,
	'key' | 'event' | 'priority' | 'idempotent' | 'replayableBody' | 'parent'
>;

/** How the options work. */
export interface GotRetryOptions extends UpstreamOptions {
	/** Names the dependency that a URL belongs to. @default its origin */
	upstreamKey?: (url: string) => string;
}

/** got's options of one request, as hooks see them. */
type Options = Pick<
	RequestError['options'],
	'body' | 'context' | 'headers' | 'isStream' | 'method' | 'timeout' | 'url'
>;

/** The call of a request, under way. */
interface Session {
	readonly call: Call;
	readonly upstream: KeptUpstream;
	/** The caller's own limit of a request, ms. */
	readonly timeoutMs: number | undefined;
	state: 'sending' | 'waiting' | 'over';
}

const SESSION = Symbol('retrywise');

let dropped: FinalizationRegistry<Call> | undefined;

/**
 * Options for `got.extend`, for requests by promise; streams are sent as they are.
 *
 * got wraps what hooks throw: a refusal arrives as the `cause` of its `RequestError`, a
 * {@link RetryRefused}. A request that is cancelled in a wait gives its place back when it is
 * collected. The smallest wait is 1 ms. `timeout` of got holds for each attempt, as ever.
 *
 * @throws {PolicyError} with everything that is wrong with the policy
 * @throws {LoadError} where the host forbids WebAssembly
 */
export function gotOptions(
	policy?: Policy | string | Upstream,
	options: GotRetryOptions = {},
): ExtendOptions {
	const { upstreamKey = (url: string) => new URL(url).origin, ...given } = options;
	const upstreams = new Upstreams<string>(policy, given, upstreamKey);
	return {
		retry: {
			limit: Number.MAX_SAFE_INTEGER,
			calculateDelay: ({ error, computedValue }) =>
				error.name === 'RetryError' ? computedValue : delayAfter(error),
		},
		hooks: {
			beforeRequest: [(request) => beforeAttempt(upstreams, request)],
			afterResponse: [
				(response) => {
					accept(response);
					return response;
				},
			],
		},
	};
}

/** Begins the call, or asks whether it may go on; puts its headers and its limit in place. */
async function beforeAttempt(upstreams: Upstreams<string>, request: Options): Promise<void> {
	const { context } = request;
	const known = sessionOf(request);
	if (request.isStream || known?.state === 'sending') {
		// A redirect is the same attempt.
		return;
	}
	let session = known;
	if (session?.state === 'waiting') {
		await resume(session);
	} else {
		session = await begin(upstreams.of(String(request.url)), request);
		context[SESSION as unknown as string] = session;
	}
	session.state = 'sending';
	for (const [name, value] of Object.entries(session.call.headers)) {
		request.headers[name.toLowerCase()] = value;
	}
	const limit = session.call.timeoutMs;
	if (limit !== null) {
		request.timeout.request = Math.max(1, Math.min(limit, session.timeoutMs ?? limit));
	}
}

async function begin(upstream: KeptUpstream, request: Options): Promise<Session> {
	const given = property(request.context, 'retrywise');
	const facts: RequestFacts = {
		method: request.method,
		headers: request.headers,
		replayableBody: !isOneShot(request.body),
		...(typeof given === 'object' && given !== null ? (given as GotCallOptions) : {}),
	};
	for (;;) {
		const admission = upstream.begin(facts);
		if (admission.admitted) {
			const { call } = admission;
			const timeoutMs = request.timeout.request;
			const session: Session = { call, upstream, timeoutMs, state: 'sending' };
			if (typeof FinalizationRegistry === 'function') {
				dropped ??= new FinalizationRegistry((call) => call.end());
				dropped.register(session, call);
			}
			return session;
		}
		await later(
			upstream,
			admission.reason,
			admission.retryInMs,
			admission.reason !== 'rate-limited',
		);
	}
}

async function resume(session: Session): Promise<void> {
	for (;;) {
		const resumed = session.call.resume();
		if (resumed.admitted) {
			return;
		}
		const { reason, retryInMs, over } = resumed;
		if (over) {
			session.state = 'over';
		}
		await later(session.upstream, reason, retryInMs ?? 0, over);
	}
}

/** Waits until it makes sense to ask again; throws when it makes none. */
async function later(
	upstream: KeptUpstream,
	reason: Reason,
	retryInMs: number | null,
	isOver: boolean,
): Promise<void> {
	if (isOver || retryInMs === null) {
		throw new RetryRefused(reason, retryInMs);
	}
	await upstream.clock.sleep(Math.max(1, retryInMs));
}

/** What got waits before the next attempt; 0 ends the call. */
function delayAfter(error: RequestError): number {
	const session = sessionOf(error.options);
	if (session?.state !== 'sending') {
		return 0;
	}
	const { response } = error;
	const verdict = session.call.settle(
		response === undefined
			? { error }
			: { status: response.statusCode, headers: response.headers, body: bodyOf(response), error },
	);
	session.state = verdict.kind === 'retry' ? 'waiting' : 'over';
	return verdict.kind === 'retry' ? Math.max(1, verdict.delayMs) : 0;
}

/** An answer that got does not take for an error. */
function accept(response: Response): void {
	const session = sessionOf(response.request.options);
	if (session?.state === 'sending' && response.ok) {
		const { statusCode: status, headers } = response;
		session.call.settle({ status, headers });
		session.call.end();
		session.state = 'over';
	}
}

function sessionOf(request: Options): Session | undefined {
	return (request.context as Record<symbol, Session | undefined>)[SESSION];
}

/** The body parsed, where it is JSON and short. */
function bodyOf({ body }: Response): unknown {
	if (typeof body !== 'string' || body.length > 65_536) {
		return body;
	}
	try {
		return JSON.parse(body);
	} catch {
		return undefined;
	}
}
