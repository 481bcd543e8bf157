/**
 * The signal of one attempt: the caller's own, and the attempt's time limit.
 *
 * @module
 */

import { isAborted, reasonOf } from '../host.ts';
import type { Clock } from '../types.ts';

/** A signal, and how to let go of what it follows. */
export interface AttemptSignal {
	readonly signal: AbortSignal | undefined;
	/** The head of the answer is there, or the attempt failed: the limit holds no more. */
	clear(): void;
	/** Nobody reads an answer of this attempt any more: it does not follow the caller's signal either. */
	release(): void;
	/** What the attempt failed with: its limit, where that ended it and the host only says `AbortError`. */
	because(error: unknown): unknown;
}

/**
 * Aborts with a `TimeoutError`, as `AbortSignal.timeout` does, so that it is told from a
 * cancellation. The caller's own signal goes on to hold for the body of the answer.
 */
export function attemptSignal(
	caller: AbortSignal | undefined,
	timeoutMs: number | null,
	clock: Pick<Clock, 'after'>,
): AttemptSignal {
	if (timeoutMs === null) {
		return { signal: caller, clear: nothing, release: nothing, because: itself };
	}
	const controller = new AbortController();
	let late: Error | undefined;
	const clear = clock.after(timeoutMs, () => {
		late = timeout(`no answer within ${timeoutMs} ms`);
		controller.abort(late);
	});
	const all =
		caller === undefined
			? { signal: controller.signal, release: () => {} }
			: anyOf([caller, controller.signal]);
	return {
		signal: all.signal,
		clear,
		release() {
			clear();
			all.release();
		},
		because: (error) => (late !== undefined && !isAborted(caller) && isPlain(error) ? late : error),
	};
}

const nothing = (): void => {};
const itself = (error: unknown): unknown => error;

/** A signal that follows several, and how to let go of them. */
export interface Following {
	readonly signal: AbortSignal;
	release(): void;
}

/**
 * `AbortSignal.any`, also where the host has none (React Native). There a listener stays with each of
 * the signals until one is aborted or all are released, and keeps nothing else alive.
 */
export function anyOf(signals: readonly AbortSignal[]): Following {
	if (typeof AbortSignal.any === 'function') {
		return { signal: AbortSignal.any([...signals]), release: () => {} };
	}
	const controller = new AbortController();
	const { signal } = controller;
	controllers.set(signal, controller);
	const held = weakly(signal);
	const listeners = signals.map((followed) => {
		const listener = (): void => {
			release();
			const follower = held();
			if (follower !== undefined) {
				controllers.get(follower)?.abort(reasonOf(followed));
			}
		};
		return [followed, listener] as const;
	});
	const release = (): void => {
		for (const [followed, listener] of listeners) {
			followed.removeEventListener('abort', listener);
		}
	};
	for (const [followed, listener] of listeners) {
		if (followed.aborted) {
			listener();
			break;
		}
		followed.addEventListener('abort', listener, { once: true });
	}
	return { signal, release };
}

/** Kept for as long as somebody has the signal, which does not keep its controller itself. */
const controllers = new WeakMap<AbortSignal, AbortController>();

function weakly<T extends WeakKey>(value: T): () => T | undefined {
	if (typeof WeakRef !== 'function') {
		return () => value;
	}
	const held = new WeakRef(value);
	return () => held.deref();
}

function timeout(message: string): Error {
	return typeof DOMException === 'function'
		? new DOMException(message, 'TimeoutError')
		: Object.assign(new Error(message), { name: 'TimeoutError' });
}

/** Controllers that know no reasons abort with an error of this name, whatever they are told. */
function isPlain(error: unknown): boolean {
	return error === undefined || (error instanceof Error && error.name === 'AbortError');
}
