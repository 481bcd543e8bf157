/** What the suites of a ledger on a store share. */

import assert from 'node:assert/strict';

import { createLedger } from 'retrywise/ledger';
import { virtualClock } from './clock.mjs';
import { HONOURED } from './ledger-policy.mjs';

/** Two ledgers on one empty store, under one clock: two workers. */
export function workers(store, more = {}) {
	const clock = virtualClock();
	const given = { store, policy: HONOURED, clock, seed: 1, ...more };
	return { clock, store, ledger: createLedger(given), other: createLedger(given) };
}

/** Waits until it holds, but not for ever. */
export async function until(condition) {
	for (let turn = 0; !condition(); turn += 1) {
		assert.ok(turn < 10_000, 'it never came');
		await new Promise((resolve) => setTimeout(resolve, 1));
	}
}

/** A function whose attempt never ends, and a promise of its begin. */
export function hanging() {
	let begun;
	const sent = new Promise((resolve) => {
		begun = resolve;
	});
	const send = () => {
		begun();
		return new Promise(() => {});
	};
	return { sent, send };
}
