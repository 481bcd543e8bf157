/**
 * For the project's own test runners. Nothing here is part of the package's contract: it may change
 * in any release.
 *
 * @module
 */

import { engine } from './engine.ts';
import { RetrywiseError } from './errors.ts';
import type { Class, Reason, Upstream } from './types.ts';
import { isKept, type KeptUpstream, newDelayState } from './upstream.ts';

/** The state of an upstream's generator, as two numbers of 32 bits. */
export function rngState(upstream: Upstream): { readonly high: number; readonly low: number } {
	const { engine, handle } = kept(upstream);
	return { high: engine.wasm.rng_high(handle) >>> 0, low: engine.wasm.rng_low(handle) >>> 0 };
}

/** Continues an upstream from a state of its generator. */
export function setRngState(upstream: Upstream, high: number, low: number): void {
	const { engine, handle } = kept(upstream);
	engine.wasm.rng_set(handle, high, low);
}

/** The waits of one call by themselves, as its settles would choose them. */
export function delaysOf(upstream: Upstream): {
	/** The wait before retry `retry`, from 1; a `delayMs` of null stands for a hint too long. */
	next(
		retry: number,
		of?: Class,
		hintMs?: number | null,
	): { readonly delayMs: number | null; readonly reason: Reason };
} {
	const state = newDelayState();
	const own = kept(upstream);
	return {
		next: (retry, of = 'transient', hintMs = null) => own.delay(retry, of, hintMs, state),
	};
}

/** What a method means; case-sensitive, as in HTTP. */
export function methodFacts(token: string): {
	readonly safe: boolean;
	readonly idempotent: boolean;
} {
	const { wasm, methods } = engine();
	const facts = wasm.method_facts(methods.code(token) ?? 0);
	return { safe: (facts & 1) !== 0, idempotent: (facts & 2) !== 0 };
}

export { ledgerTerms, renderTrail, reviewItem } from './ledger/core.ts';

/** How many calls the module holds. */
export function callsUnderWay(): number {
	return engine().wasm.calls() >>> 0;
}

function kept(upstream: Upstream): KeptUpstream {
	if (!isKept(upstream)) {
		throw new RetrywiseError('this upstream was not made by this copy of the package');
	}
	return upstream;
}
