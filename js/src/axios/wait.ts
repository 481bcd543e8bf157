/**
 * Waits that a request's signal and its cancel token end.
 *
 * @module
 */

import type { Clock } from '../types.ts';
import { property } from '../values.ts';

/** The two ways to cancel a request, the second one deprecated by axios. */
export interface Cancellable {
	readonly signal?: unknown;
	readonly cancelToken?: unknown;
}

/** Whether the request is cancelled already. */
export function isCancelled({ signal, cancelToken }: Cancellable): boolean {
	return property(signal, 'aborted') === true || isThere(property(cancelToken, 'reason'));
}

/**
 * Waits `ms`; false as soon as the request is cancelled. Leaves no timer and no listener.
 *
 * axios takes any signal that has a flag and listeners, so its abort is handed to one of the host.
 */
export function wait(clock: Clock, ms: number, request: Cancellable): Promise<boolean> {
	if (isCancelled(request)) {
		return Promise.resolve(false);
	}
	return isThere(request.signal) || isThere(request.cancelToken)
		? abortable(clock, ms, request)
		: Promise.resolve(clock.sleep(ms)).then(whole);
}

const whole = (): boolean => true;

async function abortable(
	clock: Clock,
	ms: number,
	{ signal, cancelToken }: Cancellable,
): Promise<boolean> {
	const abort = new AbortController();
	const stop = (): void => abort.abort();
	call(signal, 'addEventListener', 'abort', stop);
	call(cancelToken, 'subscribe', stop);
	try {
		await clock.sleep(ms, abort.signal);
	} catch (error) {
		if (!abort.signal.aborted) {
			throw error;
		}
	} finally {
		call(signal, 'removeEventListener', 'abort', stop);
		call(cancelToken, 'unsubscribe', stop);
	}
	return !abort.signal.aborted;
}

function call(value: unknown, name: string, ...args: readonly unknown[]): void {
	const method = property(value, name);
	if (typeof method === 'function') {
		method.apply(value, args);
	}
}

function isThere(value: unknown): boolean {
	return value !== undefined && value !== null;
}
