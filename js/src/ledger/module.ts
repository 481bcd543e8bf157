/**
 * The module that keeps the ledger: a WebAssembly module of its own, compiled at first use, so that
 * who only retries carries none of it.
 *
 * @module
 */

import { instantiate } from '#instance-ledger';
import { Buffers, engine } from '../engine.ts';
import type { Shared } from '../exports.ts';
import { newPolicy } from '../policy.ts';

/** What the ledger's module exports. */
export interface Keeping extends Shared {
	ledger_op(
		honoured: number,
		windowMs: number,
		leaseMs: number,
		retentionMs: number,
		longestKey: number,
		keyShape: number,
		retries: number,
		length: number,
	): number;
	trail_render(length: number): number;
	review_item(length: number): number;
	dispatch_new(concurrency: number, capacity: number, step: number): number;
	dispatch_free(dispatch: number): void;
	dispatch_add(dispatch: number, id: number, priority: number, due: number, now: number): number;
	dispatch_next(dispatch: number, now: number): number;
	dispatch_put_back(dispatch: number, id: number, retryIn: number, now: number): number;
	dispatch_done(dispatch: number, id: number): number;
	dispatch_remove(dispatch: number, id: number): number;
	dispatch_view(dispatch: number, which: number): number;
	key_make(
		version: number,
		longestKey: number,
		keyShape: number,
		wall: number,
		length: number,
	): number;
}

/** What a ledger needs of a policy, as the module that decides read it: numbers, handed over. */
export interface Terms {
	readonly honoured: number;
	readonly windowMs: number;
	readonly leaseMs: number;
	readonly retentionMs: number;
	readonly longestKey: number;
	readonly keyShape: number;
	readonly version: number;
	readonly retries: number;
}

/**
 * Reads a policy.
 *
 * @throws {PolicyError} with everything that is wrong with it
 */
export function termsOf(policy: unknown): Terms {
	const module = engine();
	const handle = newPolicy(module, policy);
	module.wasm.policy_terms(handle);
	module.wasm.policy_free(handle);
	return {
		honoured: module.output(0),
		windowMs: module.output(1),
		leaseMs: module.output(2),
		retentionMs: module.output(3),
		longestKey: module.output(4),
		keyShape: module.output(5),
		version: module.output(6),
		retries: module.output(7),
	};
}

let loaded: Buffers<Keeping> | undefined;

/** The ledger's module; the first use compiles it. */
export function keeper(): Buffers<Keeping> {
	loaded ??= new Buffers(instantiate());
	return loaded;
}
