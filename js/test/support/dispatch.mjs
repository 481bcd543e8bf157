/** Dispatchers on a virtual clock, and a vendor with a rate limit. */

import { createHash } from 'node:crypto';
import { createUpstream } from 'retrywise';
import { createDispatcher } from 'retrywise/dispatch';
import { sharedClock } from './clock.mjs';

// The host's own takes its time in another thread, and no virtual clock would know of it.
Object.defineProperty(globalThis.crypto.subtle, 'digest', {
	value: async (_, bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()).buffer,
});

export const POLICY = { breaker: null, budget: null, limiter: {}, backoff: { jitter: 'none' } };
export const HOUR = 3_600_000;

/** A dispatcher over an upstream, on a clock of its own. */
export function make({ policy = POLICY, ...options } = {}) {
	const clock = sharedClock();
	const upstream = createUpstream(policy, { clock, seed: 1 });
	const events = [];
	const dispatcher = createDispatcher({
		upstream,
		onEvent: (event) => {
			events.push(event);
			throw new Error('a listener');
		},
		...options,
	});
	return { clock, upstream, dispatcher, events };
}

/** A vendor that answers so many calls in each window, and counts what it had to refuse. */
export function vendor(clock, { limit, windowMs, takesMs = 10 }) {
	const seen = { order: [], refused: 0 };
	let window = { begins: 0, left: limit };
	const answer = async (name) => {
		if (clock.now() >= window.begins + windowMs) {
			window = { begins: clock.now() - (clock.now() % windowMs), left: limit };
		}
		const resetMs = window.begins + windowMs - clock.now();
		const reset = { 'ratelimit-limit': limit, 'ratelimit-reset': Math.ceil(resetMs / 1000) };
		if (window.left === 0) {
			seen.refused += 1;
			const headers = {
				...reset,
				'ratelimit-remaining': 0,
				'retry-after': reset['ratelimit-reset'],
			};
			throw Object.assign(new Error('429'), { status: 429, headers });
		}
		window.left -= 1;
		const { left } = window;
		seen.order.push([name, clock.now()]);
		await clock.sleep(takesMs);
		return { status: 200, headers: { ...reset, 'ratelimit-remaining': left } };
	};
	return { answer, seen };
}
