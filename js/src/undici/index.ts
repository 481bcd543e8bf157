/**
 * An interceptor for undici's dispatchers: `new Agent().compose(retrywise(policy))`.
 *
 * It speaks the handler interface of undici 7 and later. Everything that goes through the composed
 * dispatcher comes under the policy: `request`, `stream`, `pipeline`, undici's own `fetch`.
 *
 * @module
 */

import type { Dispatcher } from 'undici';
import { type Said, said } from '../said.ts';
import type { Policy, Upstream, UpstreamOptions } from '../types.ts';
import { Upstreams } from '../upstreams.ts';
import { property } from '../values.ts';
import { Exchange } from './exchange.ts';

/** Facts about one request, as `retrywise` beside `method` and `path`. */
export type UndiciCallOptions = Said;

/** How the interceptor works. */
export interface UndiciOptions extends UpstreamOptions {
	/** Names the dependency that a request goes to. @default its origin */
	upstreamKey?: (options: Dispatcher.DispatchOptions) => string;
	/** Tells inner layers, by `x-retry-layer`, that this one retries already. @default true */
	layerHeader?: boolean;
}

/** An interceptor that can be asked for its upstreams. */
export interface UndiciInterceptor extends Dispatcher.DispatcherComposeInterceptor {
	/** The upstream of a key: of an origin, unless `upstreamKey` says otherwise. */
	upstream(key: string): Upstream;
}

/**
 * Puts what is sent through a dispatcher under a policy.
 *
 * Each origin gets an upstream of its own, unless `upstreamKey` says otherwise or `policy` is an
 * upstream. A final bad status arrives as any answer does; a final error unchanged; a request that
 * must not be sent fails with {@link RetryRefused}. The decision falls with the answer's head: once
 * that is handed on, a body that breaks is the caller's to see. A body that is a stream or an
 * iterator is sent once only. Upgrades and CONNECT pass untouched.
 *
 * `retrywise: { key, priority … }` among a request's options says more about it, `retrywise: false`
 * sends it as it is.
 *
 * @throws {PolicyError} with everything that is wrong with the policy
 * @throws {LoadError} where the host forbids WebAssembly
 */
export function retrywise(
	policy?: Policy | string | Upstream,
	options: UndiciOptions = {},
): UndiciInterceptor {
	const { upstreamKey = originOf, layerHeader = true, ...given } = options;
	const upstreams = new Upstreams(policy, given, upstreamKey);
	const interceptor = (dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch =>
		function retrying(request, handler) {
			const facts = property(request, 'retrywise');
			if (facts === false || request.method === 'CONNECT' || request.upgrade) {
				return dispatch(request, handler);
			}
			const upstream = upstreams.of(request);
			new Exchange(upstream, dispatch, request, handler, factsOf(facts), layerHeader).begin();
			return true;
		};
	return Object.assign(interceptor, { upstream: (key: string) => upstreams.at(key) });
}

function originOf({ origin }: Dispatcher.DispatchOptions): string {
	try {
		return origin === undefined ? '' : new URL(origin).origin;
	} catch {
		return '';
	}
}

function factsOf(given: unknown): UndiciCallOptions {
	if (typeof given !== 'object' || given === null) {
		return {};
	}
	return said(given as UndiciCallOptions);
}
