/**
 * Waiting for a function that may not listen.
 *
 * @module
 */

import { reasonOf } from '../host.ts';

/** The value, or the signal's reason: a function that does not listen is not waited for. */
export function untilAborted<T>(sending: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	if (signal === undefined) {
		return sending;
	}
	return new Promise((resolve, reject) => {
		const abort = (): void => reject(reasonOf(signal));
		signal.addEventListener('abort', abort, { once: true });
		if (signal.aborted) {
			abort();
		}
		sending.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
	});
}
