/**
 * Time and chance, as the host has them. Globals are looked up when they are used, never kept: so
 * fake timers work, and nothing happens at import, where some hosts forbid it.
 *
 * @module
 */

import type { Clock } from './types.ts';

/** The longest wait that one timer takes; beyond it hosts fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/** A clock with the host's own parts where `given` leaves them out. */
export function clockOf(given: Partial<Clock> = {}): Clock {
	const { now, wall, sleep: wait, after: later } = given;
	if (now === undefined && wall === undefined && wait === undefined && later === undefined) {
		return HOST;
	}
	// Bound: a clock may be a class. The host's own are called as they stand.
	return {
		now: now === undefined ? HOST.now : now.bind(given),
		wall: wall === undefined ? HOST.wall : wall.bind(given),
		sleep: wait === undefined ? HOST.sleep : wait.bind(given),
		after: later === undefined ? after : later.bind(given),
	};
}

const HOST: Clock = {
	now: () => performance.now(),
	wall: () => Date.now(),
	sleep: (ms, signal) => sleep(ms, signal),
	after,
};

/** Calls `fire` after `ms`, at most {@link MAX_TIMER_MS}; gives what prevents it. */
export function after(ms: number, fire: () => void): () => void {
	const timer = setTimeout(fire, Math.min(Math.max(1, Math.ceil(ms)), MAX_TIMER_MS));
	return () => clearTimeout(timer);
}

/**
 * Waits `ms`, in turns of at most {@link MAX_TIMER_MS}; NaN and negative numbers wait 0. Rejects
 * with the signal's reason when it is aborted, and leaves no timer and no listener either way.
 * With `unref` the wait does not keep a process alive, where the host has processes.
 */
export function sleep(ms: number, signal?: AbortSignal, unref = false): Promise<void> {
	const left = ms > 0 ? ms : 0;
	// By itself: a function that awaits stays in memory for as long as the wait.
	return left > MAX_TIMER_MS ? turns(left, signal, unref) : turn(left, signal, unref);
}

async function turns(ms: number, signal: AbortSignal | undefined, unref: boolean): Promise<void> {
	let left = ms;
	while (left > MAX_TIMER_MS) {
		await turn(MAX_TIMER_MS, signal, unref);
		left -= MAX_TIMER_MS;
	}
	await turn(left, signal, unref);
}

/** Throws the reason of a signal that is aborted. React Native's signals cannot do so themselves. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
	if (signal?.aborted) {
		throw reasonOf(signal);
	}
}

/** Whether there is one that is aborted. */
export function isAborted(signal: AbortSignal | undefined): boolean {
	return signal?.aborted === true;
}

/** Why a signal is aborted; an error of the usual name where the host keeps no reason. */
export function reasonOf(signal: AbortSignal): unknown {
	if (signal.reason !== undefined) {
		return signal.reason;
	}
	return Object.assign(new Error('the call was aborted'), { name: 'AbortError' });
}

function turn(ms: number, signal: AbortSignal | undefined, unref: boolean): Promise<void> {
	return signal === undefined
		? new Promise((resolve) => {
				unrefIf(unref, setTimeout(resolve, ms));
			})
		: abortable(ms, signal, unref);
}

function abortable(ms: number, signal: AbortSignal, unref: boolean): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal.aborted) {
			reject(reasonOf(signal));
			return;
		}
		const timer = setTimeout(() => {
			signal.removeEventListener('abort', abort);
			resolve();
		}, ms);
		const abort = (): void => {
			clearTimeout(timer);
			reject(reasonOf(signal));
		};
		unrefIf(unref, timer);
		signal.addEventListener('abort', abort, { once: true });
	});
}

function unrefIf(unref: boolean, timer: ReturnType<typeof setTimeout>): void {
	if (unref && typeof timer === 'object') {
		timer.unref();
	}
}

/**
 * A random seed, 0 to 2^53 − 1. Jitter needs spread, not secrecy: where the host has no strong
 * source, its ordinary one does.
 */
export function drawSeed(): number {
	const words = randomBytes(8);
	if (words === null) {
		return Math.floor(Math.random() * 2 ** 53);
	}
	const [high = 0, low = 0] = new Uint32Array(words.buffer);
	return (high % 2 ** 21) * 2 ** 32 + low;
}

/** Strong random bytes, to make keys from; null where the host has none, and then no key is made. */
export function randomBytes(count: number): Uint8Array<ArrayBuffer> | null {
	const source = (globalThis as { crypto?: Crypto }).crypto;
	return source === undefined ? null : source.getRandomValues(new Uint8Array(count));
}

/** Whether requests leave from a page or its workers, where an unknown header forces a preflight. */
export function isBrowser(): boolean {
	const { document, WorkerGlobalScope, location } = globalThis as Record<string, unknown>;
	return document !== undefined || (WorkerGlobalScope !== undefined && location !== undefined);
}
