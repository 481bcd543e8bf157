/**
 * Time that a test moves: a backoff of half a minute passes at once, and the same way every time.
 *
 * @module
 */

import type { Clock } from '../types.ts';

/** A clock that moves when somebody sleeps on it, or by hand. */
export interface VirtualClock extends Clock {
	/** What was slept so far, milliseconds each. */
	readonly slept: readonly number[];
	/** How long it is to the next timer, ms; null when there is none. */
	readonly untilTimer: number | null;
	/** Moves on, and fires the timers that become due, in their order. */
	advance(ms: number): void;
	/** Moves on to the next timer and fires it; false when there is none. */
	skip(): boolean;
}

/** How a virtual clock starts. */
export interface VirtualClockOptions {
	/** The wall clock at the start, ms since 1970. Default: 2026-01-15T12:00:00Z. */
	wall?: number;
}

interface Timer {
	readonly due: number;
	readonly fire: () => void;
}

/**
 * A clock for one call after the other: sleeping moves it on at once, so that two calls which sleep
 * side by side take the sum of their waits, not the longer one. Give it as `clock` to `retry`,
 * `withRetry`, `attach` or `createUpstream`, and to {@link startFaultyServer}.
 */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
	const { wall = Date.UTC(2026, 0, 15, 12) } = options;
	const timers = new Set<Timer>();
	const slept: number[] = [];
	let now = 0;
	const next = (until: number): Timer | undefined => {
		const due = [...timers].filter((timer) => timer.due <= until);
		return due.sort((one, other) => one.due - other.due)[0];
	};
	const fire = (timer: Timer): void => {
		timers.delete(timer);
		now = Math.max(now, timer.due);
		timer.fire();
	};
	const advance = (ms: number): void => {
		const until = now + Math.max(0, ms);
		for (let timer = next(until); timer !== undefined; timer = next(until)) {
			fire(timer);
		}
		now = until;
	};
	return {
		slept,
		get untilTimer() {
			const timer = next(Number.POSITIVE_INFINITY);
			return timer === undefined ? null : Math.max(0, timer.due - now);
		},
		now: () => now,
		wall: () => wall + now,
		sleep: async (ms, signal) => {
			signal?.throwIfAborted();
			slept.push(ms);
			advance(ms);
			signal?.throwIfAborted();
		},
		after: (ms, then) => {
			const timer = { due: now + Math.max(0, ms), fire: then };
			timers.add(timer);
			return () => timers.delete(timer);
		},
		advance,
		skip: () => {
			const timer = next(Number.POSITIVE_INFINITY);
			if (timer !== undefined) {
				fire(timer);
			}
			return timer !== undefined;
		},
	};
}
